/* A line of an insertion is recognised to the letter: lines, and what they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "guides/guide_writer.h"
#include "guides/insertion_line.h"

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define NAME(place, name) "{\"ph\": \"M\", \"name\": \"thread_name\", " place ", \"args\": {\"name\": \"" name "\"}}"
#define SORT(place, index)                                                                                             \
    "{\"ph\": \"M\", \"name\": \"thread_sort_index\", " place ", \"args\": {\"sort_index\": " index "}}"
#define PLACE        "\"pid\": 7, \"tid\": 1000000"
#define TRACK(phase) "Layer guide (" phase ") \xe2\x80\x94 anchor intervals"

static const struct {
    const char *line;
    int kind;
} rows[] = {
    {NAME(PLACE, TRACK("decode")), LINE_NAME},
    {NAME("\"pid\": \"a\\\"b\", \"tid\": 2048575", TRACK("a (\\\"b\\\")")), LINE_NAME},
    {NAME("\"pid\": \"\", \"tid\": 1000000", TRACK("decode")), LINE_NAME},
    {NAME("\"pid\": 1e999, \"tid\": 1000000", TRACK("decode")), LINE_NAME},
    {NAME("\"pid\": -1.5, \"tid\": 1000000", TRACK("decode")), LINE_NAME},
    {NAME("\"pid\": null, \"tid\": 1000000", TRACK("decode")), LINE_OTHER},
    {NAME("\"pid\": {}, \"tid\": 1000000", TRACK("decode")), LINE_OTHER},
    {NAME("\"pid\": 7, \"tid\": 999999", TRACK("decode")), LINE_OTHER},
    {NAME("\"pid\": 7, \"tid\": 2048576", TRACK("decode")), LINE_OTHER},
    {NAME("\"pid\": 7, \"tid\": 1000000.0", TRACK("decode")), LINE_OTHER},
    {NAME("\"pid\": 7, \"tid\": 01000000", TRACK("decode")), LINE_OTHER},
    {NAME("\"pid\": 7, \"tid\": 99999999999999999999", TRACK("decode")), LINE_OTHER},
    {NAME("\"pid\": 7,  \"tid\": 1000000", TRACK("decode")), LINE_OTHER},
    {NAME(PLACE, "Layer guide (decode) - anchor intervals"), LINE_OTHER},
    {NAME(PLACE, "Layer guide ("), LINE_OTHER},
    {NAME(PLACE, TRACK("decode")) " ", LINE_OTHER},
    {" " NAME(PLACE, TRACK("decode")), LINE_OTHER},
    {SORT(PLACE, "-1000"), LINE_SORT_INDEX},
    {SORT(PLACE, "-937"), LINE_SORT_INDEX},
    {SORT(PLACE, "1000"), LINE_OTHER},
    {SORT(PLACE, "-01000"), LINE_OTHER},
    {SORT(PLACE, "-1000, \"x\": 1"), LINE_OTHER},
    {"", LINE_OTHER},
    {"{}", LINE_OTHER},
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct insertion_line line;
        insertion_line_read(&line, rows[i].line, strlen(rows[i].line));
        if ((int)line.kind != rows[i].kind)
            fail_msg("%s: %d", rows[i].line, (int)line.kind);
    }
}

/* A guide, with one text in it replaced by another. */
static char *guide(const char *from, const char *to)
{
    struct text text = {0};
    text_puts(&text,
              "{\"ph\": \"X\", \"cat\": \"layer_guide\", \"name\": \"L5\", " PLACE
              ", \"ts\": 10, \"dur\": 3, \"args\": {\"pass_index\": 2, \"layer_id\": 5, \"anchor_index\": 9, "
              "\"anchor_name\": \"k<\\\"int\\\">\", \"anchor_tid\": 3, \"start_us\": 9.500, \"end_us\": 13, "
              "\"guide_start_us\": 10, \"guide_end_us\": 13, \"start_relative_ms\": 0.001, \"end_relative_ms\": 1, "
              "\"boundary_kind\": \"next_layer_anchor\", \"phase\": \"decode\", \"evidence\": \"e\", \"notice\": \"");
    text_puts(&text, guide_notice);
    text_puts(&text, "\"}}");
    text_add(&text, "", 1);
    struct text changed = {0};
    const char *at = strstr(text.data, from);
    assert_non_null(at);
    text_add(&changed, text.data, (size_t)(at - text.data));
    text_puts(&changed, to);
    text_puts(&changed, at + strlen(from));
    text_add(&changed, "", 1);
    text_free(&text);
    return changed.data;
}

static const struct {
    const char *from, *to;
    bool is_guide;
} changes[] = {
    {"{", "{", true},
    {"\"anchor_tid\": 3", "\"anchor_tid\": null", true},
    {"\"anchor_tid\": 3", "\"anchor_tid\": \"a, b\"", true},
    {"\"anchor_tid\": 3", "\"anchor_tid\": []", false},
    {"\"start_us\": 9.500", "\"start_us\": -9", true},
    {"\"start_us\": 9.500", "\"start_us\": 9.", false},
    {"\"start_us\": 9.500", "\"start_us\": 9e0", false},
    {"next_layer_anchor", "terminal_kernel_end", true},
    {"next_layer_anchor", "anchor_point_only", true},
    {"next_layer_anchor", "next_layer", false},
    {"\"L5\"", "\"L6\"", false},
    {"\"dur\": 3", "\"dur\": 4", false},
    {"\"ts\": 10", "\"ts\": 11", false},
    {"\"ts\": 10", "\"ts\": 10.0", false},
    {"\"guide_end_us\": 13", "\"guide_end_us\": 9", false},
    {"\"guide_end_us\": 13", "\"guide_end_us\": 9223372036854775808", false},
    {"\"pass_index\": 2", "\"pass_index\": 02", false},
    {"\"pass_index\": 2, ", "", false},
    {"\"phase\"", "\"x\": 1, \"phase\"", false},
    {"Navigation", "navigation", false},
    {"\"evidence\": \"e\"", "\"evidence\": \"e", false},
};

static void test_guides(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct insertion_line line;
        char *text = guide(changes[i].from, changes[i].to);
        insertion_line_read(&line, text, strlen(text));
        if ((line.kind == LINE_GUIDE) != changes[i].is_guide)
            fail_msg("%s to %s", changes[i].from, changes[i].to);
        if (line.kind == LINE_GUIDE) {
            assert_int_equal(line.pass, 2);
            assert_int_equal(line.layer, 5);
            assert_int_equal(line.tid, 1000000);
        }
        /* Cut anywhere it is none, and nothing behind the cut is read. */
        for (size_t len = 0; len < strlen(text) && i == 0; len++) {
            char *exact = malloc(len > 0 ? len : 1);
            assert_non_null(exact);
            memcpy(exact, text, len);
            insertion_line_read(&line, exact, len);
            assert_int_equal(line.kind, LINE_OTHER);
            free(exact);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_guides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
