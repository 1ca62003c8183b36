/* What files are by their names: rows of names; and what is left of a list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, whose fail() is a macro. */
#include "jobs/file_kind.h"

#include <cmocka.h>

struct row {
    const char *path;
    enum file_kind kind;
};

static const struct row rows[] = {
    {"rank0.json", FILE_TRACE},
    {"/t/x.layers/rank0.json", FILE_TRACE},
    {"/merged-0/graph_capture/a.async_llm.b/rank0.json", FILE_TRACE},
    {"rank0.players.json", FILE_TRACE},
    {"layers.json", FILE_TRACE},
    {"unmerged-0.json", FILE_TRACE},
    {"view.json", FILE_TRACE},
    {"trace_view.json", FILE_TRACE},
    {"async_llm.json", FILE_TRACE},
    {"rank0.layers.trace.json", FILE_ANNOTATED},
    {"out/rank0.layers.trace.json.gz", FILE_ANNOTATED},
    {"rank0.layers.json.gz", FILE_ANNOTATED},
    {"rank0.layers.trace.json.layers.json", FILE_REPORT},
    {"rank0.layers.trace.json.gz.layers.json", FILE_REPORT},
    {"rank0.layers.json", FILE_REPORT},
    {"rank0.layers.trace.json.copy.json", FILE_REPORT},
    {"rank0.view.json", FILE_VIEW},
    {"merged-1714000000.trace.json.gz", FILE_MERGED},
    {"/t/merged_trace.json", FILE_MERGED},
    {"node1_merged_trace_all.json", FILE_MERGED},
    {"rank0_graph_capture_3.json", FILE_CAPTURE},
    {"host.async_llm.17.pt.trace.json.gz", FILE_FRONT_END},
    {"merged-a.layers.trace.json", FILE_ANNOTATED},
};

static void row(void **state)
{
    const struct row *row = *state;
    struct file_item named = {.path = row->path, .named = true};
    enum file_kind refused = row->kind == FILE_REPORT || row->kind == FILE_VIEW ? row->kind : FILE_TRACE;
    assert_int_equal(file_kind_of(row->path), row->kind);
    assert_int_equal(file_kind_refused(&named, FILES_TRACES), row->kind);
    assert_int_equal(file_kind_refused(&named, FILES_ANNOTATED), refused);
}

/* Every row's file, found and named in turn. */
static size_t fill(struct file_list *list, struct file_item *items)
{
    size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count; i++)
        items[i] = (struct file_item){.path = rows[i].path, .named = i % 2 != 0};
    *list = (struct file_list){.items = items, .count = count};
    return count;
}

static void passing_over(void **state)
{
    (void)state;
    static const enum file_kind fits[] = {[FILES_TRACES] = FILE_TRACE, [FILES_ANNOTATED] = FILE_ANNOTATED};
    for (int wanted = FILES_TRACES; wanted <= FILES_ANNOTATED; wanted++) {
        struct file_item items[sizeof rows / sizeof *rows];
        struct file_list list;
        uint64_t counts[FILE_KINDS] = {0};
        size_t count = fill(&list, items), left = 0;
        file_kinds_pass_over(&list, (enum files_wanted)wanted, counts);
        for (size_t i = 0; i < count; i++) {
            if (i % 2 == 0 && rows[i].kind != fits[wanted]) {
                assert_true(counts[rows[i].kind] > 0);
                counts[rows[i].kind]--;
                continue;
            }
            assert_true(left < list.count);
            assert_ptr_equal(list.items[left++].path, rows[i].path);
        }
        assert_int_equal(list.count, left);
        for (int kind = 0; kind < FILE_KINDS; kind++)
            assert_int_equal(counts[kind], 0);
    }
}

static void words(void **state)
{
    (void)state;
    struct text text = {0};
    uint64_t counts[FILE_KINDS] = {0};
    file_kinds_text(&text, counts);
    assert_int_equal(text.len, 0);
    counts[FILE_MERGED] = 2;
    counts[FILE_REPORT] = 1;
    counts[FILE_NO_KERNEL] = 1;
    file_kinds_text(&text, counts);
    text_add(&text, "", 1);
    assert_string_equal(text.data, "1 report of layertrack, 2 merged traces, 1 trace without a kernel");
    text_free(&text);
    for (int kind = 0; kind < FILE_KINDS; kind++) {
        assert_non_null(strchr(file_kind_reason((enum file_kind)kind), ';'));
        for (int other = 0; other < kind; other++)
            assert_string_not_equal(file_kind_key((enum file_kind)kind), file_kind_key((enum file_kind)other));
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].path, row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(passing_over);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(words);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
