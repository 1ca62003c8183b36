/*
 * messages.h - sentences for what a plan refuses, and for warnings about plans
 *
 * Every sentence is "FILE: what; what to do" and says where: pass, layer,
 * anchor and time. Those about a trace's text are in trace/reading_messages.
 */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "base/error.h"
#include "guides/guide_writer.h"
#include "rules/places.h"
#include "rules/plan.h"
#include "rules/track.h"
#include "rules/warnings.h"
#include "trace/collect.h"

/* Fills *error from a track's refused plan. */
enum lt_status message_for_plan(const struct track *track, struct lt_error *error);

/* Fills *error from a rule that finds no first pass; `status` is neither PLACES_FINE nor PLACES_NO_MEMORY. */
enum lt_status message_for_places(const struct track *track, enum places_status status, const struct places *places,
                                  struct lt_error *error);

/* Fills *error (LT_SELECTION) from what guide_fit() found. */
enum lt_status message_for_too_long(const struct track *track, const struct guide_too_long *found,
                                    struct lt_error *error);

/* Of guides that a viewer does not show. */
void message_for_negative(const char *file, const struct plan *plan, const struct listener *listener);

void message_for_same_start(const char *file, const struct plan *plan, const struct listener *listener);

/* Warns about anchors that are different kernels. */
void message_for_mixed_names(const struct track *track, const struct collect *collect, const struct mixed_names *found,
                             const struct listener *listener);

/* Warns about passes that do not fit the runs of their anchors; `error` has the names. */
void message_for_misplaced_passes(const char *file, const struct misplaced_passes *found,
                                  const struct listener *listener, const struct lt_error *error);

/* Warns about two tracks that label the same kernels. */
void message_for_same_kernels(const char *file, const char *phase, const char *other, const struct listener *listener);

#endif
