#include "rules/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

/* ---- sorting ----------------------------------------------------------------------------------------------- */

struct sort {
    const unsigned char *records;
    size_t size; /* of a record */
    /* Where a record keeps its time. */
    size_t ts_at, scale_at;
};

static struct decimal time_of(const struct sort *sort, uint32_t position)
{
    const unsigned char *record = sort->records + sort->size * position;
    struct decimal_packed packed;
    memcpy(&packed, record + sort->ts_at, sizeof packed);
    return decimal_unpack(packed, record[sort->scale_at]);
}

static bool in_order(void *ctx, uint32_t a, uint32_t b)
{
    struct sort *sort = ctx;
    struct decimal x = time_of(sort, a), y = time_of(sort, b);
    return decimal_compare(&x, &y) <= 0;
}

/* By time. A trace is nearly in order. NULL when memory is out. */
static uint32_t *sort_positions(struct sort *sort, size_t count)
{
    return sort_indices(count, in_order, sort);
}

/* ---- checks ------------------------------------------------------------------------------------------------ */

static const struct anchor *anchor_at(const struct plan *plan, uint64_t index)
{
    return &plan->request.anchors[plan->anchor_order[index]];
}

static struct decimal anchor_ts(const struct plan *plan, uint64_t index)
{
    const struct anchor *anchor = anchor_at(plan, index);
    return decimal_unpack(anchor->ts, anchor->ts_scale);
}

static const struct terminal *terminal_at(const struct plan *plan, size_t index)
{
    return &plan->request.terminals[plan->terminal_order[index]];
}

static enum plan_refusal refuse(struct plan *plan, enum plan_refusal why, uint64_t selected)
{
    plan->refusal = why;
    plan->pass = selected / plan->request.num_layers;
    plan->layer = plan->request.first_layer + selected % plan->request.num_layers;
    return why;
}

/* How many anchors from the first of a pass to the first of the next. */
static uint64_t period(const struct plan_request *request)
{
    return request->num_layers * request->stride + request->extras;
}

/* The anchor that starts a selected layer. */
static uint64_t layer_anchor(const struct plan_request *request, uint64_t selected)
{
    return request->anchor_offset + selected / request->num_layers * period(request) +
           selected % request->num_layers * request->stride;
}

/* The first anchor outside the scopes that starts after `ts`. False: there is none. */
static bool next_outside(const struct plan *plan, const struct decimal *ts, struct decimal *next)
{
    const struct anchor *outside = plan->request.anchors + plan->request.anchor_count;
    size_t low = 0, high = plan->request.outside_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct anchor *anchor = &outside[plan->outside_order[middle]];
        struct decimal start = decimal_unpack(anchor->ts, anchor->ts_scale);
        if (decimal_compare(&start, ts) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == plan->request.outside_count)
        return false;
    *next = decimal_unpack(outside[plan->outside_order[low]].ts, outside[plan->outside_order[low]].ts_scale);
    return true;
}

/* Where a selected layer ends at the latest: at the next one's start, selected or not. False: nowhere. */
static bool layer_limit(const struct plan *plan, uint64_t selected, struct decimal *limit)
{
    uint64_t index = layer_anchor(&plan->request, selected), next = index + plan->request.stride;
    bool bounded = next < plan->request.anchor_count;
    if (bounded)
        *limit = anchor_ts(plan, next);
    if (plan->request.outside_count == 0 || (selected + 1) % plan->request.num_layers != 0)
        return bounded;
    struct decimal start = anchor_ts(plan, index), outside;
    if (!next_outside(plan, &start, &outside))
        return bounded;
    if (!bounded || decimal_compare(&outside, limit) < 0)
        *limit = outside;
    return true;
}

static enum plan_refusal check_count(struct plan *plan)
{
    const struct plan_request *request = &plan->request;
    uint64_t from_offset =
        request->anchor_offset < request->anchor_count ? request->anchor_count - request->anchor_offset : 0;
    uint64_t pass, all = 0;
    bool overflow = __builtin_mul_overflow(request->num_layers, request->passes, &plan->guide_count) ||
                    __builtin_mul_overflow(request->num_layers, request->stride, &pass) ||
                    __builtin_add_overflow(pass, request->extras, &pass) ||
                    __builtin_mul_overflow(pass, request->passes, &all);
    plan->need = overflow ? UINT64_MAX : all - request->extras;
    plan->found = from_offset;
    if (plan->need > from_offset)
        return refuse(plan, PLAN_TOO_FEW, 0);
    return PLAN_FINE;
}

/* Viewers keep times as doubles, and as nanoseconds in 64 bits. */
static bool is_shown(int64_t us)
{
    return us >= -PLAN_LAST_TIME && us <= PLAN_LAST_TIME;
}

static enum plan_refusal check_anchor_times(struct plan *plan)
{
    int64_t rounded = 0, before = 0;
    struct decimal last = {.scale = 0};
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        struct decimal ts = anchor_ts(plan, layer_anchor(&plan->request, i));
        plan->ts = ts;
        if (i > 0 && decimal_compare(&last, &ts) == 0)
            return refuse(plan, PLAN_EQUAL_TIMES, i);
        if (!decimal_round(&ts, &rounded) || !is_shown(rounded))
            return refuse(plan, PLAN_TIME_RANGE, i);
        plan->negative_count += rounded < 0;
        if (i > 0 && rounded == before && plan->same_start_count++ == 0) {
            plan->same_start_pass = i / plan->request.num_layers;
            plan->same_start_layer = plan->request.first_layer + i % plan->request.num_layers;
        }
        before = rounded;
        last = ts;
    }
    return PLAN_FINE;
}

/*
 * Exactly one terminal in [anchor, limit) for every selected layer; both
 * lists are sorted, so one walk along them is enough.
 */
static enum plan_refusal check_terminals(struct plan *plan)
{
    const struct plan_request *request = &plan->request;
    size_t at = 0;
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        bool bounded = layer_limit(plan, i, &plan->limit);
        struct decimal start = anchor_ts(plan, layer_anchor(request, i));
        size_t first;
        for (; at < request->terminal_count; at++) {
            struct decimal ts = decimal_unpack(terminal_at(plan, at)->ts, terminal_at(plan, at)->ts_scale);
            if (decimal_compare(&ts, &start) >= 0)
                break;
        }
        for (first = at; at < request->terminal_count; at++) {
            struct decimal ts = decimal_unpack(terminal_at(plan, at)->ts, terminal_at(plan, at)->ts_scale);
            if (bounded && decimal_compare(&ts, &plan->limit) >= 0)
                break;
        }
        plan->found = at - first;
        if (plan->found != 1)
            return refuse(plan, plan->found == 0 ? PLAN_NO_TERMINAL : PLAN_MANY_TERMINALS, i);
        struct decimal end = decimal_unpack(terminal_at(plan, first)->end, terminal_at(plan, first)->end_scale);
        plan->ts = end;
        if (bounded && decimal_compare(&end, &plan->limit) > 0)
            return refuse(plan, PLAN_LATE_TERMINAL, i);
        if ((i + 1) % request->num_layers != 0)
            continue;
        int64_t rounded;
        if (!decimal_round(&end, &rounded) || !is_shown(rounded))
            return refuse(plan, PLAN_TIME_RANGE, i);
        plan->pass_terminal[i / request->num_layers] = plan->terminal_order[first];
    }
    return PLAN_FINE;
}

/* ---- landmarks --------------------------------------------------------------------------------------------- */

static struct decimal mark_ts(const struct landmark *landmark, size_t index)
{
    const struct mark *mark = &landmark->marks[index];
    if (mark->is_long)
        return decimal_unpack(landmark->long_times[mark->ts], mark->ts_scale);
    return (struct decimal){.coefficient = mark->ts, .scale = mark->ts_scale};
}

/* Whether a landmark at `ts`, which is not before the selected layer's start, lies in its guide. */
static bool in_guide(const struct plan *plan, uint64_t selected, const struct decimal *ts)
{
    const struct plan_request *request = &plan->request;
    struct decimal limit;
    if (request->has_terminal && (selected + 1) % request->num_layers == 0) {
        const struct terminal *terminal = &request->terminals[plan->pass_terminal[selected / request->num_layers]];
        limit = decimal_unpack(terminal->end, terminal->end_scale);
    } else if (!layer_limit(plan, selected, &limit)) {
        return true;
    }
    return decimal_compare(ts, &limit) < 0;
}

static bool starts_by(const struct plan *plan, uint64_t selected, const struct decimal *ts)
{
    struct decimal start = anchor_ts(plan, layer_anchor(&plan->request, selected));
    return decimal_compare(&start, ts) <= 0;
}

/* The last selected layer that starts by `ts`, or guide_count. `near` is where to look first. */
static uint64_t layer_by(const struct plan *plan, uint64_t near, const struct decimal *ts)
{
    uint64_t low = 0, high = plan->guide_count;
    for (uint64_t at = near; at < plan->guide_count && at < near + 3; at++) {
        if (!starts_by(plan, at, ts)) {
            high = at;
            break;
        }
        low = at + 1;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (starts_by(plan, middle, ts))
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? plan->guide_count : low - 1;
}

static enum plan_refusal check_landmark(struct plan *plan, uint64_t index, uint32_t *counts)
{
    const struct landmark *landmark = &plan->request.landmarks[index];
    uint64_t near = 0;
    memset(counts, 0, plan->guide_count * sizeof *counts);
    for (size_t i = 0; i < landmark->count; i++) {
        struct decimal ts = mark_ts(landmark, i);
        uint64_t selected = layer_by(plan, near, &ts);
        if (selected == plan->guide_count)
            continue;
        near = selected;
        counts[selected] += in_guide(plan, selected, &ts);
    }
    plan->landmark = index;
    plan->need = landmark->wanted;
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        plan->found = counts[i];
        if (plan->found != plan->need)
            return refuse(plan, PLAN_LANDMARK, i);
    }
    return PLAN_FINE;
}

static enum plan_refusal check_landmarks(struct plan *plan)
{
    if (plan->request.landmark_count == 0)
        return PLAN_FINE;
    uint32_t *counts = malloc(plan->guide_count * sizeof *counts);
    if (counts == NULL)
        return plan->refusal = PLAN_NO_MEMORY;
    for (uint64_t i = 0; i < plan->request.landmark_count && plan->refusal == PLAN_FINE; i++)
        (void)check_landmark(plan, i, counts);
    free(counts);
    return plan->refusal;
}

/* ---- scopes ------------------------------------------------------------------------------------------------ */

/* One instance holds the launches of all anchors of a pass, those between its layers' too. */
static enum plan_refusal check_launches(struct plan *plan)
{
    const struct plan_request *request = &plan->request;
    uint64_t size = request->num_layers * request->stride;
    for (uint64_t pass = 0; pass < request->passes; pass++) {
        uint64_t first = request->anchor_offset + pass * period(request);
        uint64_t instance = request->instances[plan->anchor_order[first]];
        for (uint64_t i = 1; i < size; i++) {
            if (request->instances[plan->anchor_order[first + i]] == instance)
                continue;
            plan->ts = anchor_ts(plan, first + i);
            return refuse(plan, PLAN_CROSSES, pass * request->num_layers + i / request->stride);
        }
        plan->pass_scope[pass] = (uint32_t)instance;
    }
    return PLAN_FINE;
}

/* The GPU scope instances that hold a pass: one of each stream. */
struct pass_scopes {
    const struct scope **seen; /* [count], that of the first anchor whose stream tells first */
    size_t count, capacity;
};

/* Whether an instance goes with those of the pass so far; a new one of a stream must be its only one. */
static bool joins_pass(struct pass_scopes *pass, const struct scope *at)
{
    if (pass->count > 0 && !gpu_scopes_agree(pass->seen[0], at))
        return false;
    for (size_t i = 0; i < pass->count; i++) {
        if (pass->seen[i] == at)
            return true;
        if (i > 0 && pass->seen[i]->tid == at->tid)
            return false;
    }
    pass->seen[pass->count++] = at;
    return true;
}

/*
 * All anchors of a pass, those between its layers' too, start in one scope.
 * Where streams tell which, the others' anchors lie in the same span; where
 * none does, any instance will do that holds them all.
 */
static enum plan_refusal check_gpu_pass(struct plan *plan, uint64_t number, struct pass_scopes *pass)
{
    const struct plan_request *request = &plan->request;
    const struct gpu_scopes *scopes = request->gpu_scopes;
    uint64_t first = request->anchor_offset + number * period(request), size = request->num_layers * request->stride;
    pass->count = 0;
    plan->ts = anchor_ts(plan, first);
    plan->limit = anchor_ts(plan, first + size - 1);
    for (uint64_t i = 0; i < size; i++) {
        const struct anchor *anchor = anchor_at(plan, first + i);
        struct decimal ts = anchor_ts(plan, first + i);
        if (!gpu_scopes_own(scopes, anchor->tid))
            continue;
        const struct scope *at = gpu_scopes_at(scopes, anchor->tid, &ts, &ts);
        if (!array_grow(&pass->seen, &pass->capacity, pass->count, sizeof *pass->seen))
            return refuse(plan, PLAN_NO_MEMORY, number * request->num_layers);
        if (at == NULL || !joins_pass(pass, at))
            return refuse(plan, PLAN_CROSSES_GPU, number * request->num_layers + i / request->stride);
    }
    const struct scope *holder =
        pass->count > 0 ? pass->seen[0] : gpu_scopes_at(scopes, anchor_at(plan, first)->tid, &plan->ts, &plan->limit);
    if (holder == NULL)
        return refuse(plan, PLAN_CROSSES_GPU, number * request->num_layers);
    for (uint64_t i = 0; i < size && pass->count > 0; i++) {
        struct decimal ts = anchor_ts(plan, first + i);
        if (!gpu_scopes_own(scopes, anchor_at(plan, first + i)->tid) && !gpu_scopes_spans(holder, &ts))
            return refuse(plan, PLAN_CROSSES_GPU, number * request->num_layers + i / request->stride);
    }
    plan->gpu_pass_scope[number] = holder;
    return PLAN_FINE;
}

static enum plan_refusal check_gpu_scopes(struct plan *plan)
{
    struct pass_scopes pass = {0};
    plan->gpu_pass_scope = calloc(plan->request.passes, sizeof *plan->gpu_pass_scope);
    if (plan->gpu_pass_scope == NULL)
        return plan->refusal = PLAN_NO_MEMORY;
    for (uint64_t i = 0; i < plan->request.passes && plan->refusal == PLAN_FINE; i++)
        check_gpu_pass(plan, i, &pass);
    free(pass.seen);
    return plan->refusal;
}

static enum plan_refusal check_scopes(struct plan *plan)
{
    const struct plan_request *request = &plan->request;
    if (request->instances != NULL) {
        plan->pass_scope = calloc(request->passes, sizeof *plan->pass_scope);
        if (plan->pass_scope == NULL)
            return plan->refusal = PLAN_NO_MEMORY;
        if (check_launches(plan) != PLAN_FINE)
            return plan->refusal;
    }
    return request->gpu_scopes == NULL ? PLAN_FINE : check_gpu_scopes(plan);
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static enum plan_refusal sort_terminals(struct plan *plan)
{
    const struct plan_request *request = &plan->request;
    if (!request->has_terminal)
        return PLAN_FINE;
    struct sort terminals = {(const unsigned char *)request->terminals, sizeof(struct terminal),
                             offsetof(struct terminal, ts), offsetof(struct terminal, ts_scale)};
    plan->terminal_order = sort_positions(&terminals, request->terminal_count);
    plan->pass_terminal = calloc(request->passes, sizeof *plan->pass_terminal);
    if (plan->terminal_order == NULL || plan->pass_terminal == NULL)
        return plan->refusal = PLAN_NO_MEMORY;
    return check_terminals(plan);
}

enum plan_refusal plan_make(struct plan *plan, const struct plan_request *request)
{
    *plan = (struct plan){.request = *request};
    if (request->stride == 0)
        plan->request.stride = 1;
    if (check_count(plan) != PLAN_FINE)
        return plan->refusal;
    struct sort anchors = {(const unsigned char *)request->anchors, sizeof(struct anchor), offsetof(struct anchor, ts),
                           offsetof(struct anchor, ts_scale)};
    plan->anchor_order = sort_positions(&anchors, request->anchor_count);
    anchors.records += request->anchor_count * sizeof(struct anchor);
    if (request->outside_count > 0)
        plan->outside_order = sort_positions(&anchors, request->outside_count);
    if (plan->anchor_order == NULL || (request->outside_count > 0 && plan->outside_order == NULL))
        return plan->refusal = PLAN_NO_MEMORY;
    if (check_anchor_times(plan) == PLAN_FINE && check_scopes(plan) == PLAN_FINE && sort_terminals(plan) == PLAN_FINE)
        (void)check_landmarks(plan);
    return plan->refusal;
}

/* ---- guides ------------------------------------------------------------------------------------------------ */

void plan_guide(const struct plan *plan, uint64_t index, struct guide *guide)
{
    const struct plan_request *request = &plan->request;
    *guide = (struct guide){
        .pass_index = index / request->num_layers,
        .layer_id = request->first_layer + index % request->num_layers,
        .anchor_index = layer_anchor(request, index),
    };
    guide->anchor = anchor_at(plan, guide->anchor_index);
    guide->start = anchor_ts(plan, guide->anchor_index);
    if ((index + 1) % request->num_layers != 0) {
        guide->end = anchor_ts(plan, guide->anchor_index + request->stride);
        guide->boundary = PLAN_NEXT_ANCHOR;
    } else if (request->has_terminal) {
        const struct terminal *terminal = &request->terminals[plan->pass_terminal[guide->pass_index]];
        guide->end = decimal_unpack(terminal->end, terminal->end_scale);
        guide->boundary = PLAN_TERMINAL_END;
    } else {
        guide->end = guide->start;
        guide->boundary = PLAN_POINT;
    }
    /* plan_make() has seen that both fit. */
    (void)decimal_round(&guide->start, &guide->guide_start);
    (void)decimal_round(&guide->end, &guide->guide_end);
}

void plan_free(struct plan *plan)
{
    free(plan->anchor_order);
    free(plan->outside_order);
    free(plan->terminal_order);
    free(plan->pass_terminal);
    free(plan->pass_scope);
    free(plan->gpu_pass_scope);
    *plan = (struct plan){0};
}
