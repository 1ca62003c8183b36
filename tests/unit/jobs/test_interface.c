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

struct heard {
    struct lt_warning warning;
    char hint[256];
};

static void keep_warning(void *ctx, const struct lt_warning *warning)
{
    struct heard *heard = ctx;
    heard->warning = *warning;
    snprintf(heard->hint, sizeof heard->hint, "%s", warning->hint);
    assert_true(strlen(warning->message) > strlen(warning->what));
    assert_string_equal(warning->file, trace);
}

/* The one warning of each trace. */
static void warnings_have_classes(void **state)
{
    (void)state;
#define KERNEL(name, ts)                                                                                               \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"dur\":1,\"ts\":" ts "}"
    static const struct {
        const char *text;
        enum lt_class class_id;
        uint64_t count, offset;
        const char *hint;
    } rows[] = {
        {"[" KERNEL("anchor", "-2") "," KERNEL("anchor", "3") "]", LT_CLASS_NEGATIVE_TIMES, 1, LT_NONE,
         "correct the trace's clock"},
        {"[" KERNEL("anchor", "1.1") "," KERNEL("anchor", "1.2") "]", LT_CLASS_SAME_START, 1, LT_NONE,
         "their guides will look nested"},
        {"[" KERNEL("anchor", "1") "," KERNEL("anchor b", "3") "]", LT_CLASS_MIXED_ANCHORS, 1, LT_NONE,
         "if one of them runs once per layer, match it alone"},
        {"[" KERNEL("anchor", "1") "," KERNEL("anchor", "3") "," KERNEL("anchor", "5") "," KERNEL(
             "anchor", "1005") "," KERNEL("anchor", "1007") "," KERNEL("anchor", "1009") "]",
         LT_CLASS_MISPLACED_PASSES, 1, LT_NONE, "check "},
        {"[" KERNEL("anchor", "1") "," KERNEL("anchor", "3") ",{\"name\":\"\x01\"}]", LT_CLASS_CONTROL_BYTES, 1, 155,
         "copied as they are"},
        {"[" KERNEL("anchor", "1") "," KERNEL("anchor", "3") ",{\"a\":nan,\"b\":nan}]", LT_CLASS_NONFINITE, 2, 152,
         "copied as they are"},
        {"[" KERNEL("anchor", "1") "," KERNEL("anchor", "3"), LT_CLASS_OPEN_ARRAY, 1, 146, "copied as they are"},
    };
#undef KERNEL
    struct lt_track track = a_track();
    struct lt_annotate_options options = options_for(&track);
    struct heard heard;
    options.warning = keep_warning;
    options.callback_ctx = &heard;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lt_error error = {.size = sizeof error};
        FILE *file = fopen(trace, "w");
        assert_non_null(file);
        fputs(rows[i].text, file);
        assert_int_equal(fclose(file), 0);
        heard = (struct heard){.hint = ""};
        assert_int_equal(lt_annotate(&options, NULL, &error), LT_OK);
        assert_string_equal(lt_class_word(heard.warning.class_id), lt_class_word(rows[i].class_id));
        assert_int_equal(heard.warning.count, rows[i].count);
        assert_int_equal(heard.warning.offset, rows[i].offset);
        assert_int_equal(strncmp(heard.hint, rows[i].hint, strlen(rows[i].hint)), 0);
        remove_outputs();
    }
    write_trace(true);
}

static const char *in_capitals(void *ctx, const char *name)
{
    static const char *const names[][2] = {
        {"anchor_regex", "REGEX"}, {"level", "LEVEL"}, {"lt_annotate()", "ANNOTATE"}, {"pid", "PROCESS"}};
    ++*(int *)ctx;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return NULL;
}

/* A message calls things as the caller does; as the header does, where nobody says. */
static void names_are_the_callers(void **state)
{
    (void)state;
    struct lt_error error = {.size = sizeof error};
    for (int given = 0; given < 2; given++) {
        int asked = 0;
        struct lt_track track = a_track();
        struct lt_annotate_options options = options_for(&track);
        options.name = given ? in_capitals : NULL;
        options.callback_ctx = &asked;
        options.level = 10;
        assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
        assert_string_equal(error.message, given ? "LEVEL must be a whole number from 1 to 9"
                                                 : "level must be a whole number from 1 to 9");
        options.level = 0;
        track.pid = "1";
        assert_int_equal(lt_annotate(&options, NULL, &error), LT_SELECTION);
        assert_string_equal(error.what,
                            given ? "no matching kernel with PROCESS '1'" : "no matching kernel with pid '1'");
        track.pid = NULL;
        track.num_layers = 99;
        assert_int_equal(lt_annotate(&options, NULL, &error), LT_SELECTION);
        assert_string_equal(error.hint, "check num_layers, passes and anchor_offset");
        track.anchor_regex = "x";
        assert_int_equal(lt_annotate(&options, NULL, &error), LT_SELECTION);
        assert_string_equal(error.what, given ? "REGEX 'x' matches none of 6 kernels"
                                              : "anchor_regex 'x' matches none of 6 kernels");
        struct lt_render_options render = {.size = sizeof render, .trace = trace, .output = output};
        render.name = given ? in_capitals : NULL;
        render.callback_ctx = &asked;
        assert_int_equal(lt_render(&render, &error), LT_SELECTION);
        assert_int_equal(error.class_id, LT_CLASS_NO_GUIDES);
        assert_string_equal(error.hint, given ? "annotate it first (ANNOTATE) and render the output"
                                              : "annotate it first (lt_annotate()) and render the output");
        assert_null(error.own);
        assert_int_equal(asked > 0, given);
    }
}

struct rows {
    int count, stop_at;
    char text[4096];
};

/* Writes a row as the report does. */
static bool take_row(void *ctx, const struct lt_row *row)
{
    struct rows *rows = ctx;
    size_t used = strlen(rows->text);
    assert_int_equal(row->size, sizeof *row);
    assert_int_equal(row->track, 0);
    assert_string_equal(row->phase, "p");
    assert_int_equal(row->guide_tid, 1000000);
    assert_int_equal(access(output, F_OK), -1);
    snprintf(
        rows->text + used, sizeof rows->text - used,
        "%s{\"pass_index\": %d, \"layer_id\": %d, \"anchor_index\": %d, \"anchor_name\": \"%.*s\", \"anchor_tid\": %s, "
        "\"start_us\": %s, \"end_us\": %s, \"guide_start_us\": %d, \"guide_end_us\": %d, \"start_relative_ms\": %s, "
        "\"end_relative_ms\": %s, \"boundary_kind\": \"%s\"}",
        rows->count == 0 ? "" : ",\n    ", (int)row->pass_index, (int)row->layer_id, (int)row->anchor_index,
        (int)row->anchor_name_len, row->anchor_name, row->anchor_tid, row->start_us, row->end_us,
        (int)row->guide_start_us, (int)row->guide_end_us, row->start_relative_ms, row->end_relative_ms,
        row->boundary_kind);
    return ++rows->count != rows->stop_at;
}

/* The rows are those of the report, and a dry run says what a run does and leaves nothing. */
static void rows_and_a_dry_run(void **state)
{
    (void)state;
    struct rows wet = {0}, dry = {0};
    struct lt_track track = a_track();
    track.passes = 3;
    struct lt_annotate_options options = options_for(&track);
    struct lt_annotate_result did = {.size = sizeof did}, would = {.size = sizeof would};
    struct lt_error error = {.size = sizeof error};
    options.row = take_row;
    options.callback_ctx = &dry;
    options.dry_run = true;
    assert_int_equal(lt_annotate(&options, &would, &error), LT_OK);
    options.output = NULL;
    dry = (struct rows){0};
    assert_int_equal(lt_annotate(&options, &would, &error), LT_OK);
    assert_int_equal(dry.count, 6);
    options = options_for(&track);
    options.row = take_row;
    options.callback_ctx = &wet;
    assert_int_equal(lt_annotate(&options, &did, &error), LT_OK);
    assert_string_equal(dry.text, wet.text);
    assert_memory_equal(&did, &would, sizeof did);
    char written[8192];
    FILE *file = fopen(report, "r");
    assert_non_null(file);
    written[fread(written, 1, sizeof written - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(written, wet.text));
    /* What is there already is refused in a dry run too. */
    options.dry_run = true;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_IO);
    assert_int_equal(error.class_id, LT_CLASS_EXISTS);
    remove_outputs();
    options.dry_run = false;
    for (wet = (struct rows){.stop_at = 1}; wet.stop_at <= 6; wet = (struct rows){.stop_at = wet.stop_at + 1}) {
        assert_int_equal(lt_annotate(&options, NULL, &error), LT_CANCELLED);
        assert_int_equal(wet.count, wet.stop_at);
        assert_int_equal(access(output, F_OK), -1);
    }
    options.output = NULL;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    assert_int_equal(error.class_id, LT_CLASS_OPTION_MISSING);
}

struct facts {
    unsigned calls;
    bool says_no;
    struct lt_found found;
    struct lt_found_track track;
    char texts[512];
};

static bool take_found(void *ctx, const struct lt_found *found)
{
    struct facts *facts = ctx;
    const struct lt_found_track *track = found->tracks[0];
    facts->calls++;
    facts->found = *found;
    facts->track = *track;
    int len = snprintf(facts->texts, sizeof facts->texts, "%s|%s|%s|%.*s|%s|%s|", track->phase,
                       track->pid == NULL ? "-" : track->pid, track->device == NULL ? "-" : track->device,
                       (int)track->anchor_name_len, track->anchor_name == NULL ? "" : track->anchor_name,
                       track->first_us == NULL ? "-" : track->first_us, track->last_us == NULL ? "-" : track->last_us);
    for (size_t i = 0; i < track->run_count; i++)
        len += snprintf(facts->texts + len, sizeof facts->texts - (size_t)len, " %d", (int)track->runs[i]);
    return !facts->says_no;
}

/* Three runs of two anchors, on a device, and what the trace says of its rank. */
static void write_rank(const char *end)
{
    FILE *file = fopen(trace, "w");
    assert_non_null(file);
    fputs("{\"traceEvents\": [", file);
    for (int i = 0; i < KERNELS; i++)
        fprintf(file,
                "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"anchor\",\"pid\":4,\"tid\":7,\"dur\":1,\"ts\":%d.5,"
                "\"args\":{\"device\":3}}",
                i > 0 ? ",\n" : "", i / 2 * 100 + i % 2 * 10);
    fprintf(file, "]%s}", end);
    assert_int_equal(fclose(file), 0);
}

static void what_was_found(void **state)
{
    (void)state;
    struct facts facts = {0};
    struct lt_track track = a_track();
    track.anchor_offset = 2;
    track.passes = 2;
    struct lt_annotate_options options = options_for(&track);
    struct lt_error error = {.size = sizeof error};
    options.found = take_found;
    options.callback_ctx = &facts;
    options.dry_run = true;
    write_rank(", \"distributedInfo\": {\"rank\": 5, \"world_size\": 8}, \"baseTimeNanoseconds\": 17");
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_OK);
    assert_int_equal(facts.calls, 1);
    assert_string_equal(facts.texts, "p|4|3|anchor|100.5|210.5| 2 2 2");
    assert_true(facts.found.accepted && facts.found.has_base_time);
    assert_int_equal(facts.found.base_time_ns, 17);
    assert_int_equal(facts.found.rank, 5);
    assert_int_equal(facts.found.world_size, 8);
    assert_int_equal(facts.found.warnings, 0);
    assert_int_equal(facts.found.track_count, 1);
    assert_int_equal(facts.track.anchors, 6);
    assert_int_equal(facts.track.anchor_offset, 2);
    assert_int_equal(facts.track.passes, 2);
    assert_true(facts.track.run == LT_NONE && facts.track.left_over == LT_NONE);
    assert_null(facts.track.anchor_offset_rule);
    /* By rules: the second run, and all passes behind it. */
    struct lt_annotate_result result = {.size = sizeof result};
    track.anchor_offset = 0;
    track.anchor_run = -2;
    track.passes = LT_ALL;
    track.num_layers = 1;
    track.extra_anchors_per_pass = 1;
    assert_int_equal(lt_annotate(&options, &result, &error), LT_OK);
    assert_non_null(facts.track.anchor_offset_rule);
    assert_int_equal(facts.track.run, 2);
    assert_int_equal(facts.track.anchor_offset, 2);
    assert_int_equal(facts.track.passes, 2);
    assert_int_equal(facts.track.left_over, 0);
    assert_true(result.anchor_offset == 2 && result.run == 2 && result.passes == 2 && result.left_over == 0);
    track.anchor_run = 0;
    track.num_layers = 4;
    track.extra_anchors_per_pass = 0;
    assert_int_equal(lt_annotate(&options, &result, &error), LT_OK);
    assert_true(facts.track.left_over == 2 && result.left_over == 2 && result.passes == 1 && result.run == 0);
    /* Two rules, or a rule and a number. */
    track.anchor_run = 1;
    track.skip_partial = 1;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    track.skip_partial = 2;
    track.anchor_run = 0;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    track.skip_partial = 1;
    track.anchor_offset = 1;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    track.skip_partial = 0;
    track.anchor_run = 1;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    assert_string_equal(error.message, "anchor_run and anchor_offset cannot be used together; both say where the first "
                                       "pass begins");
    track.anchor_run = 0;
    track.num_layers = 2;
    track.passes = 2;
    facts.calls = 0;
    /* A refusal of the plan; with a warning of a comma, and nothing said of the rank. */
    track.anchor_offset = 3;
    write_rank(",");
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_SELECTION);
    assert_int_equal(error.class_id, LT_CLASS_TOO_FEW);
    assert_string_equal(facts.texts, "p|4|3||-|-| 2 2 2");
    assert_false(facts.found.accepted || facts.found.has_base_time);
    assert_int_equal(facts.found.rank, -1);
    assert_int_equal(facts.found.world_size, -1);
    assert_int_equal(facts.found.warnings, 1);
    assert_int_equal(facts.track.anchors, 6);
    assert_true(facts.track.anchor_offset == LT_NONE && facts.track.passes == LT_NONE);
    /* No anchor at all, and anchors that nobody chose among. */
    track.anchor_regex = "none";
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_SELECTION);
    assert_string_equal(facts.texts, "p|-|-||-|-|");
    assert_int_equal(facts.track.anchors, 0);
    track.anchor_regex = "anchor";
    track.pid = "5";
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_SELECTION);
    assert_true(facts.track.anchors == LT_NONE && facts.track.runs == NULL);
    /* Nothing is found in what cannot be read. */
    facts.calls = 0;
    write_rank("]");
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_TRACE);
    assert_int_equal(facts.calls, 0);
    /* The caller may not want it. */
    write_rank("");
    track.pid = NULL;
    track.anchor_offset = 0;
    facts.says_no = true;
    options.dry_run = false;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_CANCELLED);
    assert_int_equal(facts.calls, 1);
    assert_int_equal(access(output, F_OK), -1);
    facts.says_no = false;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_OK);
    remove_outputs();
    write_trace(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_is_the_default),     cmocka_unit_test(a_program_that_is_older),
        cmocka_unit_test(a_program_that_is_newer), cmocka_unit_test(a_size_must_be_set),
        cmocka_unit_test(findings_by_pointer),     cmocka_unit_test(warnings_have_classes),
        cmocka_unit_test(names_are_the_callers),   cmocka_unit_test(rows_and_a_dry_run),
        cmocka_unit_test(what_was_found),
    };
    return cmocka_run_group_tests_name("interface", tests, set_up, tear_down);
}
