#include "rules/ranks_place.h"

#include <string.h>

/* Where the first label begins, in ns since 1970; false when it does not fit. */
static bool start_of(const struct rank_result *result, int64_t *out)
{
    __int128 ns = decimal_floor(&result->first_us, 3) + result->base_ns;
    *out = (int64_t)ns;
    return ns == *out;
}

/* Half of a pass, of which a rank has several at once; at least a microsecond. */
static int64_t half_pass(const struct rank_result *result)
{
    __int128 length = decimal_floor(&result->last_us, 3) - decimal_floor(&result->first_us, 3);
    uint64_t passes = result->passes == 0 ? 1 : result->passes;
    __int128 half = length / ((__int128)passes * 2);
    return half < 1000 ? 1000 : half > INT64_MAX ? INT64_MAX : (int64_t)half;
}

static bool in_stage(const struct rank_result *result, const struct rank_result *like)
{
    return result->accepted && result->rank.axes[RANK_PP] == like->rank.axes[RANK_PP];
}

/* Compares two starts by the clocks. */
static bool are_apart(const struct rank_result *a, const struct rank_result *b, int64_t *apart)
{
    int64_t x, y, half = half_pass(a) < half_pass(b) ? half_pass(a) : half_pass(b);
    if (!start_of(a, &x) || !start_of(b, &y) || __builtin_sub_overflow(y, x, apart)) {
        *apart = INT64_MAX;
        return true;
    }
    return *apart >= half || *apart <= -half;
}

/* The run that begins at the offset, or `run_count` when none does. */
static size_t labelled_run(const struct rank_result *result)
{
    uint64_t at = 0;
    size_t run = 0;
    while (run < result->run_count && at < result->offset)
        at += result->runs[run++];
    return at == result->offset ? run : result->run_count;
}

static bool runs_alike(const struct rank_result *a, const struct rank_result *b, bool from_end)
{
    size_t skip_a = from_end ? labelled_run(a) : 0, skip_b = from_end ? labelled_run(b) : 0;
    if (a->runs == NULL || b->runs == NULL || a->run_count - skip_a != b->run_count - skip_b)
        return false;
    return memcmp(a->runs + skip_a, b->runs + skip_b, (a->run_count - skip_a) * sizeof *a->runs) == 0;
}

struct ranks_places ranks_place(const struct rank_result *results, size_t count, bool from_end)
{
    struct ranks_places places = {.place = RANKS_SAME_PLACE};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; results[i].accepted && j < count; j++) {
            if (!in_stage(&results[j], &results[i]))
                continue;
            bool clocks = results[i].has_base && results[j].has_base;
            if (clocks && are_apart(&results[i], &results[j], &places.apart_ns))
                places.place = RANKS_OTHER_START;
            else if (!clocks && !runs_alike(&results[i], &results[j], from_end))
                places.place = RANKS_OTHER_RUNS;
            if (places.place == RANKS_SAME_PLACE)
                continue;
            places.one = i;
            places.other = j;
            return places;
        }
    }
    places.apart_ns = 0;
    return places;
}
