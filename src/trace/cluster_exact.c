#include "trace/cluster_exact.h"

#include <stdlib.h>

#include "base/array.h"

struct look {
    const struct kernels *kernels;
    const struct cluster_times *times;
    const struct cluster_split *split;
    size_t first;
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

static struct decimal gap_of_ticks(uint64_t ticks)
{
    struct decimal number = {.coefficient = (__int128)ticks};
    return decimal_shift(&number, KERNELS_TICK_DIGITS);
}

static struct decimal exact_gap(const struct look *look, size_t index)
{
    return kernels_gap(look->kernels, look->first + index, look->first + index + 1);
}

/* The largest gap inside runs, or the smallest between them. */
static struct decimal find_end(const struct look *look, bool between)
{
    struct decimal end = {0};
    uint64_t ticks = between ? look->split->between : look->split->within;
    bool any = false, seen[3] = {false}; /* plain ones of one length need one look */
    for (size_t i = 0; i + 1 < look->times->count; i++) {
        uint64_t gap = cluster_gap(look->times, i);
        bool odd = is_odd(look, i);
        if (!is_near(gap, ticks) || is_between(look, gap) != between || (!odd && seen[gap + 1 - ticks]))
            continue;
        if (!odd)
            seen[gap + 1 - ticks] = true;
        struct decimal exact = odd ? exact_gap(look, i) : gap_of_ticks(gap);
        int order = any ? decimal_compare(&exact, &end) : 0;
        if (!any || (between ? order < 0 : order > 0))
            end = exact;
        any = true;
    }
    return end;
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
    if (!array_grow(&middle->odd, &middle->capacity, middle->count, sizeof *middle->odd))
        return false;
    middle->odd[middle->count++] = exact_gap(look, index);
    return true;
}

/* The lower median, counted off from both kinds together. */
static struct decimal count_off(const struct look *look, const struct middle *middle)
{
    size_t left = (middle->all - 1) / 2 - middle->below, odd = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (middle->plain[i] == 0)
            continue;
        struct decimal plain = gap_of_ticks(look->split->median - 1 + i);
        for (; odd < middle->count && decimal_compare(&middle->odd[odd], &plain) < 0; odd++)
            if (left-- == 0)
                return middle->odd[odd];
        if (left < middle->plain[i])
            return plain;
        left -= middle->plain[i];
    }
    return middle->odd[odd + left];
}

static bool find_median(const struct look *look, struct decimal *median)
{
    struct middle middle = {0};
    bool done = true;
    for (size_t i = 0; done && i + 1 < look->times->count; i++)
        done = take_gap(look, &middle, i);
    if (done && middle.count > 0)
        qsort(middle.odd, middle.count, sizeof *middle.odd, by_length);
    if (done)
        *median = count_off(look, &middle);
    free(middle.odd);
    return done;
}

bool cluster_exact(const struct kernels *kernels, size_t first, const struct cluster_times *times,
                   const struct cluster_split *split, struct cluster_figures *gaps)
{
    struct look look = {kernels, times, split, first};
    *gaps = (struct cluster_figures){gap_of_ticks(split->median), gap_of_ticks(split->within),
                                     gap_of_ticks(split->between)};
    if (kernels->odd_count == 0)
        return true;
    gaps->within = find_end(&look, false);
    if (split->between > 0)
        gaps->between = find_end(&look, true);
    return find_median(&look, &gaps->median);
}
