/* Numbers as they are spelled: one spelling for each, one order, whatever their length is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static void spellings(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out; /* "": none */
    } rows[] = {
        {"0", "0"},
        {"-0", "0"},
        {"0.000", "0"},
        {"0e999999999999999999999", "0"},
        {"7", "7"},
        {"007", "7"},
        {"+7", "7"},
        {"7.", "7"},
        {".50", "0.5"},
        {"7.0", "7"},
        {"70e-1", "7"},
        {"7000E-3", "7"},
        {"-7.250", "-7.25"},
        {"1e3", "1000"},
        {"0.0125e1", "0.125"},
        {"1234.5e-7", "0.00012345"},
        {"1234.5e2", "123450"},
        {"10.01e1", "100.1"},
        {"18446744073709551616", "18446744073709551616"},
        {"1e37", "10000000000000000000000000000000000000"},
        {"1e-38", "0.00000000000000000000000000000000000001"},
        {"99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
        /* From 39 digits on. */
        {"1e38", "1e38"},
        {"100000000000000000000000000000000000000", "1e38"},
        {"1e-39", "1e-39"},
        {"0.000000000000000000000000000000000000001", "1e-39"},
        {"-1234567890123456789012345678901234567890", "-123456789012345678901234567890123456789e1"},
        {"123456789012345678901234567890123456789", "123456789012345678901234567890123456789"},
        {"1234567890123456789012345678901234567.890123", "1234567890123456789012345678901234567890123e-6"},
        {"1.50e-4000", "15e-4001"},
        {"150e-4002", "15e-4001"},
        {"1e309", "1e309"},
        {"10e308", "1e309"},
        {"1e999999999999999999999", ""},
        {"-1e-999999999999999999999", ""},
        {"", ""},
        {"-", ""},
        {".", ""},
        {"1e", ""},
        {"1e+", ""},
        {"1.2.3", ""},
        {"1x", ""},
        {"nan", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[256];
        size_t len = number_canonical(out, rows[i].in, strlen(rows[i].in));
        assert_int_equal(len, strlen(rows[i].out));
        assert_memory_equal(out, rows[i].out, len);
    }
}

static void order(void **state)
{
    (void)state;
    static const char *const rising[] = {"-1e4000",
                                         "-1e309",
                                         "-12345678901234567890123456789012345678901",
                                         "-12345678901234567890123456789012345678900.5",
                                         "-7",
                                         "-6.9999999999999999999999999999999999999999",
                                         "-1e-4000",
                                         "0",
                                         "1e-4001",
                                         "1e-4000",
                                         "0.1",
                                         "0.10000000000000000000000000000000000000000000000001",
                                         "9",
                                         "10.5",
                                         "10000000000000000000",
                                         "10000000000000000001",
                                         "1e300"};
    for (size_t i = 0; i < sizeof rising / sizeof *rising; i++)
        for (size_t j = 0; j < sizeof rising / sizeof *rising; j++) {
            struct number a, b;
            assert_true(number_read(&a, rising[i], strlen(rising[i])));
            assert_true(number_read(&b, rising[j], strlen(rising[j])));
            int order = number_compare(&a, &b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
            assert_int_equal(number_same(rising[i], strlen(rising[i]), rising[j], strlen(rising[j])), i == j);
        }
}

static void sameness(void **state)
{
    (void)state;
    assert_true(number_same("7", 1, "70.0e-1", 7));
    assert_true(number_same("-0", 2, "0.0", 3));
    assert_true(number_same("1e4000", 6, "10e3999", 7));
    assert_false(number_same("7", 1, "-7", 2));
    assert_false(number_same("7", 1, "x", 1));
    /* These exponents are not read to their ends. */
    assert_false(number_same("1e99999999999999999998", 22, "1e99999999999999999999", 22));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings),
        cmocka_unit_test(order),
        cmocka_unit_test(sameness),
    };
    return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
