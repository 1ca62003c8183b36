#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- sorting: positions, merged from the runs that are there ----------------------------------------------- */

struct sort {
    const unsigned char *records;
    size_t size; /* of a record */
    /* Where a record keeps its time. */
    size_t ts_at, scale_at;
    bool failed;
};

static struct decimal time_of(const struct sort *sort, uint32_t position)
{
    const unsigned char *record = sort->records + sort->size * position;
    struct decimal_packed packed;
    memcpy(&packed, record + sort->ts_at, sizeof packed);
    return decimal_unpack(packed, record[sort->scale_at]);
}

static bool in_order(struct sort *sort, uint32_t a, uint32_t b)
{
    struct decimal x = time_of(sort, a), y = time_of(sort, b);
    return decimal_compare(&x, &y, &sort->failed) <= 0;
}

static size_t run_end(struct sort *sort, const uint32_t *order, size_t start, size_t count)
{
    size_t end = start + 1;
    while (end < count && in_order(sort, order[end - 1], order[end]))
        end++;
    return end;
}

/*
 * Stable, in O(n log runs): a trace is nearly in order, and one that is takes
 * a single look. Every round merges neighbouring runs, so their number halves.
 */
static uint32_t *sort_positions(struct sort *sort, size_t count)
{
    uint32_t *order = malloc((count == 0 ? 1 : count) * sizeof *order);
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (count == 0 || run_end(sort, order, 0, count) == count)
        return order;
    uint32_t *other = malloc(count * sizeof *other);
    bool merged_all = false;
    while (other != NULL && !merged_all) {
        for (size_t start = 0; start < count;) {
            size_t middle = run_end(sort, order, start, count);
            size_t end = middle < count ? run_end(sort, order, middle, count) : middle;
            size_t a = start, b = middle, at = start;
            while (a < middle && b < end)
                other[at++] = in_order(sort, order[a], order[b]) ? order[a++] : order[b++];
            memcpy(other + at, order + a, (middle - a) * sizeof *other);
            at += middle - a;
            memcpy(other + at, order + b, (end - b) * sizeof *other);
            merged_all = start == 0 && end == count;
            start = end;
        }
        uint32_t *swap = order;
        order = other;
        other = swap;
    }
    if (other == NULL || sort->failed) {
        free(order);
        order = NULL;
    }
    free(other);
    return order;
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

static enum plan_refusal check_count(struct plan *plan)
{
    const struct plan_request *request = &plan->request;
    uint64_t from_offset =
        request->anchor_offset < request->anchor_count ? request->anchor_count - request->anchor_offset : 0;
    bool overflow = __builtin_mul_overflow(request->num_layers, request->passes, &plan->guide_count);
    plan->need = overflow ? UINT64_MAX : plan->guide_count;
    plan->found = from_offset;
    if (overflow || plan->guide_count > from_offset)
        return refuse(plan, PLAN_TOO_FEW, from_offset);
    return PLAN_FINE;
}

static enum plan_refusal check_anchor_times(struct plan *plan)
{
    bool failed = false;
    int64_t rounded = 0, before = 0;
    struct decimal last = {.scale = 0};
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        struct decimal ts = anchor_ts(plan, plan->request.anchor_offset + i);
        plan->ts = ts;
        if (i > 0 && decimal_compare(&last, &ts, &failed) == 0)
            return refuse(plan, failed ? PLAN_NO_MEMORY : PLAN_EQUAL_TIMES, i);
        if (!decimal_round(&ts, &rounded))
            return refuse(plan, PLAN_TIME_RANGE, i);
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
 * Exactly one terminal in [anchor, next anchor) for every selected anchor;
 * both lists are sorted, so one walk along them is enough.
 */
static enum plan_refusal check_terminals(struct plan *plan)
{
    const struct plan_request *request = &plan->request;
    bool failed = false;
    size_t at = 0;
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        uint64_t index = request->anchor_offset + i;
        bool bounded = index + 1 < request->anchor_count;
        struct decimal start = anchor_ts(plan, index);
        if (bounded)
            plan->limit = anchor_ts(plan, index + 1);
        size_t first;
        for (; at < request->terminal_count; at++) {
            struct decimal ts = decimal_unpack(terminal_at(plan, at)->ts, terminal_at(plan, at)->ts_scale);
            if (decimal_compare(&ts, &start, &failed) >= 0)
                break;
        }
        for (first = at; at < request->terminal_count; at++) {
            struct decimal ts = decimal_unpack(terminal_at(plan, at)->ts, terminal_at(plan, at)->ts_scale);
            if (bounded && decimal_compare(&ts, &plan->limit, &failed) >= 0)
                break;
        }
        if (failed)
            return refuse(plan, PLAN_NO_MEMORY, i);
        plan->found = at - first;
        if (plan->found != 1)
            return refuse(plan, plan->found == 0 ? PLAN_NO_TERMINAL : PLAN_MANY_TERMINALS, i);
        struct decimal end = decimal_unpack(terminal_at(plan, first)->end, terminal_at(plan, first)->end_scale);
        plan->ts = end;
        if (bounded && decimal_compare(&end, &plan->limit, &failed) > 0)
            return refuse(plan, failed ? PLAN_NO_MEMORY : PLAN_LATE_TERMINAL, i);
        if ((i + 1) % request->num_layers != 0)
            continue;
        int64_t rounded;
        if (!decimal_round(&end, &rounded))
            return refuse(plan, PLAN_TIME_RANGE, i);
        plan->pass_terminal[i / request->num_layers] = plan->terminal_order[first];
    }
    return PLAN_FINE;
}

enum plan_refusal plan_make(struct plan *plan, const struct plan_request *request)
{
    *plan = (struct plan){.request = *request};
    if (check_count(plan) != PLAN_FINE)
        return plan->refusal;
    struct sort anchors = {(const unsigned char *)request->anchors, sizeof(struct anchor), offsetof(struct anchor, ts),
                           offsetof(struct anchor, ts_scale), false};
    plan->anchor_order = sort_positions(&anchors, request->anchor_count);
    if (plan->anchor_order == NULL)
        return plan->refusal = PLAN_NO_MEMORY;
    if (check_anchor_times(plan) != PLAN_FINE || !request->has_terminal)
        return plan->refusal;
    struct sort terminals = {(const unsigned char *)request->terminals, sizeof(struct terminal),
                             offsetof(struct terminal, ts), offsetof(struct terminal, ts_scale), false};
    plan->terminal_order = sort_positions(&terminals, request->terminal_count);
    plan->pass_terminal = calloc(request->passes, sizeof *plan->pass_terminal);
    if (plan->terminal_order == NULL || plan->pass_terminal == NULL)
        return plan->refusal = PLAN_NO_MEMORY;
    return check_terminals(plan);
}

/* ---- guides ------------------------------------------------------------------------------------------------ */

void plan_guide(const struct plan *plan, uint64_t index, struct guide *guide)
{
    const struct plan_request *request = &plan->request;
    *guide = (struct guide){
        .pass_index = index / request->num_layers,
        .layer_id = request->first_layer + index % request->num_layers,
        .anchor_index = request->anchor_offset + index,
    };
    guide->anchor = anchor_at(plan, guide->anchor_index);
    guide->start = anchor_ts(plan, guide->anchor_index);
    if ((index + 1) % request->num_layers != 0) {
        guide->end = anchor_ts(plan, guide->anchor_index + 1);
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
    free(plan->terminal_order);
    free(plan->pass_terminal);
    *plan = (struct plan){0};
}
