#include "trace/cluster.h"

#include <stdlib.h>
#include <string.h>

#define OCTAVES 65

/* The smallest and largest gap of each octave that has any. */
struct octaves {
    uint64_t least[OCTAVES], most[OCTAVES];
};

struct candidate {
    uint64_t within, between;
};

static uint64_t time_at(const struct cluster_times *times, size_t index)
{
    uint64_t time;
    memcpy(&time, (const char *)times->first + index * times->stride, sizeof time);
    return time;
}

uint64_t cluster_gap(const struct cluster_times *times, size_t index)
{
    return time_at(times, index + 1) - time_at(times, index);
}

static unsigned octave_of(uint64_t gap)
{
    unsigned octave = 0;
    for (; gap != 0; gap >>= 1)
        octave++;
    return octave;
}

/* Of the gaps up to `most`; a byte at a time from the top, counting only what begins with the bytes found so far. */
static uint64_t median_gap(const struct cluster_times *times, uint64_t most)
{
    uint64_t prefix = 0;
    size_t rank = 0;
    for (size_t i = 0; i + 1 < times->count; i++)
        rank += cluster_gap(times, i) <= most;
    rank = (rank - 1) / 2;
    for (unsigned shift = 56;; shift -= 8) {
        size_t counts[256] = {0};
        uint64_t mask = shift == 56 ? 0 : ~(uint64_t)0 << (shift + 8);
        for (size_t i = 0; i + 1 < times->count; i++) {
            uint64_t gap = cluster_gap(times, i);
            counts[gap >> shift & 255] += gap <= most && (gap & mask) == prefix;
        }
        uint64_t byte = 0;
        while (rank >= counts[byte])
            rank -= counts[byte++];
        prefix |= byte << shift;
        if (shift == 0)
            return prefix;
    }
}

static double ratio(uint64_t a, uint64_t b)
{
    return (double)a / (double)(b == 0 ? 1 : b);
}

/* Possible places, from the top. */
static unsigned find_candidates(const struct cluster_times *times, uint64_t median, struct candidate *out)
{
    struct octaves octaves = {0};
    for (size_t i = 0; i + 1 < times->count; i++) {
        uint64_t gap = cluster_gap(times, i);
        unsigned octave = octave_of(gap);
        if (octaves.most[octave] < gap)
            octaves.most[octave] = gap;
        if (octaves.least[octave] == 0 || gap < octaves.least[octave])
            octaves.least[octave] = gap;
    }
    unsigned count = 0, upper = 0;
    for (unsigned i = OCTAVES; i-- > 1;) {
        if (octaves.most[i] == 0)
            continue;
        /* Where most gaps are 0 the median is no measure: nothing is parted. */
        if (upper != 0 && octaves.least[upper] / 2 >= octaves.most[i] && octaves.least[upper] > median && median > 0)
            out[count++] = (struct candidate){octaves.most[i], octaves.least[upper]};
        upper = i;
    }
    return count;
}

size_t cluster_end(const struct cluster_times *times, const struct cluster_split *split, size_t from)
{
    size_t end = from + 1;
    while (end < times->count && (split->between == 0 || cluster_gap(times, end - 1) < split->between))
        end++;
    return end;
}

/* At least two runs of the largest size, which all but the first and last have. */
static bool is_regular(const struct cluster_times *times, const struct cluster_split *split)
{
    uint64_t size = 0, full = 0;
    size_t first = 0;
    for (size_t at = 0, end; at < times->count; at = end) {
        end = cluster_end(times, split, at);
        if (at == 0) {
            first = end;
            continue;
        }
        bool last = end == times->count;
        if (size == 0)
            size = last && end - at < first ? first : end - at;
        if (end - at != size && !(last && end - at < size))
            return false;
        full += end - at == size;
    }
    return size >= 2 && first <= size && full + (first == size) >= 2;
}

static uint64_t count_runs(const struct cluster_times *times, const struct cluster_split *split)
{
    uint64_t runs = 0;
    for (size_t at = 0; at < times->count; at = cluster_end(times, split, at))
        runs++;
    return runs;
}

struct cluster_split cluster_split(const struct cluster_times *times)
{
    struct cluster_split one = {.runs = times->count > 0};
    if (times->count < 2)
        return one;
    one.median = median_gap(times, UINT64_MAX);
    for (size_t i = 0; i + 1 < times->count; i++)
        if (cluster_gap(times, i) > one.within)
            one.within = cluster_gap(times, i);
    struct candidate candidates[OCTAVES];
    unsigned count = find_candidates(times, one.median, candidates);
    struct cluster_split best = one;
    double best_ratio = 0;
    for (unsigned i = 0; i < count; i++) {
        struct cluster_split split = {.median = median_gap(times, candidates[i].within),
                                      .within = candidates[i].within,
                                      .between = candidates[i].between};
        if (is_regular(times, &split)) {
            best = split;
            break;
        }
        double apart = ratio(split.between, split.within);
        if (apart > best_ratio && apart > ratio(split.within, split.median)) {
            best = split;
            best_ratio = apart;
        }
    }
    best.runs = count_runs(times, &best);
    return best;
}

/* ---- shape ------------------------------------------------------------------------------------------------- */

#define SIZES 16

struct tally {
    struct cluster_segment sizes[SIZES];
    unsigned count;
};

static void tally_add(struct tally *tally, uint64_t size)
{
    for (unsigned i = 0; i < tally->count; i++)
        if (tally->sizes[i].size == size) {
            tally->sizes[i].runs++;
            return;
        }
    if (tally->count < SIZES)
        tally->sizes[tally->count++] = (struct cluster_segment){1, size};
}

static int by_share(const void *a, const void *b)
{
    const struct cluster_segment *x = a, *y = b;
    uint64_t p = x->runs * x->size, q = y->runs * y->size;
    if (p != q)
        return p < q ? 1 : -1;
    return (x->size < y->size) - (x->size > y->size);
}

struct cluster_shape cluster_shape(const struct cluster_times *times, const struct cluster_split *split,
                                   uint64_t num_layers)
{
    struct cluster_shape shape = {.in_order = true};
    struct tally tally = {0};
    bool some = false, inner = true;
    for (size_t at = 0, end; at < times->count; at = end) {
        end = cluster_end(times, split, at);
        uint64_t size = end - at;
        some |= size == num_layers;
        inner &= size == num_layers || at == 0 || end == times->count;
        tally_add(&tally, size);
        if (shape.count > 0 && shape.segments[shape.count - 1].size == size)
            shape.segments[shape.count - 1].runs++;
        else if (shape.count < CLUSTER_SEGMENTS)
            shape.segments[shape.count++] = (struct cluster_segment){1, size};
        else
            shape.in_order = false;
    }
    shape.fits = num_layers > 0 && some && inner;
    if (shape.in_order)
        return shape;
    qsort(tally.sizes, tally.count, sizeof *tally.sizes, by_share);
    shape.count = tally.count < CLUSTER_SEGMENTS - 2 ? tally.count : CLUSTER_SEGMENTS - 2;
    shape.other_runs = split->runs;
    for (unsigned i = 0; i < shape.count; i++) {
        shape.segments[i] = tally.sizes[i];
        shape.other_runs -= tally.sizes[i].runs;
    }
    return shape;
}
