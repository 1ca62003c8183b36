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
#include "base/number.h"

static const char *shown(const struct decimal *number)
{
    static char buffers[4][DECIMAL_SIZE];
    static int next;
    char *out = buffers[next++ % 4];
    size_t len = decimal_print(number, out);
    assert_int_equal(len, strlen(out));
    return out;
}

static struct decimal parsed(const char *text)
{
    struct decimal number;
    assert_int_equal(decimal_parse(&number, text, strlen(text)), DECIMAL_OK);
    return number;
}

static void parse_and_print(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out; /* NULL: refused; behind a blank what is left of it: too long */
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
        {"1740461679473654.1234567890123456789012", "1740461679473654.1234567890123456789012"},
        {"0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"},
        {"-1e-38", "-0.00000000000000000000000000000000000001"},
        {"1e37", "10000000000000000000000000000000000000"},
        {"000000000000000000000000000000000000000000005.500", "5.500"},
        {"5.5000000000000000000000000000000000000", "5.5000000000000000000000000000000000000"},
        /* Zeros give way where there is no room, and only there. */
        {"5.50000000000000000000000000000000000000", "5.5"},
        {"5.000000000000000000000000000000000000000000000000000000", "5"},
        {"0.00000000000000000000000000000000000000000000000000", "0"},
        {"1234567890123456789000000000000000000000e-21", "1234567890123456789"},
        {"999999999999999999999999999999999999999", " 99999999999999999999999999999999999999"},
        {"1e38", " 99999999999999999999999999999999999999"},
        {"1e40", " 99999999999999999999999999999999999999"},
        {"1e300", " 99999999999999999999999999999999999999"},
        {"-123456789012345678901234567890123456789012345678901234567890.5",
         " -100000000000000000000000000000000000000"},
        {"1740461679473654.12345678901234567890129", " 1740461679473654.1234567890123456789012"},
        {"-1740461679473654.12345678901234567890121", " -1740461679473654.1234567890123456789013"},
        {"-9.99999999999999999999999999999999999999", " -10.0000000000000000000000000000000000000"},
        {"0.00000000000000000000000000000000000000000000000001", " 0.00000000000000000000000000000000000000"},
        {"1e-39", " 0.00000000000000000000000000000000000000"},
        {"-1e-39", " -0.00000000000000000000000000000000000001"},
        {"1e-4000", " 0.00000000000000000000000000000000000000"},
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
        {"1e-4097", "!"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal number;
        enum decimal_status status = decimal_parse(&number, rows[i].in, strlen(rows[i].in));
        if (rows[i].out == NULL)
            assert_int_equal(status, DECIMAL_NOT_A_NUMBER);
        else if (strcmp(rows[i].out, "!") == 0)
            assert_int_equal(status, DECIMAL_OUT_OF_RANGE);
        else if (rows[i].out[0] == ' ') {
            assert_int_equal(status, DECIMAL_TOO_LONG);
            assert_string_equal(shown(&number), rows[i].out + 1);
        } else {
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
    static const char *const rising[] = {"-99999999999999999999999999999999999999",
                                         "-5",
                                         "-4.9999999999999999999999999999999999999",
                                         "-0.00000000000000000000000000000000000001",
                                         "0",
                                         "0.00000000000000000000000000000000000001",
                                         "0.1",
                                         "4503599627370496.499",
                                         "4503599627370496.4990000000000000000001",
                                         "4503599627370496.5",
                                         "1e20",
                                         "99999999999999999999999999999999999999"};
    for (size_t i = 0; i < sizeof rising / sizeof *rising; i++)
        for (size_t j = 0; j < sizeof rising / sizeof *rising; j++) {
            struct decimal a = parsed(rising[i]), b = parsed(rising[j]);
            int order = decimal_compare(&a, &b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    struct decimal a = parsed("5.0"), b = parsed("5.000000000000000000000000000000000000000000000000000000"),
                   c = parsed("5.0000000000000000000000000000000000000");
    assert_int_equal(decimal_compare(&a, &b), 0);
    assert_int_equal(decimal_compare(&a, &c), 0);
}

static void check_result(enum decimal_status status, const struct decimal *out, const char *expected)
{
    bool too_long = expected[0] == ' ';
    assert_int_equal(status, too_long ? DECIMAL_TOO_LONG : DECIMAL_OK);
    assert_string_equal(shown(out), expected + too_long);
}

static void add_and_subtract(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *sum, *difference; /* behind a blank: too long */
    } rows[] = {
        {"1", "2", "3", "-1"},
        {"1.50", "0.5", "2.00", "1.00"},
        {"4909914689353.122", "67.876", "4909914689420.998", "4909914689285.246"},
        {"99999999999999999999999999999999999999", "1", " 99999999999999999999999999999999999999",
         "99999999999999999999999999999999999998"},
        {"-99999999999999999999999999999999999999", "1", "-99999999999999999999999999999999999998",
         " -99999999999999999999999999999999999999"},
        {"1e37", "-1e37", "0", "20000000000000000000000000000000000000"},
        {"1e37", "0.00000000001", " 10000000000000000000000000000000000000", " 10000000000000000000000000000000000000"},
        {"1e37", "5.00000000000", "10000000000000000000000000000000000005", "9999999999999999999999999999999999995.0"},
        {"-0.1", "0.1", "0.0", "-0.2"},
        {"-0.10000000000000000000000000000000000000", "0.1", "0.00000000000000000000000000000000000000",
         "-0.20000000000000000000000000000000000000"},
        {"9.9999999999999999999999999999999999999", "0.0000000000000000000000000000000000001",
         "10.000000000000000000000000000000000000", "9.9999999999999999999999999999999999998"},
        {"1740461679473654.5", "0.00000000000000000000000000000000000001", " 1740461679473654.5000000000000000000000",
         " 1740461679473654.5000000000000000000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal a = parsed(rows[i].a), b = parsed(rows[i].b), out;
        check_result(decimal_add(&out, &a, &b), &out, rows[i].sum);
        check_result(decimal_subtract(&out, &a, &b), &out, rows[i].difference);
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
        {"12345678901234567890123456789012345000", 3, "12345678901234567890123456789012345"},
        {"1234567890123456789012345678901234560.50", 1, "123456789012345678901234567890123456.05"},
        {"-12345678901234567890123456789012345678", 3, "-12345678901234567890123456789012345.678"},
        {"0.00000000000000000000000000000000000001", 3, "0.00000000000000000000000000000000000000001"},
        {"0.00000000000000000000000000000000000001", 10, "0.000000000000000000000000000000000000000000000001"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal number = parsed(rows[i].in), out = decimal_shift(&number, rows[i].digits);
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
        {"2.5000000000000000000000000000000000001", true, 3},
        {"2.4999999999999999999999999999999999999", true, 2},
        {"2.5000000000000000000000000000000000000", true, 2},
        {"-2.5000000000000000000000000000000000001", true, -3},
        {"0.00000000000000000000000000000000000009", true, 0},
        {"0.99999999999999999999999999999999999999", true, 1},
        {"4203669603771.648", true, 4203669603772},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775807.4", true, INT64_MAX},
        {"9223372036854775807.5", false, 0},
        {"-9223372036854775808.5", true, INT64_MIN},
        {"-9223372036854775808.51", false, 0},
        {"99999999999999999999999999999999999999", false, 0},
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
                   small = parsed("-0.00000000000000000000000000000000000001"), plus = parsed("1"), smaller;
    assert_int_equal(decimal_parse(&smaller, "-1e-4000", 8), DECIMAL_TOO_LONG);
    assert_true(decimal_is_negative(&smaller));
    assert_false(decimal_is_negative(&zero));
    assert_false(decimal_is_negative(&long_zero));
    assert_true(decimal_is_negative(&small));
    assert_false(decimal_is_negative(&plus));
}

static void floors(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        unsigned digits;
        const char *out; /* in units of 10^-digits */
    } rows[] = {
        {"12.345", 3, "12345"},
        {"12.3459", 3, "12345"},
        {"-12.3451", 3, "-12346"},
        {"7", 10, "70000000000"},
        {"0.00000000000000000000000000000000000001", 0, "0"},
        {"-0.00000000000000000000000000000000000001", 0, "-1"},
        {"9999999999999999999999999999", 10, "99999999999999999999999999990000000000"},
        {"10000000000000000000000000000", 10, "100000000000000000000000000000000000000"},
        {"99999999999999999999999999999999999999", 10, "100000000000000000000000000000000000000"},
        {"-99999999999999999999999999999999999999", 3, "-100000000000000000000000000000000000000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal number = parsed(rows[i].in), out = {.coefficient = decimal_floor(&number, rows[i].digits)};
        assert_string_equal(shown(&out), rows[i].out);
    }
}

static void whole_numbers(void **state)
{
    (void)state;
    int64_t out;
    struct decimal seven = parsed("7.000"), part = parsed("7.0000000000000000000000000000000000001"),
                   large = parsed("9223372036854775808");
    assert_true(decimal_whole(&seven, &out));
    assert_int_equal(out, 7);
    assert_false(decimal_whole(&part, &out));
    assert_false(decimal_whole(&large, &out));
}

/* A million digits are read in one go over them: had the work their square, this would not end. */
static void very_long(void **state)
{
    (void)state;
    enum { DIGITS = 1000000 };
    static char text[DIGITS + 3];
    struct decimal number;
    memset(text, '3', DIGITS + 2);
    text[1] = '.';
    for (int round = 0; round < 20; round++) {
        assert_int_equal(decimal_parse(&number, text, DIGITS + 2), DECIMAL_TOO_LONG);
        assert_string_equal(shown(&number), "3.3333333333333333333333333333333333333");
    }
    memset(text + 2, '0', DIGITS);
    assert_int_equal(decimal_parse(&number, text, DIGITS + 2), DECIMAL_OK);
    assert_string_equal(shown(&number), "3");
}

static uint64_t random_number(void)
{
    static uint64_t seed = 12345;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
}

/* Up to `whole` digits before the point and as many behind it. */
static void random_text(char *out, size_t most)
{
    size_t whole = random_number() % most + 1, fraction = random_number() % most, at = 0;
    if (random_number() % 2 == 0)
        out[at++] = '-';
    out[at++] = (char)('1' + random_number() % 9);
    for (size_t k = 1; k < whole + fraction; k++) {
        if (k == whole)
            out[at++] = '.';
        out[at++] = (char)('0' + random_number() % 10);
    }
    out[at] = '\0';
}

/* Random numbers of every length: sums undo differences, whichever way they are computed. */
static void sums_undo_differences(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        char texts[2][128];
        random_text(texts[0], 18);
        random_text(texts[1], 18);
        struct decimal a = parsed(texts[0]), b = parsed(texts[1]), sum, back;
        assert_int_equal(decimal_add(&sum, &a, &b), DECIMAL_OK);
        assert_int_equal(decimal_subtract(&back, &sum, &b), DECIMAL_OK);
        assert_int_equal(decimal_compare(&back, &a), 0);
    }
}

static int compare_texts(const char *a, const char *b)
{
    struct number x, y;
    assert_true(number_read(&x, a, strlen(a)));
    assert_true(number_read(&y, b, strlen(b)));
    return number_compare(&x, &y);
}

/* Numbers that fit are ordered as their digits are; one that does not is cut below itself, by less than a unit. */
static void digits_agree(void **state)
{
    (void)state;
    unsigned fit = 0, too_long = 0;
    for (int i = 0; i < 20000; i++) {
        char texts[2][128];
        struct decimal cut[2], unit = {.coefficient = 1}, above;
        enum decimal_status status[2];
        for (int j = 0; j < 2; j++) {
            random_text(texts[j], 30);
            status[j] = decimal_parse(&cut[j], texts[j], strlen(texts[j]));
        }
        /* An order that begins with the same digits. */
        if (i % 2 == 0) {
            size_t same = random_number() % (strlen(texts[0]) + 1);
            texts[0][same] = '\0';
            strcpy(texts[1], texts[0]);
            strcat(texts[0], "1");
            strcat(texts[1], "01");
            status[0] = decimal_parse(&cut[0], texts[0], strlen(texts[0]));
            status[1] = decimal_parse(&cut[1], texts[1], strlen(texts[1]));
        }
        if (status[0] == DECIMAL_OK && status[1] == DECIMAL_OK) {
            fit++;
            assert_int_equal(decimal_compare(&cut[0], &cut[1]), compare_texts(texts[0], texts[1]));
        }
        if (status[0] != DECIMAL_TOO_LONG || cut[0].scale == 0)
            continue;
        too_long++;
        unit.scale = cut[0].scale;
        (void)decimal_add(&above, &cut[0], &unit);
        assert_true(compare_texts(shown(&cut[0]), texts[0]) < 0);
        assert_true(compare_texts(shown(&above), texts[0]) > 0);
    }
    assert_true(fit > 1000 && too_long > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_and_print),  cmocka_unit_test(compare),
        cmocka_unit_test(add_and_subtract), cmocka_unit_test(shift),
        cmocka_unit_test(round_half_even),  cmocka_unit_test(signs),
        cmocka_unit_test(very_long),        cmocka_unit_test(sums_undo_differences),
        cmocka_unit_test(floors),           cmocka_unit_test(whole_numbers),
        cmocka_unit_test(digits_agree),
    };
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
