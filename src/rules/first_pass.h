/*
 * first_pass.h - where a track's passes begin and how many there are: as given, or by a rule
 *
 * Rules are stated by the caller and found anew in each trace. As text, in
 * specs, reports and on the command line: `run:3`, `run:-1`, `skip-partial`.
 */
#ifndef FIRST_PASS_H
#define FIRST_PASS_H

#include "rules/places.h"
#include "rules/track.h"

/* Takes `run:K`, K a whole number other than 0 of at most 18 digits. False when it is something else. */
bool first_pass_parse_run(const char *text, size_t len, int64_t *run);

/* The rule of a track as text, or NULL when its anchor_offset is a number. Returns `out`, or NULL. */
#define FIRST_PASS_RULE 32
const char *first_pass_rule(const struct lt_track *track, char out[FIRST_PASS_RULE]);

/*
 * Fills track->first, once scopes and launches are settled; *places are the
 * runs where a rule asked for them, for messages, and to be freed after any result.
 * Of all passes there is at least one: plan.h refuses what is too few.
 */
enum places_status first_pass_find(struct track *track, struct places *places);

#endif
