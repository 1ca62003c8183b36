/*
 * scan_yajl_error.c - yajl's errors in our words, at the offending byte
 */
#include "json/scan_yajl.h"

#include <string.h>

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

uint64_t strict_string_start(const struct strict *y)
{
    if (y->partial == PARTIAL_STRING)
        return y->partial_start;
    const unsigned char *p = y->piece;
    size_t i = strict_consumed(y) - 1;
    while (i > 0) {
        i--;
        if (p[i] == '"') {
            size_t slashes = 0;
            while (slashes < i && p[i - slashes - 1] == '\\')
                slashes++;
            if (slashes % 2 == 0)
                break;
        }
    }
    return y->piece_offset + i;
}

/* Where yajl stands when it reports an error. */
enum standing {
    AT_BYTE,     /* at the offending byte */
    BEHIND_BYTE, /* behind it */
    BEHIND_TOKEN,
    ASTRAY /* in or near the token, which directly follows a value */
};

struct words {
    const char *yajl;
    const char *ours;
    enum standing standing;
    bool only_strict; /* as in struct scan_problem */
};

static const struct words error_words[] = {
    {"may not.", "unknown escape in a string", AT_BYTE, true},
    {"invalid character inside string", "control character in a string", AT_BYTE, true},
    {"non-hex", "'\\u' without four hexadecimal digits", AT_BYTE, true},
    {"invalid char in json", "no JSON value starts like this", BEHIND_BYTE, false},
    {"invalid string in json", "expected true, false or null", AT_BYTE, false},
    {"malformed number", "expected a digit", AT_BYTE, false},
    {"comment", "comments are not JSON", AT_BYTE, false},
    {"colon", "expected ':'", BEHIND_TOKEN, false},
    {"object key", "expected a string as key", BEHIND_TOKEN, false},
    {"inside map", "expected ',' or '}'", ASTRAY, false},
    {"array element", "expected ',' or ']'", ASTRAY, false},
    {"unallowed token", "expected a value", BEHIND_TOKEN, false},
};

/* The first byte of the token that yajl does not want. */
static uint64_t bad_token(const struct strict *y, enum standing standing)
{
    size_t i = strict_consumed(y);
    if (y->partial != PARTIAL_NONE)
        return y->partial_start;
    if (standing == ASTRAY) {
        i = y->seen ? y->last : 0;
        while (scan_is_space(y->piece[i]))
            i++;
        return y->piece_offset + i;
    }
    unsigned char c = y->piece[i - 1];
    if (c == '"')
        return strict_string_start(y);
    if (is_digit(c)) {
        while (i > 0 && (is_digit(y->piece[i - 1]) || memchr("+-.eE", y->piece[i - 1], 5) != NULL))
            i--;
        return y->piece_offset + i;
    }
    if (c < 'a' || c > 'z')
        return y->piece_offset + i - 1;
    /* Of the literals only false ends in "se". */
    return y->piece_offset + i - (i >= 5 && y->piece[i - 2] == 's' ? 5 : 4);
}

enum scan_status strict_syntax_error(struct strict *y)
{
    const struct words *words = NULL;
    unsigned char *message = yajl_get_error(y->yajl, 0, NULL, 0);
    for (size_t i = 0; message != NULL && words == NULL && i < sizeof error_words / sizeof *error_words; i++)
        words = strstr((char *)message, error_words[i].yajl) != NULL ? &error_words[i] : NULL;
    yajl_free_error(y->yajl, message);
    uint64_t offset = strict_end(y);
    if (words != NULL && words->standing == BEHIND_BYTE)
        offset--;
    else if (words != NULL && words->standing != AT_BYTE)
        offset = bad_token(y, words->standing);
    y->scan.problem.only_strict = words != NULL && words->only_strict;
    return scan_refuse(&y->scan, SCAN_SYNTAX, offset, words != NULL ? words->ours : "not JSON");
}
