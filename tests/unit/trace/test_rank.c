/* Ranks of files: rows of paths and what they tell, and what a trace's own word makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/rank.h"

#define N RANK_NONE

struct row {
    const char *path;
    int64_t number;
    enum rank_source source;
    const char *label;
};

static const struct row rows[] = {
    /* The layouts of the field. */
    {"/t/1714000000.5-TP-3.trace.json.gz", N, RANK_UNKNOWN, "TP3"},
    {"/t/1714000000.5-TP-0-DP-1-PP-2-EP-5.trace.json.gz", N, RANK_UNKNOWN, "TP0 DP1 PP2 EP5"},
    {"/t/decode-1714000000.5-TP-07.trace.json.gz", N, RANK_UNKNOWN, "TP7"},
    {"/t/dp0_pp0_tp1_dcp0_ep0_rank1.1714000000123456789.pt.trace.json.gz", 1, RANK_FROM_NAME, "TP1 DP0 PP0 EP0"},
    {"/t/bench_dp0_pp0_tp1_dcp3_ep0_rank9.17.pt.trace.json.gz", 9, RANK_FROM_NAME, "TP1 DP0 PP0 EP0"},
    {"/t/host7_4242.1714000000123.pt.trace.json.gz", N, RANK_UNKNOWN, ""},
    {"/t/worker3.1714000000123.pt.trace.json.gz", 3, RANK_FROM_NAME, ""},
    {"/t/rank5.1714000000123.pt.trace.json", 5, RANK_FROM_NAME, ""},
    {"/t/torch_profile/rank-12.json.gz", 12, RANK_FROM_NAME, ""},
    {"/t/iteration_10/rank7_trace.json", 7, RANK_FROM_NAME, ""},
    {"/t/iteration_10/r3-2025-02-01-10-00.trace.json.gz", 3, RANK_FROM_NAME, ""},
    {"/t/llama-rank-2.json", 2, RANK_FROM_NAME, ""},
    {"/t/rank3.8.pt.trace.json", 3, RANK_FROM_NAME, ""},
    {"/t/ep0-ba8-rank1.json", 1, RANK_FROM_NAME, ""},
    {"/t/libkineto_activities_31337.json", N, RANK_UNKNOWN, ""},
    {"/t/2025_01_02/myhost.trace.json.gz", N, RANK_UNKNOWN, ""},
    {"/t/2025_01_02/perfetto_trace.json.gz", N, RANK_UNKNOWN, ""},
    {"/t/host_77_20250102_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", N, RANK_UNKNOWN, ""},
    {"/t/rank6_20250102_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", 6, RANK_FROM_FOLDER, ""},
    {"/t/rank0/trace.json", 0, RANK_FROM_FOLDER, ""},
    {"rank0/trace.json", 0, RANK_FROM_FOLDER, ""},
    {"rank0/./trace.json", 0, RANK_FROM_FOLDER, ""},
    {"rank0//trace.json", 0, RANK_FROM_FOLDER, ""},
    /* Every separator, and case. */
    {"rank[4].json", 4, RANK_FROM_NAME, ""},
    {"trace.rank.4.json", 4, RANK_FROM_NAME, ""},
    {"RANK_4.json", 4, RANK_FROM_NAME, ""},
    {"Rank0003.json", 3, RANK_FROM_NAME, ""},
    {"node0rank3.json", 3, RANK_FROM_NAME, ""},
    {"tp_rank_01_pp_rank_3.json", N, RANK_UNKNOWN, "TP1 PP3"},
    {"global_rank3_local_rank1.json", 3, RANK_FROM_NAME, ""},
    {"lora_rank16_rank3.json", 3, RANK_FROM_NAME, ""},
    /* The name before the folder; what the name does not tell comes from the folder. */
    {"rank1/rank2.json", 2, RANK_FROM_NAME, ""},
    {"tp1/rank2.json", 2, RANK_FROM_NAME, "TP1"},
    {"rank5/x-TP-1.json", 5, RANK_FROM_FOLDER, "TP1"},
    {"tp5/x-DP-1.json", N, RANK_UNKNOWN, "DP1"},
    {"rank3/x/trace.json", N, RANK_UNKNOWN, ""},
    {"worker1_rank9.json", 9, RANK_FROM_NAME, ""},
    {"rank1_rank1.json", 1, RANK_FROM_NAME, ""},
    /* The largest numbers. */
    {"rank2147483647.json", 2147483647, RANK_FROM_NAME, ""},
    {"rank00000000000000000000000000000000001.json", 1, RANK_FROM_NAME, ""},
    {"rank2147483648.json", N, RANK_UNKNOWN, ""},
    {"rank4294967297.json", N, RANK_UNKNOWN, ""},
    {"rank18446744073709551617.json", N, RANK_UNKNOWN, ""},
    {"x-TP-99999999999999999999.json", N, RANK_UNKNOWN, ""},
    /* What is no rank. */
    {"3.json", N, RANK_UNKNOWN, ""},
    {"trace_3.json", N, RANK_UNKNOWN, ""},
    {"trace.json", N, RANK_UNKNOWN, ""},
    {"", N, RANK_UNKNOWN, ""},
    {"/", N, RANK_UNKNOWN, ""},
    {"../trace.json", N, RANK_UNKNOWN, ""},
    {"rank.json", N, RANK_UNKNOWN, ""},
    {"ranks3.json", N, RANK_UNKNOWN, ""},
    {"frank3.json", N, RANK_UNKNOWN, ""},
    {"crank3.json", N, RANK_UNKNOWN, ""},
    {"strand-7.json", N, RANK_UNKNOWN, ""},
    {"rerank2.json", N, RANK_UNKNOWN, ""},
    {"bracket[3].json", N, RANK_UNKNOWN, ""},
    {"rank=3.json", N, RANK_UNKNOWN, ""},
    {"rank 3.json", N, RANK_UNKNOWN, ""},
    {"rank--3.json", N, RANK_UNKNOWN, ""},
    {"rank0to7.json", N, RANK_UNKNOWN, ""},
    {"rank3rd.json", N, RANK_UNKNOWN, ""},
    {"local_rank3.json", N, RANK_UNKNOWN, ""},
    {"node-rank-3.json", N, RANK_UNKNOWN, ""},
    {"lora-rank-8.json", N, RANK_UNKNOWN, ""},
    {"mp_rank_00.json", N, RANK_UNKNOWN, ""},
    {"worker.json", N, RANK_UNKNOWN, ""},
    {"workers3.json", N, RANK_UNKNOWN, ""},
    {"coworker3.json", N, RANK_UNKNOWN, ""},
    {"job-worker-0_123.1714000000123.pt.trace.json", N, RANK_UNKNOWN, ""},
    {"worker3_4242.1714000000123.pt.trace.json.gz", N, RANK_UNKNOWN, ""},
    {"r3.json", N, RANK_UNKNOWN, ""},
    {"r-3.json", N, RANK_UNKNOWN, ""},
    {"x-r3-y.json", N, RANK_UNKNOWN, ""},
    {"r3-baseline/trace.json", N, RANK_UNKNOWN, ""},
    {"step3.json", N, RANK_UNKNOWN, ""},
    {"http1.json", N, RANK_UNKNOWN, ""},
    {"TP-a.json", N, RANK_UNKNOWN, ""},
    {"llama-dp2tp4.json", N, RANK_UNKNOWN, ""},
    /* Two numbers are none, and the folder is not asked then. */
    {"rank1_rank2.json", N, RANK_UNKNOWN, ""},
    {"rank7/rank1_rank2.json", N, RANK_UNKNOWN, ""},
    {"worker1-worker2.json", N, RANK_UNKNOWN, ""},
    {"tp1-tp2-pp3.json", N, RANK_UNKNOWN, "PP3"},
};

static void row(void **state)
{
    const struct row *row = *state;
    char label[RANK_TEXT_SIZE];
    struct rank rank = rank_of_path(row->path);
    assert_int_equal(rank.number, row->number);
    assert_int_equal(rank.source, row->source);
    assert_string_equal(rank_label(&rank, label), row->label);
    assert_int_equal(rank.world_size, N);
    assert_int_equal(rank.named, N);
}

static void two_ranks_are_told(void **state)
{
    (void)state;
    assert_true(rank_of_path("rank1_rank2.json").ambiguous);
    assert_true(rank_of_path("rank1_rank2/trace.json").ambiguous);
    assert_false(rank_of_path("rank1_rank1.json").ambiguous);
    assert_false(rank_of_path("rank1/rank2.json").ambiguous);
}

struct content_row {
    const char *name, *path;
    int64_t number, world_size;  /* of the trace */
    int64_t expected, size, was; /* number, world_size, named */
    enum rank_source source;
    const char *text;
};

static const struct content_row content_rows[] = {
    {"torchtune: all are called r0", "r0-a.json", 5, 8, 5, 8, 0, RANK_FROM_CONTENT, "5"},
    {"the same as the name", "rank5.json", 5, 8, 5, 8, N, RANK_FROM_CONTENT, "5"},
    {"no name", "trace.json", 0, 1, 0, 1, N, RANK_FROM_CONTENT, "0"},
    {"nothing in the trace", "rank5.json", N, N, 5, N, N, RANK_FROM_NAME, "5"},
    {"only a world size", "rank5.json", N, 128, 5, 128, N, RANK_FROM_NAME, "5"},
    {"an ambiguous name", "rank1_rank2.json", 2, 4, 2, 4, N, RANK_FROM_CONTENT, "2"},
    {"a label stands beside", "x-TP-1.json", 9, 16, 9, 16, N, RANK_FROM_CONTENT, "9"},
    {"a label stands alone", "x-TP-1.json", N, 16, N, 16, N, RANK_UNKNOWN, "TP1"},
    {"nothing at all", "x.json", N, N, N, N, N, RANK_UNKNOWN, ""},
    {"what is no rank", "rank5.json", -7, 0, 5, N, N, RANK_FROM_NAME, "5"},
    {"too large a rank", "rank5.json", INT64_C(1) << 31, INT64_C(1) << 31, 5, N, N, RANK_FROM_NAME, "5"},
};

static void content_row(void **state)
{
    const struct content_row *expected = *state;
    char text[RANK_TEXT_SIZE];
    struct rank rank = rank_with_content(rank_of_path(expected->path), expected->number, expected->world_size);
    assert_int_equal(rank.number, expected->expected);
    assert_int_equal(rank.world_size, expected->size);
    assert_int_equal(rank.named, expected->was);
    assert_int_equal(rank.source, expected->source);
    assert_false(rank.ambiguous);
    assert_string_equal(rank_text(&rank, text), expected->text);
}

static void merged_pids(void **state)
{
    (void)state;
    static const struct {
        const char *pid, *text; /* "": it is none of a merge */
    } pids[] = {
        {"[TP00] 1", "TP0"},
        {"[TP01-DP02-PP03-EP04] 4242", "TP1 DP2 PP3 EP4"},
        {"[TP01-DP00] CPU", "TP1 DP0"},
        {"[rank3] 1", "3"},
        {"[Unknown] 1", ""},
        {"[TP01]", ""},
        {"[TP01]1", ""},
        {"[TP01", ""},
        {"TP01 1", ""},
        {"4242", ""},
        {"[] 1", ""},
        {"[", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof pids / sizeof *pids; i++) {
        struct rank rank;
        char text[RANK_TEXT_SIZE];
        assert_int_equal(rank_of_merged_pid(pids[i].pid, strlen(pids[i].pid), &rank), pids[i].text[0] != '\0');
        assert_string_equal(rank_text(&rank, text), pids[i].text);
    }
    struct rank rank;
    assert_false(rank_of_merged_pid("[TP01] 1", 6, &rank));
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows, CONTENT_ROWS = sizeof content_rows / sizeof *content_rows };
    struct CMUnitTest tests[ROWS + CONTENT_ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].path, row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    for (size_t i = 0; i < CONTENT_ROWS; i++)
        tests[ROWS + i] =
            (struct CMUnitTest){content_rows[i].name, content_row, NULL, NULL, (void *)(uintptr_t)&content_rows[i]};
    tests[ROWS + CONTENT_ROWS] = (struct CMUnitTest)cmocka_unit_test(two_ranks_are_told);
    tests[ROWS + CONTENT_ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(merged_pids);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
