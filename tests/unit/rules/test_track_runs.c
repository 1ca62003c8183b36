/*
 * A track's runs: an annotation is drawn once on each stream, and is one run
 * all the same; the first pass, by number and by rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Before cmocka, whose fail() is a macro. */
#include "rules/first_pass.h"
#include "rules/track_runs.h"

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { PID = 3, MOST = 12, MOST_RUNS = 6 };

struct slice {
    uint32_t name, tid; /* tid 0: no more */
    int64_t start, end;
};

struct kernel {
    uint32_t tid; /* 0: no more */
    int64_t ts;
    uint64_t launch; /* number of its CPU scope */
};

static const struct row {
    const char *what;
    bool on_cpu;
    struct slice slices[6];
    struct kernel kernels[MOST];
    enum places_status status;
    uint64_t runs[MOST_RUNS];
} rows[] = {
    {"one stream",
     false,
     {{1, 7, 0, 100}, {1, 7, 100, 200}},
     {{7, 10, 0}, {7, 20, 0}, {7, 110, 0}},
     PLACES_FINE,
     {2, 1}},
    {"streams of one scope, one of them without annotations",
     false,
     {{1, 7, 0, 100}, {1, 8, 5, 95}, {1, 7, 100, 200}, {1, 8, 105, 190}},
     {{7, 10, 0}, {8, 20, 0}, {9, 30, 0}, {8, 110, 0}, {7, 120, 0}, {9, 130, 0}},
     PLACES_FINE,
     {3, 3}},
    {"anchors in any order",
     false,
     {{1, 7, 0, 100}, {1, 8, 5, 95}, {1, 7, 100, 200}},
     {{7, 110, 0}, {8, 20, 0}, {7, 10, 0}},
     PLACES_FINE,
     {2, 1}},
    {"a stream that lags behind: its anchors come among the next ones",
     false,
     {{1, 7, 0, 100}, {1, 8, 40, 130}, {1, 7, 100, 200}},
     {{7, 10, 0}, {8, 50, 0}, {7, 105, 0}, {8, 110, 0}, {7, 120, 0}},
     PLACES_MINGLED,
     {0}},
    {"two names at one time are two scopes",
     false,
     {{1, 7, 0, 100}, {2, 8, 0, 100}},
     {{7, 10, 0}, {7, 20, 0}, {8, 30, 0}},
     PLACES_FINE,
     {2, 1}},
    {"with launches, each pair",
     true,
     {{1, 7, 0, 100}, {1, 7, 100, 200}},
     {{7, 10, 5}, {7, 20, 5}, {7, 30, 6}, {7, 110, 6}, {7, 120, 9}},
     PLACES_FINE,
     {2, 1, 1, 1}},
};

struct made {
    struct lt_track options;
    struct anchor anchors[MOST];
    uint64_t launches[MOST];
    struct track track;
};

static void make(struct made *made, const struct row *row)
{
    *made = (struct made){.options = {.num_layers = 1, .within_gpu = "x", .within = row->on_cpu ? "y" : NULL}};
    struct track *track = &made->track;
    track->options = &made->options;
    track->anchors = made->anchors;
    track->launches = made->launches;
    track->gpu_scopes.pid = PID;
    track->gpu_scopes.tids = calloc(MOST, sizeof *track->gpu_scopes.tids);
    assert_non_null(track->gpu_scopes.tids);
    for (const struct slice *slice = row->slices; slice->tid != 0; slice++) {
        struct decimal start = decimal_from_int(slice->start), end = decimal_from_int(slice->end);
        const struct scope scope = {.start = decimal_pack(&start),
                                    .end = decimal_pack(&end),
                                    .pid = PID,
                                    .tid = slice->tid,
                                    .name = slice->name,
                                    .device = UINT32_MAX};
        assert_true(scopes_add(&track->gpu_scopes.own, &scope));
        track->gpu_scopes.tids[track->gpu_scopes.tid_count++] = slice->tid;
    }
    assert_true(gpu_scopes_settle(&track->gpu_scopes));
    for (const struct kernel *kernel = row->kernels; kernel->tid != 0; kernel++) {
        struct decimal ts = decimal_from_int(kernel->ts);
        made->anchors[track->anchor_count] = (struct anchor){.ts = decimal_pack(&ts), .tid = kernel->tid};
        made->launches[track->anchor_count++] = kernel->launch;
    }
}

static void runs_of_scopes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made made;
        struct places places;
        struct places_request request;
        uint64_t *instances;
        make(&made, &rows[i]);
        assert_true(track_runs(&made.track, &request, &instances));
        if (places_runs(&places, &request) != rows[i].status)
            fail_msg("%s: status %d", rows[i].what, (int)places.status);
        for (size_t run = 0; run < MOST_RUNS && places.status == PLACES_FINE; run++)
            if ((run < places.runs ? places.sizes[run] : 0) != rows[i].runs[run])
                fail_msg("%s: run %d", rows[i].what, (int)run);
        free(instances);
        places_free(&places);
        gpu_scopes_free(&made.track.gpu_scopes);
    }
}

/* A capture of more scopes than streams may be apart. */
static void many_scopes(void **state)
{
    (void)state;
    enum { SCOPES = 300 };
    struct made made;
    make(&made, &(struct row){.what = "none"});
    struct anchor *anchors = calloc(2 * SCOPES, sizeof *anchors);
    assert_non_null(anchors);
    made.track.anchors = anchors;
    made.track.gpu_scopes.tids[0] = 7;
    made.track.gpu_scopes.tids[1] = 8;
    made.track.gpu_scopes.tid_count = 2;
    for (uint32_t i = 0; i < 2 * SCOPES; i++) {
        struct decimal start = decimal_from_int(i / 2 * 100), end = decimal_from_int(i / 2 * 100 + 90),
                       ts = decimal_from_int(i / 2 * 100 + 10 + i % 2);
        const struct scope scope = {.start = decimal_pack(&start),
                                    .end = decimal_pack(&end),
                                    .pid = PID,
                                    .tid = 7 + i % 2,
                                    .name = 1,
                                    .device = UINT32_MAX};
        assert_true(scopes_add(&made.track.gpu_scopes.own, &scope));
        anchors[i] = (struct anchor){.ts = decimal_pack(&ts), .tid = 7 + i % 2};
    }
    made.track.anchor_count = 2 * SCOPES;
    assert_true(gpu_scopes_settle(&made.track.gpu_scopes));
    made.options.num_layers = 2;
    made.options.anchor_run = -1;
    made.options.passes = LT_ALL;
    struct places places;
    assert_int_equal(first_pass_find(&made.track, &places), PLACES_FINE);
    assert_int_equal(places.runs, SCOPES);
    assert_int_equal(made.track.first.run, SCOPES);
    assert_int_equal(made.track.first.anchor_offset, 2 * SCOPES - 2);
    assert_int_equal(made.track.first.passes, 1);
    assert_int_equal(made.track.first.left_over, 0);
    places_free(&places);
    gpu_scopes_free(&made.track.gpu_scopes);
    free(anchors);
}

static void rules_as_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t run; /* 0: is none */
    } texts[] = {
        {"run:1", 1},        {"run:-12", -12}, {"run:007", 7}, {"run:999999999999999999", 999999999999999999},
        {"run:", 0},         {"run:-", 0},     {"run:0", 0},   {"run:-0", 0},
        {"run:1 ", 0},       {"run:+1", 0},    {"run:--1", 0}, {"run:1000000000000000000", 0},
        {"skip-partial", 0}, {"", 0},          {"run", 0},     {"1", 0},
    };
    char rule[FIRST_PASS_RULE];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t run = 0;
        assert_int_equal(first_pass_parse_run(texts[i].text, strlen(texts[i].text), &run), texts[i].run != 0);
        if (texts[i].run != 0)
            assert_true(run == texts[i].run);
    }
    assert_null(first_pass_rule(&(struct lt_track){.anchor_offset = 3}, rule));
    assert_string_equal(first_pass_rule(&(struct lt_track){.anchor_run = -999999999999999999}, rule),
                        "run:-999999999999999999");
    assert_string_equal(first_pass_rule(&(struct lt_track){.skip_partial = 1}, rule), "skip-partial");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_scopes),
        cmocka_unit_test(many_scopes),
        cmocka_unit_test(rules_as_text),
    };
    return cmocka_run_group_tests_name("runs of a track", tests, NULL, NULL);
}
