/*
 * plan.h - from sorted anchors to guides: the rules of the specification
 *
 * Pure functions over arrays. Nothing here knows of files, JSON or words;
 * what is refused is told in numbers.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "decimal.h"

/* One matching anchor of the chosen process and device: 32 bytes. */
struct anchor {
    struct decimal_packed ts;
    uint32_t name, tid; /* numbers in the caller's tables */
    uint32_t group;     /* the caller's own; not read here */
    uint8_t ts_scale;
};

/* One matching terminal of the chosen process and device: 40 bytes. */
struct terminal {
    struct decimal_packed ts, end;
    uint32_t group; /* the caller's own; not read here */
    uint8_t ts_scale, end_scale;
};

struct plan_request {
    const struct anchor *anchors; /* [anchor_count], in the order of the trace */
    size_t anchor_count;
    const struct terminal *terminals; /* [terminal_count]; NULL with has_terminal false */
    size_t terminal_count;
    bool has_terminal;
    uint64_t num_layers, passes, anchor_offset, first_layer;
};

enum plan_refusal {
    PLAN_FINE,
    PLAN_TOO_FEW,        /* need, found: anchors from the offset on */
    PLAN_EQUAL_TIMES,    /* pass, layer: the second of two selected anchors that start at `ts` */
    PLAN_NO_TERMINAL,    /* pass, layer */
    PLAN_MANY_TERMINALS, /* pass, layer; found: how many */
    PLAN_LATE_TERMINAL,  /* pass, layer; ts: its end; limit: the start of the next anchor */
    PLAN_TIME_RANGE,     /* pass, layer; ts: a time beyond 64 bits of whole microseconds */
    PLAN_NO_MEMORY
};

enum plan_boundary { PLAN_NEXT_ANCHOR, PLAN_TERMINAL_END, PLAN_POINT };

struct guide {
    uint64_t pass_index;   /* 0-based */
    uint64_t layer_id;     /* first_layer + position in the pass */
    uint64_t anchor_index; /* among all matching anchors by time */
    const struct anchor *anchor;
    struct decimal start, end;      /* exact */
    int64_t guide_start, guide_end; /* whole microseconds, half to even */
    enum plan_boundary boundary;
};

struct plan {
    struct plan_request request;
    uint32_t *anchor_order;   /* [anchor_count]: positions by time, equal times in the trace's order */
    uint32_t *terminal_order; /* [terminal_count] */
    uint32_t *pass_terminal;  /* [passes]: the terminal that closes each pass */
    uint64_t guide_count;
    /* What was refused, or warned about. */
    enum plan_refusal refusal;
    uint64_t pass, layer, need, found;
    struct decimal ts, limit;
    uint64_t same_start_count; /* neighbours in a pass whose starts round to the same microsecond ... */
    uint64_t same_start_pass, same_start_layer; /* ... the first one's second anchor */
};

/*
 * Sorts, selects and checks. The request's arrays must outlive the plan.
 * Memory: 4 bytes per anchor and terminal, as much again while sorting, and
 * 4 per pass. plan->refusal says whether it is accepted.
 */
enum plan_refusal plan_make(struct plan *plan, const struct plan_request *request);

/* The `index`-th guide, in the order of time; plan_make() has accepted. */
void plan_guide(const struct plan *plan, uint64_t index, struct guide *guide);

void plan_free(struct plan *plan);

#endif
