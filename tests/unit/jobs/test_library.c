/*
 * The public interface as a program uses it: several jobs at once, warnings,
 * progress and cancelling, and what it leaves behind.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layertrack.h"

static char folder[] = "/tmp/layertrack-test-XXXXXX";
static char trace[64];

/* Enough blocks that progress is heard several times. */
enum { FILLERS = 40000, LAYERS = 4 };

static void write_trace(void)
{
    snprintf(trace, sizeof trace, "%s/t.json", folder);
    FILE *file = fopen(trace, "w");
    assert_non_null(file);
    fputs("{\"traceEvents\": [\n", file);
    for (int i = 0; i < FILLERS; i++) {
        bool anchor = i % (FILLERS / LAYERS) == 0;
        fprintf(file, "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%d.125,\"dur\":1}",
                i > 0 ? ",\n" : "", anchor ? "anchor" : "other\\xkernel", i * 10);
    }
    fputs("]}", file);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    write_trace();
    return 0;
}

static int count_files(void)
{
    DIR *dir = opendir(folder);
    int count = 0;
    assert_non_null(dir);
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count - 2; /* . and .. */
}

static int tear_down(void **state)
{
    (void)state;
    unlink(trace);
    return rmdir(folder);
}

static const struct lt_track track = {
    .size = sizeof track,
    .anchor_regex = "^anchor$",
    .phase = "p",
    .evidence = "e",
    .num_layers = LAYERS,
};

static struct lt_annotate_options options_for(const char *output)
{
    return (struct lt_annotate_options){.size = sizeof(struct lt_annotate_options),
                                        .trace = trace,
                                        .output = output,
                                        .tracks = &track,
                                        .track_count = 1};
}

static void remove_outputs(const char *output)
{
    char report[128];
    snprintf(report, sizeof report, "%s.layers.json", output);
    assert_int_equal(unlink(output), 0);
    assert_int_equal(unlink(report), 0);
}

static void *run_job(void *ctx)
{
    static const char *const suffixes[] = {"json", "json.gz"};
    intptr_t number = (intptr_t)ctx;
    char output[96];
    snprintf(output, sizeof output, "%s/out%d.%s", folder, (int)number, suffixes[number % 2]);
    struct lt_annotate_options options = options_for(output);
    struct lt_annotate_result result = {.size = sizeof result};
    struct lt_error error = {.size = sizeof error};
    options.threads = (unsigned)(1 + number % 3);
    enum lt_status status = lt_annotate(&options, &result, &error);
    if (status != LT_OK || result.guides != LAYERS || result.events != FILLERS || result.added_events != LAYERS + 2)
        return (void *)1;
    remove_outputs(output);
    return NULL;
}

static void jobs_at_once(void **state)
{
    (void)state;
    enum { JOBS = 6 };
    pthread_t threads[JOBS];
    for (intptr_t i = 0; i < JOBS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_job, (void *)i), 0);
    for (int i = 0; i < JOBS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(count_files(), 1);
}

struct listener {
    int calls, cancel_at, warnings;
    bool wrote;
    uint64_t last;
};

static bool on_progress(void *ctx, enum lt_stage stage, uint64_t done, uint64_t total)
{
    struct listener *listener = ctx;
    if (stage == LT_STAGE_WRITE && !listener->wrote) {
        assert_int_equal(done, 0); /* told before there is anything to clean up */
        assert_int_equal(count_files(), 1);
        listener->wrote = true;
        listener->last = 0;
    }
    assert_true(done >= listener->last);
    assert_true(stage == LT_STAGE_WRITE || done <= total);
    listener->last = done;
    return ++listener->calls != listener->cancel_at;
}

static void on_warning(void *ctx, const struct lt_warning *warning)
{
    struct listener *listener = ctx;
    char message[256];
    listener->warnings++;
    assert_int_equal(warning->size, sizeof *warning);
    assert_int_equal(warning->class_id, LT_CLASS_UNKNOWN_ESCAPES);
    assert_int_equal(warning->count, FILLERS - LAYERS);
    assert_string_equal(warning->file, trace);
    assert_string_equal(warning->hint, "copied as they are");
    snprintf(message, sizeof message,
             "%s: not strict JSON: strings with unknown escapes (39996, the first at byte %d); copied as they are",
             trace, (int)warning->offset);
    assert_string_equal(warning->message, message);
}

static void cancel_anywhere(void **state)
{
    (void)state;
    char output[96];
    snprintf(output, sizeof output, "%s/out.json", folder);
    struct lt_annotate_options options = options_for(output);
    struct listener listener = {0};
    options.progress = on_progress;
    options.warning = on_warning;
    options.callback_ctx = &listener;
    for (int at = 1;; at++) {
        struct lt_error error = {.size = sizeof error};
        listener = (struct listener){.cancel_at = at};
        enum lt_status status = lt_annotate(&options, NULL, &error);
        if (status == LT_OK) {
            assert_true(at > 5);
            assert_int_equal(listener.warnings, 1);
            break;
        }
        assert_int_equal(status, LT_CANCELLED);
        assert_non_null(strstr(error.message, "cancelled"));
        assert_int_equal(count_files(), 1);
    }
    remove_outputs(output);
}

struct counts {
    uint64_t calls[2], last[2], total[2];
};

static bool count_calls(void *ctx, enum lt_stage stage, uint64_t done, uint64_t total)
{
    struct counts *counts = ctx;
    counts->calls[stage]++;
    counts->last[stage] = done;
    counts->total[stage] = total;
    return true;
}

/* Files: some hundred times per gigabyte of JSON, once at a stage's end; writing begins with one more. */
static void check_counts(const struct counts *counts)
{
    struct stat st;
    assert_int_equal(stat(trace, &st), 0);
    for (int stage = 0; stage < 2; stage++) {
        uint64_t most = (uint64_t)st.st_size / 1000000 + 2;
        assert_in_range(counts->calls[stage], 1, most);
        assert_true(counts->total[stage] == 0 || counts->last[stage] >= counts->total[stage]);
    }
}

static void progress_is_counted(void **state)
{
    (void)state;
    char outputs[3][96];
    struct counts counts = {0};
    struct lt_error error = {.size = sizeof error};
    for (int i = 0; i < 2; i++) {
        snprintf(outputs[i], sizeof outputs[i], "%s/out.json%s", folder, i == 0 ? "" : ".gz");
        struct lt_annotate_options options = options_for(outputs[i]);
        options.progress = count_calls;
        options.callback_ctx = &counts;
        counts = (struct counts){0};
        assert_int_equal(lt_annotate(&options, NULL, &error), LT_OK);
        check_counts(&counts);
    }
    snprintf(outputs[2], sizeof outputs[2], "%s/back.json", folder);
    struct lt_strip_options strip = {.size = sizeof strip,
                                     .trace = outputs[1],
                                     .output = outputs[2],
                                     .progress = count_calls,
                                     .callback_ctx = &counts};
    counts = (struct counts){0};
    assert_int_equal(lt_strip(&strip, NULL, &error), LT_OK);
    check_counts(&counts);
    assert_int_equal(unlink(outputs[2]), 0);
    remove_outputs(outputs[1]);
    remove_outputs(outputs[0]);
}

/* Two tracks in one run: both, or nothing. */
enum { MOST_FDS = 256 };

struct descriptors {
    bool before[MOST_FDS];
    int seen, inherited;
};

static bool look_at_descriptors(void *ctx, enum lt_stage stage, uint64_t done, uint64_t total)
{
    (void)stage;
    (void)done;
    (void)total;
    struct descriptors *descriptors = ctx;
    for (int fd = STDERR_FILENO + 1; fd < MOST_FDS; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags == -1 || descriptors->before[fd])
            continue;
        descriptors->seen++;
        descriptors->inherited += (flags & FD_CLOEXEC) == 0;
    }
    return true;
}

/* A program that the caller starts meanwhile gets none of the library's files, not the spool of a pipe either. */
static void descriptors_are_not_inherited(void **state)
{
    (void)state;
    char output[96], command[96];
    snprintf(output, sizeof output, "%s/out.json", folder);
    snprintf(command, sizeof command, "cat %s", trace);
    struct descriptors descriptors = {0};
    FILE *pipe = popen(command, "r");
    int standard_input = dup(STDIN_FILENO);
    assert_non_null(pipe);
    assert_int_equal(dup2(fileno(pipe), STDIN_FILENO), STDIN_FILENO);
    for (int fd = 0; fd < MOST_FDS; fd++)
        descriptors.before[fd] = fcntl(fd, F_GETFD) != -1;
    struct lt_annotate_options options = options_for(output);
    struct lt_error error = {.size = sizeof error};
    options.trace = "-";
    options.progress = look_at_descriptors;
    options.callback_ctx = &descriptors;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_OK);
    assert_true(descriptors.seen > 0);
    assert_int_equal(descriptors.inherited, 0);
    if (standard_input >= 0)
        dup2(standard_input, STDIN_FILENO);
    close(standard_input);
    pclose(pipe);
    remove_outputs(output);
}

static void several_tracks(void **state)
{
    (void)state;
    char output[96];
    snprintf(output, sizeof output, "%s/out.json", folder);
    struct lt_track tracks[] = {track, track};
    tracks[0].num_layers = tracks[1].num_layers = LAYERS / 2;
    tracks[1].anchor_offset = LAYERS / 2;
    struct lt_annotate_options options = options_for(output);
    options.tracks = tracks;
    options.track_count = 2;
    struct lt_annotate_result result = {.size = sizeof result};
    struct lt_error error = {.size = sizeof error};
    assert_int_equal(lt_annotate(&options, &result, &error), LT_SELECTION);
    assert_non_null(strstr(error.message, "two tracks of one process have the phase 'p'"));
    tracks[1].phase = "q";
    tracks[1].anchor_offset++;
    assert_int_equal(lt_annotate(&options, &result, &error), LT_SELECTION);
    assert_non_null(strstr(error.message, ": track 'q': need 2 matching anchors from offset 3 on, found 1"));
    assert_int_equal(count_files(), 1);
    tracks[1].anchor_offset--;
    assert_int_equal(lt_annotate(&options, &result, &error), LT_OK);
    assert_int_equal(result.tracks, 2);
    assert_int_equal(result.guides, LAYERS);
    assert_int_equal(result.anchors, 2 * LAYERS);
    assert_int_equal(result.added_events, LAYERS + 4);
    assert_int_equal(result.guide_tid, 1000000);
    remove_outputs(output);
}

static void errors_explain_themselves(void **state)
{
    (void)state;
    struct lt_annotate_options options = options_for("-");
    struct lt_error error = {.size = sizeof error};
    struct lt_track wrong = track;
    wrong.num_layers = 0;
    options.tracks = &wrong;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    assert_string_equal(error.message, "num_layers must be a whole number from 1 to 2^53");
    assert_int_equal(error.status, LT_USAGE);
    options = options_for("-");
    options.trace = "/no/such/trace";
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_IO);
    options = options_for(NULL);
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    options = options_for("-");
    options.track_count = 0;
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    assert_string_equal(error.message, "a job needs 1 to 64 tracks");
    options = options_for("-");
    options.spec = "spec.json";
    assert_int_equal(lt_annotate(&options, NULL, &error), LT_USAGE);
    assert_non_null(strstr(error.message, "one or the other"));
    assert_string_equal(lt_version(), LT_VERSION);
}

/* What stands in an error before a job, of an earlier one or of nothing, bears on nothing. */
static void errors_are_set_anew(void **state)
{
    (void)state;
    struct lt_error error = {.size = sizeof error};
    struct lt_inspection inspection = {.size = sizeof inspection};
    struct lt_inspect_options inspect = {.size = sizeof inspect, .trace = "/no/such/trace"};
    struct lt_verify_options verify = {.size = sizeof verify, .trace = "/no/such/trace"};
    struct lt_strip_options strip = {.size = sizeof strip, .trace = "/no/such/trace", .output = "-"};
    struct lt_render_options render = {.size = sizeof render, .trace = "/no/such/trace", .output = "-"};
    struct lt_annotate_options annotate = options_for("-");
    annotate.trace = "/no/such/trace";
    for (int job = 0; job < 5; job++) {
        memset(&error, 0x55, sizeof error);
        error.size = sizeof error;
        enum lt_status status = job == 0   ? lt_annotate(&annotate, NULL, &error)
                                : job == 1 ? lt_inspect(&inspect, &inspection, &error)
                                : job == 2 ? lt_verify(&verify, &error)
                                : job == 3 ? lt_strip(&strip, NULL, &error)
                                           : lt_render(&render, &error);
        if (job == 1)
            lt_inspection_free(&inspection);
        assert_int_equal(status, LT_IO);
        assert_int_equal(error.status, LT_IO);
        assert_non_null(strstr(error.message, "No such file"));
    }
    inspect.trace = trace;
    assert_int_equal(lt_inspect(&inspect, &inspection, &error), LT_OK);
    lt_inspection_free(&inspection);
    assert_int_equal(error.status, LT_OK);
    assert_string_equal(error.message, "");
}

/* A locale with a decimal comma: the system's, or one that is made for the test. */
static bool use_decimal_comma(void)
{
    char command[256];
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 --no-archive %s/de_DE.UTF-8 >/dev/null 2>&1",
                 folder);
        if (system(command) != 0)
            return false;
        setenv("LOCPATH", folder, 1);
        setlocale(LC_ALL, "de_DE.UTF-8");
    }
    return strcmp(localeconv()->decimal_point, ",") == 0;
}

static bool keep_text(void *ctx, const void *data, size_t len)
{
    char *text = ctx;
    size_t used = strlen(text);
    memcpy(text + used, data, len);
    text[used + len] = '\0';
    return true;
}

/* The host's locale bears on nothing: a number in JSON has a point. */
static void numbers_know_no_locale(void **state)
{
    (void)state;
    char path[96], command[128];
    static char json[64 << 10];
    snprintf(path, sizeof path, "%s/runs.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("[{\"ph\":\"M\"}", file);
    static const int starts[] = {10, 13, 17, 500, 503, 507};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        fprintf(file, ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d.5,\"dur\":1}",
                starts[i]);
    fputs("]", file);
    assert_int_equal(fclose(file), 0);
    bool has_comma = use_decimal_comma();
    struct lt_inspect_options options = {.size = sizeof options, .trace = path, .anchor_regex = "k"};
    struct lt_inspection inspection = {.size = sizeof inspection};
    struct lt_error error = {.size = sizeof error};
    enum lt_status status = lt_inspect(&options, &inspection, &error);
    json[0] = '\0';
    bool written = status == LT_OK && lt_inspection_json(&inspection, &options, 10, keep_text, json);
    lt_inspection_free(&inspection);
    setlocale(LC_ALL, "C");
    unlink(path);
    snprintf(command, sizeof command, "rm -rf %s/de_DE.*", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(status, LT_OK);
    assert_true(written);
    assert_non_null(strstr(json, "\"ratio\": 120.75"));
    if (!has_comma)
        puts("SKIPPED: there is no locale with a decimal comma, and no localedef to make one: a job in such a program");
}

/* Why a job fails is told in parts as well, and where. */
static void errors_come_in_parts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *anchor; /* of the trace; of the job */
        enum lt_class class_id;
        uint64_t event, offset, line;
        const char *hint; /* its beginning */
    } rows[] = {
        {"{\"traceEvents\": [\n{\"ph\": x}]}", "a", LT_CLASS_NOT_JSON, 0, 25, 2, "record the trace again"},
        {"{\"traceEvents\": [\n{},\n{\"ph\"", "a", LT_CLASS_TRUNCATED, 1, 27, 3, "copy it again"},
        {"PK\x03\x04", "a", LT_CLASS_NOT_A_TRACE, LT_NONE, LT_NONE, 0, "unpack it first"},
        {"[]", "a", LT_CLASS_NO_KERNELS, LT_NONE, LT_NONE, 0, "record it with"},
        {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1}]", "b", LT_CLASS_NO_MATCH,
         LT_NONE, LT_NONE, 0, "nearest names: 'a' (1)"},
        {"[{},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,\"pid\":1}]", "a", LT_CLASS_BAD_KERNEL, 1, 4, 0,
         "every kernel of"},
        {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1}]", "a", LT_CLASS_TOO_FEW,
         LT_NONE, LT_NONE, 0, "check "},
        {"[]", "(", LT_CLASS_PATTERN, LT_NONE, LT_NONE, 0, "correct the pattern"},
    };
    char path[96], message[8192];
    snprintf(path, sizeof path, "%s/small.json", folder);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(rows[i].text, file);
        assert_int_equal(fclose(file), 0);
        struct lt_track wanted = track;
        wanted.anchor_regex = rows[i].anchor;
        struct lt_annotate_options options = options_for("-");
        struct lt_error error = {.size = sizeof error};
        options.trace = path;
        options.tracks = &wanted;
        assert_int_not_equal(lt_annotate(&options, NULL, &error), LT_OK);
        assert_string_equal(lt_class_word(error.class_id), lt_class_word(rows[i].class_id));
        assert_int_equal(error.event, rows[i].event);
        assert_int_equal(error.offset, rows[i].offset);
        assert_int_equal(error.line, rows[i].line);
        assert_int_equal(strncmp(error.hint, rows[i].hint, strlen(rows[i].hint)), 0);
        assert_string_equal(error.file, rows[i].class_id == LT_CLASS_PATTERN ? "" : path);
        snprintf(message, sizeof message, "%s%s%s; %s", error.file, error.file[0] == '\0' ? "" : ": ", error.what,
                 error.hint);
        assert_string_equal(error.message, message);
    }
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_at_once),
        cmocka_unit_test(cancel_anywhere),
        cmocka_unit_test(descriptors_are_not_inherited),
        cmocka_unit_test(several_tracks),
        cmocka_unit_test(errors_explain_themselves),
        cmocka_unit_test(errors_are_set_anew),
        cmocka_unit_test(numbers_know_no_locale),
        cmocka_unit_test(errors_come_in_parts),
        cmocka_unit_test(progress_is_counted),
    };
    return cmocka_run_group_tests_name("library", tests, set_up, tear_down);
}
