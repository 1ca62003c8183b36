/*
 * kernels.h - when every kernel began, in 16 bytes each
 *
 * A start is kept as ticks of 10^-10 us since (about) the first one, in 64
 * bits: exact for ten digits behind the point in captures up to 15 minutes.
 * A start with more digits, or farther away, is kept in full besides, which
 * costs 48 bytes more for that kernel alone. Sorting needs 48 bytes besides
 * for starts that are that far away, or differ only behind their tenth digit.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"

#define KERNELS_TICK_DIGITS 10
#define KERNELS_ODD         ((uint32_t)1 << 31)

struct kernel_record {
    uint64_t ticks;  /* biased by 2^63: order as unsigned is order in time */
    uint32_t series; /* what it belongs to: the caller's number */
    uint32_t stream; /* the caller's number below 2^31; or KERNELS_ODD and an index in `odd` */
};

struct kernel_odd {
    struct decimal start;
    uint32_t stream;
    int8_t far; /* -1, 1: too far before or after the origin for ticks, which tell only that */
};

struct kernels {
    struct kernel_record *records;
    size_t count, capacity;
    struct kernel_odd *odd;
    size_t odd_count, odd_capacity;
    bool has_origin;
    int64_t origin; /* us */
};

/* False when memory is out. */
bool kernels_add(struct kernels *kernels, const struct decimal *start, uint32_t series, uint32_t stream);

/* By series, then start; O(n log n) whatever the order was. False when memory is out. */
bool kernels_sort(struct kernels *kernels);

/*
 * Lets the ticks of `count` sorted kernels from `first` on differ, modulo
 * 2^64, by the gaps between them, those of far ones too; a gap of 2^64 - 1
 * ticks or more counts as that. A gap told so is less than one tick off.
 * It holds until the next kernels_sort().
 */
void kernels_relate(struct kernels *kernels, size_t first, size_t count);

/*
 * From the start of one kernel to that of a later one, without trailing
 * zeros; exact, but for what decimal_subtract() must cut.
 */
struct decimal kernels_gap(const struct kernels *kernels, size_t from, size_t to);

bool kernels_is_odd(const struct kernels *kernels, size_t index);

uint32_t kernels_stream(const struct kernels *kernels, size_t index);
void kernels_set_stream(struct kernels *kernels, size_t index, uint32_t stream);

/* The exact start without trailing zeros. */
struct decimal kernels_start(const struct kernels *kernels, size_t index);

void kernels_free(struct kernels *kernels);

#endif
