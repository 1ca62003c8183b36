/*
 * The pure rules of a picture: times, positions, names, escaping.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "picture/picture.h"
#include "picture/svg.h"

/* Last: its fail() is a macro. */
#include <cmocka.h>

static void check_text(struct text *text, const char *expected)
{
    text_add(text, "", 1);
    assert_false(text->failed);
    assert_string_equal(text->data, expected);
    text_free(text);
}

static void names_are_shortened(void **state)
{
    static const char *const rows[][2] = {
        {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)", "rotary_embedding_kernel"},
        {"void ns::(anonymous namespace)::kern<a<b>, (int)3>(char const*)", "kern"},
        {"nvjet_tst_64x8_64x16", "nvjet_tst_64x8_64x16"},
        {"foo<bar", "foo"},
        {"a > b", "a > b"},
        {"<lambda>", "<lambda>"},
        {"(x)", "(x)"},
        {"", ""},
        {"avoid me(int)", "avoid me"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[64];
        size_t len = picture_short_name(out, sizeof out, rows[i][0], strlen(rows[i][0]));
        assert_int_equal(len, strlen(rows[i][1]));
        assert_memory_equal(out, rows[i][1], len);
    }
    char small[4];
    assert_int_equal(picture_short_name(small, sizeof small, "abcdefgh", 8), 4);
    assert_memory_equal(small, "abcd", 4);
}

static void times_are_exact(void **state)
{
    static const struct {
        const char *text, *printed;
        unsigned digits;
    } rows[] = {
        {"4203669603771.648", "4203669603771.648", 0},
        {"1.7e15", "1700000000000", 3},
        {"0.0000000019", "0.000000001", 0},
        {"-0.0000000011", "-0.000000002", 0},
        {"1500", "1.5", 3},
        {"2500000", "2.5", 6},
        {"1e300", "10000000000000000000", 0},
        {"-1e300", "-10000000000000000000", 0},
        {"1e-60", "0", 0},
        {"123.45678901234567890123456789012345678901234567890", "123.456789012", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal us;
        struct text text = {0};
        (void)decimal_parse(&us, rows[i].text, strlen(rows[i].text));
        picture_print(&text, picture_time(&us), rows[i].digits);
        check_text(&text, rows[i].printed);
    }
}

static void positions_are_rounded_half_up(void **state)
{
    const struct picture picture = {.start = 1000, .length = 2000, .width = 10};
    (void)state;
    assert_int_equal(picture_x(&picture, 0), 0);
    assert_int_equal(picture_x(&picture, 1000), 0);
    assert_int_equal(picture_x(&picture, 1001), 1); /* 0.5 */
    assert_int_equal(picture_x(&picture, 1002), 1);
    assert_int_equal(picture_x(&picture, 2000), 500);
    assert_int_equal(picture_x(&picture, 2999), 1000);
    assert_int_equal(picture_x(&picture, 9999), 1000);
}

static void text_is_escaped(void **state)
{
    static const char *const rows[][2] = {
        {"a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;"},
        {"]]>", "]]&gt;"},
        {"\x01\x1f\x7f", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"tab\tline\n", "tab line "},
        {"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xef\xbf\xbe", "\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0};
        svg_text(&text, rows[i][0], strlen(rows[i][0]));
        check_text(&text, rows[i][1]);
    }
}

static void pixels_and_columns(void **state)
{
    struct text text = {0};
    (void)state;
    svg_px(&text, 1250);
    text_puts(&text, " ");
    svg_px(&text, 5);
    text_puts(&text, " ");
    svg_px(&text, -300);
    check_text(&text, "12.5 0.05 -3");
    assert_int_equal(svg_columns("a\xc3\xa9z", 4), 4);
    assert_int_equal(svg_fit("a\xc3\xa9z", 4, 2), 1);
    assert_int_equal(svg_fit("a\xc3\xa9z", 4, 3), 3);
    assert_int_equal(svg_fit_words("one two three", 13, 9), 7);
    assert_int_equal(svg_fit_words("one two", 7, 9), 7);
    assert_int_equal(svg_fit_words("onetwothree", 11, 5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_shortened),
        cmocka_unit_test(times_are_exact),
        cmocka_unit_test(positions_are_rounded_half_up),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(pixels_and_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
