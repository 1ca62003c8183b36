/* Passes that do not fit the runs of their anchors: rows of gaps and a selection, and what is doubted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rules/warnings.h"

#define MOST 400

struct row {
    const char *name;
    unsigned runs[8]; /* anchors each, 0 ends the list; 10 us between starts, 100 us between runs */
    uint64_t offset, layers, passes, stride, extras, first_layer;
    struct misplaced_passes found;
};

static const struct row rows[] = {
    {"one run says nothing", {36}, 0, 32, 1, 1, 0, 0, {0}},
    {"runs are passes", {36, 36, 36}, 0, 36, 3, 1, 0, 0, {0}},
    {"one pass of several", {36, 36, 36}, 36, 36, 1, 1, 0, 0, {0}},
    {"runs of several passes", {80, 80}, 0, 40, 4, 1, 0, 0, {0}},
    {"second pass of a run", {80, 80}, 40, 40, 1, 1, 0, 0, {0}},
    {"passes of several runs", {12, 12, 12, 12}, 0, 24, 2, 1, 0, 0, {0}},
    {"two halves per layer, close together", {2, 2, 2, 2, 2, 2}, 0, 3, 2, 2, 0, 0, {0}},
    {"capture that starts inside a pass, from its next", {10, 24}, 10, 24, 1, 1, 0, 0, {0}},
    {"capture that starts inside a pass", {10, 24}, 0, 24, 1, 1, 0, 0, {1, 0, 0, 10, 100000, 10000}},
    {"the same with layers from 20 on", {10, 24}, 0, 24, 1, 1, 0, 20, {1, 0, 0, 30, 100000, 10000}},
    {"capture that ends inside a pass", {24, 24, 10}, 0, 24, 2, 1, 0, 0, {0}},
    {"one layer too many", {31, 31, 31}, 0, 32, 2, 1, 0, 0, {2, 0, 0, 31, 100000, 10000}},
    {"one layer too few", {31, 31, 31}, 0, 30, 1, 1, 0, 0, {1, 0, 31, 0, 0, 0}},
    {"one layer too few, all passes", {31, 31, 31}, 0, 30, 3, 1, 0, 0, {3, 0, 31, 0, 0, 0}},
    {"one anchor late", {31, 31, 31}, 1, 31, 1, 1, 0, 0, {1, 0, 0, 30, 100000, 10000}},
    {"one anchor late in the second run", {31, 31, 31}, 32, 30, 1, 1, 0, 0, {1, 0, 31, 0, 0, 0}},
    {"an extra anchor behind each pass", {25, 25, 25}, 0, 24, 3, 1, 1, 0, {0}},
    {"an extra anchor that nobody told of", {25, 25, 25}, 0, 24, 1, 1, 0, 0, {1, 0, 25, 0, 0, 0}},
    {"extra anchors behind a gap of their own", {24, 1, 24, 1, 24, 1}, 0, 24, 3, 1, 1, 0, {0}},
    {"a stride of two, one anchor late", {48, 48}, 1, 24, 1, 2, 0, 0, {1, 0, 0, 23, 100000, 10000}},
};

static void row(void **state)
{
    const struct row *row = *state;
    static struct anchor anchors[MOST];
    size_t count = 0;
    int64_t time = 1428625732686;
    for (size_t run = 0; row->runs[run] > 0; run++)
        for (unsigned i = 0; i < row->runs[run]; i++, count++) {
            time += i > 0 ? 10 : 100;
            struct decimal start = decimal_from_int(time);
            anchors[count] = (struct anchor){.ts = decimal_pack(&start), .ts_scale = start.scale};
        }
    struct plan_request request = {.anchors = anchors,
                                   .anchor_count = count,
                                   .num_layers = row->layers,
                                   .passes = row->passes,
                                   .anchor_offset = row->offset,
                                   .first_layer = row->first_layer,
                                   .stride = row->stride,
                                   .extras = row->extras};
    struct plan plan = {0};
    struct misplaced_passes found;
    assert_int_equal(plan_make(&plan, &request), PLAN_FINE);
    assert_true(warnings_misplaced_passes(&plan, &found));
    plan_free(&plan);
    assert_int_equal(found.passes, row->found.passes);
    assert_int_equal(found.pass, row->found.pass);
    assert_int_equal(found.run, row->found.run);
    assert_int_equal(found.layer, row->found.layer);
    assert_int_equal(found.gap_ns, row->found.gap_ns);
    assert_int_equal(found.usual_ns, row->found.usual_ns);
}

int main(void)
{
    struct CMUnitTest tests[sizeof rows / sizeof *rows];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
