#define _POSIX_C_SOURCE 200809L
#include "rules/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A rank's labelled passes, in ns since 1970. */
struct window {
    int64_t first, last;
    size_t rank;
};

/* ---- windows ----------------------------------------------------------------------------------------------- */

/* False when the time does not fit. */
static bool to_ns(const struct decimal *us, int64_t base_ns, int64_t *out)
{
    __int128 ns = decimal_floor(us, 3) + base_ns;
    *out = (int64_t)ns;
    return ns == *out;
}

static bool window_of(const struct rank_result *result, size_t rank, struct window *out)
{
    out->rank = rank;
    return result->accepted && result->has_base && to_ns(&result->first_us, result->base_ns, &out->first) &&
           to_ns(&result->last_us, result->base_ns, &out->last);
}

static int by_start(const void *x, const void *y)
{
    const struct window *a = x, *b = y;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Whether `b`, which begins no earlier, begins behind the time until which windows have lain so far. */
static bool is_behind(int64_t last, const struct window *b)
{
    int64_t apart;
    return __builtin_sub_overflow(b->first, last, &apart) ? b->first > last : apart > RANKS_CLOCK_SLACK_NS;
}

/* ---- what is compared -------------------------------------------------------------------------------------- */

static bool is_known(enum ranks_what what, const struct rank_result *result)
{
    switch (what) {
    case RANKS_ANCHORS:
        return result->counted;
    case RANKS_PASSES:
        return result->accepted;
    case RANKS_RUNS:
        return result->counted && result->runs != NULL;
    case RANKS_NAME:
        return result->anchor_name != NULL;
    case RANKS_WORLD:
        return result->rank.world_size != RANK_NONE;
    default:
        return false;
    }
}

static bool are_alike(enum ranks_what what, const struct rank_result *a, const struct rank_result *b)
{
    switch (what) {
    case RANKS_ANCHORS:
        return a->anchors == b->anchors;
    case RANKS_PASSES:
        return a->passes == b->passes;
    case RANKS_RUNS:
        return a->run_count == b->run_count && memcmp(a->runs, b->runs, a->run_count * sizeof *a->runs) == 0;
    case RANKS_NAME:
        return strcmp(a->anchor_name, b->anchor_name) == 0;
    default:
        return a->rank.world_size == b->rank.world_size;
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------ */

static void free_finding(struct ranks_finding *finding)
{
    free(finding->group_of);
    free(finding->first);
    free(finding->sizes);
}

/* A finding in which no rank has a group. False when memory is out. */
static bool new_finding(struct ranks_finding *finding, enum ranks_what what, size_t count)
{
    *finding = (struct ranks_finding){.what = what};
    finding->group_of = malloc((count + 1) * sizeof *finding->group_of);
    finding->first = calloc(count + 1, sizeof *finding->first);
    finding->sizes = calloc(count + 1, sizeof *finding->sizes);
    if (finding->group_of == NULL || finding->first == NULL || finding->sizes == NULL) {
        free_finding(finding);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        finding->group_of[i] = RANKS_NO_GROUP;
    return true;
}

/* Puts a rank into a group, a new one when it is the next number. */
static void put(struct ranks_finding *finding, size_t rank, size_t group)
{
    if (group == finding->group_count) {
        finding->first[group] = rank;
        finding->group_count++;
    }
    finding->group_of[rank] = group;
    finding->sizes[group]++;
    if (rank < finding->first[group])
        finding->first[group] = rank;
}

/* A group while they are put in order. */
struct sized {
    size_t size, first, number;
};

static int by_size(const void *x, const void *y)
{
    const struct sized *a = x, *b = y;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Numbers the groups by size. False when memory is out. */
static bool sort_groups(struct ranks_finding *finding, size_t count)
{
    size_t groups = finding->group_count;
    struct sized *sized = malloc((groups + 1) * sizeof *sized);
    size_t *number = malloc((groups + 1) * sizeof *number);
    bool room = sized != NULL && number != NULL;
    for (size_t i = 0; i < groups && room; i++)
        sized[i] = (struct sized){finding->sizes[i], finding->first[i], i};
    if (room && groups > 0)
        qsort(sized, groups, sizeof *sized, by_size);
    for (size_t i = 0; i < groups && room; i++) {
        number[sized[i].number] = i;
        finding->sizes[i] = sized[i].size;
        finding->first[i] = sized[i].first;
    }
    for (size_t i = 0; i < count && room; i++)
        if (finding->group_of[i] != RANKS_NO_GROUP)
            finding->group_of[i] = number[finding->group_of[i]];
    finding->tie = groups > 1 && finding->sizes[0] == finding->sizes[1];
    free(sized);
    free(number);
    return room;
}

/* Keeps a finding if there are `least` groups, or more; else frees it. False when memory is out. */
static bool keep(struct ranks_comparison *comparison, struct ranks_finding *finding, size_t least)
{
    if (finding->group_count < least) {
        free_finding(finding);
        return true;
    }
    if (!sort_groups(finding, comparison->count) ||
        !array_grow(&comparison->findings, &comparison->capacity, comparison->finding_count, sizeof *finding)) {
        free_finding(finding);
        return false;
    }
    comparison->findings[comparison->finding_count++] = *finding;
    return true;
}

/* Compares one value; `like` is a rank with whose anchors alone the count must agree, or RANKS_NO_GROUP. */
static bool compare(struct ranks_comparison *comparison, enum ranks_what what, const struct rank_result *results,
                    size_t like)
{
    struct ranks_finding finding;
    if (!new_finding(&finding, what, comparison->count))
        return false;
    for (size_t i = 0; i < comparison->count; i++) {
        if (!is_known(what, &results[i]) || (like != RANKS_NO_GROUP && results[i].anchors != results[like].anchors))
            continue;
        size_t group = 0;
        while (group < finding.group_count && !are_alike(what, &results[finding.first[group]], &results[i]))
            group++;
        put(&finding, i, group);
    }
    return keep(comparison, &finding, 2);
}

/* Compares the runs of each count of anchors. */
static bool compare_runs(struct ranks_comparison *comparison, const struct rank_result *results)
{
    for (size_t i = 0; i < comparison->count; i++) {
        bool is_first = is_known(RANKS_RUNS, &results[i]);
        for (size_t j = 0; j < i && is_first; j++)
            is_first = !is_known(RANKS_RUNS, &results[j]) || results[j].anchors != results[i].anchors;
        if (is_first && !compare(comparison, RANKS_RUNS, results, i))
            return false;
    }
    return true;
}

/* Compares the windows of those that are of one stage of a pipeline with `like`. */
static bool compare_stage(struct ranks_comparison *comparison, const struct rank_result *results, size_t like)
{
    struct ranks_finding finding;
    struct window *windows = malloc((comparison->count + 1) * sizeof *windows);
    if (windows == NULL || !new_finding(&finding, RANKS_TIME, comparison->count)) {
        free(windows);
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        if (results[i].rank.axes[RANK_PP] == results[like].rank.axes[RANK_PP])
            count += window_of(&results[i], i, &windows[count]);
    if (count > 0)
        qsort(windows, count, sizeof *windows, by_start);
    int64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new = i == 0 || is_behind(last, &windows[i]);
        put(&finding, windows[i].rank, finding.group_count - (is_new ? 0 : 1));
        if (is_new || windows[i].last > last)
            last = windows[i].last;
    }
    free(windows);
    return keep(comparison, &finding, 2);
}

static bool compare_times(struct ranks_comparison *comparison, const struct rank_result *results)
{
    for (size_t i = 0; i < comparison->count; i++) {
        bool is_first = true;
        for (size_t j = 0; j < i && is_first; j++)
            is_first = results[j].rank.axes[RANK_PP] != results[i].rank.axes[RANK_PP];
        if (is_first && !compare_stage(comparison, results, i))
            return false;
    }
    return true;
}

/* ---- who is there ------------------------------------------------------------------------------------------ */

/* Whether two results are of the same rank, or have the same label and no rank. */
static bool are_one_rank(const struct rank *a, const struct rank *b)
{
    char x[RANK_TEXT_SIZE], y[RANK_TEXT_SIZE];
    if (a->number != RANK_NONE || b->number != RANK_NONE)
        return a->number == b->number;
    return rank_label(a, x)[0] != '\0' && strcmp(x, rank_label(b, y)) == 0;
}

/* A finding for each rank that is there several times, by the order in which ranks stand in a table. */
static bool find_twice(struct ranks_comparison *comparison, const struct rank_result *results, const size_t *order)
{
    for (size_t i = 0; i < comparison->count;) {
        size_t end = i + 1;
        while (end < comparison->count && are_one_rank(&results[order[i]].rank, &results[order[end]].rank))
            end++;
        comparison->present += results[order[i]].rank.number != RANK_NONE;
        struct ranks_finding finding;
        if (end > i + 1) {
            if (!new_finding(&finding, RANKS_TWICE, comparison->count))
                return false;
            for (size_t j = i; j < end; j++)
                put(&finding, order[j], 0);
            if (!keep(comparison, &finding, 1))
                return false;
        }
        i = end;
    }
    return true;
}

static int by_rank(const void *x, const void *y)
{
    const struct rank_result *a = *(const struct rank_result *const *)x;
    const struct rank_result *b = *(const struct rank_result *const *)y;
    bool a_known = a->rank.number != RANK_NONE, b_known = b->rank.number != RANK_NONE;
    if (a_known != b_known)
        return a_known ? -1 : 1;
    if (a->rank.number != b->rank.number)
        return a->rank.number < b->rank.number ? -1 : 1;
    for (int axis = 0; axis < RANK_AXES && !a_known; axis++)
        if (a->rank.axes[axis] != b->rank.axes[axis])
            return a->rank.axes[axis] < b->rank.axes[axis] ? -1 : 1;
    int order = strcmp(a->file, b->file);
    return order != 0 ? order : (a > b) - (a < b);
}

size_t *ranks_order(const struct rank_result *results, size_t count)
{
    const struct rank_result **sorted = malloc((count + 1) * sizeof(struct rank_result *));
    size_t *order = malloc((count + 1) * sizeof *order);
    if (sorted == NULL || order == NULL) {
        free(sorted);
        free(order);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = &results[i];
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, by_rank);
    for (size_t i = 0; i < count; i++)
        order[i] = (size_t)(sorted[i] - results);
    free(sorted);
    return order;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

bool ranks_compare(struct ranks_comparison *comparison, const struct rank_result *results, size_t count)
{
    *comparison = (struct ranks_comparison){.count = count, .world_size = RANK_NONE};
    for (size_t i = 0; i < count; i++)
        if (results[i].rank.world_size > comparison->world_size)
            comparison->world_size = results[i].rank.world_size;
    if (!compare(comparison, RANKS_ANCHORS, results, RANKS_NO_GROUP) ||
        !compare(comparison, RANKS_PASSES, results, RANKS_NO_GROUP) || !compare_runs(comparison, results) ||
        !compare(comparison, RANKS_NAME, results, RANKS_NO_GROUP) || !compare_times(comparison, results) ||
        !compare(comparison, RANKS_WORLD, results, RANKS_NO_GROUP))
        return false;
    size_t *order = ranks_order(results, count);
    bool found = order != NULL && find_twice(comparison, results, order);
    free(order);
    return found;
}

void ranks_comparison_free(struct ranks_comparison *comparison)
{
    for (size_t i = 0; i < comparison->finding_count; i++)
        free_finding(&comparison->findings[i]);
    free(comparison->findings);
    *comparison = (struct ranks_comparison){0};
}

enum ranks_standing ranks_standing(const struct ranks_finding *finding, size_t rank)
{
    size_t group = finding->group_of[rank];
    if (group == RANKS_NO_GROUP || finding->what == RANKS_TWICE)
        return RANKS_ALIKE;
    if (finding->tie)
        return RANKS_TIED;
    return group == 0 ? RANKS_ALIKE : RANKS_DIFFERS;
}

bool ranks_same_counts(const struct ranks_comparison *comparison)
{
    for (size_t i = 0; i < comparison->finding_count; i++)
        if (comparison->findings[i].what <= RANKS_RUNS)
            return false;
    return true;
}

/* The time from a group's first window to its last one. */
static struct window hull(const struct ranks_finding *finding, const struct rank_result *results, size_t count,
                          size_t group)
{
    struct window all = {INT64_MAX, INT64_MIN, 0}, one;
    for (size_t i = 0; i < count; i++) {
        if (finding->group_of[i] != group || !window_of(&results[i], i, &one))
            continue;
        all.first = one.first < all.first ? one.first : all.first;
        all.last = one.last > all.last ? one.last : all.last;
    }
    return all;
}

int64_t ranks_time_apart(const struct ranks_finding *finding, const struct rank_result *results, size_t count,
                         size_t group)
{
    struct window rest = hull(finding, results, count, 0), own = hull(finding, results, count, group);
    bool before = own.last < rest.first;
    int64_t apart;
    if (__builtin_sub_overflow(before ? own.last : own.first, before ? rest.first : rest.last, &apart))
        return before ? INT64_MIN : INT64_MAX;
    return apart;
}
