/*
 * Structs of other editions: a shorter one is completed with zeros, a longer
 * one is taken when the rest is zero, and nothing is written behind a caller's end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#undef fail /* cmocka.h has one of its own */
#include "base/versioned.h"

struct now {
    size_t size;
    uint64_t first, second;
};

struct later {
    struct now now;
    uint64_t third;
};

static void sizes(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        uint64_t third;
        enum lt_status status;
        uint64_t first, second;
    } rows[] = {
        {0, 0, LT_USAGE, 0, 0},
        {7, 0, LT_USAGE, 0, 0},
        {sizeof(size_t), 9, LT_OK, 0, 0},
        {offsetof(struct now, second), 9, LT_OK, 5, 0},
        {sizeof(struct now), 9, LT_OK, 5, 6},
        {sizeof(struct later), 0, LT_OK, 5, 6},
        {sizeof(struct later), 9, LT_USAGE, 0, 0},
        {VERSIONED_MOST + 1, 0, LT_USAGE, 0, 0},
        {SIZE_MAX, 0, LT_USAGE, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct later theirs = {.now = {rows[i].size, 5, 6}, .third = rows[i].third};
        struct now own;
        struct lt_error error = {0};
        assert_int_equal(versioned_take(&own, sizeof own, &theirs, "now", &error), rows[i].status);
        assert_int_equal(error.class_id, rows[i].status == LT_OK ? LT_CLASS_NONE : LT_CLASS_STRUCT_SIZE);
        if (rows[i].status != LT_OK)
            continue;
        assert_int_equal(own.size, sizeof own);
        assert_int_equal(own.first, rows[i].first);
        assert_int_equal(own.second, rows[i].second);
    }
}

static void arrays(void **state)
{
    (void)state;
    struct later longer[2] = {{{sizeof *longer, 1, 2}, 0}, {{sizeof *longer, 3, 4}, 0}};
    struct now own[2];
    struct lt_error error = {0};
    assert_int_equal(versioned_take_all(own, sizeof *own, 2, longer, "now", &error), LT_OK);
    assert_true(own[0].first == 1 && own[1].first == 3 && own[1].second == 4);
    assert_int_equal(versioned_take_all(own, sizeof *own, 0, NULL, "now", &error), LT_OK);
    longer[1].now.size = sizeof(struct now);
    assert_int_equal(versioned_take_all(own, sizeof *own, 2, longer, "now", &error), LT_USAGE);
    assert_int_equal(error.class_id, LT_CLASS_STRUCT_SIZE);
}

static void giving(void **state)
{
    (void)state;
    const struct now own = {sizeof own, 5, 6};
    struct later theirs = {{sizeof theirs, 1, 1}, 1};
    versioned_give(&theirs, &own, sizeof own);
    assert_true(theirs.now.size == sizeof theirs && theirs.now.first == 5 && theirs.now.second == 6);
    assert_int_equal(theirs.third, 1);
    theirs = (struct later){{offsetof(struct now, second), 1, 1}, 1};
    versioned_give(&theirs, &own, sizeof own);
    assert_true(theirs.now.first == 5 && theirs.now.second == 1);
    theirs = (struct later){{0, 1, 1}, 1};
    versioned_give(&theirs, &own, sizeof own);
    assert_true(theirs.now.size == 0 && theirs.now.first == 1);
    versioned_give(NULL, &own, sizeof own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(arrays), cmocka_unit_test(giving)};
    return cmocka_run_group_tests_name("versioned", tests, NULL, NULL);
}
