/* The summary of many ranks for people: a table and Markdown, byte by byte; what is cut; and that names do nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, whose fail() is a macro. */
#include "cli/summary_text.h"

#include <cmocka.h>

struct made {
    struct rank_result *results;
    struct ranks_comparison comparison;
    uint64_t passed_over[FILE_KINDS];
    struct summary summary;
};

static void alike(struct rank_result *result, const char *file)
{
    *result = (struct rank_result){.file = file,
                                   .rank = rank_of_path(file),
                                   .pid = "7",
                                   .device = "0",
                                   .counted = true,
                                   .anchors = 144,
                                   .accepted = true,
                                   .offset = 36,
                                   .passes = 3,
                                   .first_us = decimal_from_int(1000),
                                   .last_us = decimal_from_int(21000),
                                   .verdict = "done"};
}

static void compare(struct made *made, size_t count)
{
    assert_true(ranks_compare(&made->comparison, made->results, count));
    made->summary = (struct summary){"annotate", made->results, count, &made->comparison, made->passed_over, 0};
}

static void check(struct text *text, const char *expected)
{
    text_add(text, "", 1);
    assert_false(text->failed);
    assert_string_equal(text->data, expected);
    text_free(text);
}

/* Four ranks: one is fine, one is odd, one is refused, and one has a name that would like to be a command. */
static void make_four(struct made *made, struct rank_result results[4])
{
    *made = (struct made){.results = results, .passed_over = {[FILE_MERGED] = 1}};
    alike(&results[0], "t/rank10.json");
    alike(&results[1], "t/日本_rank9_tp1.json");
    alike(&results[2], "t/x.json");
    alike(&results[3], "::error::\n##[error]|`*_<b>rank2");
    results[0].rank = rank_with_content(results[0].rank, 10, 128);
    results[1].anchors = 130;
    results[1].warnings = 2;
    results[2].accepted = false;
    results[2].counted = false;
    results[2].pid = NULL;
    results[2].device = NULL;
    results[2].verdict = "refused";
    results[2].class = "no-kernel";
    results[2].exit_code = 4;
    results[3].device = "日本";
    results[3].pid = "##[x";
    compare(made, 4);
}

/* A line for each. */
static void all_notes(const struct summary *summary, struct text *out)
{
    struct text note = {0};
    for (size_t i = 0; i < summary_note_count(summary); i++) {
        summary_note(&note, summary, i);
        assert_false(note.failed);
        text_add(out, note.data, note.len);
        text_puts(out, note.len > 0 ? "\n" : "");
    }
    text_free(&note);
}

static void table(void **state)
{
    (void)state;
    struct rank_result results[4];
    struct made made;
    struct text out = {0}, notes = {0};
    make_four(&made, results);
    assert_true(summary_table(&made.summary, &out));
    all_notes(&made.summary, &notes);
    ranks_comparison_free(&made.comparison);
    check(&out, "rank         pid  device  anchors  offset  passes  first (us)  last (us)  warnings  verdict         "
                "          file\n"
                "2        ##\\x5bx    日本      144      36       3        1000      21000         0  done             "
                "         "
                "\\x3a:error::\\x0a##\\x5berror]|`*_<b>rank2\n"
                "9 (TP1)        7       0      130      36       3        1000      21000         2  done; differs "
                "in anchors  "
                "t/日本_rank9_tp1.json\n"
                "10             7       0      144      36       3        1000      21000         0  done            "
                "          "
                "t/rank10.json\n"
                "-              -       -        -       -       -           -          -         0  refused: "
                "no-kernel        "
                "t/x.json\n");
    check(&notes, "rank 9 has 130 anchors, where the other 2 ranks have 144 anchors\n"
                  "3 of 128 ranks are here\n"
                  "passed over: 1 merged trace\n");
}

static void markdown(void **state)
{
    (void)state;
    struct rank_result results[4];
    struct made made;
    struct text out = {0};
    make_four(&made, results);
    results[2].message = "no kernel in ##[x]";
    assert_true(summary_markdown(&made.summary, SUMMARY_MARKDOWN_MOST, &out));
    ranks_comparison_free(&made.comparison);
    check(&out,
          "### layertrack annotate: 3 of 4 traces done\n"
          "\n"
          "- rank 9 has 130 anchors, where the other 2 ranks have 144 anchors\n"
          "- 3 of 128 ranks are here\n"
          "- passed over\\: 1 merged trace\n"
          "- t/x.json\\: no kernel in \\#\\#\\\\x5bx\\]\n"
          "\n"
          "| rank | pid | device | anchors | offset | passes | first (us) | last (us) | warnings | verdict | file |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n"
          "| 2 | \\#\\#\\\\x5bx | 日本 | 144 | 36 | 3 | 1000 | 21000 | 0 | done | "
          "\\\\x3a\\:error\\:\\:\\\\x0a\\#\\#\\\\x5berror\\]\\|\\`\\*\\_\\<b\\>rank2 |\n"
          "| 9 \\(TP1\\) | 7 | 0 | 130 | 36 | 3 | 1000 | 21000 | 2 | done; differs in anchors | "
          "t/日本\\_rank9\\_tp1.json |\n"
          "| 10 | 7 | 0 | 144 | 36 | 3 | 1000 | 21000 | 0 | done | t/rank10.json |\n"
          "| - | - | - | - | - | - | - | - | 0 | refused\\: no-kernel | t/x.json |\n");
}

static void nothing_to_say(void **state)
{
    (void)state;
    struct rank_result results[2];
    struct made made = {.results = results};
    struct text notes = {0}, page = {0}, none = {0};
    alike(&results[0], "rank0.json");
    alike(&results[1], "rank1.json");
    compare(&made, 2);
    all_notes(&made.summary, &notes);
    check(&notes, "");
    assert_true(summary_markdown(&made.summary, SUMMARY_MARKDOWN_MOST, &page));
    text_add(&page, "", 1);
    assert_non_null(strstr(page.data, "2 of 2 traces done\n\n| rank |"));
    text_free(&page);
    ranks_comparison_free(&made.comparison);
    compare(&made, 0);
    assert_true(summary_table(&made.summary, &none));
    check(&none, "rank  pid  device  anchors  offset  passes  first (us)  last (us)  warnings  verdict  file\n");
    ranks_comparison_free(&made.comparison);
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        count++;
    return count;
}

/* Of 5000 ranks every hundredth is refused; where not all rows have room, theirs do. */
static void rows_are_cut(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static struct rank_result results[COUNT];
    static char files[COUNT][32];
    static const size_t limits[] = {0, 4096, 10000, 100000, SUMMARY_MARKDOWN_MOST};
    struct made made = {.results = results};
    for (int i = 0; i < COUNT; i++) {
        snprintf(files[i], sizeof files[i], "t/rank%d.json", i);
        alike(&results[i], files[i]);
        if (i % 100 == 50) {
            results[i].exit_code = 4;
            results[i].verdict = "refused";
        }
    }
    compare(&made, COUNT);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct text out = {0};
        unsigned left_out = 0;
        assert_true(summary_markdown(&made.summary, limits[i], &out));
        assert_true(out.len <= (limits[i] < 4096 ? 4096 : limits[i]));
        text_add(&out, "", 1);
        size_t rows = count_of(out.data, "\n| ") - 1, refused = count_of(out.data, "| refused |");
        const char *tail = strstr(out.data, "\n\n| ");
        tail = strstr(tail + 1, "\n\n");
        if (tail != NULL)
            assert_int_equal(sscanf(tail, " %u rows were left out", &left_out), 1);
        assert_int_equal(rows + left_out, COUNT);
        assert_true(rows == COUNT || out.len > (limits[i] < 4096 ? 4096 : limits[i]) - 512);
        assert_int_equal(refused, rows < 50 ? rows : 50);
        text_free(&out);
    }
    ranks_comparison_free(&made.comparison);
}

/* A thousand ranks that are there twice have a finding each. */
static void findings_are_cut(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static struct rank_result results[COUNT];
    static char files[COUNT][64];
    struct made made = {.results = results};
    struct text out = {0};
    unsigned left_out = 0;
    for (int i = 0; i < COUNT; i++) {
        snprintf(files[i], sizeof files[i], "t/%d/rank%d.json", i, i / 2);
        alike(&results[i], files[i]);
    }
    compare(&made, COUNT);
    assert_true(summary_markdown(&made.summary, 65536, &out));
    assert_true(out.len <= 65536);
    text_add(&out, "", 1);
    size_t told = count_of(out.data, "\n- rank ");
    const char *tail = strstr(out.data, " findings were left out");
    assert_non_null(tail);
    while (tail[-1] != ' ')
        tail--;
    assert_int_equal(sscanf(tail, "%u", &left_out), 1);
    assert_int_equal(told + left_out, COUNT / 2);
    assert_true(count_of(out.data, "\n| ") > 100);
    text_free(&out);
    ranks_comparison_free(&made.comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),        cmocka_unit_test(markdown),         cmocka_unit_test(nothing_to_say),
        cmocka_unit_test(rows_are_cut), cmocka_unit_test(findings_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
