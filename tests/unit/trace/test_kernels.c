/* Starts in 16 bytes each: kept, sorted and told apart as exactly as they were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/kernels.h"

static struct decimal number(const char *text)
{
    struct decimal out;
    assert_int_equal(decimal_parse(&out, text, strlen(text)), DECIMAL_OK);
    return out;
}

static void assert_number(struct decimal found, const char *expected)
{
    char out[DECIMAL_SIZE];
    decimal_print(&found, out);
    assert_string_equal(out, expected);
}

static uint64_t seed = 7;

static uint32_t below(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

/*
 * Ticks tell a start with up to ten digits behind the point, zeros aside, and
 * less than 2^63 - 1 ticks from the first one rounded; all others are odd.
 */
static void which_are_odd(void **state)
{
    (void)state;
    static const struct {
        const char *first, *start;
        bool odd;
        int far;
        const char *kept;
    } rows[] = {
        {"0", "0", false, 0, "0"},
        {"5", "1.5", false, 0, "1.5"},
        {"1700000000000000.1234567891", "1700000000000000.9999999999", false, 0, "1700000000000000.9999999999"},
        {"0", "0.0000000001", false, 0, "0.0000000001"},
        {"0", "-0.0000000001", false, 0, "-0.0000000001"},
        {"0", "0.00000000010", false, 0, "0.0000000001"},
        {"0", "7.500000000000000000000000", false, 0, "7.5"},
        {"0", "0.00000000001", true, 0, "0.00000000001"},
        {"0", "-0.00000000001", true, 0, "-0.00000000001"},
        {"0", "12.345678901234567890", true, 0, "12.34567890123456789"},
        {"0", "922337203.6854775806", false, 0, "922337203.6854775806"},
        {"0", "922337203.6854775807", true, 1, "922337203.6854775807"},
        {"0", "922337204", true, 1, "922337204"},
        {"0", "-922337203.6854775807", false, 0, "-922337203.6854775807"},
        {"0", "-922337203.6854775808", true, -1, "-922337203.6854775808"},
        {"0", "-922337203.68547758071", true, -1, "-922337203.68547758071"},
        {"0", "-99999999999999999999999999999999999999", true, -1, "-99999999999999999999999999999999999999"},
        {"0", "99999999999999999999999999999999999999", true, 1, "99999999999999999999999999999999999999"},
        {"100.5", "922337303.6854775806", false, 0, "922337303.6854775806"}, /* half to even: 100 */
        {"100.5", "922337303.6854775807", true, 1, "922337303.6854775807"},
        {"101.5", "922337305.6854775806", false, 0, "922337305.6854775806"},
        {"9223372036854775807", "9223372036854775807", false, 0, "9223372036854775807"},
        /* one that fits no whole microseconds of 64 bits: they are counted from 0 */
        {"9223372036854775808", "5", false, 0, "5"},
        {"9223372036854775808", "922337203.6854775807", true, 1, "922337203.6854775807"},
        {"9223372036854775808", "-922337203.6854775807", false, 0, "-922337203.6854775807"},
        {"9223372036854775808", "9223372036854775808", true, 1, "9223372036854775808"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kernels kernels = {0};
        struct decimal first = number(rows[i].first), start = number(rows[i].start);
        assert_true(kernels_add(&kernels, &first, 1, 10) && kernels_add(&kernels, &start, 1, 20));
        if (kernels_is_odd(&kernels, 1) != rows[i].odd)
            fail_msg("%s after %s: odd or not", rows[i].start, rows[i].first);
        assert_int_equal(rows[i].odd ? kernels.odd[kernels.odd_count - 1].far : 0, rows[i].far);
        assert_number(kernels_start(&kernels, 1), rows[i].kept);
        assert_int_equal(kernels_stream(&kernels, 0), 10);
        assert_int_equal(kernels_stream(&kernels, 1), 20);
        kernels_set_stream(&kernels, 1, 0x7FFFFFFF);
        assert_int_equal(kernels_stream(&kernels, 0), 10);
        assert_int_equal(kernels_stream(&kernels, 1), 0x7FFFFFFF);
        assert_true(kernels_is_odd(&kernels, 1) == rows[i].odd);
        kernels_free(&kernels);
        assert_null(kernels.records);
        assert_null(kernels.odd);
        assert_int_equal(kernels.count + kernels.odd_count, 0);
    }
}

/* ---- any kernels, against a sort of the exact starts ------------------------------------------------------------ */

#define MOST 400

struct start {
    struct decimal exact;
    uint32_t series;
};

/* What the starts of a round are like, so that each kind comes alone and mixed. */
enum { PLAIN = 1, LONG = 2, FAR = 4, EQUAL = 8, SORTED = 16, KINDS = 32 };

static struct decimal some_start(unsigned kinds, uint32_t index)
{
    char text[80];
    int used = 0;
    uint32_t whole = (kinds & SORTED) != 0 ? 10 * index : below((kinds & EQUAL) != 0 ? 6 : 1000000);
    if ((kinds & FAR) != 0 && below(4) == 0) {
        static const char *const away[] = {"1000000000", "-1000000000", "31415926535897932384",
                                           "-27182818284590452353"};
        used = snprintf(text, sizeof text, "%s%02u", away[below(4)], whole % 100);
    } else {
        used = snprintf(text, sizeof text, "%s%u", (kinds & EQUAL) != 0 && below(2) == 0 ? "-" : "", whole);
    }
    if ((kinds & PLAIN) != 0)
        used += snprintf(text + used, sizeof text - (size_t)used, ".%03u", below(4) * 125);
    if ((kinds & LONG) != 0 && below(2) == 0)
        snprintf(text + used, sizeof text - (size_t)used, "%s00000000%03u", (kinds & PLAIN) != 0 ? "" : ".", below(4));
    return number(text);
}

static int by_series_and_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    return x->series != y->series ? (x->series > y->series) - (x->series < y->series)
                                  : decimal_compare(&x->exact, &y->exact);
}

/* Every kernel is told apart by its stream: what lies behind it must come along. */
static void check_sorted(const struct kernels *kernels, const struct start *given, struct start *sorted)
{
    static bool met[MOST];
    memset(met, 0, sizeof met);
    qsort(sorted, kernels->count, sizeof *sorted, by_series_and_start);
    for (size_t i = 0; i < kernels->count; i++) {
        uint32_t number = kernels_stream(kernels, i);
        struct decimal start = kernels_start(kernels, i);
        assert_true(number < kernels->count && !met[number]);
        met[number] = true;
        assert_int_equal(kernels->records[i].series, sorted[i].series);
        assert_int_equal(given[number].series, sorted[i].series);
        assert_int_equal(decimal_compare(&start, &sorted[i].exact), 0);
        assert_int_equal(decimal_compare(&given[number].exact, &sorted[i].exact), 0);
    }
}

/* A gap in whole ticks, down; 2^64 - 1 for all that are longer. */
static uint64_t floor_ticks(const struct decimal *gap)
{
    __int128 ticks = decimal_floor(gap, KERNELS_TICK_DIGITS);
    return ticks >= UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/* Ticks of neighbours differ by the gap between them, less than one tick off. */
static void check_related(struct kernels *kernels, const struct start *sorted)
{
    for (size_t from = 0, end; from < kernels->count; from = end) {
        for (end = from + 1; end < kernels->count && sorted[end].series == sorted[from].series; end++)
            continue;
        kernels_relate(kernels, from, end - from);
        for (size_t i = from; i + 1 < end; i++) {
            struct decimal exact, gap = kernels_gap(kernels, i, i + 1);
            assert_int_equal(decimal_subtract(&exact, &sorted[i + 1].exact, &sorted[i].exact), DECIMAL_OK);
            assert_int_equal(decimal_compare(&gap, &exact), 0);
            uint64_t told = kernels->records[i + 1].ticks - kernels->records[i].ticks, ticks = floor_ticks(&exact);
            assert_true(told == ticks || (told == ticks + 1 && ticks != UINT64_MAX));
        }
    }
}

static void any_kernels(void **state)
{
    (void)state;
    static struct start given[MOST], sorted[MOST];
    for (unsigned round = 0; round < 40 * KINDS; round++) {
        struct kernels kernels = {0};
        unsigned kinds = round % KINDS;
        uint32_t count = below(round % 3 == 0 ? 20 : MOST), many = 1 + below(3) * below(40);
        for (uint32_t i = 0; i < count; i++) {
            given[i].series = (kinds & SORTED) != 0 ? i * many / count : below(many);
            given[i].exact = some_start(kinds, i);
            assert_true(kernels_add(&kernels, &given[i].exact, given[i].series, i));
        }
        memcpy(sorted, given, sizeof sorted);
        assert_true(kernels_sort(&kernels));
        check_sorted(&kernels, given, sorted);
        check_related(&kernels, sorted);
        /* Relating moved the ticks of far ones; sorting again puts all in order again. */
        assert_true(kernels_sort(&kernels));
        check_sorted(&kernels, given, sorted);
        kernels_free(&kernels);
    }
}

/* Those that are not far keep their ticks; whoever is far before or behind them follows, however far it is. */
static void far_ones_are_related(void **state)
{
    (void)state;
    static const char *const starts[] = {"-5000000000",   "-4000000000.5", "0", "1", "4000000000",
                                         "4000000000.25", "9999999999999"};
    static const uint64_t gaps[] = {9999999995000000000u, UINT64_MAX,  10000000000u,
                                    UINT64_MAX,           2500000000u, UINT64_MAX};
    struct kernels kernels = {0};
    struct decimal first = number("0");
    assert_true(kernels_add(&kernels, &first, 0, 0)); /* a series of its own, in front */
    for (size_t i = 0; i < 7; i++) {
        struct decimal start = number(starts[i]);
        assert_true(kernels_add(&kernels, &start, 1, (uint32_t)i));
    }
    assert_true(kernels_sort(&kernels));
    uint64_t before = kernels.records[0].ticks, near = kernels.records[3].ticks;
    kernels_relate(&kernels, 1, 7);
    assert_int_equal(kernels.records[0].ticks, before);
    assert_int_equal(kernels.records[3].ticks, near);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(kernels.records[i + 2].ticks - kernels.records[i + 1].ticks, gaps[i]);
    assert_number(kernels_gap(&kernels, 1, 3), "5000000000");
    assert_number(kernels_gap(&kernels, 2, 7), "10003999999999.5");
    kernels_free(&kernels);

    /* All of them far, on one side, and so is the next series: the first keeps its ticks. */
    assert_true(kernels_add(&kernels, &first, 0, 0));
    for (size_t i = 0; i < 4; i++) {
        struct decimal start = number(i < 2 ? starts[i] : i == 2 ? "-7000000000" : "-6000000000");
        assert_true(kernels_add(&kernels, &start, 1 + (uint32_t)i / 2, (uint32_t)i));
    }
    assert_true(kernels_sort(&kernels));
    kernels_relate(&kernels, 1, 2);
    assert_int_equal(kernels.records[1].ticks, 0);
    assert_int_equal(kernels.records[2].ticks, gaps[0]);
    assert_int_equal(kernels.records[3].ticks, 0);
    kernels_free(&kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_are_odd),
        cmocka_unit_test(any_kernels),
        cmocka_unit_test(far_ones_are_related),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
