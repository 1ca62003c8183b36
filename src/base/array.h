/*
 * array.h - arrays that grow
 *
 * `array` is the address of a pointer to elements of `size` bytes; NULL and
 * capacity 0 are an empty array. Capacities double. Freed with free().
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for element `index`; new elements are zero. False when memory is out: nothing has changed then. */
bool array_reserve(void *array, size_t *capacity, size_t index, size_t size);

/*
 * Makes room for one more than `count`. For records by the hundred thousand:
 * what is not used yet is not touched, so that it costs no memory. False when
 * memory is out, or for more than 2^32 - 1.
 */
bool array_grow(void *array, size_t *capacity, size_t count, size_t size);

#endif
