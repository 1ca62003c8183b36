/* The figures of a split against a list of all exact gaps, where ticks tell some of them less than exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/cluster_exact.h"

#define MOST 200

static struct decimal number(const char *text)
{
    struct decimal out;
    assert_int_equal(decimal_parse(&out, text, strlen(text)), DECIMAL_OK);
    return out;
}

static const char *printed(const struct decimal *value, char *out)
{
    decimal_print(value, out);
    return out;
}

static void assert_same(const char *what, size_t row, const struct decimal *found, const struct decimal *expected)
{
    char a[DECIMAL_SIZE], b[DECIMAL_SIZE];
    if (strcmp(printed(found, a), printed(expected, b)) != 0)
        fail_msg("row or round %zu: %s is %s, not %s", row, what, a, b);
}

static int by_length(const void *a, const void *b)
{
    return decimal_compare(a, b);
}

static uint64_t seed = 3;

static uint32_t below(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

/* How many rounds had what: the test must not pass by seeing nothing. */
static size_t odd_seen, runs_seen, long_median, long_within, long_between;

/* What the split puts inside runs and between them, as exact gaps; median, largest and smallest from there. */
static void check(struct kernels *kernels, size_t first, size_t round)
{
    static struct decimal inside[MOST];
    size_t count = kernels->count - first, many = 0;
    kernels_relate(kernels, first, count);
    struct cluster_times times = {&kernels->records[first].ticks, sizeof *kernels->records, count};
    struct cluster_split split = cluster_split(&times);
    struct cluster_figures figures;
    struct decimal between = {0};
    bool any = false;
    assert_true(cluster_exact(kernels, first, &times, &split, &figures));
    for (size_t i = 0; i + 1 < count; i++) {
        struct decimal gap = kernels_gap(kernels, first + i, first + i + 1);
        if (split.between == 0 || cluster_gap(&times, i) < split.between) {
            inside[many++] = gap;
        } else {
            between = !any || decimal_compare(&gap, &between) < 0 ? gap : between;
            any = true;
        }
    }
    assert_true(many > 0);
    qsort(inside, many, sizeof *inside, by_length);
    assert_same("median", round, &figures.median, &inside[(many - 1) / 2]);
    assert_same("within", round, &figures.within, &inside[many - 1]);
    assert_same("between", round, &figures.between, &between);
    odd_seen += kernels->odd_count > 0;
    runs_seen += any;
    long_median += figures.median.scale > KERNELS_TICK_DIGITS;
    long_within += figures.within.scale > KERNELS_TICK_DIGITS;
    long_between += figures.between.scale > KERNELS_TICK_DIGITS;
}

/*
 * Gaps of few lengths that differ behind the tenth digit, in runs; `odd` in
 * ten starts have more digits than ticks tell.
 */
static void add_run(struct kernels *kernels, __int128 *at, uint32_t size, uint32_t odd, uint32_t unit)
{
    for (uint32_t i = 0; i < size; i++) {
        /* In units of 10^-13 us: a tick is 1,000 of them. */
        __int128 start = below(10) < odd ? *at + below(3) : *at - *at % 1000;
        struct decimal decimal = {.coefficient = start, .scale = KERNELS_TICK_DIGITS + 3};
        assert_true(kernels_add(kernels, &decimal, 1, i));
        *at += (__int128)1000 * unit + (below(3) == 0 ? 1000 : below(4) == 0 ? below(2000) : 0);
    }
}

static void any_gaps(void **state)
{
    (void)state;
    for (size_t round = 0; round < 30000; round++) {
        struct kernels kernels = {0};
        __int128 at = 0;
        size_t first = below(3);
        for (size_t i = 0; i < first; i++) { /* a series in front, which bears on nothing */
            struct decimal start = {.coefficient = 7 * (__int128)i, .scale = 1};
            assert_true(kernels_add(&kernels, &start, 0, 0));
        }
        uint32_t odd = below(4) == 0 ? 0 : below(4) == 0 ? 10 : below(10), unit = 2 + below(5), runs = 1 + below(4);
        uint32_t size = 2 + below(8), pause = 4 * (unit + 2) + below(3);
        for (uint32_t i = 0; i < runs; i++) {
            add_run(&kernels, &at, size, odd, unit);
            at += (__int128)1000 * pause + below(3) * 1000;
        }
        assert_true(kernels_sort(&kernels));
        check(&kernels, first, round);
        kernels_free(&kernels);
    }
    assert_true(odd_seen > 5000 && runs_seen > 5000);
    assert_true(long_median > 1000 && long_within > 1000 && long_between > 1000);
}

/* Starts as they are written, and what comes out. */
static void rows(void **state)
{
    (void)state;
    static const struct {
        const char *starts[8], *median, *within, *between;
    } table[] = {
        {{"1", "2"}, "1", "1", "0"},
        {{"1", "2", "3.5"}, "1", "1.5", "0"},
        {{"1", "2", "4"}, "1", "1", "2"},
        {{"0", "0"}, "0", "0", "0"},
        {{"0", "0.00000000001"}, "0.00000000001", "0.00000000001", "0"},
        {{"0", "0.00000000005", "0.00000000006"}, "0.00000000001", "0.00000000005", "0"},
        {{"0", "1", "2.00000000001", "3"}, "1", "1.00000000001", "0"},
        {{"0", "1", "2", "9", "10.00000000001", "11", "18.00000000002"}, "1", "1.00000000001", "7"},
        {{"0", "1", "2", "9.00000000001", "10", "11", "18"}, "1", "1", "7"},
        {{"0", "1", "2.0000000001", "2.50000000001"}, "1", "1.0000000001", "0"},
        /* of two gaps that are a tick apart one is inside a run, and one between two */
        {{"0", "0.0000000001", "0.0000000002", "0.0000000004", "0.0000000005", "0.00000000061"},
         "0.0000000001",
         "0.00000000011",
         "0.0000000002"},
        /* farther apart than ticks reach */
        {{"0", "1", "2", "5000000000", "5000000001", "5000000002.5"}, "1", "1.5", "4999999998"},
        {{"-5000000000", "0", "5000000001"}, "5000000000", "5000000001", "0"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct kernels kernels = {0};
        for (uint32_t j = 0; j < 8 && table[i].starts[j] != NULL; j++) {
            struct decimal start = number(table[i].starts[j]);
            assert_true(kernels_add(&kernels, &start, 0, j));
        }
        assert_true(kernels_sort(&kernels));
        kernels_relate(&kernels, 0, kernels.count);
        struct cluster_times times = {&kernels.records[0].ticks, sizeof *kernels.records, kernels.count};
        struct cluster_split split = cluster_split(&times);
        struct cluster_figures figures;
        assert_true(cluster_exact(&kernels, 0, &times, &split, &figures));
        struct decimal expected[] = {number(table[i].median), number(table[i].within), number(table[i].between)};
        assert_same("median", i, &figures.median, &expected[0]);
        assert_same("within", i, &figures.within, &expected[1]);
        assert_same("between", i, &figures.between, &expected[2]);
        kernels_free(&kernels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(any_gaps),
    };
    return cmocka_run_group_tests_name("cluster_exact", tests, NULL, NULL);
}
