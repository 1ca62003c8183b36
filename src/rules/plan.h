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

#include "base/decimal.h"
#include "rules/scopes.h"

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

/*
 * One kernel that a landmark pattern matches, of the chosen process and
 * device: 16 bytes. `ts` is the coefficient; of a number too long for 64 bits
 * it is the index in `long_times`, 16 bytes more.
 */
struct mark {
    int64_t ts;
    uint32_t group; /* the caller's own; not read here */
    uint8_t ts_scale;
    bool is_long;
};

/* One landmark: so many such kernels lie in every guide. */
struct landmark {
    uint64_t wanted;
    struct mark *marks; /* [count], in any order */
    size_t count, capacity;
    struct decimal_packed *long_times;
    size_t long_count, long_capacity;
};

struct plan_request {
    const struct anchor *anchors; /* [anchor_count], in the order of the trace */
    size_t anchor_count;
    size_t outside_count; /* so many follow, in any order, that lie outside the scopes: they only end last layers */
    const struct terminal *terminals; /* [terminal_count]; NULL with has_terminal false */
    size_t terminal_count;
    bool has_terminal;
    uint64_t num_layers, passes, anchor_offset, first_layer;
    uint64_t stride;                  /* every so manieth anchor starts a layer; 0 is 1 */
    uint64_t extras;                  /* anchors behind each pass's last layer that belong to none */
    const struct landmark *landmarks; /* [landmark_count] */
    size_t landmark_count;
    /* Scopes; NULL: not asked for. */
    const uint64_t *instances;           /* [anchor_count]: the scope instance that holds each anchor's launch */
    const struct gpu_scopes *gpu_scopes; /* settled; every anchor starts in one of them */
};

/* Whole microseconds up to this a double tells apart; as nanoseconds they fit 64 bits. */
#define PLAN_LAST_TIME ((int64_t)1 << 53)

enum plan_refusal {
    PLAN_FINE,
    PLAN_TOO_FEW,        /* need, found: anchors from the offset on */
    PLAN_EQUAL_TIMES,    /* pass, layer: the second of two selected anchors that start at `ts` */
    PLAN_NO_TERMINAL,    /* pass, layer */
    PLAN_MANY_TERMINALS, /* pass, layer; found: how many */
    PLAN_LATE_TERMINAL,  /* pass, layer; ts: its end; limit: the start of the next layer */
    PLAN_TIME_RANGE,     /* pass, layer; ts: a time beyond ±PLAN_LAST_TIME */
    PLAN_LANDMARK,       /* pass, layer; landmark: its index; need, found: its kernels in that guide */
    PLAN_CROSSES,        /* pass, layer: whose anchor, at `ts`, was launched in another scope than the pass's first */
    PLAN_CROSSES_GPU,    /* pass: no GPU scope holds all of its anchors, at `ts` to `limit` */
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
    uint32_t *anchor_order;              /* [anchor_count]: positions by time, equal times in the trace's order */
    uint32_t *outside_order;             /* [outside_count]: positions behind the anchors, by time */
    uint32_t *terminal_order;            /* [terminal_count] */
    uint32_t *pass_terminal;             /* [passes]: the terminal that closes each pass */
    uint32_t *pass_scope;                /* [passes]: the instance that holds it, when launches are asked for */
    const struct scope **gpu_pass_scope; /* [passes]: the GPU scope that its first anchor starts in */
    uint64_t guide_count;
    /* What was refused, or warned about. */
    enum plan_refusal refusal;
    uint64_t pass, layer, need, found, landmark;
    struct decimal ts, limit;
    uint64_t negative_count;   /* guides that start before 0 */
    uint64_t same_start_count; /* neighbours in a pass whose starts round to the same microsecond ... */
    uint64_t same_start_pass, same_start_layer; /* ... the first one's second anchor */
};

/*
 * Sorts, selects and checks. The request's arrays must outlive the plan.
 * Memory: 4 bytes per anchor and terminal, as much again while sorting, 4
 * per pass (8 with scopes), and with landmarks 4 per guide while counting.
 * plan->refusal says whether it is accepted.
 *
 * With stride K and E extras, layer l of pass p starts at the anchor
 * offset + p (N K + E) + l K. It ends where the next layer does start, or
 * would: at the K-th anchor from there, be it selected or not; the last one
 * of a pass also at the next anchor outside the scopes. The last pass needs all K anchors of its last layer, but not
 * the E behind it.
 */
enum plan_refusal plan_make(struct plan *plan, const struct plan_request *request);

/* The `index`-th guide, in the order of time; plan_make() has accepted. */
void plan_guide(const struct plan *plan, uint64_t index, struct guide *guide);

void plan_free(struct plan *plan);

#endif
