/* Rows of reports that agree with themselves; which rank a report is of, and on which clock its times are. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before cmocka, whose fail() is a macro. */
#include "guides/report_rows.h"

#include <cmocka.h>

static char path[] = "/tmp/layertrack-test-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

#define ROW(layer)                                                                                                     \
    "{\"pass_index\": 0, \"layer_id\": " layer ", \"anchor_index\": " layer ", \"anchor_name\": \"k\", "               \
    "\"anchor_tid\": 7, \"start_us\": 5, \"end_us\": 5, \"guide_start_us\": 5, \"guide_end_us\": 5, "                  \
    "\"start_relative_ms\": 0, \"end_relative_ms\": 0, \"boundary_kind\": \"anchor_point_only\"}"
#define COUNTS                                                                                                         \
    "\"phase\": \"p\", \"guide_tid\": 1000000, \"num_layers\": 1, \"passes\": 1, \"first_layer\": 0, "                 \
    "\"anchor_offset\": 0, \"matching_anchor_count\": 1"

static void write_report(const char *more, const char *added, const char *tracks)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"schema_version\": 1, \"added_event_count\": %s%s, %s}", added, more, tracks);
    assert_int_equal(fclose(file), 0);
}

static const char one[] = COUNTS ", \"layers\": [" ROW("0") "]";

struct clock_row {
    const char *more;
    enum report_clock clock;
    int64_t base;
};

static const struct clock_row clocks[] = {
    {"", REPORT_CLOCK_UNKNOWN, 0}, /* without an origin there is no report, see below */
    {", \"trace_origin_us\": 5", REPORT_CLOCK_UNKNOWN, 0},
    {", \"trace_origin_us\": 5, \"base_time_ns\": null", REPORT_CLOCK_UNKNOWN, 0},
    {", \"trace_origin_us\": 5, \"base_time_ns\": 0", REPORT_CLOCK_UNKNOWN, 0},
    {", \"trace_origin_us\": 5, \"base_time_ns\": 1751410836000000000", REPORT_CLOCK_TOLD, 1751410836000000000},
    {", \"trace_origin_us\": 5, \"base_time_ns\": \"1751410836000000000\"", REPORT_CLOCK_UNKNOWN, 0},
    {", \"trace_origin_us\": 5, \"base_time_ns\": 9999999999999999999", REPORT_CLOCK_UNKNOWN, 0},
    {", \"trace_origin_us\": 1751410836000000.25", REPORT_CLOCK_SINCE, 0},
    {", \"trace_origin_us\": 1751410836000000, \"base_time_ns\": null", REPORT_CLOCK_SINCE, 0},
    {", \"trace_origin_us\": 1751410836000000, \"base_time_ns\": 0", REPORT_CLOCK_TOLD, 0},
    {", \"trace_origin_us\": 1751410836000000, \"base_time_ns\": 1751410836000000000", REPORT_CLOCK_UNKNOWN,
     1751410836000000000},
    {", \"trace_origin_us\": 999999999999999.9", REPORT_CLOCK_UNKNOWN, 0},
    {", \"trace_origin_us\": 1000000000000000", REPORT_CLOCK_SINCE, 0},
    {", \"trace_origin_us\": 2999999999999999.9", REPORT_CLOCK_SINCE, 0},
    {", \"trace_origin_us\": 3000000000000000", REPORT_CLOCK_UNKNOWN, 0},
    {", \"trace_origin_us\": -5", REPORT_CLOCK_UNKNOWN, 0},
    {", \"trace_origin_us\": 1e15", REPORT_CLOCK_SINCE, 0},
    {", \"trace_origin_us\": 1751410836000000.1234567890123456789012345678901234", REPORT_CLOCK_SINCE, 0},
    {", \"trace_origin_us\": \"1751410836000000\"", REPORT_CLOCK_UNKNOWN, 0},
};

static void clock_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct report report;
        struct lt_error error = {0};
        bool exists;
        int64_t base = -1;
        write_report(clocks[i].more, "3", one);
        assert_int_equal(report_open(&report, path, "", &exists, &error), LT_OK);
        assert_int_equal(report_clock(&report, &base), clocks[i].clock);
        assert_int_equal(base, clocks[i].base);
        report_close(&report);
    }
}

struct rank_row {
    const char *more, *path;
    int64_t number, world_size;
    const char *text;
};

static const struct rank_row ranks[] = {
    {"", "a.layers.json", RANK_NONE, RANK_NONE, ""},
    {"", "rank3.layers.json", 3, RANK_NONE, "3"},
    {"", "rank4/a.layers.json", 4, RANK_NONE, "4"},
    {", \"rank\": null, \"world_size\": null", "rank3.layers.json", 3, RANK_NONE, "3"},
    {", \"rank\": 5, \"world_size\": 8", "rank3.layers.json", 5, 8, "5"},
    {", \"rank\": \"5\", \"world_size\": 0", "rank3.layers.json", 3, RANK_NONE, "3"},
    {", \"rank\": 2147483648", "a.layers.json", RANK_NONE, RANK_NONE, ""},
    {", \"source_file\": \"x-TP-1-PP-0.trace.json\"", "a.layers.json", RANK_NONE, RANK_NONE, "TP1 PP0"},
    {", \"source_file\": \"rank7.json\"", "a.layers.json", 7, RANK_NONE, "7"},
    {", \"source_file\": \"rank7.json\"", "rank3.layers.json", 3, RANK_NONE, "3"},
    {", \"source_file\": null", "a.layers.json", RANK_NONE, RANK_NONE, ""},
};

static void rank_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        struct report report;
        struct lt_error error = {0};
        bool exists;
        char text[RANK_TEXT_SIZE];
        write_report(ranks[i].more, "3", one);
        assert_int_equal(report_open(&report, path, "", &exists, &error), LT_OK);
        struct rank rank = report_rank(&report, ranks[i].path);
        assert_int_equal(rank.number, ranks[i].number);
        assert_int_equal(rank.world_size, ranks[i].world_size);
        assert_string_equal(rank_text(&rank, text), ranks[i].text);
        report_close(&report);
    }
}

/* The status of reading all rows, of which there are *count. */
static enum lt_status read_all(struct report_rows *rows, struct lt_error *error, size_t *count)
{
    const struct members *row;
    size_t track;
    enum lt_status status;
    *count = 0;
    while ((status = report_rows_next(rows, &track, &row, error)) == LT_OK && row != NULL)
        ++*count;
    return status;
}

static const char origin[] = ", \"trace_origin_us\": 5";

static void rows_come(void **state)
{
    (void)state;
    static const struct {
        const char *more, *added, *tracks;
        enum lt_status opened, read;
        size_t count;
    } rows[] = {
        {origin, "3", one, LT_OK, LT_OK, 1},
        {"", "3", one, LT_TRACE, LT_OK, 0},
        {origin, "4", one, LT_TRACE, LT_OK, 0},
        {origin, "3", COUNTS ", \"layers\": [" ROW("1") "]", LT_OK, LT_TRACE, 0},
        {origin, "4", COUNTS ", \"layers\": [" ROW("0") "," ROW("0") "]", LT_TRACE, LT_OK, 0},
        {origin, "3", "\"layers\": [" ROW("0") "]", LT_TRACE, LT_OK, 0},
        {origin, "6",
         "\"tracks\": [{" COUNTS ", \"layers\": [" ROW("0") "]}, {" COUNTS ", \"layers\": [" ROW("0") "]}]", LT_OK,
         LT_OK, 2},
        {origin, "6", "\"tracks\": [{" COUNTS ", \"layers\": [" ROW("0") "]}, {\"layers\": [" ROW("0") "]}]", LT_TRACE,
         LT_OK, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct report_rows reader;
        struct lt_error error = {0};
        size_t count = 0;
        write_report(rows[i].more, rows[i].added, rows[i].tracks);
        assert_int_equal(report_rows_open(&reader, path, &error), rows[i].opened);
        if (rows[i].opened == LT_OK)
            assert_int_equal(read_all(&reader, &error, &count), rows[i].read);
        assert_int_equal(count, rows[i].count);
        assert_int_equal(error.class_id,
                         rows[i].opened == LT_OK && rows[i].read == LT_OK ? LT_CLASS_NONE : LT_CLASS_NOT_A_REPORT);
        report_rows_close(&reader);
    }
}

/* Between its two readings a report got a track more. */
static void changed_while_read(void **state)
{
    (void)state;
    struct report_rows reader;
    struct lt_error error = {0};
    size_t count;
    write_report(origin, "3", "\"tracks\": [{" COUNTS ", \"layers\": [" ROW("0") "]}]");
    assert_int_equal(report_rows_open(&reader, path, &error), LT_OK);
    write_report(origin, "6",
                 "\"tracks\": [{" COUNTS ", \"layers\": [" ROW("0") "]}, {" COUNTS ", \"layers\": [" ROW("0") "]}]");
    assert_int_equal(read_all(&reader, &error, &count), LT_IO);
    assert_int_equal(error.class_id, LT_CLASS_SOURCE_CHANGED);
    assert_int_equal(count, 1);
    report_rows_close(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_is),
        cmocka_unit_test(rank_is),
        cmocka_unit_test(rows_come),
        cmocka_unit_test(changed_while_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
