/* Which guide tids are taken: few processes exactly, any number of them within a bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/tidset.h"

static void counts(void **state)
{
    (void)state;
    static const struct {
        int64_t tid;
        bool counts;
    } rows[] = {{INT64_MIN, false}, {0, false},      {999999, false},  {1000000, true},
                {1000001, true},    {2048575, true}, {2048576, false}, {INT64_MAX, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(tidset_counts(rows[i].tid), rows[i].counts);
}

static void processes_apart(void **state)
{
    (void)state;
    struct tidset set = {0};
    assert_int_equal(tidset_first_free(&set, 0), 1000000);
    for (int64_t tid = 1000000; tid < 1001000; tid++)
        assert_true(tidset_add(&set, 0, tid));
    assert_true(tidset_add(&set, 7, 1000000));
    assert_true(tidset_add(&set, 7, 1000000));
    assert_true(tidset_add(&set, 7, 1000002));
    assert_int_equal(tidset_first_free(&set, 0), 1001000);
    assert_int_equal(tidset_first_free(&set, 7), 1000001);
    assert_int_equal(tidset_first_free(&set, 8), 1000000);
    assert_true(tidset_tells_processes(&set));
    tidset_free(&set);
}

static void more_than_it_keeps(void **state)
{
    (void)state;
    struct tidset set = {0};
    for (uint32_t process = 0; process < 100000; process++)
        assert_true(tidset_add(&set, process, 1000000 + process % 5));
    assert_false(tidset_tells_processes(&set));
    assert_true(set.slots <= 4 * TIDSET_PAIRS);
    assert_int_equal(tidset_first_free(&set, 1), 1000005);
    assert_int_equal(tidset_first_free(&set, 200000), 1000005);
    tidset_free(&set);
}

/* As many as it keeps, some of them more than once. */
static void just_as_many(void **state)
{
    (void)state;
    struct tidset set = {0};
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < TIDSET_PAIRS; i++)
            assert_true(tidset_add(&set, 6, 1000000 + i));
    assert_true(tidset_tells_processes(&set));
    assert_int_equal(tidset_first_free(&set, 5), 1000000);
    assert_int_equal(tidset_first_free(&set, 6), 1000000 + TIDSET_PAIRS);
    tidset_free(&set);
}

static void all_taken(void **state)
{
    (void)state;
    struct tidset set = {0};
    for (int64_t tid = 1000000; tidset_counts(tid); tid++)
        assert_true(tidset_add(&set, 3, tid));
    assert_int_equal(tidset_first_free(&set, 3), 0);
    tidset_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),       cmocka_unit_test(processes_apart), cmocka_unit_test(more_than_it_keeps),
        cmocka_unit_test(just_as_many), cmocka_unit_test(all_taken),
    };
    return cmocka_run_group_tests_name("tidset", tests, NULL, NULL);
}
