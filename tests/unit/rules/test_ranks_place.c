/* Whether one rule means one place in two ranks: rows of their runs, starts and clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rules/ranks_place.h"

#define NO_BASE INT64_MIN

struct side {
    uint64_t runs[6]; /* 0 ends the list */
    uint64_t offset;
    int64_t first, last, base; /* us, us, ns */
    int64_t stage;
};

struct row {
    const char *name;
    bool from_end;
    struct side one, other;
    enum ranks_place place;
    int64_t apart;
};

/* Two passes from first to last: half a pass is a quarter of that. */
static const struct row rows[] = {
    {"the same", false, {{36, 36}, 0, 0, 400, 0, -1}, {{36, 36}, 0, 0, 400, 0, -1}, RANKS_SAME_PLACE, 0},
    {"clocks agree, whatever the runs are",
     false,
     {{36, 36}, 0, 0, 400, 0, -1},
     {{12, 36, 36}, 12, 50, 450, 0, -1},
     RANKS_SAME_PLACE,
     0},
    {"three passes more at one rank's front",
     false,
     {{36, 36, 36, 36, 36}, 0, 0, 400, 0, -1},
     {{36, 36}, 0, 600, 1000, 0, -1},
     RANKS_OTHER_START,
     600000},
    {"the same counted from the end",
     true,
     {{36, 36, 36, 36, 36}, 108, 600, 1000, 0, -1},
     {{36, 36}, 0, 605, 1005, 0, -1},
     RANKS_SAME_PLACE,
     0},
    {"half a pass is too much", false, {{36}, 0, 0, 400, 0, -1}, {{36}, 0, 100, 500, 0, -1}, RANKS_OTHER_START, 100000},
    {"a little less is not", false, {{36}, 0, 0, 400, 0, -1}, {{36}, 0, 99, 499, 0, -1}, RANKS_SAME_PLACE, 0},
    {"before, too", false, {{36}, 0, 100, 500, 0, -1}, {{36}, 0, 0, 400, 0, -1}, RANKS_OTHER_START, -100000},
    {"bases count", false, {{36}, 0, 0, 400, 0, -1}, {{36}, 0, 0, 400, 5000000, -1}, RANKS_OTHER_START, 5000000},
    {"stages of a pipeline work one after another",
     false,
     {{36}, 0, 0, 400, 0, 0},
     {{36}, 0, 900, 1300, 0, 1},
     RANKS_SAME_PLACE,
     0},
    {"without clocks the runs must be the same",
     false,
     {{36, 36}, 0, 0, 400, NO_BASE, -1},
     {{36, 36}, 0, 7000, 7400, NO_BASE, -1},
     RANKS_SAME_PLACE,
     0},
    {"one has more of them",
     false,
     {{36, 36}, 0, 0, 400, NO_BASE, -1},
     {{36, 36, 36}, 0, 0, 400, 0, -1},
     RANKS_OTHER_RUNS,
     0},
    {"as many, of other sizes",
     false,
     {{36, 20, 36}, 0, 0, 400, NO_BASE, -1},
     {{36, 36, 20}, 0, 0, 400, NO_BASE, -1},
     RANKS_OTHER_RUNS,
     0},
    {"more in front do not matter from the end",
     true,
     {{36, 36}, 0, 0, 400, NO_BASE, -1},
     {{12, 36, 36}, 12, 0, 400, NO_BASE, -1},
     RANKS_SAME_PLACE,
     0},
    {"but from there on they do",
     true,
     {{36, 36}, 0, 0, 400, NO_BASE, -1},
     {{36, 36, 12}, 0, 0, 400, NO_BASE, -1},
     RANKS_OTHER_RUNS,
     0},
};

static struct rank_result result_of(const struct side *side)
{
    struct rank_result result = {.accepted = true, .runs = side->runs, .offset = side->offset, .passes = 2};
    while (result.run_count < 6 && side->runs[result.run_count] > 0)
        result.run_count++;
    for (int axis = 0; axis < RANK_AXES; axis++)
        result.rank.axes[axis] = RANK_NONE;
    result.rank.axes[RANK_PP] = side->stage;
    result.first_us = decimal_from_int(side->first);
    result.last_us = decimal_from_int(side->last);
    result.has_base = side->base != NO_BASE;
    result.base_ns = result.has_base ? side->base : 0;
    return result;
}

static void row(void **state)
{
    const struct row *row = *state;
    /* One that was refused is not asked. */
    struct rank_result results[] = {result_of(&row->one), {.accepted = false}, result_of(&row->other)};
    struct ranks_places places = ranks_place(results, 3, row->from_end);
    assert_int_equal(places.place, row->place);
    assert_int_equal(places.apart_ns, row->apart);
    if (row->place != RANKS_SAME_PLACE) {
        assert_int_equal(places.one, 0);
        assert_int_equal(places.other, 2);
    }
}

int main(void)
{
    struct CMUnitTest tests[sizeof rows / sizeof *rows];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tests[i] =
            (struct CMUnitTest){.name = rows[i].name, .test_func = row, .initial_state = (void *)(uintptr_t)&rows[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
