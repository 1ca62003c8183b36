/*
 * track_runs.h - the runs of a selected track's anchors
 *
 * With `within` or `within_gpu` each scope instance is a run, with both each
 * pair of them; else gaps in time part the runs, as inspect has them.
 */
#ifndef TRACK_RUNS_H
#define TRACK_RUNS_H

#include "rules/places.h"
#include "rules/track.h"

/*
 * What places.h wants to know of a track whose scopes are settled and whose
 * launches are applied. *instances is the caller's to free, or NULL. Memory:
 * 8 bytes per anchor, and with within_gpu 8 per scope. False when it is out.
 */
bool track_runs(const struct track *track, struct places_request *request, uint64_t **instances);

#endif
