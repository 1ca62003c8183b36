/* Where the first pass begins, by a rule: rows of runs and a rule, and the anchor that is meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rules/places.h"

#define MOST 400

struct row {
    const char *name;
    unsigned runs[8]; /* anchors each, 0 ends the list; 10 us between starts, 100 us between runs */
    bool scoped;      /* each run is an instance of its own, with no gap before it */
    uint64_t layers, stride, extras;
    int64_t run;
    enum places_status status;
    uint64_t found, offset, size;
};

static const struct row rows[] = {
    {"the first run", {36, 36, 36}, false, 36, 1, 0, 1, PLACES_FINE, 1, 0, 36},
    {"the third one", {36, 36, 36}, false, 36, 1, 0, 3, PLACES_FINE, 3, 72, 36},
    {"the last one", {36, 36, 36}, false, 36, 1, 0, -1, PLACES_FINE, 3, 72, 36},
    {"the first one from the end", {36, 36, 36}, false, 36, 1, 0, -3, PLACES_FINE, 1, 0, 36},
    {"no fourth one", {36, 36, 36}, false, 36, 1, 0, 4, PLACES_NO_RUN, 0, 0, 0},
    {"no fourth one from the end", {36, 36, 36}, false, 36, 1, 0, -4, PLACES_NO_RUN, 0, 0, 0},
    {"the farthest one from the end", {36, 36}, false, 36, 1, 0, INT64_MIN, PLACES_NO_RUN, 0, 0, 0},
    {"the farthest one", {36, 36}, false, 36, 1, 0, INT64_MAX, PLACES_NO_RUN, 0, 0, 0},
    {"a capture that begins inside a pass", {20, 36, 36}, false, 36, 1, 0, 1, PLACES_NOT_WHOLE, 1, 0, 20},
    {"the first whole one", {20, 36, 36}, false, 36, 1, 0, 0, PLACES_FINE, 2, 20, 36},
    {"the first whole one is the first", {36, 36, 12}, false, 36, 1, 0, 0, PLACES_FINE, 1, 0, 36},
    {"none is whole", {12, 12, 12, 12}, false, 24, 1, 0, 0, PLACES_NONE_WHOLE, 0, 0, 0},
    {"runs of several passes", {10, 80, 80}, false, 40, 1, 0, 2, PLACES_FINE, 2, 10, 80},
    {"a pass and a half", {60, 80, 80}, false, 40, 1, 0, 1, PLACES_NOT_WHOLE, 1, 0, 60},
    {"one run says nothing, be it whole", {36}, false, 36, 1, 0, 1, PLACES_ONE_RUN, 0, 0, 0},
    {"nor where it is one anchor", {1}, false, 1, 1, 0, 0, PLACES_ONE_RUN, 0, 0, 0},
    {"a stride of two", {10, 48, 48}, false, 24, 2, 0, 0, PLACES_FINE, 2, 10, 48},
    {"an extra anchor behind each pass", {25, 25}, false, 24, 1, 1, 2, PLACES_FINE, 2, 25, 25},
    {"extra anchors behind a gap of their own", {24, 1, 24, 1}, false, 24, 1, 1, 3, PLACES_FINE, 3, 25, 24},
    {"a first run without its extra may be cut", {24, 25, 25}, false, 24, 1, 1, 1, PLACES_NOT_WHOLE, 1, 0, 24},
    {"so the first whole one is another", {24, 25, 25}, false, 24, 1, 1, 0, PLACES_FINE, 2, 24, 25},
    {"the last one ends with the trace", {25, 25, 24}, false, 24, 1, 1, -1, PLACES_FINE, 3, 50, 24},
    {"an extra anchor alone is no pass", {24, 1, 24, 1}, false, 24, 1, 1, 2, PLACES_NOT_WHOLE, 2, 24, 1},
    {"more layers than there are anchors", {36, 36}, false, UINT64_C(1) << 53, 1, 0, 1, PLACES_NOT_WHOLE, 1, 0, 36},
    {"layers and stride beyond all numbers", {36, 36}, false, UINT64_MAX / 2, 9, 0, 0, PLACES_NONE_WHOLE, 0, 0, 0},
    {"instances need no gap", {20, 36, 36}, true, 36, 1, 0, 3, PLACES_FINE, 3, 56, 36},
    {"one instance is one", {36}, true, 36, 1, 0, 1, PLACES_FINE, 1, 0, 36},
    {"the first whole instance", {20, 36, 36}, true, 36, 1, 0, 0, PLACES_FINE, 2, 20, 36},
};

static size_t make(const struct row *row, struct anchor *anchors, uint64_t *instances)
{
    size_t count = 0;
    int64_t time = 1428625732686;
    for (size_t run = 0; row->runs[run] > 0; run++)
        for (unsigned i = 0; i < row->runs[run]; i++, count++) {
            time += i > 0 || row->scoped ? 10 : 100;
            struct decimal start = decimal_from_int(time);
            anchors[count] = (struct anchor){.ts = decimal_pack(&start), .ts_scale = start.scale};
            instances[count] = 7 + run;
        }
    return count;
}

static struct places_request request_of(const struct row *row, const struct anchor *anchors, const uint64_t *instances,
                                        size_t count)
{
    return (struct places_request){.anchors = anchors,
                                   .instances = row->scoped ? instances : NULL,
                                   .count = count,
                                   .num_layers = row->layers,
                                   .stride = row->stride,
                                   .extras = row->extras,
                                   .run = row->run};
}

static void check(const struct row *row, const struct places_request *request)
{
    struct places places;
    assert_int_equal(places_find(&places, request), row->status);
    if (row->status == PLACES_FINE || row->status == PLACES_NOT_WHOLE) {
        assert_int_equal(places.run, row->found);
        assert_int_equal(places.offset, row->offset);
        assert_int_equal(places.size, row->size);
    }
    size_t runs = 0;
    while (row->runs[runs] > 0)
        runs++;
    assert_int_equal(places.runs, runs);
    for (size_t i = 0; i < runs; i++)
        assert_int_equal(places.sizes[i], row->runs[i]);
    places_free(&places);
}

static void row(void **state)
{
    const struct row *row = *state;
    static struct anchor anchors[MOST];
    static uint64_t instances[MOST];
    size_t count = make(row, anchors, instances);
    struct places_request request = request_of(row, anchors, instances, count);
    check(row, &request);
    /* The order of the trace does not matter. */
    for (size_t i = 0; i < count / 2; i++) {
        struct anchor anchor = anchors[i];
        uint64_t instance = instances[i];
        anchors[i] = anchors[count - 1 - i];
        instances[i] = instances[count - 1 - i];
        anchors[count - 1 - i] = anchor;
        instances[count - 1 - i] = instance;
    }
    check(row, &request);
}

static void instances_in_turns_are_no_runs(void **state)
{
    (void)state;
    const struct row row = {.runs = {4, 4, 4}, .scoped = true, .layers = 4, .stride = 1, .run = 1};
    static struct anchor anchors[MOST];
    static uint64_t instances[MOST];
    size_t count = make(&row, anchors, instances);
    for (size_t i = 8; i < count; i++)
        instances[i] = instances[0];
    struct places_request request = request_of(&row, anchors, instances, count);
    struct places places;
    assert_int_equal(places_find(&places, &request), PLACES_MINGLED);
    places_free(&places);
}

static void all_passes(void **state)
{
    (void)state;
    static const struct {
        uint64_t count, layers, stride, extras, offset, passes, left_over;
    } rows_of_counts[] = {
        {72, 36, 1, 0, 0, 2, 0},        {72, 36, 1, 0, 1, 1, 35},   {72, 36, 1, 0, 36, 1, 0}, {72, 36, 1, 0, 37, 0, 35},
        {72, 36, 1, 0, 72, 0, 0},       {72, 36, 1, 0, 1000, 0, 0}, {50, 24, 1, 1, 0, 2, 0},  {49, 24, 1, 1, 0, 2, 0},
        {48, 24, 1, 1, 0, 1, 23},       {51, 24, 1, 1, 0, 2, 1},    {97, 24, 2, 0, 0, 2, 1},  {1, 1, 1, 5, 0, 1, 0},
        {7, UINT64_MAX, 9, 0, 0, 0, 7},
    };
    for (size_t i = 0; i < sizeof rows_of_counts / sizeof *rows_of_counts; i++) {
        struct places_request request = {.count = rows_of_counts[i].count,
                                         .num_layers = rows_of_counts[i].layers,
                                         .stride = rows_of_counts[i].stride,
                                         .extras = rows_of_counts[i].extras};
        uint64_t left_over;
        assert_int_equal(places_passes(&request, rows_of_counts[i].offset, &left_over), rows_of_counts[i].passes);
        assert_int_equal(left_over, rows_of_counts[i].left_over);
    }
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 2] = {
        cmocka_unit_test(all_passes),
        cmocka_unit_test(instances_in_turns_are_no_runs),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[i + 2] =
            (struct CMUnitTest){.name = rows[i].name, .test_func = row, .initial_state = (void *)(uintptr_t)&rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
