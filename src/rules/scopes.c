#include "rules/scopes.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

bool scopes_add(struct scopes *scopes, const struct scope *scope)
{
    if (!array_grow(&scopes->items, &scopes->capacity, scopes->count, sizeof *scopes->items))
        return false;
    scopes->items[scopes->count++] = *scope;
    return true;
}

void scopes_free(struct scopes *scopes)
{
    free(scopes->items);
    *scopes = (struct scopes){0};
}

static struct decimal start_of(const struct scope *scope)
{
    return decimal_unpack(scope->start, scope->start_scale);
}

static struct decimal end_of(const struct scope *scope)
{
    return decimal_unpack(scope->end, scope->end_scale);
}

/* By process, then thread. */
static int compare_place(const struct scopes *scopes, const struct scope *scope, uint32_t pid, uint32_t tid)
{
    if (scope->pid != pid)
        return scope->pid < pid ? -1 : 1;
    if (scopes->across_tids)
        return 0;
    return (scope->tid > tid) - (scope->tid < tid);
}

/* Of two that start together the longer one comes first: it is the outer one. */
static bool in_order(void *ctx, uint32_t a, uint32_t b)
{
    const struct scopes *scopes = ctx;
    const struct scope *x = &scopes->items[a], *y = &scopes->items[b];
    int order = compare_place(scopes, x, y->pid, y->tid);
    if (order != 0)
        return order < 0;
    struct decimal x_time = start_of(x), y_time = start_of(y);
    order = decimal_compare(&x_time, &y_time);
    if (order != 0)
        return order < 0;
    x_time = end_of(x);
    y_time = end_of(y);
    return decimal_compare(&x_time, &y_time) >= 0;
}

bool scopes_settle(struct scopes *scopes)
{
    uint32_t *order = sort_indices(scopes->count, in_order, scopes);
    struct scope *sorted = malloc((scopes->count == 0 ? 1 : scopes->count) * sizeof *sorted);
    if (order == NULL || sorted == NULL) {
        free(order);
        free(sorted);
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < scopes->count; i++) {
        const struct scope *scope = &scopes->items[order[i]];
        if (kept > 0 && compare_place(scopes, &sorted[kept - 1], scope->pid, scope->tid) == 0) {
            struct decimal before = end_of(&sorted[kept - 1]), end = end_of(scope);
            if (decimal_compare(&end, &before) <= 0)
                continue;
        }
        sorted[kept++] = *scope;
    }
    free(order);
    free(scopes->items);
    scopes->items = sorted;
    scopes->count = scopes->capacity = kept;
    return true;
}

/*
 * Among the outermost ones of a thread starts and ends both rise: the first
 * one that ends late enough is the only early one that can hold a span.
 */
static uint32_t find(const struct scopes *scopes, uint32_t pid, uint32_t tid, const struct decimal *first,
                     const struct decimal *last, bool last_may_touch)
{
    size_t low = 0, high = scopes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct scope *scope = &scopes->items[middle];
        int order = compare_place(scopes, scope, pid, tid);
        if (order == 0) {
            struct decimal end = end_of(scope);
            order = decimal_compare(&end, last);
            order = order == 0 ? (last_may_touch ? 1 : -1) : order;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == scopes->count || compare_place(scopes, &scopes->items[low], pid, tid) != 0)
        return SCOPE_NONE;
    struct decimal start = start_of(&scopes->items[low]);
    return decimal_compare(&start, first) <= 0 ? (uint32_t)low : SCOPE_NONE;
}

uint32_t scopes_holding(const struct scopes *scopes, uint32_t pid, uint32_t tid, const struct decimal *start,
                        const struct decimal *end)
{
    return find(scopes, pid, tid, start, end, true);
}

/* ---- GPU scopes -------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool gpu_scopes_settle(struct gpu_scopes *scopes)
{
    scopes->any.across_tids = true;
    for (size_t i = 0; i < scopes->own.count; i++)
        if (!scopes_add(&scopes->any, &scopes->own.items[i]))
            return false;
    if (scopes->tid_count > 0)
        qsort(scopes->tids, scopes->tid_count, sizeof *scopes->tids, by_number);
    return scopes_settle(&scopes->own) && scopes_settle(&scopes->any);
}

bool gpu_scopes_own(const struct gpu_scopes *scopes, uint32_t tid)
{
    return scopes->tid_count > 0 &&
           bsearch(&tid, scopes->tids, scopes->tid_count, sizeof *scopes->tids, by_number) != NULL;
}

const struct scope *gpu_scopes_at(const struct gpu_scopes *scopes, uint32_t tid, const struct decimal *ts,
                                  const struct decimal *last)
{
    const struct scopes *among = gpu_scopes_own(scopes, tid) ? &scopes->own : &scopes->any;
    uint32_t found = find(among, scopes->pid, tid, ts, last, false);
    return found == SCOPE_NONE ? NULL : &among->items[found];
}

/* Whether `first` and `at`, which overlap, do so by more than half of the shorter one. */
static bool overlap_mostly(const struct scope *first, const struct scope *at)
{
    struct decimal start[] = {start_of(first), start_of(at)}, end[] = {end_of(first), end_of(at)};
    int later = decimal_compare(&start[0], &start[1]) < 0, sooner = decimal_compare(&end[1], &end[0]) < 0;
    struct decimal length[2], both, rest;
    /* What has more digits than can be computed with is never taken for the same scope. */
    bool done = decimal_subtract(&both, &end[sooner], &start[later]) == DECIMAL_OK &&
                decimal_subtract(&length[0], &end[0], &start[0]) == DECIMAL_OK &&
                decimal_subtract(&length[1], &end[1], &start[1]) == DECIMAL_OK;
    int shorter = done && decimal_compare(&length[1], &length[0]) < 0;
    return done && decimal_subtract(&rest, &length[shorter], &both) == DECIMAL_OK && decimal_compare(&both, &rest) > 0;
}

bool gpu_scopes_agree(const struct scope *first, const struct scope *at)
{
    struct decimal first_start = start_of(first), first_end = end_of(first), start = start_of(at), end = end_of(at);
    if (at->tid == first->tid)
        return decimal_compare(&first_start, &start) == 0 && decimal_compare(&first_end, &end) == 0;
    return at->name == first->name && decimal_compare(&start, &first_end) < 0 &&
           decimal_compare(&first_start, &end) < 0 && overlap_mostly(first, at);
}

bool gpu_scopes_spans(const struct scope *scope, const struct decimal *ts)
{
    struct decimal start = start_of(scope), end = end_of(scope);
    return decimal_compare(&start, ts) <= 0 && decimal_compare(ts, &end) < 0;
}

void gpu_scopes_free(struct gpu_scopes *scopes)
{
    scopes_free(&scopes->own);
    scopes_free(&scopes->any);
    free(scopes->tids);
    *scopes = (struct gpu_scopes){0};
}
