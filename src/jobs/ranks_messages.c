#include "jobs/ranks_messages.h"

#include <string.h>

#include "base/utf8.h"

/* So many names, or spans of numbers, of a group are told, and so many groups. */
#define MOST_NAMES  16
#define MOST_GROUPS 8
#define MOST_RUNS   6

const char *ranks_what_name(enum ranks_what what)
{
    static const char *const names[RANKS_WHATS] = {
        [RANKS_ANCHORS] = "anchors",  [RANKS_PASSES] = "passes", [RANKS_RUNS] = "runs",
        [RANKS_NAME] = "anchor-name", [RANKS_TIME] = "time",     [RANKS_WORLD] = "world-size",
        [RANKS_TWICE] = "twice",
    };
    return names[what];
}

static void add_printable(struct text *text, const char *name)
{
    char shown[160];
    text_puts(text, printable(shown, sizeof shown, name, strlen(name)));
}

/* ---- who ---------------------------------------------------------------------------------------------------- */

/* By number, by label, or by file. */
static void add_name(struct text *text, const struct rank_result *result)
{
    char name[RANK_TEXT_SIZE];
    add_printable(text, rank_text(&result->rank, name)[0] != '\0' ? name : result->file);
}

static bool is_next(const struct rank_result *a, const struct rank_result *b)
{
    return a->rank.number != RANK_NONE && b->rank.number == a->rank.number + 1;
}

/* The next of a group from `from` on; `count` when there is none. */
static size_t next_of(const struct ranks_finding *finding, size_t group, size_t from, size_t count)
{
    while (from < count && finding->group_of[from] != group)
        from++;
    return from;
}

/* A group's names in the order of the results: 0-3, 5. */
static void add_group(struct text *text, const struct ranks_finding *finding, size_t group,
                      const struct rank_result *results, size_t count)
{
    size_t told = 0, names = 0;
    text_puts(text, finding->sizes[group] == 1 ? "rank " : "ranks ");
    for (size_t i = next_of(finding, group, 0, count); i < count && names < MOST_NAMES; names++) {
        size_t last = i, next = next_of(finding, group, i + 1, count);
        told++;
        text_puts(text, names > 0 ? ", " : "");
        add_name(text, &results[i]);
        while (next < count && is_next(&results[last], &results[next])) {
            last = next;
            next = next_of(finding, group, next + 1, count);
            told++;
        }
        if (last != i) {
            text_puts(text, "-");
            add_name(text, &results[last]);
        }
        i = next;
    }
    if (told < finding->sizes[group]) {
        text_puts(text, " and ");
        text_u64(text, finding->sizes[group] - told);
        text_puts(text, " more");
    }
}

/* ---- what --------------------------------------------------------------------------------------------------- */

static void add_count(struct text *text, uint64_t count, const char *unit)
{
    text_u64(text, count);
    text_puts(text, " ");
    text_puts(text, unit);
    text_puts(text, count == 1 ? "" : unit[strlen(unit) - 1] == 's' ? "es" : "s");
}

void ranks_runs_text(struct text *text, const struct rank_result *result)
{
    size_t shown = 0;
    for (size_t i = 0, end; i < result->run_count; i = end) {
        for (end = i + 1; end < result->run_count && result->runs[end] == result->runs[i];)
            end++;
        text_puts(text, i > 0 ? " " : "");
        if (shown++ == MOST_RUNS) {
            text_puts(text, "...");
            return;
        }
        text_u64(text, end - i);
        text_puts(text, "x");
        text_u64(text, result->runs[i]);
    }
}

static void add_value(struct text *text, enum ranks_what what, const struct rank_result *result)
{
    switch (what) {
    case RANKS_ANCHORS:
        add_count(text, result->anchors, "anchor");
        break;
    case RANKS_PASSES:
        add_count(text, result->passes, "labelled pass");
        break;
    case RANKS_RUNS:
        text_puts(text, "runs of ");
        ranks_runs_text(text, result);
        break;
    case RANKS_NAME:
        text_puts(text, "the anchor '");
        add_printable(text, result->anchor_name);
        text_puts(text, "'");
        break;
    default:
        text_puts(text, "a job of ");
        add_count(text, (uint64_t)result->rank.world_size, "rank");
        break;
    }
}

/* The first run, counted from 1, that is not the same in both. */
static uint64_t first_other_run(const struct rank_result *a, const struct rank_result *b)
{
    size_t run = 0;
    while (run < a->run_count && run < b->run_count && a->runs[run] == b->runs[run])
        run++;
    return run + 1;
}

/* 24.3 s, of a length below or above 0. */
static void add_duration(struct text *text, int64_t ns)
{
    static const struct {
        uint64_t length;
        const char *name;
    } units[] = {{1000000000, " s"}, {1000000, " ms"}, {1000, " us"}};
    uint64_t length = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    size_t unit = 0;
    while (unit < 2 && length < units[unit].length)
        unit++;
    uint64_t tenths = length / (units[unit].length / 10);
    text_u64(text, tenths / 10);
    text_puts(text, ".");
    text_u64(text, tenths % 10);
    text_puts(text, units[unit].name);
}

/* ---- sentences ---------------------------------------------------------------------------------------------- */

/* How many groups from `first` on are told. */
static size_t groups_end(const struct ranks_finding *finding, size_t first)
{
    size_t end = first + MOST_GROUPS;
    return end < finding->group_count ? end : finding->group_count;
}

static void add_other_groups(struct text *text, const struct ranks_finding *finding, size_t end)
{
    if (end == finding->group_count)
        return;
    size_t ranks = 0;
    for (size_t group = end; group < finding->group_count; group++)
        ranks += finding->sizes[group];
    text_puts(text, "; ");
    add_count(text, ranks, "more rank");
    text_puts(text, ranks == 1 ? " differs" : " differ");
}

static void add_rest(struct text *text, const struct ranks_finding *finding)
{
    text_puts(text, "the other ");
    text_u64(text, finding->sizes[0]);
    text_puts(text, " ranks");
}

/* Those that differ, each group with its value, and the rest's. */
static void add_differing(struct text *text, const struct ranks_finding *finding, const struct rank_result *results,
                          size_t count)
{
    size_t end = groups_end(finding, 1);
    const struct rank_result *rest = &results[finding->first[0]];
    for (size_t group = 1; group < end; group++) {
        text_puts(text, group > 1 ? ", " : "");
        add_group(text, finding, group, results, count);
        text_puts(text, finding->sizes[group] == 1 ? " has " : " have ");
        add_value(text, finding->what, &results[finding->first[group]]);
    }
    text_puts(text, ", where ");
    add_rest(text, finding);
    text_puts(text, " have ");
    add_value(text, finding->what, rest);
    if (finding->what == RANKS_RUNS) {
        text_puts(text, "; run ");
        text_u64(text, first_other_run(rest, &results[finding->first[1]]));
        text_puts(text, " is the first that differs");
    }
    add_other_groups(text, finding, end);
}

static void add_tie(struct text *text, const struct ranks_finding *finding, const struct rank_result *results,
                    size_t count)
{
    size_t end = groups_end(finding, 0);
    text_puts(text, "ranks differ, and none of them can be called the rest: ");
    for (size_t group = 0; group < end; group++) {
        text_puts(text, group > 0 ? "; " : "");
        add_group(text, finding, group, results, count);
        text_puts(text, finding->sizes[group] == 1 ? " has " : " have ");
        add_value(text, finding->what, &results[finding->first[group]]);
    }
    add_other_groups(text, finding, end);
}

static void add_time(struct text *text, const struct ranks_finding *finding, const struct rank_result *results,
                     size_t count)
{
    size_t end = groups_end(finding, 1);
    for (size_t group = 1; group < end; group++) {
        int64_t apart = ranks_time_apart(finding, results, count, group);
        text_puts(text, group > 1 ? ", " : "");
        text_puts(text, "the labelled passes of ");
        add_group(text, finding, group, results, count);
        text_puts(text, " lie ");
        add_duration(text, apart);
        text_puts(text, apart < 0 ? " before" : " behind");
        text_puts(text, " those of ");
        if (finding->tie)
            add_group(text, finding, 0, results, count);
        else
            add_rest(text, finding);
    }
    add_other_groups(text, finding, end);
    if (finding->tie)
        text_puts(text, "; none of them can be called the rest");
}

static void add_twice(struct text *text, const struct ranks_finding *finding, const struct rank_result *results,
                      size_t count)
{
    size_t told = 0;
    text_puts(text, "rank ");
    add_name(text, &results[finding->first[0]]);
    text_puts(text, " is there ");
    text_u64(text, finding->sizes[0]);
    text_puts(text, " times: ");
    for (size_t i = next_of(finding, 0, 0, count); i < count && told < MOST_GROUPS; told++) {
        text_puts(text, told > 0 ? ", '" : "'");
        add_printable(text, results[i].file);
        text_puts(text, "'");
        i = next_of(finding, 0, i + 1, count);
    }
    if (told < finding->sizes[0]) {
        text_puts(text, " and ");
        text_u64(text, finding->sizes[0] - told);
        text_puts(text, " more");
    }
}

void ranks_finding_text(struct text *text, const struct ranks_finding *finding, const struct rank_result *results,
                        size_t count)
{
    if (finding->what == RANKS_TWICE)
        add_twice(text, finding, results, count);
    else if (finding->what == RANKS_TIME)
        add_time(text, finding, results, count);
    else if (finding->tie)
        add_tie(text, finding, results, count);
    else
        add_differing(text, finding, results, count);
}

void ranks_present_text(struct text *text, const struct ranks_comparison *comparison)
{
    if (comparison->world_size == RANK_NONE || comparison->present == 0 ||
        comparison->present == (uint64_t)comparison->world_size)
        return;
    text_u64(text, comparison->present);
    text_puts(text, " of ");
    add_count(text, (uint64_t)comparison->world_size, "rank");
}
