/*
 * test_json_text.c - decoding of strings, and what is UTF-8
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "json/json_text.h"
#include "json/simd/json_index.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *written;
    const char *decoded;
} strings[] = {
    {"", ""},
    {"plain", "plain"},
    {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
    {"\\u0041\\u00e9\\u20AC\\uffff", "A\xc3\xa9\xe2\x82\xac\xef\xbf\xbf"},
    /* Surrogates: a pair, and each alone. */
    {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
    {"\\udbff\\udfff", "\xf4\x8f\xbf\xbf"},
    {"\\ud83dx", "\xef\xbf\xbdx"},
    {"\\ud83d", "\xef\xbf\xbd"},
    {"\\ude00\\ud83d", "\xef\xbf\xbd\xef\xbf\xbd"},
    {"\\ud83d\\u0041", "\xef\xbf\xbd"
                       "A"},
    {"\\ud83d\\n", "\xef\xbf\xbd\n"},
    {"\\ud83d\\ud83d\\ude00", "\xef\xbf\xbd\xf0\x9f\x98\x80"},
    /* Unknown escapes stand for themselves. */
    {"C:\\Users\\q", "C:\\Users\\q"},
    {"\\u12", "\\u12"},
    {"\\u12\\n", "\\u12\n"},
    {"\\u12g4", "\\u12g4"},
    {"\\U0001F600", "\\U0001F600"},
    {"x\\", "x\\"},
    /* Other bytes are kept. */
    {"a\nb\xff", "a\nb\xff"},
};

static void test_unescape(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        char out[64];
        size_t len = json_unescape(out, strings[i].written, strlen(strings[i].written));
        assert_int_equal(len, strlen(strings[i].decoded));
        assert_memory_equal(out, strings[i].decoded, len);
        /* In place. */
        strcpy(out, strings[i].written);
        len = json_unescape(out, out, strlen(out));
        assert_int_equal(len, strlen(strings[i].decoded));
        assert_memory_equal(out, strings[i].decoded, len);
    }
}

static void test_unescape_nul(void **state)
{
    (void)state;
    char out[8];
    assert_int_equal(json_unescape(out, "a\\u0000b", 8), 3);
    assert_memory_equal(out, "a\0b", 3);
}

/* RFC 3629, by the definition: decode, then see whether the shortest form of the character is these bytes. */
static bool valid_by_definition(const unsigned char *p, size_t len)
{
    while (len > 0) {
        size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xC0 && p[0] < 0xE0 ? 2 : p[0] >= 0xE0 && p[0] < 0xF0 ? 3 : 4;
        if ((p[0] >= 0x80 && p[0] < 0xC0) || p[0] >= 0xF8 || n > len) {
            return false;
        }
        uint32_t c = n == 1 ? p[0] : p[0] & (0x7Fu >> n);
        for (size_t i = 1; i < n; i++) {
            if ((p[i] & 0xC0) != 0x80) {
                return false;
            }
            c = c << 6 | (p[i] & 0x3F);
        }
        uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
            return false;
        }
        p += n;
        len -= n;
    }
    return true;
}

/* All sequences of one to three bytes, and of four with the values that matter at the end. */
static void test_utf8(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 1u << 24; bits++) {
        const unsigned char bytes[3] = {(unsigned char)(bits >> 16), (unsigned char)(bits >> 8), (unsigned char)bits};
        if (utf8_valid((const char *)bytes, 3) != valid_by_definition(bytes, 3)) {
            fail_msg("%02x %02x %02x", bytes[0], bytes[1], bytes[2]);
        }
    }
    static const unsigned char last[] = {0x00, 0x22, 0x7F, 0x80, 0xBF, 0xC0, 0xFF};
    for (uint32_t bits = 0; bits < 0x100000; bits++) {
        for (size_t i = 0; i < sizeof last; i++) {
            const unsigned char bytes[4] = {(unsigned char)(0xF0 | bits >> 16), (unsigned char)(bits >> 8),
                                            (unsigned char)bits, last[i]};
            bool valid = valid_by_definition(bytes, 4);
            if (utf8_valid((const char *)bytes, 4) != valid ||
                (json_utf8_length(bytes, 4) == 4) != (valid && bytes[1] >= 0x80)) {
                fail_msg("%02x %02x %02x %02x", bytes[0], bytes[1], bytes[2], bytes[3]);
            }
        }
    }
}

static void test_utf8_long(void **state)
{
    (void)state;
    char text[64];
    for (size_t at = 0; at < 40; at++) {
        memset(text, 'a', sizeof text);
        memcpy(text + at, "\xe2\x82\xac", 3);
        assert_true(utf8_valid(text, sizeof text));
        assert_false(utf8_valid(text, at + 2));
        text[at + 2] = 'a';
        assert_false(utf8_valid(text, sizeof text));
    }
    assert_true(utf8_valid("", 0));
}

static void test_scalars(void **state)
{
    (void)state;
    static const char *const good[] = {"0",     "-0",     "1",    "10",    "-12.50", "1e5",
                                       "1E+05", "0.0e-0", "true", "false", "null"};
    static const char *const bad[] = {"",    "-",   "01",    "-01", "1.",   ".5",    "+1",  "1e",  "1e+",
                                      "1.e", "1-2", "1.2.3", "tru", "True", "nulll", "nan", "0x1", "1a"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(json_scalar_valid((const unsigned char *)good[i], strlen(good[i])));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(json_scalar_valid((const unsigned char *)bad[i], strlen(bad[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unescape),  cmocka_unit_test(test_unescape_nul), cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_utf8_long), cmocka_unit_test(test_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
