/*
 * select.h - which process and device the guides belong to
 */
#ifndef SELECT_H
#define SELECT_H

#include "rules/tracks.h"

/*
 * Steps 1 to 3 of choosing anchors: no guides yet; matching kernels in
 * exactly one process and on at most one device; every kernel there with
 * usable times. On success track->selection is set, and only the chosen
 * anchors, terminals and landmarks are left. The guide tid is one that no earlier
 * track of the job has. LT_SELECTION with what was found and what to do.
 */
enum lt_status select_group(struct collect *collect, struct tracks *tracks, size_t index, struct lt_error *error);

/*
 * LT_SELECTION for a trace where no wanted kernel matches: no kernel at all,
 * none of that name, or none of that process and device.
 */
enum lt_status select_refuse_none(const struct collect *collect, const struct track *track, struct lt_error *error);

#endif
