#include "kernels.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define BIAS ((uint64_t)1 << 63)

/* ---- ticks ------------------------------------------------------------------------------------------------- */

/* Cut behind the tenth digit: what is later stays later or becomes equal. */
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

static bool ticks_of(struct kernels *kernels, const struct decimal *start, uint64_t *biased, bool *exact)
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
        int64_t ticks = saturated(&offset);
        *biased = (uint64_t)ticks ^ BIAS;
        *exact = ticks != INT64_MAX && ticks != INT64_MIN && decimal_compare(&offset, &whole) == 0;
    }
    arena_free(&arena);
    return status == DECIMAL_OK;
}

bool kernels_add(struct kernels *kernels, const struct decimal *start, uint32_t series, uint32_t stream)
{
    uint64_t ticks = 0;
    bool exact = false;
    if (!ticks_of(kernels, start, &ticks, &exact) ||
        !array_grow(&kernels->records, &kernels->capacity, kernels->count, sizeof *kernels->records))
        return false;
    if (!exact) {
        struct decimal kept = *start;
        if (kernels->odd_count >= KERNELS_ODD ||
            !array_grow(&kernels->odd, &kernels->odd_capacity, kernels->odd_count, sizeof *kernels->odd) ||
            (kept.scale == DECIMAL_TEXT && (kept.text = arena_copy(&kernels->text, kept.text, kept.len)) == NULL))
            return false;
        kernels->odd[kernels->odd_count] = (struct kernel_odd){kept, stream};
        stream = KERNELS_ODD | (uint32_t)kernels->odd_count++;
    }
    kernels->records[kernels->count++] = (struct kernel_record){ticks, series, stream};
    return true;
}

uint32_t kernels_stream(const struct kernels *kernels, size_t index)
{
    uint32_t stream = kernels->records[index].stream;
    return (stream & KERNELS_ODD) != 0 ? kernels->odd[stream & ~KERNELS_ODD].stream : stream;
}

void kernels_set_stream(struct kernels *kernels, size_t index, uint32_t stream)
{
    uint32_t *kept = &kernels->records[index].stream;
    *((*kept & KERNELS_ODD) != 0 ? &kernels->odd[*kept & ~KERNELS_ODD].stream : kept) = stream;
}

bool kernels_start(const struct kernels *kernels, size_t index, struct decimal *start, struct arena *arena)
{
    const struct kernel_record *record = &kernels->records[index];
    if ((record->stream & KERNELS_ODD) != 0)
        return decimal_shift(start, &kernels->odd[record->stream & ~KERNELS_ODD].start, 0, arena) == DECIMAL_OK;
    struct decimal ticks = decimal_from_int((int64_t)(record->ticks ^ BIAS)), offset, sum;
    return decimal_shift(&offset, &ticks, KERNELS_TICK_DIGITS, arena) == DECIMAL_OK &&
           decimal_add(&sum, &kernels->origin, &offset, arena) == DECIMAL_OK &&
           decimal_shift(start, &sum, 0, arena) == DECIMAL_OK;
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
