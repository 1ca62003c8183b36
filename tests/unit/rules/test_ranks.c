/* Ranks compared: rows of what was found in each, and the sentences on those that differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jobs/ranks_messages.h"
#include "rules/ranks.h"

enum { MOST_RANKS = 70, MOST_RUNS = 16 };

/* A job whose ranks are made by `make` from their number; the sentences follow, one a line. */
struct row {
    const char *name;
    size_t count;
    void (*make)(struct rank_result *result, size_t i);
    const char *sentences;
    const char *present;
};

static const uint64_t even[] = {36, 36, 36, 36}, odd[] = {36, 36, 20, 52}, early[] = {36, 36, 36, 20, 16},
                      tiny[] = {1, 2, 3, 4, 5, 6, 7, 8};

/* A rank like all others: 144 anchors, 4 passes, 20 ms long, at 1.7e18 ns. */
static void alike(struct rank_result *result, size_t i)
{
    static char files[MOST_RANKS][32];
    snprintf(files[i], sizeof files[i], "t/rank%zu.json", i);
    *result = (struct rank_result){
        .file = files[i],
        .rank = rank_of_path(files[i]),
        .counted = true,
        .anchors = 144,
        .anchor_name = "rms_norm",
        .runs = even,
        .run_count = 4,
        .accepted = true,
        .passes = 4,
        .first_us = decimal_from_int(1000),
        .last_us = decimal_from_int(21000),
        .has_base = true,
        .base_ns = INT64_C(1700000000000000000) + (int64_t)i * 1000000,
    };
}

static void shift(struct rank_result *result, int64_t ms)
{
    result->base_ns += ms * 1000000;
}

static void one_count(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 3)
        result->anchors = 130;
}

static void two_counts(struct rank_result *result, size_t i)
{
    one_count(result, i);
    if (i == 5 || i == 6)
        result->anchors = 1;
}

static void halves(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i % 2 == 1)
        result->anchors = 130;
}

static void turns(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->anchors = i % 2 == 0 ? 16 : 32;
}

static void each_its_own(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->anchors = 100 + i;
}

static void refused_ones(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->accepted = i % 2 == 0;
    result->has_base = i % 2 == 0;
    result->counted = i % 4 != 1;
    if (i % 4 == 1)
        result->anchors = 7;
    if (!result->accepted)
        result->passes = 0;
}

static void a_pass_more(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 0)
        result->passes = 5;
}

static void other_runs(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 2)
        result->runs = odd;
}

static void longer_runs(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 1) {
        result->runs = early;
        result->run_count = 5;
    }
}

static void many_runs(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 1) {
        result->runs = tiny;
        result->run_count = 8;
    }
}

static void runs_of_other_counts(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 1) {
        result->runs = odd;
        result->anchors = 145;
    }
}

static void runs_in_both_counts(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i >= 4)
        result->anchors = 288;
    if (i == 1 || i == 6)
        result->runs = odd;
}

static void other_name(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 7)
        result->anchor_name = "layer\nnorm";
}

static void one_elsewhere(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 4)
        shift(result, -24310);
}

static void one_just_behind(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->base_ns = 0;
    if (i == 4)
        result->base_ns = 20000000 + RANKS_CLOCK_SLACK_NS + 1;
}

static void one_within_the_slack(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->base_ns = 0;
    if (i == 4)
        result->base_ns = 20000000 + RANKS_CLOCK_SLACK_NS;
}

/* Each profiler was opened 19 ms behind the one before: all are alike by way of each other. */
static void a_chain(struct rank_result *result, size_t i)
{
    alike(result, i);
    shift(result, (int64_t)i * 18);
}

/* Opened a second after the other, and closed together: all have the end in common. */
static void open_late(struct rank_result *result, size_t i)
{
    alike(result, i);
    shift(result, (int64_t)i * 1000);
    result->last_us = decimal_from_int(1000 + 20000 + (8 - (int64_t)i) * 1001000);
}

static void all_apart(struct rank_result *result, size_t i)
{
    alike(result, i);
    shift(result, (int64_t)i * 1000);
}

/* Two stages of four, one after the other; a rank of the second one lies elsewhere. */
static void stages(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->rank.axes[RANK_PP] = (int64_t)i / 4;
    shift(result, (int64_t)(i / 4) * 40 + (i == 6 ? 1000 : 0));
}

static void no_base(struct rank_result *result, size_t i)
{
    one_elsewhere(result, i);
    result->has_base = i != 4;
}

static void base_at_the_end_of_time(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 1)
        result->base_ns = INT64_MAX;
}

static void of_a_larger_job(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->rank = rank_with_content(result->rank, (int64_t)i, 128);
}

static void of_two_jobs(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->rank = rank_with_content(result->rank, (int64_t)i, i == 2 ? 16 : 8);
}

static void two_of_one(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i == 6)
        result->rank.number = 2;
}

static void all_of_one(struct rank_result *result, size_t i)
{
    alike(result, i);
    result->rank.number = 0;
}

static void labels(struct rank_result *result, size_t i)
{
    static const char *const files[] = {"a-TP-0.json", "a-TP-1.json", "b-TP-1.json", "a-TP-2.json"};
    alike(result, i);
    result->file = files[i];
    result->rank = rank_of_path(files[i]);
    if (i == 3)
        result->anchors = 1;
}

static void no_ranks(struct rank_result *result, size_t i)
{
    static const char *const files[] = {"a\n.json", "b.json", "c.json"};
    alike(result, i);
    result->file = files[i];
    result->rank = rank_of_path(files[i]);
    if (i == 0)
        result->anchors = 1;
}

static void every_other(struct rank_result *result, size_t i)
{
    alike(result, i);
    if (i % 2 == 0 && i < 60)
        result->anchors = 1;
}

static const struct row rows[] = {
    {"none", 0, alike, "", ""},
    {"one", 1, alike, "", ""},
    {"all alike", 8, alike, "", ""},
    {"one of eight", 8, one_count, "rank 3 has 130 anchors, where the other 7 ranks have 144 anchors\n", ""},
    {"one of eight, and two others", 8, two_counts,
     "ranks 5-6 have 1 anchor, rank 3 has 130 anchors, where the other 5 ranks have 144 anchors\n", ""},
    {"one of two", 2, halves,
     "ranks differ, and none of them can be called the rest: rank 0 has 144 anchors; rank 1 has 130 anchors\n", ""},
    {"two of three", 3, halves, "rank 1 has 130 anchors, where the other 2 ranks have 144 anchors\n", ""},
    {"16, 32, 16, ...", 6, turns,
     "ranks differ, and none of them can be called the rest: ranks 0, 2, 4 have 16 anchors; ranks 1, 3, 5 have 32 "
     "anchors\n",
     ""},
    {"each its own", 10, each_its_own,
     "ranks differ, and none of them can be called the rest: rank 0 has 100 anchors; rank 1 has 101 anchors; rank 2 "
     "has "
     "102 anchors; rank 3 has 103 anchors; rank 4 has 104 anchors; rank 5 has 105 anchors; rank 6 has 106 anchors; "
     "rank 7 has 107 anchors; 2 more ranks differ\n",
     ""},
    {"what is not known is not compared", 8, refused_ones, "", ""},
    {"a pass more", 8, a_pass_more, "rank 0 has 5 labelled passes, where the other 7 ranks have 4 labelled passes\n",
     ""},
    {"the same count in other runs", 8, other_runs,
     "rank 2 has runs of 2x36 1x20 1x52, where the other 7 ranks have runs of 4x36; run 3 is the first that differs\n",
     ""},
    {"a run more", 3, longer_runs,
     "rank 1 has runs of 3x36 1x20 1x16, where the other 2 ranks have runs of 4x36; run 4 is the first that differs\n",
     ""},
    {"runs of many sizes", 3, many_runs,
     "rank 1 has runs of 1x1 1x2 1x3 1x4 1x5 1x6 ..., where the other 2 ranks have runs of 4x36; run 1 is the first "
     "that differs\n",
     ""},
    {"other counts have other runs", 4, runs_of_other_counts,
     "rank 1 has 145 anchors, where the other 3 ranks have 144 anchors\n", ""},
    {"other runs in two counts", 8, runs_in_both_counts,
     "ranks differ, and none of them can be called the rest: ranks 0-3 have 144 anchors; ranks 4-7 have 288 anchors\n"
     "rank 1 has runs of 2x36 1x20 1x52, where the other 3 ranks have runs of 4x36; run 3 is the first that differs\n"
     "rank 6 has runs of 2x36 1x20 1x52, where the other 3 ranks have runs of 4x36; run 3 is the first that differs\n",
     ""},
    {"another anchor", 8, other_name,
     "rank 7 has the anchor 'layer\\x0anorm', where the other 7 ranks have the anchor 'rms_norm'\n", ""},
    {"one elsewhere in time", 8, one_elsewhere,
     "the labelled passes of rank 4 lie 24.2 s before those of the other 7 ranks\n", ""},
    {"one just behind", 8, one_just_behind,
     "the labelled passes of rank 4 lie 100.0 us behind those of the other 7 ranks\n", ""},
    {"clocks of one host", 8, one_within_the_slack, "", ""},
    {"a chain of windows", 8, a_chain, "", ""},
    {"opened seconds apart", 8, open_late, "", ""},
    {"no two overlap", 3, all_apart,
     "the labelled passes of rank 1 lie 981.0 ms behind those of rank 0, the labelled passes of rank 2 lie 1.9 s "
     "behind "
     "those of rank 0; none of them can be called the rest\n",
     ""},
    {"stages of a pipeline", 8, stages,
     "the labelled passes of rank 6 lie 979.0 ms behind those of the other 3 ranks\n", ""},
    {"without a base there is no time", 8, no_base, "", ""},
    {"a base at the end of time", 3, base_at_the_end_of_time, "", ""},
    {"eight of 128", 8, of_a_larger_job, "", "8 of 128 ranks"},
    {"ranks of two jobs", 8, of_two_jobs,
     "rank 2 has a job of 16 ranks, where the other 7 ranks have a job of 8 ranks\n", "8 of 16 ranks"},
    {"one rank twice", 8, two_of_one, "rank 2 is there 2 times: 't/rank2.json', 't/rank6.json'\n", ""},
    {"all called rank 0", 10, all_of_one,
     "rank 0 is there 10 times: 't/rank0.json', 't/rank1.json', 't/rank2.json', 't/rank3.json', 't/rank4.json', "
     "'t/rank5.json', 't/rank6.json', 't/rank7.json' and 2 more\n",
     ""},
    {"labels stand for ranks", 4, labels,
     "rank TP2 has 1 anchor, where the other 3 ranks have 144 anchors\n"
     "rank TP1 is there 2 times: 'a-TP-1.json', 'b-TP-1.json'\n",
     ""},
    {"files stand for ranks", 3, no_ranks, "rank a\\x0a.json has 1 anchor, where the other 2 ranks have 144 anchors\n",
     ""},
    {"a long list of ranks", 70, every_other,
     "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30 and 14 more have 1 anchor, where the other 40 "
     "ranks have 144 anchors\n",
     ""},
};

static void check_text(struct text *text, const char *expected)
{
    text_add(text, "", 1);
    assert_false(text->failed);
    assert_string_equal(text->data, expected);
    text_free(text);
}

static void row(void **state)
{
    const struct row *row = *state;
    static struct rank_result results[MOST_RANKS];
    struct ranks_comparison comparison;
    struct text sentences = {0}, present = {0};
    for (size_t i = 0; i < row->count; i++)
        row->make(&results[i], i);
    assert_true(ranks_compare(&comparison, results, row->count));
    for (size_t i = 0; i < comparison.finding_count; i++) {
        ranks_finding_text(&sentences, &comparison.findings[i], results, row->count);
        text_puts(&sentences, "\n");
    }
    ranks_present_text(&present, &comparison);
    ranks_comparison_free(&comparison);
    check_text(&sentences, row->sentences);
    check_text(&present, row->present);
}

/* How each rank stands, and whether counts are the same. */
static void standing(void **state)
{
    (void)state;
    static const struct {
        void (*make)(struct rank_result *, size_t);
        const char *standings; /* of six ranks in the first finding: = ~ ! */
        bool same_counts;
    } cases[] = {
        {one_count, "===!==", false},  {halves, "~~~~~~", false},       {a_pass_more, "!=====", false},
        {other_runs, "==!===", false}, {one_elsewhere, "====!=", true}, {of_two_jobs, "==!===", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct rank_result results[6];
        struct ranks_comparison comparison;
        char standings[7] = "";
        for (size_t rank = 0; rank < 6; rank++)
            cases[i].make(&results[rank], rank);
        assert_true(ranks_compare(&comparison, results, 6));
        for (size_t rank = 0; rank < 6; rank++)
            standings[rank] = "=~!"[ranks_standing(&comparison.findings[0], rank)];
        assert_string_equal(standings, cases[i].standings);
        assert_int_equal(ranks_same_counts(&comparison), cases[i].same_counts);
        ranks_comparison_free(&comparison);
    }
}

static void order(void **state)
{
    (void)state;
    static const char *const files[] = {"b.json",     "x-TP-1.json", "rank10.json", "a.json",
                                        "rank2.json", "x-TP-0.json", "c/rank2.json"};
    static const size_t expected[] = {6, 4, 2, 3, 0, 5, 1};
    enum { COUNT = sizeof files / sizeof *files };
    struct rank_result results[COUNT] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        results[i].file = files[i];
        results[i].rank = rank_of_path(files[i]);
    }
    size_t *found = ranks_order(results, COUNT);
    assert_non_null(found);
    assert_memory_equal(found, expected, sizeof expected);
    free(found);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(standing);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(order);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
