/*
 * select.h - which process and device the guides belong to
 */
#ifndef SELECT_H
#define SELECT_H

#include "collect.h"

struct selection {
    uint32_t pid, device; /* numbers in collect->values; device may be INTERN_NONE */
    bool also_without;    /* some anchors name no device */
    uint64_t guide_tid;   /* free in that process */
};

/*
 * Steps 1 to 3 of choosing anchors: no guides yet; matching kernels in
 * exactly one process and on at most one device; every kernel there with
 * usable times. On success only the chosen anchors and terminals are left in
 * `collect`. LT_SELECTION with what was found and what to do.
 */
enum lt_status select_group(struct collect *collect, struct selection *selection, struct lt_error *error);

/*
 * LT_SELECTION for a trace where no wanted kernel matches: no kernel at all,
 * none of that name (`pattern` may be NULL: any name), or none of that
 * process and device.
 */
enum lt_status select_refuse_none(const struct collect *collect, const char *pattern, struct lt_error *error);

#endif
