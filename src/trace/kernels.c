#include "trace/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define BIAS ((uint64_t)1 << 63)

/* ---- ticks ------------------------------------------------------------------------------------------------- */

/* Cut behind the tenth digit. */
static enum decimal_status cut(struct decimal *offset, struct arena *arena)
{
    size_t size = decimal_print_size(offset);
    char *text = arena_take(arena, size);
    if (text == NULL)
        return DECIMAL_NO_MEMORY;
    size_t len = decimal_print(offset, text, size);
    const char *point = memchr(text, '.', len);
    size_t most = point == NULL ? len : (size_t)(point - text) + 1 + KERNELS_TICK_DIGITS;
    return decimal_parse(offset, text, len < most ? len : most, arena);
}

static int64_t saturated(const struct decimal *offset)
{
    __int128 ticks = offset->scale == DECIMAL_TEXT ? 0 : offset->coefficient;
    if (offset->scale == DECIMAL_TEXT)
        return decimal_is_negative(offset) ? INT64_MIN : INT64_MAX;
    for (unsigned scale = offset->scale; scale < KERNELS_TICK_DIGITS; scale++) {
        ticks *= 10;
        if (ticks > INT64_MAX || ticks < INT64_MIN)
            break;
    }
    return ticks > INT64_MAX ? INT64_MAX : ticks < INT64_MIN ? INT64_MIN : (int64_t)ticks;
}

static bool ticks_of(struct kernels *kernels, const struct decimal *start, uint64_t *biased, int8_t *far, bool *exact)
{
    struct arena arena = {0};
    struct decimal offset, whole;
    int64_t rounded;
    if (!kernels->has_origin) {
        kernels->origin = decimal_from_int(decimal_round(start, &rounded) ? rounded : 0);
        kernels->has_origin = true;
    }
    enum decimal_status status = decimal_subtract(&offset, start, &kernels->origin, &arena);
    /* Zeros behind the last digit do not count. */
    if (status == DECIMAL_OK && offset.scale > KERNELS_TICK_DIGITS)
        status = decimal_shift(&offset, &offset, 0, &arena);
    whole = offset;
    if (status == DECIMAL_OK && offset.scale > KERNELS_TICK_DIGITS)
        status = cut(&offset, &arena);
    if (status == DECIMAL_OK) {
        /* Down, on both sides of the origin: gaps are less than a tick off then. */
        int64_t ticks = saturated(&offset);
        ticks -= ticks != INT64_MIN && decimal_compare(&offset, &whole) > 0;
        *biased = (uint64_t)ticks ^ BIAS;
        *far = (int8_t)((ticks == INT64_MAX) - (ticks == INT64_MIN));
        *exact = *far == 0 && decimal_compare(&offset, &whole) == 0;
    }
    arena_free(&arena);
    return status == DECIMAL_OK;
}

bool kernels_add(struct kernels *kernels, const struct decimal *start, uint32_t series, uint32_t stream)
{
    uint64_t ticks = 0;
    int8_t far = 0;
    bool exact = false;
    if (!ticks_of(kernels, start, &ticks, &far, &exact) ||
        !array_grow(&kernels->records, &kernels->capacity, kernels->count, sizeof *kernels->records))
        return false;
    if (!exact) {
        struct decimal kept = *start;
        if (kernels->odd_count >= KERNELS_ODD ||
            !array_grow(&kernels->odd, &kernels->odd_capacity, kernels->odd_count, sizeof *kernels->odd) ||
            (kept.scale == DECIMAL_TEXT && (kept.text = arena_copy(&kernels->text, kept.text, kept.len)) == NULL))
            return false;
        kernels->odd[kernels->odd_count] = (struct kernel_odd){kept, stream, far};
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

bool kernels_start(const struct kernels *kernels, size_t index, struct decimal *start, struct arena *arena)
{
    const struct kernel_odd *odd = odd_of(kernels, index);
    if (odd != NULL)
        return decimal_shift(start, &odd->start, 0, arena) == DECIMAL_OK;
    struct decimal ticks = decimal_from_int((int64_t)(kernels->records[index].ticks ^ BIAS)), offset, sum;
    return decimal_shift(&offset, &ticks, KERNELS_TICK_DIGITS, arena) == DECIMAL_OK &&
           decimal_add(&sum, &kernels->origin, &offset, arena) == DECIMAL_OK &&
           decimal_shift(start, &sum, 0, arena) == DECIMAL_OK;
}

/* ---- gaps -------------------------------------------------------------------------------------------------- */

bool kernels_gap(const struct kernels *kernels, size_t index, struct decimal *gap, struct arena *arena)
{
    struct decimal start, end, difference;
    return kernels_start(kernels, index, &start, arena) && kernels_start(kernels, index + 1, &end, arena) &&
           decimal_subtract(&difference, &end, &start, arena) == DECIMAL_OK &&
           decimal_shift(gap, &difference, 0, arena) == DECIMAL_OK;
}

static uint64_t whole_ticks(const struct decimal *gap)
{
    if (gap->scale == DECIMAL_TEXT)
        return UINT64_MAX;
    __int128 ticks = gap->coefficient;
    for (unsigned scale = gap->scale; scale < KERNELS_TICK_DIGITS && ticks < UINT64_MAX; scale++)
        ticks *= 10;
    return ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

static bool gap_ticks(const struct kernels *kernels, size_t index, uint64_t *ticks)
{
    struct arena arena = {0};
    struct decimal gap;
    bool done = kernels_gap(kernels, index, &gap, &arena) &&
                (gap.scale <= KERNELS_TICK_DIGITS || cut(&gap, &arena) == DECIMAL_OK);
    if (done)
        *ticks = whole_ticks(&gap);
    arena_free(&arena);
    return done;
}

/* Whoever is not far keeps its ticks: others follow it, and those before all of them precede it. */
bool kernels_relate(struct kernels *kernels, size_t first, size_t count)
{
    struct kernel_record *records = kernels->records;
    size_t near = first, end = first + count;
    uint64_t gap = 0;
    if (kernels->odd_count == 0)
        return true;
    while (near < end && far_of(kernels, near) < 0)
        near++;
    if (near == end)
        near = first;
    for (size_t i = near; i > first; i--) {
        if (!gap_ticks(kernels, i - 1, &gap))
            return false;
        records[i - 1].ticks = records[i].ticks - gap;
    }
    for (size_t i = near + 1; i < end; i++) {
        if (far_of(kernels, i) == 0)
            continue;
        if (!gap_ticks(kernels, i - 1, &gap))
            return false;
        records[i].ticks = records[i - 1].ticks + gap;
    }
    return true;
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
    struct arena arena = {0};
    bool failed = false;
    struct exact *list = calloc(end - from, sizeof *list);
    for (size_t i = from; list != NULL && i < end && !failed; i++) {
        list[i - from] = (struct exact){.record = kernels->records[i]};
        if (!kernels_start(kernels, i, &list[i - from].start, &arena))
            failed = true;
    }
    bool done = list != NULL && !failed;
    if (done)
        qsort(list, end - from, sizeof *list, by_start);
    for (size_t i = from; done && i < end; i++)
        kernels->records[i] = list[i - from].record;
    free(list);
    arena_free(&arena);
    return done;
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
    arena_free(&kernels->text);
    *kernels = (struct kernels){0};
}
