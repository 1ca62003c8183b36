/*
 * What the public header promises of its structs: sizes of other editions,
 * 0 as the default, findings by pointer.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layertrack.h"

static char folder[] = "/tmp/layertrack-test-XXXXXX";
static char trace[64], output[64], report[64];

enum { KERNELS = 6 };

/* KERNELS anchors, one each 10 us; with `timed` false none of them has a ts. */
static void write_trace(bool timed)
{
    FILE *file = fopen(trace, "w");
    assert_non_null(file);
    fputs("{\"traceEvents\": [\n", file);
    for (int i = 0; i < KERNELS; i++) {
        fprintf(file, "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"anchor\",\"pid\":0,\"tid\":7,\"dur\":1",
                i > 0 ? ",\n" : "");
        if (timed)
            fprintf(file, ",\"ts\":%d.5", i * 10);
        fputs("}", file);
    }
    fputs("]}", file);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(trace, sizeof trace, "%s/t.json", folder);
    snprintf(output, sizeof output, "%s/out.json", folder);
    snprintf(report, sizeof report, "%s/out.json.layers.json", folder);
    write_trace(true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(trace);
    return rmdir(folder);
}

static struct lt_track a_track(void)
{
    return (struct lt_track){
        .size = sizeof(struct lt_track), .anchor_regex = "anchor", .phase = "p", .evidence = "e", .num_layers = 2};
}

static struct lt_annotate_options options_for(const struct lt_track *track)
{
    return (struct lt_annotate_options){.size = sizeof(struct lt_annotate_options),
                                        .trace = trace,
                                        .output = output,
                                        .tracks = track,
                                        .track_count = 1};
}

static void remove_outputs(void)
{
    assert_int_equal(unlink(output), 0);
    assert_int_equal(unlink(report), 0);
}

static void zero_is_the_default(void **state)
{
    (void)state;
    struct lt_landmark landmark = {.size = sizeof landmark, .regex = "anchor"};
    struct lt_track track = a_track();
    track.landmarks = &landmark;
    track.landmark_count = 1;
    struct lt_annotate_options options = options_for(&track);
    struct lt_annotate_result result = {.size = sizeof result};
    struct lt_error error = {.size = sizeof error};
    assert_int_equal(lt_annotate(&options, &result, &error), LT_OK);
    assert_int_equal(result.guides, 2); /* one pass, each anchor a layer, one kernel in each guide */
    remove_outputs();
    landmark.count = LT_NONE;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_SELECTION);
    assert_int_equal(error.class_id, LT_CLASS_LANDMARK);
    landmark.regex = "nothing";
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_OK);
    remove_outputs();
    track.passes = LT_NONE;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    track.passes = 3;
    track.anchor_stride = 1;
    assert_int_equal(lt_annotate(&options, &result, &error), LT_OK);
    assert_int_equal(result.guides, 6);
    remove_outputs();
}

/* As a program would that was built when the structs ended earlier: what is behind their end is not read. */
static void a_program_that_is_older(void **state)
{
    (void)state;
    struct lt_landmark landmarks[] = {{.size = sizeof *landmarks, .regex = "anchor", .count = 1}};
    struct lt_track track = a_track();
    track.size = offsetof(struct lt_track, landmarks);
    track.landmarks = landmarks;
    track.landmark_count = SIZE_MAX;
    track.within = "(";
    struct lt_annotate_options options = options_for(&track);
    options.size = offsetof(struct lt_annotate_options, progress);
    options.callback_ctx = NULL;
    options.warning = (lt_warning_fn *)(uintptr_t)1;
    options.progress = (lt_progress_fn *)(uintptr_t)1;
    struct lt_annotate_result result = {.size = offsetof(struct lt_annotate_result, guide_tid), .guide_tid = 77};
    struct lt_error error = {.size = offsetof(struct lt_error, file), .file = "untouched"};
    assert_int_equal(lt_annotate(&options, &result, &error), LT_OK);
    assert_int_equal(result.guides, 2);
    assert_int_equal(result.guide_tid, 77);
    remove_outputs();
    options.trace = "/no/such/trace";
    assert_int_equal(lt_annotate(&options, &result, &error), LT_IO);
    assert_non_null(strstr(error.message, "/no/such/trace"));
    assert_string_equal(error.file, "untouched");
}

static void a_program_that_is_newer(void **state)
{
    (void)state;
    struct {
        struct lt_annotate_options options;
        uint64_t more;
    } newer = {.more = 0};
    struct lt_track track = a_track();
    newer.options = options_for(&track);
    newer.options.size = sizeof newer;
    struct lt_error error = {.size = sizeof error};
    assert_int_equal(lt_annotate(&newer.options, NULL, &error), LT_OK);
    remove_outputs();
    newer.more = 1;
    assert_int_equal(lt_annotate(&newer.options, NULL, &error), LT_USAGE);
    assert_int_equal(error.class_id, LT_CLASS_STRUCT_SIZE);
    assert_non_null(strstr(error.message, "lt_annotate_options"));
}

static void a_size_must_be_set(void **state)
{
    (void)state;
    struct lt_track track = a_track();
    struct lt_annotate_options options = options_for(&track);
    struct lt_annotate_result result = {0};
    struct lt_error error = {0};
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    assert_int_equal(error.status, LT_OK);
    error.size = sizeof error;
    assert_int_equal(lt_annotate(&options, &result, &error), LT_USAGE);
    assert_non_null(strstr(error.message, "lt_annotate_result does not say its size"));
    track.size = 0;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    assert_non_null(strstr(error.message, "lt_track does not say its size"));
    options.size = 0;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    assert_non_null(strstr(error.message, "lt_annotate_options does not say its size"));
    assert_int_equal(access(output, F_OK), -1);
    const struct lt_strip_options strip = {0};
    const struct lt_render_options render = {0};
    const struct lt_verify_options verify = {0};
    const struct lt_inspect_options inspect = {0};
    struct lt_inspection inspection = {.size = sizeof inspection};
    struct lt_strip_result stripped = {.size = sizeof stripped};
    for (int job = 0; job < 4; job++) {
        enum lt_status status = job == 0   ? lt_strip(&strip, &stripped, &error)
                                : job == 1 ? lt_render(&render, &error)
                                : job == 2 ? lt_verify(&verify, &error)
                                           : lt_inspect(&inspect, &inspection, &error);
        assert_int_equal(status, LT_USAGE);
        assert_int_equal(error.class_id, LT_CLASS_STRUCT_SIZE);
    }
    lt_inspection_free(&inspection);
    /* Without an error the status alone says it. */
    assert_int_equal(lt_verify(&verify, NULL), LT_USAGE);
}

static bool count_bytes(void *ctx, const void *data, size_t len)
{
    (void)data;
    *(size_t *)ctx += len;
    return true;
}

/* Kernels without a time are counted, and lie in no run. */
static void findings_by_pointer(void **state)
{
    (void)state;
    struct lt_inspect_options options = {.size = sizeof options, .trace = trace, .anchor_regex = "anchor"};
    for (int timed = 1; timed >= 0; timed--) {
        write_trace(timed);
        struct lt_inspection found = {.size = sizeof found};
        struct lt_error error = {.size = sizeof error};
        size_t bytes = 0;
        assert_int_equal(lt_inspect(&options, &found, &error), LT_OK);
        assert_int_equal(found.group_count, 1);
        const struct lt_inspect_group *group = found.groups[0];
        assert_int_equal(group->size, sizeof *group);
        assert_int_equal(group->name_count, 1);
        assert_int_equal(group->names[0]->size, sizeof *group->names[0]);
        assert_int_equal(group->names[0]->count, KERNELS);
        assert_int_equal(group->clusters->size, sizeof *group->clusters);
        assert_int_equal(group->clusters->runs, timed ? 1 : 0);
        assert_int_equal(group->run_count, timed ? 1 : 0);
        if (timed)
            assert_int_equal(group->runs[0]->kernels, KERNELS);
        assert_true(lt_inspection_json(&found, &options, 10, count_bytes, &bytes));
        assert_true(bytes > 100);
        lt_inspection_free(&found);
        assert_null(found.groups);
        assert_int_equal(found.size, sizeof found);
        lt_inspection_free(&found);
    }
    write_trace(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_is_the_default),     cmocka_unit_test(a_program_that_is_older),
        cmocka_unit_test(a_program_that_is_newer), cmocka_unit_test(a_size_must_be_set),
        cmocka_unit_test(findings_by_pointer),
    };
    return cmocka_run_group_tests_name("interface", tests, set_up, tear_down);
}
