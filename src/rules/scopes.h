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

#include "base/decimal.h"

#define SCOPE_NONE UINT32_MAX

/* One matching slice: 56 bytes. */
struct scope {
    struct decimal_packed start, end;
    uint32_t pid, tid, name; /* numbers in the caller's tables */
    uint32_t device;         /* the same, of a GPU scope; or UINT32_MAX */
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

void scopes_free(struct scopes *scopes);

/*
 * The GPU scopes of one process. An annotation is drawn once on each stream
 * that it has work on: so a stream that carries annotations answers for
 * itself, and only for one that carries none do those of all streams count.
 */
struct gpu_scopes {
    struct scopes own, any; /* the same slices: by stream, and across streams */
    uint32_t pid;
    uint32_t *tids; /* [tid_count], rising: the streams that carry annotations, matching or not */
    size_t tid_count;
};

/* Settles both from the slices in `own`. False when memory is out. */
bool gpu_scopes_settle(struct gpu_scopes *scopes);

/* Whether a stream carries annotations, and so tells for itself. */
bool gpu_scopes_own(const struct gpu_scopes *scopes, uint32_t tid);

/*
 * The instance that holds the kernels from `ts` to `last` on a stream: its
 * own, or else that of any stream. NULL: none.
 */
const struct scope *gpu_scopes_at(const struct gpu_scopes *scopes, uint32_t tid, const struct decimal *ts,
                                  const struct decimal *last);

/*
 * Whether two instances are one scope: the same one, or of one name on
 * another stream at the same time. An annotation lasts on each stream for
 * what it has there, so one may be short, and streams run ahead of each
 * other: they must overlap by more than half of the shorter one.
 */
bool gpu_scopes_agree(const struct scope *first, const struct scope *at);

/* Whether a kernel that starts at `ts` lies in it. */
bool gpu_scopes_spans(const struct scope *scope, const struct decimal *ts);

void gpu_scopes_free(struct gpu_scopes *scopes);

#endif
