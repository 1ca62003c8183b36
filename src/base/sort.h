/*
 * sort.h - sorting records that are nearly in order already
 */
#ifndef SORT_H
#define SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether record `a` may stand before record `b`. */
typedef bool sort_order_fn(void *ctx, uint32_t a, uint32_t b);

/*
 * The positions 0 .. count - 1 in order; equal ones keep theirs. The caller
 * frees them. NULL when memory is out. O(n log runs): what is in order takes
 * a single look. Memory: 4 bytes per record, as much again while sorting.
 */
uint32_t *sort_indices(size_t count, sort_order_fn *in_order, void *ctx);

#endif
