#include "trace/cluster_exact.h"

#include <stdlib.h>

#include "base/array.h"

struct look {
    const struct kernels *kernels;
    const struct cluster_times *times;
    const struct cluster_split *split;
    size_t first;
    struct arena *arena;
};

/* A gap told by ticks is less than one off: of the exact ones these may have the place of one of `ticks`. */
static bool is_near(uint64_t gap, uint64_t ticks)
{
    return (gap > ticks ? gap - ticks : ticks - gap) <= 1;
}

static bool is_between(const struct look *look, uint64_t gap)
{
    return look->split->between != 0 && gap >= look->split->between;
}

static bool is_odd(const struct look *look, size_t index)
{
    return kernels_is_odd(look->kernels, look->first + index) || kernels_is_odd(look->kernels, look->first + index + 1);
}

static bool gap_of_ticks(uint64_t ticks, struct decimal *gap, struct arena *arena)
{
    struct decimal number = {.coefficient = (__int128)ticks, .scale = 0};
    return decimal_shift(gap, &number, KERNELS_TICK_DIGITS, arena) == DECIMAL_OK;
}

/* The largest gap inside runs, or the smallest between them. */
static bool find_end(const struct look *look, bool between, struct decimal *end)
{
    uint64_t ticks = between ? look->split->between : look->split->within;
    bool any = false, seen[3] = {false}; /* plain ones of one length need one look */
    for (size_t i = 0; i + 1 < look->times->count; i++) {
        uint64_t gap = cluster_gap(look->times, i);
        struct decimal exact;
        bool odd = is_odd(look, i);
        if (!is_near(gap, ticks) || is_between(look, gap) != between || (!odd && seen[gap + 1 - ticks]))
            continue;
        if (odd ? !kernels_gap(look->kernels, look->first + i, &exact, look->arena)
                : !gap_of_ticks(gap, &exact, look->arena))
            return false;
        if (!odd)
            seen[gap + 1 - ticks] = true;
        int order = any ? decimal_compare(&exact, end) : 0;
        if (!any || (between ? order < 0 : order > 0))
            *end = exact;
        any = true;
    }
    return true;
}

static int by_length(const void *a, const void *b)
{
    return decimal_compare(a, b);
}

/* How the gaps inside runs lie about the split's median. */
struct middle {
    size_t all, below;      /* of them; so many are shorter than near */
    size_t plain[3];        /* one tick below, the same, one above: exact ones */
    struct decimal *odd;    /* those that ticks do not tell ... */
    size_t count, capacity; /* ... how many */
};

static bool take_gap(const struct look *look, struct middle *middle, size_t index)
{
    uint64_t gap = cluster_gap(look->times, index), median = look->split->median;
    if (is_between(look, gap))
        return true;
    middle->all++;
    if (!is_near(gap, median)) {
        middle->below += gap < median;
        return true;
    }
    if (!is_odd(look, index)) {
        middle->plain[gap + 1 - median]++;
        return true;
    }
    return array_grow(&middle->odd, &middle->capacity, middle->count, sizeof *middle->odd) &&
           kernels_gap(look->kernels, look->first + index, &middle->odd[middle->count++], look->arena);
}

/* The lower median, counted off from both kinds together. */
static bool count_off(const struct look *look, const struct middle *middle, struct decimal *median)
{
    size_t left = (middle->all - 1) / 2 - middle->below, odd = 0;
    for (unsigned i = 0; i < 3; i++) {
        struct decimal plain;
        if (middle->plain[i] == 0)
            continue;
        if (!gap_of_ticks(look->split->median - 1 + i, &plain, look->arena))
            return false;
        for (; odd < middle->count && decimal_compare(&middle->odd[odd], &plain) < 0; odd++)
            if (left-- == 0) {
                *median = middle->odd[odd];
                return true;
            }
        *median = plain;
        if (left < middle->plain[i])
            return true;
        left -= middle->plain[i];
    }
    *median = middle->odd[odd + left];
    return true;
}

static bool find_median(const struct look *look, struct decimal *median)
{
    struct middle middle = {0};
    bool done = true;
    for (size_t i = 0; done && i + 1 < look->times->count; i++)
        done = take_gap(look, &middle, i);
    if (done && middle.count > 0)
        qsort(middle.odd, middle.count, sizeof *middle.odd, by_length);
    done = done && count_off(look, &middle, median);
    free(middle.odd);
    return done;
}

bool cluster_exact(const struct kernels *kernels, size_t first, const struct cluster_times *times,
                   const struct cluster_split *split, struct cluster_figures *gaps, struct arena *arena)
{
    struct look look = {kernels, times, split, first, arena};
    *gaps = (struct cluster_figures){0};
    if (kernels->odd_count == 0)
        return gap_of_ticks(split->median, &gaps->median, arena) && gap_of_ticks(split->within, &gaps->within, arena) &&
               gap_of_ticks(split->between, &gaps->between, arena);
    return find_median(&look, &gaps->median) && find_end(&look, false, &gaps->within) &&
           (split->between == 0 || find_end(&look, true, &gaps->between));
}
