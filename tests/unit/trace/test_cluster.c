/* The rule that tells runs apart: rows of gaps, and how often chance is taken for a pattern. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace/cluster.h"

#define MOST 2000

static uint64_t times[MOST];

static struct cluster_times list(size_t count)
{
    return (struct cluster_times){times, sizeof *times, count};
}

/* "10 + 24", "20x40", "2x8 1x4 ~3" for sizes out of order with three other runs. */
static const char *shape_of(size_t count)
{
    static char out[256];
    struct cluster_times all = list(count);
    struct cluster_split split = cluster_split(&all);
    struct cluster_shape shape = cluster_shape(&all, &split, 0);
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < shape.count; i++)
        used +=
            (size_t)snprintf(out + used, sizeof out - used, "%s%llux%llu", i == 0 ? "" : " ",
                             (unsigned long long)shape.segments[i].runs, (unsigned long long)shape.segments[i].size);
    if (!shape.in_order)
        snprintf(out + used, sizeof out - used, " ~%llu", (unsigned long long)shape.other_runs);
    return out;
}

struct row {
    const char *gaps; /* "9*1390 3090 23*1395" */
    const char *shape;
};

static size_t read_gaps(const char *gaps)
{
    size_t count = 1;
    times[0] = 1000;
    for (int len; *gaps != '\0'; gaps += len) {
        unsigned many = 1, gap = 0;
        if (sscanf(gaps, "%u*%u %n", &many, &gap, &len) < 2) {
            many = 1;
            assert_int_equal(sscanf(gaps, "%u %n", &gap, &len), 1);
        }
        for (; many > 0; many--, count++)
            times[count] = times[count - 1] + gap;
    }
    return count;
}

static void rows(void **state)
{
    (void)state;
    static const struct row table[] = {
        {"", "1x1"},
        {"7", "1x2"},
        {"20*100", "1x21"},
        {"20*0", "1x21"},
        {"9*0 500 9*0", "1x20"},
        /* one stall is no pass: 557 among 250, with 381 below it */
        {"280 557 4*260 381 28*250", "1x36"},
        {"280 400 20*260", "1x23"},
        /* a capture that begins inside a pass */
        {"9*1390 3090 1443 22*1395", "1x10 1x24"},
        /* gaps inside a pass vary a hundredfold */
        {"80 700 8000 600 290000 80 900 7900 600 300000 81 700 7000 500", "3x5"},
        {"700 8000 600 290000 80 900 7900 600 700 81", "1x4 1x7"},
        /* cut at both ends */
        {"3*10 50 7*10 50 7*10 50 2*10", "1x4 2x8 1x3"},
        /* halves: pairs inside layers, layers inside passes; the passes are shown */
        {"100 900 100 900 100 3000 100 900 100 900 100 3000 100 900 100 900 100", "3x6"},
        {"100 900 100 900 100 900 100", "4x2"},
        /* an idle time between equal passes hides none of them */
        {"3*10 60 3*10 60 3*10 5000 3*10 60 3*10", "5x4"},
        /* target and draft passes of one name */
        {"7*10 60 10 60 7*10 60 10 60 7*10", "1x8 1x2 1x8 1x2 1x8"},
        {"7*10 60 10 60 7*10 60 10 60 7*10 60 10 60 7*10 60 2*10", "4x8 3x2 1x3 ~0"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_string_equal(shape_of(read_gaps(table[i].gaps)), table[i].shape);
}

static void figures(void **state)
{
    (void)state;
    struct cluster_times all = list(read_gaps("9*1390 3090 1443 22*1395"));
    struct cluster_split split = cluster_split(&all);
    assert_int_equal(split.runs, 2);
    assert_int_equal(split.median, 1395);
    assert_int_equal(split.within, 1443);
    assert_int_equal(split.between, 3090);
    assert_true(cluster_shape(&all, &split, 24).fits);
    assert_false(cluster_shape(&all, &split, 12).fits);
    all = list(0);
    split = cluster_split(&all);
    assert_int_equal(split.runs, 0);
    assert_int_equal(cluster_shape(&all, &split, 5).count, 0);
}

/* Ten times by chance cannot be told from two short runs; from some twenty on they can. */
/* ---- chance ------------------------------------------------------------------------------------------------ */

static uint64_t seed;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static uint64_t exponential(void)
{
    return (uint64_t)(-log(uniform()) * 1e6) + 1;
}

static uint64_t even(void)
{
    return 1000000 + (uint64_t)(uniform() * 200000);
}

static uint64_t lognormal(void)
{
    return (uint64_t)(exp(sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform())) * 1e6) + 1;
}

static double false_rate(uint64_t (*gap)(void), size_t count)
{
    unsigned split = 0;
    for (unsigned trial = 0; trial < 1000; trial++) {
        for (size_t i = 1; i < count; i++)
            times[i] = times[i - 1] + gap();
        struct cluster_times all = list(count);
        split += cluster_split(&all).runs > 1;
    }
    return split / 1000.0;
}

static void chance(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t (*gap)(void);
        size_t count;
        double most;
    } table[] = {{"even", even, 40, 0},
                 {"exponential", exponential, 10, 0.35},
                 {"exponential", exponential, 20, 0.08},
                 {"exponential", exponential, 40, 0.015},
                 {"exponential", exponential, 400, 0.01},
                 {"lognormal", lognormal, 40, 0.05},
                 {"lognormal", lognormal, 400, 0.01}};
    seed = 20261201;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double rate = false_rate(table[i].gap, table[i].count);
        print_message("%s gaps, %zu times: split in %.1f%% of trials\n", table[i].name, table[i].count, rate * 100);
        assert_true(rate <= table[i].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(figures),
        cmocka_unit_test(chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
