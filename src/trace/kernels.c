#include "trace/kernels.h"

#include <stdlib.h>

#include "base/array.h"

#define BIAS ((uint64_t)1 << 63)

/* ---- ticks ------------------------------------------------------------------------------------------------- */

#define TICKS_PER_US ((__int128)10000000000)

/* Down, on both sides of the origin: gaps are less than a tick off then. */
static void ticks_of(struct kernels *kernels, const struct decimal *start, uint64_t *biased, int8_t *far, bool *exact)
{
    if (!kernels->has_origin && !decimal_round(start, &kernels->origin))
        kernels->origin = 0;
    kernels->has_origin = true;
    struct decimal whole = {.coefficient = decimal_floor(start, KERNELS_TICK_DIGITS), .scale = KERNELS_TICK_DIGITS};
    __int128 ticks = whole.coefficient - kernels->origin * TICKS_PER_US;
    *far = (int8_t)((ticks >= INT64_MAX) - (ticks <= INT64_MIN));
    *biased = (uint64_t)(*far > 0 ? INT64_MAX : *far < 0 ? INT64_MIN : (int64_t)ticks) ^ BIAS;
    *exact = *far == 0 && decimal_compare(start, &whole) == 0;
}

bool kernels_add(struct kernels *kernels, const struct decimal *start, uint32_t series, uint32_t stream)
{
    uint64_t ticks = 0;
    int8_t far = 0;
    bool exact = false;
    ticks_of(kernels, start, &ticks, &far, &exact);
    if (!array_grow(&kernels->records, &kernels->capacity, kernels->count, sizeof *kernels->records))
        return false;
    if (!exact) {
        if (kernels->odd_count >= KERNELS_ODD ||
            !array_grow(&kernels->odd, &kernels->odd_capacity, kernels->odd_count, sizeof *kernels->odd))
            return false;
        kernels->odd[kernels->odd_count] = (struct kernel_odd){*start, stream, far};
        stream = KERNELS_ODD | (uint32_t)kernels->odd_count++;
    }
    kernels->records[kernels->count++] = (struct kernel_record){ticks, series, stream};
    return true;
}

static const struct kernel_odd *odd_of(const struct kernels *kernels, size_t index)
{
    uint32_t stream = kernels->records[index].stream;
    return (stream & KERNELS_ODD) != 0 ? &kernels->odd[stream & ~KERNELS_ODD] : NULL;
}

bool kernels_is_odd(const struct kernels *kernels, size_t index)
{
    return odd_of(kernels, index) != NULL;
}

static int far_of(const struct kernels *kernels, size_t index)
{
    const struct kernel_odd *odd = odd_of(kernels, index);
    return odd == NULL ? 0 : odd->far;
}

uint32_t kernels_stream(const struct kernels *kernels, size_t index)
{
    const struct kernel_odd *odd = odd_of(kernels, index);
    return odd != NULL ? odd->stream : kernels->records[index].stream;
}

void kernels_set_stream(struct kernels *kernels, size_t index, uint32_t stream)
{
    uint32_t *kept = &kernels->records[index].stream;
    *((*kept & KERNELS_ODD) != 0 ? &kernels->odd[*kept & ~KERNELS_ODD].stream : kept) = stream;
}

struct decimal kernels_start(const struct kernels *kernels, size_t index)
{
    const struct kernel_odd *odd = odd_of(kernels, index);
    if (odd != NULL)
        return decimal_shift(&odd->start, 0);
    int64_t ticks = (int64_t)(kernels->records[index].ticks ^ BIAS);
    struct decimal start = {.coefficient = kernels->origin * TICKS_PER_US + ticks};
    return decimal_shift(&start, KERNELS_TICK_DIGITS);
}

/* ---- gaps -------------------------------------------------------------------------------------------------- */

struct decimal kernels_gap(const struct kernels *kernels, size_t from, size_t to)
{
    struct decimal start = kernels_start(kernels, from), end = kernels_start(kernels, to), gap;
    (void)decimal_subtract(&gap, &end, &start);
    return decimal_shift(&gap, 0);
}

static uint64_t gap_ticks(const struct kernels *kernels, size_t index)
{
    struct decimal gap = kernels_gap(kernels, index, index + 1);
    __int128 ticks = decimal_floor(&gap, KERNELS_TICK_DIGITS);
    return ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

/* Whoever is not far keeps its ticks: others follow it, and those before all of them precede it. */
void kernels_relate(struct kernels *kernels, size_t first, size_t count)
{
    struct kernel_record *records = kernels->records;
    size_t near = first, end = first + count;
    if (kernels->odd_count == 0)
        return;
    while (near < end && far_of(kernels, near) < 0)
        near++;
    if (near == end)
        near = first;
    for (size_t i = near; i > first; i--)
        records[i - 1].ticks = records[i].ticks - gap_ticks(kernels, i - 1);
    for (size_t i = near + 1; i < end; i++)
        if (far_of(kernels, i) != 0)
            records[i].ticks = records[i - 1].ticks + gap_ticks(kernels, i - 1);
}

/* ---- sorting ----------------------------------------------------------------------------------------------- */

static bool precedes(const struct kernel_record *a, const struct kernel_record *b)
{
    return a->series != b->series ? a->series < b->series : a->ticks < b->ticks;
}

static void insertion_sort(struct kernel_record *records, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct kernel_record record = records[i];
        size_t at = i;
        for (; at > 0 && precedes(&record, &records[at - 1]); at--)
            records[at] = records[at - 1];
        records[at] = record;
    }
}

static uint64_t part(const struct kernel_record *record, bool series)
{
    return series ? record->series : record->ticks;
}

/*
 * Radix exchange: parts at the highest bit that differs, in place, at most
 * 96 levels deep whatever the input is.
 */
static void exchange_sort(struct kernel_record *records, size_t count)
{
    while (count > 16) {
        uint64_t differ = 0;
        bool series = true, sorted = true;
        for (size_t i = 1; i < count; i++) {
            differ |= records[i].series ^ records[0].series;
            sorted &= !precedes(&records[i], &records[i - 1]);
        }
        if (sorted)
            return;
        if (differ == 0) {
            series = false;
            for (size_t i = 1; i < count; i++)
                differ |= records[i].ticks ^ records[0].ticks;
        }
        while ((differ & (differ - 1)) != 0)
            differ &= differ - 1;
        size_t low = 0, high = count;
        while (low < high)
            if ((part(&records[low], series) & differ) == 0) {
                low++;
            } else {
                struct kernel_record record = records[low];
                records[low] = records[--high];
                records[high] = record;
            }
        exchange_sort(records, low);
        records += low;
        count -= low;
    }
    insertion_sort(records, count);
}

struct exact {
    struct decimal start;
    struct kernel_record record;
};

static int by_start(const void *a, const void *b)
{
    const struct exact *x = a, *y = b;
    return decimal_compare(&x->start, &y->start);
}

/* Records of the same ticks that differ behind them. */
static bool sort_exactly(struct kernels *kernels, size_t from, size_t end)
{
    struct exact *list = calloc(end - from, sizeof *list);
    if (list == NULL)
        return false;
    for (size_t i = from; i < end; i++)
        list[i - from] = (struct exact){.start = kernels_start(kernels, i), .record = kernels->records[i]};
    qsort(list, end - from, sizeof *list, by_start);
    for (size_t i = from; i < end; i++)
        kernels->records[i] = list[i - from].record;
    free(list);
    return true;
}

bool kernels_sort(struct kernels *kernels)
{
    struct kernel_record *records = kernels->records;
    for (size_t i = 0; kernels->odd_count > 0 && i < kernels->count; i++)
        if (far_of(kernels, i) != 0)
            records[i].ticks = far_of(kernels, i) < 0 ? 0 : UINT64_MAX;
    exchange_sort(records, kernels->count);
    for (size_t from = 0, end; kernels->odd_count > 0 && from < kernels->count; from = end) {
        bool odd = (records[from].stream & KERNELS_ODD) != 0;
        for (end = from + 1; end < kernels->count && !precedes(&records[from], &records[end]); end++)
            odd |= (records[end].stream & KERNELS_ODD) != 0;
        if (odd && end - from > 1 && !sort_exactly(kernels, from, end))
            return false;
    }
    return true;
}

void kernels_free(struct kernels *kernels)
{
    free(kernels->records);
    free(kernels->odd);
    *kernels = (struct kernels){0};
}
