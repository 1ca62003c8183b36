/*
 * Each allocation of a job fails once: the job says LT_NO_MEMORY, and apart
 * from trouble with files, and leaves nothing. The linker puts the functions
 * here in the place of libc's.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Before cmocka, whose fail() is a macro. */
#include "jobs/report_table.h"

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layertrack.h"

static char folder[] = "/tmp/layertrack-test-XXXXXX";
static char trace[64], output[64], report[64], reports[2][64];

static int left = -1; /* allocations until one fails; below 0: none does */

static bool fails(void)
{
    if (left < 0 || left-- > 0)
        return false;
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__real_realloc(void *data, size_t size);
void *__wrap_realloc(void *data, size_t size);
void *__wrap_realloc(void *data, size_t size)
{
    return fails() ? NULL : __real_realloc(data, size);
}

/* The report of the trace, once for each of two ranks; the times are since 1970. */
static int make_reports(void)
{
    for (int i = 0; i < 2; i++) {
        snprintf(reports[i], sizeof reports[i], "%s/rank%d.layers.json", folder, i);
        FILE *file = fopen(reports[i], "w");
        if (file == NULL)
            return -1;
        fprintf(file,
                "{\"schema_version\": 1, \"phase\": \"p\", \"guide_tid\": 1000000, \"num_layers\": 1, \"passes\": 1, "
                "\"first_layer\": %d, \"anchor_offset\": 0, \"matching_anchor_count\": 1, \"added_event_count\": 3, "
                "\"trace_origin_us\": 1600000000000000, \"layers\": [{\"pass_index\": 0, \"layer_id\": %d, "
                "\"anchor_index\": 0, \"anchor_name\": \"k, k\", \"anchor_tid\": 7, \"start_us\": 1600000000000000, "
                "\"end_us\": 1600000000000000, \"guide_start_us\": 1600000000000000, \"guide_end_us\": "
                "1600000000000000, \"start_relative_ms\": 0, \"end_relative_ms\": 0, \"boundary_kind\": "
                "\"anchor_point_only\"}]}\n",
                i, i);
        if (fclose(file) != 0)
            return -1;
    }
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(trace, sizeof trace, "%s/t.json", folder);
    snprintf(output, sizeof output, "%s/out.json", folder);
    snprintf(report, sizeof report, "%s/out.json.layers.json", folder);
    FILE *file = fopen(trace, "w");
    if (file == NULL)
        return -1;
    fputs("{\"traceEvents\": [\n", file);
    for (int i = 0; i < 4; i++)
        fprintf(file, "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":1}",
                i > 0 ? ",\n" : "", i, i / 2 * 100 + i % 2 * 10);
    for (int i = 0; i < 2; i++)
        fprintf(file,
                ",\n{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"s\",\"pid\":0,\"tid\":7,\"ts\":%d,"
                "\"dur\":50}",
                i * 100);
    fputs("]}", file);
    return fclose(file) == 0 ? make_reports() : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(trace);
    unlink(reports[0]);
    unlink(reports[1]);
    return rmdir(folder);
}

static bool take_row(void *ctx, const struct lt_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return true;
}

static enum lt_status annotate(struct lt_error *error)
{
    int rows = 0;
    const struct lt_landmark landmark = {.size = sizeof landmark, .regex = "k"};
    const struct lt_track track = {.size = sizeof track,
                                   .anchor_regex = "k",
                                   .phase = "p",
                                   .evidence = "e",
                                   .num_layers = 2,
                                   .landmarks = &landmark,
                                   .landmark_count = 1};
    const struct lt_annotate_options options = {.size = sizeof options,
                                                .trace = trace,
                                                .output = output,
                                                .tracks = &track,
                                                .track_count = 1,
                                                .threads = 1,
                                                .row = take_row,
                                                .callback_ctx = &rows};
    return lt_annotate(&options, NULL, error);
}

static bool take_found(void *ctx, const struct lt_found *found)
{
    ++*(int *)ctx;
    return found->tracks[0]->run_count == 2;
}

/* By rules, in GPU scopes, with a warning that its report keeps. */
static enum lt_status annotate_by_rule(struct lt_error *error)
{
    int calls = 0;
    const struct lt_track track = {.size = sizeof track,
                                   .anchor_regex = "k",
                                   .phase = "p",
                                   .evidence = "e",
                                   .num_layers = 2,
                                   .within_gpu = "s",
                                   .passes = LT_ALL,
                                   .skip_partial = 1};
    const struct lt_annotate_options options = {.size = sizeof options,
                                                .trace = trace,
                                                .output = output,
                                                .tracks = &track,
                                                .track_count = 1,
                                                .threads = 1,
                                                .found = take_found,
                                                .fail_on_warning = "same-start",
                                                .callback_ctx = &calls};
    struct lt_annotate_result result = {.size = sizeof result};
    enum lt_status status = lt_annotate(&options, &result, error);
    if (status == LT_OK)
        assert_true(calls == 1 && result.run == 1 && result.passes == 2 && result.warnings == 1);
    return status;
}

static enum lt_status inspect(struct lt_error *error)
{
    const struct lt_inspect_options options = {
        .size = sizeof options, .trace = trace, .anchor_regex = "k", .num_layers = 2, .threads = 1};
    struct lt_inspection found = {.size = sizeof found};
    enum lt_status status = lt_inspect(&options, &found, error);
    lt_inspection_free(&found);
    return status;
}

/* Of two reports, which set_up() made; the table takes the place of annotate()'s output. */
static enum lt_status tabulate(struct lt_error *error)
{
    const char *const names[] = {reports[0], reports[1]};
    const struct report_table_request request = {.reports = {.arguments = names, .count = 2, .separator = '\n'},
                                                 .output = output,
                                                 .format = TABLE_CSV,
                                                 .align = true};
    return report_table_write(&request, error);
}

static enum lt_status run(int job, struct lt_error *error)
{
    return job == 0   ? annotate(error)
           : job == 1 ? inspect(error)
           : job == 2 ? tabulate(error)
                      : annotate_by_rule(error);
}

static void each_allocation_fails(void **state)
{
    (void)state;
    for (int job = 0; job < 4; job++) {
        int failed = 0;
        for (int at = 0;; at++) {
            struct lt_error error = {.size = sizeof error};
            left = at;
            enum lt_status status = run(job, &error);
            bool all_done = left >= 0;
            left = -1;
            if (status == LT_OK) {
                unlink(output);
                unlink(report);
                /* Else it did without: room to sort faster. */
                if (all_done)
                    break;
                continue;
            }
            assert_int_equal(status, LT_NO_MEMORY);
            assert_int_equal(error.status, LT_NO_MEMORY);
            assert_int_equal(error.class_id, LT_CLASS_NO_MEMORY);
            assert_int_equal(access(output, F_OK), -1);
            assert_int_equal(access(report, F_OK), -1);
            failed++;
        }
        assert_true(failed > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};
    return cmocka_run_group_tests_name("no memory", tests, set_up, tear_down);
}
