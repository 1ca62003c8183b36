#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static size_t run_end(const uint32_t *order, size_t start, size_t count, sort_order_fn *in_order, void *ctx)
{
    size_t end = start + 1;
    while (end < count && in_order(ctx, order[end - 1], order[end]))
        end++;
    return end;
}

/* Merges neighbouring runs, so that their number halves. Returns whether one run is left. */
static bool merge_round(const uint32_t *order, uint32_t *other, size_t count, sort_order_fn *in_order, void *ctx)
{
    bool one_left = false;
    for (size_t start = 0; start < count;) {
        size_t middle = run_end(order, start, count, in_order, ctx);
        size_t end = middle < count ? run_end(order, middle, count, in_order, ctx) : middle;
        size_t a = start, b = middle, at = start;
        while (a < middle && b < end)
            other[at++] = in_order(ctx, order[a], order[b]) ? order[a++] : order[b++];
        memcpy(other + at, order + a, (middle - a) * sizeof *other);
        at += middle - a;
        memcpy(other + at, order + b, (end - b) * sizeof *other);
        one_left = start == 0 && end == count;
        start = end;
    }
    return one_left;
}

uint32_t *sort_indices(size_t count, sort_order_fn *in_order, void *ctx)
{
    uint32_t *order = malloc((count == 0 ? 1 : count) * sizeof *order);
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (count == 0 || run_end(order, 0, count, in_order, ctx) == count)
        return order;
    uint32_t *other = malloc(count * sizeof *other);
    bool done = other == NULL;
    while (!done) {
        done = merge_round(order, other, count, in_order, ctx);
        uint32_t *swap = order;
        order = other;
        other = swap;
    }
    if (other == NULL) {
        free(order);
        return NULL;
    }
    free(other);
    return order;
}
