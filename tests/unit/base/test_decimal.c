/* Exact decimals: what is read, printed, compared, added, shifted and rounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

static struct arena arena;

static const char *shown(const struct decimal *number)
{
    static char buffers[4][8192];
    static int next;
    char *out = buffers[next++ % 4];
    assert_true(decimal_print_size(number) < sizeof buffers[0]);
    out[decimal_print(number, out, sizeof buffers[0])] = '\0';
    return out;
}

static struct decimal parsed(const char *text)
{
    struct decimal number;
    assert_int_equal(decimal_parse(&number, text, strlen(text), &arena), DECIMAL_OK);
    return number;
}

static void parse_and_print(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out; /* NULL: refused */
    } rows[] = {
        {"0", "0"},
        {"-0", "0"},
        {"7", "7"},
        {"-7", "-7"},
        {"4203669603771.648", "4203669603771.648"},
        {"1234.500", "1234.500"},
        {"0.001", "0.001"},
        {"-0.001", "-0.001"},
        {"1.7e15", "1700000000000000"},
        {"1.7E+15", "1700000000000000"},
        {"17e-1", "1.7"},
        {"1e-3", "0.001"},
        {"0e99999", "0"},
        {"0.000e-5000", "0.000"},
        {"123456789012345678", "123456789012345678"},
        {"1234567890123456789", "1234567890123456789"},
        {"18446744073709551615", "18446744073709551615"},
        {"99999999999999999999999999999999999999", "99999999999999999999999999999999999999"},
        {"999999999999999999999999999999999999999", "999999999999999999999999999999999999999"},
        {"-123456789012345678901234567890123456789012345678901234567890.5",
         "-123456789012345678901234567890123456789012345678901234567890.5"},
        {"1740461679473654.12345678901234567890123456789", "1740461679473654.12345678901234567890123456789"},
        {"0.00000000000000000000000000000000000000000000000001",
         "0.00000000000000000000000000000000000000000000000001"},
        {"1e40", "10000000000000000000000000000000000000000"},
        {"+5", "5"},
        {"007", "7"},
        {".5", "0.5"},
        {"5.", "5"},
        {"", NULL},
        {"-", NULL},
        {".", NULL},
        {"1e", NULL},
        {"1e+", NULL},
        {"1 ", NULL},
        {" 1", NULL},
        {"1x", NULL},
        {"0x10", NULL},
        {"nan", NULL},
        {"inf", NULL},
        {"1.2.3", NULL},
        {"--1", NULL},
        {"1e309", "!"},
        {"1.8e308", "!"},
        {"-9e308", "!"},
        {"17976931348623158079e289", "!"},
        {"1e999999999999999999999", "!"},
        {"1e-999999999999999999999", "!"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal number;
        enum decimal_status status = decimal_parse(&number, rows[i].in, strlen(rows[i].in), &arena);
        if (rows[i].out == NULL)
            assert_int_equal(status, DECIMAL_NOT_A_NUMBER);
        else if (strcmp(rows[i].out, "!") == 0)
            assert_int_equal(status, DECIMAL_OUT_OF_RANGE);
        else {
            assert_int_equal(status, DECIMAL_OK);
            assert_string_equal(shown(&number), rows[i].out);
            struct decimal again = decimal_unpack(decimal_pack(&number), number.scale);
            assert_string_equal(shown(&again), rows[i].out);
        }
    }
}

static void compare(void **state)
{
    (void)state;
    static const char *const rising[] = {"-123456789012345678901234567890123456789012345.6",
                                         "-5",
                                         "-4.9999999999999999999999999999999999999999999999",
                                         "0",
                                         "0.00000000000000000000000000000000000000000000001",
                                         "0.1",
                                         "4503599627370496.499",
                                         "4503599627370496.4990000000000000000000000000001",
                                         "4503599627370496.5",
                                         "1e20",
                                         "1e300"};
    for (size_t i = 0; i < sizeof rising / sizeof *rising; i++)
        for (size_t j = 0; j < sizeof rising / sizeof *rising; j++) {
            struct decimal a = parsed(rising[i]), b = parsed(rising[j]);
            int order = decimal_compare(&a, &b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    struct decimal a = parsed("5.0"), b = parsed("5.000000000000000000000000000000000000000000000000000000");
    assert_int_equal(decimal_compare(&a, &b), 0);
}

static void add_and_subtract(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *sum, *difference;
    } rows[] = {
        {"1", "2", "3", "-1"},
        {"1.50", "0.5", "2.00", "1.00"},
        {"4909914689353.122", "67.876", "4909914689420.998", "4909914689285.246"},
        {"99999999999999999999999999999999999999", "1", "100000000000000000000000000000000000000",
         "99999999999999999999999999999999999998"},
        {"1e300", "-1e300", "0", NULL},
        {"1e37", "0.00000000001", "10000000000000000000000000000000000000.00000000001",
         "9999999999999999999999999999999999999.99999999999"},
        {"-0.1", "0.1", "0.0", "-0.2"},
        {"-0.10000000000000000000000000000000000000000", "0.1", "0.00000000000000000000000000000000000000000",
         "-0.20000000000000000000000000000000000000000"},
        {"1e200", "-1e200", "0", NULL},
        {"9.99999999999999999999999999999999999999999", "0.00000000000000000000000000000000000000001",
         "10.00000000000000000000000000000000000000000", "9.99999999999999999999999999999999999999998"},
        {"1e39", "1", "1000000000000000000000000000000000000001", "999999999999999999999999999999999999999"},
        {"-1e39", "1", "-999999999999999999999999999999999999999", "-1000000000000000000000000000000000000001"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal a = parsed(rows[i].a), b = parsed(rows[i].b), out;
        assert_int_equal(decimal_add(&out, &a, &b, &arena), DECIMAL_OK);
        assert_string_equal(shown(&out), rows[i].sum);
        assert_int_equal(decimal_subtract(&out, &a, &b, &arena), DECIMAL_OK);
        if (rows[i].difference != NULL)
            assert_string_equal(shown(&out), rows[i].difference);
    }
}

static void shift(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        unsigned digits;
        const char *out;
    } rows[] = {
        {"1000", 3, "1"},
        {"1500", 3, "1.5"},
        {"0.000", 3, "0"},
        {"-1.50", 3, "-0.0015"},
        {"9573.877", 3, "9.573877"},
        {"7.000", 0, "7"},
        {"123456789012345678901234567890123456789012345000", 3, "123456789012345678901234567890123456789012345"},
        {"1234567890123456789012345678901234567890123450.50", 1, "123456789012345678901234567890123456789012345.05"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal number = parsed(rows[i].in), out;
        assert_int_equal(decimal_shift(&out, &number, rows[i].digits, &arena), DECIMAL_OK);
        assert_string_equal(shown(&out), rows[i].out);
    }
}

static void round_half_even(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        bool fits;
        int64_t out;
    } rows[] = {
        {"0.5", true, 0},
        {"1.5", true, 2},
        {"2.5", true, 2},
        {"-0.5", true, 0},
        {"-1.5", true, -2},
        {"-2.5", true, -2},
        {"2.5000000000000000000000000000000000000000000000001", true, 3},
        {"2.4999999999999999999999999999999999999999999999999", true, 2},
        {"2.5000000000000000000000000000000000000000000000000", true, 2},
        {"-2.5000000000000000000000000000000000000000000000001", true, -3},
        {"0.00000000000000000000000000000000000000000000000009", true, 0},
        {"4203669603771.648", true, 4203669603772},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775807.4", true, INT64_MAX},
        {"9223372036854775807.5", false, 0},
        {"-9223372036854775808.5", true, INT64_MIN},
        {"-9223372036854775808.51", false, 0},
        {"1e300", false, 0},
        {"18446744073709551616.00000000000000000000000000000000", false, 0},
        {"99999999999999999999.00000000000000000000000000000000", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal number = parsed(rows[i].in);
        int64_t out = 0;
        assert_int_equal(decimal_round(&number, &out), rows[i].fits);
        if (rows[i].fits)
            assert_int_equal(out, rows[i].out);
    }
}

static void signs(void **state)
{
    (void)state;
    struct decimal zero = parsed("-0.0"), long_zero = parsed("-0.00000000000000000000000000000000000000000000000000"),
                   small = parsed("-0.00000000000000000000000000000000000000000000000001"), plus = parsed("1");
    assert_false(decimal_is_negative(&zero));
    assert_false(decimal_is_negative(&long_zero));
    assert_true(decimal_is_negative(&small));
    assert_false(decimal_is_negative(&plus));
}

/* A million digits are read, compared and added in one go over them: had the work their square, this would not end. */
static void very_long(void **state)
{
    (void)state;
    enum { DIGITS = 1000000 };
    static char text[2][DIGITS + 3];
    struct decimal a, b, sum, shifted;
    for (int i = 0; i < 2; i++) {
        memset(text[i], '3', DIGITS + 2);
        text[i][1] = '.';
    }
    text[1][DIGITS + 1] = '4';
    for (int round = 0; round < 20; round++) {
        assert_int_equal(decimal_parse(&a, text[0], DIGITS + 2, &arena), DECIMAL_OK);
        assert_int_equal(decimal_parse(&b, text[1], DIGITS + 2, &arena), DECIMAL_OK);
        assert_true(decimal_compare(&a, &b) < 0);
        assert_true(decimal_compare(&b, &a) > 0);
        assert_int_equal(decimal_add(&sum, &a, &b, &arena), DECIMAL_OK);
        assert_int_equal(sum.len, DIGITS + 2);
        assert_memory_equal(sum.text, "6.666666", 8);
        assert_int_equal(sum.text[DIGITS + 1], '7');
        assert_int_equal(decimal_subtract(&sum, &b, &a, &arena), DECIMAL_OK);
        assert_int_equal(sum.text[DIGITS + 1], '1');
        assert_int_equal(decimal_shift(&shifted, &a, 3, &arena), DECIMAL_OK);
        assert_memory_equal(shifted.text, "0.003333", 8);
        assert_int_equal(shifted.len, DIGITS + 5);
        arena_free(&arena);
    }
}

/* Random numbers of every length: sums undo differences, whichever way they are computed. */
static void sums_undo_differences(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (int i = 0; i < 20000; i++) {
        char texts[2][128];
        for (int j = 0; j < 2; j++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            size_t whole = (seed >> 33) % 30 + 1, fraction = (seed >> 40) % 30, at = 0;
            if ((seed >> 60) % 2 == 0)
                texts[j][at++] = '-';
            texts[j][at++] = (char)('1' + (seed >> 50) % 9);
            for (size_t k = 1; k < whole + fraction; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                if (k == whole)
                    texts[j][at++] = '.';
                texts[j][at++] = (char)('0' + (seed >> 35) % 10);
            }
            texts[j][at] = '\0';
        }
        struct decimal a = parsed(texts[0]), b = parsed(texts[1]), sum, back;
        assert_int_equal(decimal_add(&sum, &a, &b, &arena), DECIMAL_OK);
        assert_int_equal(decimal_subtract(&back, &sum, &b, &arena), DECIMAL_OK);
        assert_int_equal(decimal_compare(&back, &a), 0);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_and_print),  cmocka_unit_test(compare),
        cmocka_unit_test(add_and_subtract), cmocka_unit_test(shift),
        cmocka_unit_test(round_half_even),  cmocka_unit_test(signs),
        cmocka_unit_test(very_long),        cmocka_unit_test(sums_undo_differences),
    };
    int failed = cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
