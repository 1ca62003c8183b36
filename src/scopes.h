/*
 * scopes.h - slices that hold others: which one holds a call, or a pass
 *
 * A scope instance is a slice whose name matches. One that lies inside
 * another matching one on its thread is part of that: only the outermost
 * count, so that every call lies in one instance. Pure functions over
 * arrays.
 */
#ifndef SCOPES_H
#define SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decimal.h"

#define SCOPE_NONE UINT32_MAX

/* One matching slice: 48 bytes. */
struct scope {
    struct decimal_packed start, end;
    uint32_t pid, tid, name; /* numbers in the caller's tables */
    uint8_t start_scale, end_scale;
};

struct scopes {
    struct scope *items; /* [count]; after scopes_settle(): the outermost, by pid, tid and time */
    size_t count, capacity;
    bool across_tids; /* threads do not matter: GPU scopes, which there is one of on each stream */
};

/* Takes one. False when memory is out. */
bool scopes_add(struct scopes *scopes, const struct scope *scope);

/*
 * Sorts, and drops what lies inside another one of the same pid and tid
 * (across_tids: of the same pid). False when memory is out. Memory while it
 * runs: as much once more, and 8 bytes per scope.
 */
bool scopes_settle(struct scopes *scopes);

/*
 * The instance of that thread that holds [start, end], its own end included:
 * the earliest if overlapping ones do. SCOPE_NONE: none.
 */
uint32_t scopes_holding(const struct scopes *scopes, uint32_t pid, uint32_t tid, const struct decimal *start,
                        const struct decimal *end);

/* With across_tids: the instance of that process with start <= first and last < end. */
uint32_t scopes_spanning(const struct scopes *scopes, uint32_t pid, const struct decimal *first,
                         const struct decimal *last);

void scopes_free(struct scopes *scopes);

#endif
