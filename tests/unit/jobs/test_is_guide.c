/*
 * What is a guide, and what only looks like one: annotate, verify, strip and
 * render must give the same answer.
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

#define PLACE "\"pid\":0,\"tid\":1000000,\"ts\":1,\"dur\":1"
#define SLICE "\"ph\":\"X\",\"name\":\"L0\"," PLACE
#define TEN   "\\u0078\\u0078\\u0078\\u0078\\u0078\\u0078\\u0078\\u0078\\u0078\\u0078"

static const struct {
    const char *event;
    bool guide;
} rows[] = {
    /* The category decides, by its words. */
    {"{\"cat\":\"layer_guide\"," SLICE "}", true},
    {"{\"cat\":\"kernel,layer_guide\"," SLICE "}", true},
    {"{\"cat\":\" layer_guide , x\"," SLICE "}", true},
    {"{\"cat\":\"layer\\u005fguide\"," SLICE "}", true},
    {"{\"cat\":\"" TEN TEN TEN TEN TEN ",layer_guide\"," SLICE "}", true},
    {"{\"cat\":\"layer_guides\"," SLICE "}", false},
    {"{\"cat\":\"layer_guide x\"," SLICE "}", false},
    {"{\"cat\":\"LAYER_GUIDE\"," SLICE "}", false},
    {"{\"cat\":\"layer_guid\"," SLICE "}", false},
    {"{\"cat\":\"layer\\\\u005fguide\"," SLICE "}", false},
    {"{\"cat\":\"layertrack\"," SLICE "}", false},
    {"{\"cat\":[\"layer_guide\"]," SLICE "}", false},
    {"{\"cat\":{\"layer_guide\":1}," SLICE "}", false},
    {"{\"cat\":null," SLICE "}", false},
    /* Nothing else does. */
    {"{" SLICE ",\"args\":{\"cat\":\"layer_guide\",\"pass_index\":0,\"layer_id\":0}}", false},
    {"{\"cat\":\"x\",\"ph\":\"X\",\"name\":\"layer_guide\"," PLACE "}", false},
    {"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":1000000,"
     "\"args\":{\"name\":\"Layer guide (p) \xe2\x80\x94 anchor intervals\"}}",
     false},
    {"\"layer_guide\"", false},
    {"[{\"cat\":\"layer_guide\"," SLICE "}]", false},
    /* What has it is one, however broken. */
    {"{\"cat\":\"layer_guide\",\"ph\":\"X\",\"name\":\"L0\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1}", true},
    {"{\"cat\":\"layer_guide\",\"ph\":\"B\",\"name\":\"L0\"," PLACE "}", true},
    {"{\"cat\":\"layer_guide\",\"ph\":\"\\u0058\",\"name\":\"L0\"," PLACE "}", true},
    {"{\"cat\":\"layer_guide\",\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":1000000}", true},
    {"{\"cat\":\"layer_guide\",\"name\":\"L0\"," PLACE "}", true},
    {"{\"cat\":\"layer_guide\",\"ph\":1,\"name\":\"L0\"," PLACE "}", true},
    {"{\"cat\":\"layer_guide\"}", true},
};

static char folder[] = "/tmp/layertrack-test-XXXXXX";
static char trace[64], output[64];

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(trace, sizeof trace, "%s/t.json", folder);
    snprintf(output, sizeof output, "%s/o", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void write_trace(const char *event)
{
    FILE *file = fopen(trace, "w");
    assert_non_null(file);
    fprintf(file, "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":1},\n%s]",
            event);
    assert_int_equal(fclose(file), 0);
}

static bool annotate_sees(void)
{
    char report[80];
    struct lt_track track = {.size = sizeof track, .anchor_regex = "k", .phase = "p", .evidence = "e", .num_layers = 1};
    struct lt_annotate_options options = {
        .size = sizeof options, .trace = trace, .output = output, .tracks = &track, .track_count = 1};
    struct lt_error error = {.size = sizeof error};
    enum lt_status status = lt_annotate(&options, NULL, &error);
    if (status == LT_OK) {
        snprintf(report, sizeof report, "%s.layers.json", output);
        unlink(output);
        unlink(report);
        return false;
    }
    assert_non_null(strstr(error.message, "already annotated"));
    return true;
}

static void hear(void *ctx, enum lt_finding finding, const char *sentence)
{
    *(bool *)ctx |= finding == LT_FINDING_DIFFERS && strcmp(sentence, "there are no guides") == 0;
}

static bool verify_sees(void)
{
    bool none = false;
    struct lt_verify_options options = {.size = sizeof options, .trace = trace, .finding = hear, .finding_ctx = &none};
    struct lt_error error = {.size = sizeof error};
    enum lt_status status = lt_verify(&options, &error);
    assert_true(status == LT_OK || status == LT_DIFFERENT);
    return !none;
}

static bool strip_sees(void)
{
    struct lt_strip_options options = {.size = sizeof options, .trace = trace, .output = output};
    struct lt_error error = {.size = sizeof error};
    assert_int_equal(lt_strip(&options, NULL, &error), LT_SELECTION);
    return strstr(error.message, "has no guides") == NULL;
}

static bool render_sees(void)
{
    struct lt_render_options options = {.size = sizeof options, .trace = trace, .output = output};
    struct lt_error error = {.size = sizeof error};
    assert_int_not_equal(lt_render(&options, &error), LT_OK); /* none of these guides has the args of one */
    return strstr(error.message, "has no layer guides") == NULL;
}

static void one_answer(void **state)
{
    (void)state;
    static const struct {
        const char *job;
        bool (*sees)(void);
    } jobs[] = {{"annotate", annotate_sees}, {"verify", verify_sees}, {"strip", strip_sees}, {"render", render_sees}};
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_trace(rows[i].event);
        for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++)
            if (jobs[j].sees() != rows[i].guide) {
                print_error("%s: %s a guide for %s\n", rows[i].event, rows[i].guide ? "is not" : "is", jobs[j].job);
                wrong++;
            }
    }
    unlink(trace);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_answer)};
    return cmocka_run_group_tests_name("is_guide", tests, set_up, tear_down);
}
