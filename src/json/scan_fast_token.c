/*
 * scan_fast_token.c - strings, numbers and words, byte by byte
 *
 * All can stop and go on at any byte.
 */
#include "json/scan_fast.h"

#include <stdlib.h>
#include <string.h>

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define LOW7       EACH(0x7F)
#define HIGH1      EACH(0x80)

void fast_begin_token(struct fast *f, enum token token, const struct block *block, size_t at)
{
    f->token = token;
    f->token_start = block->offset + at;
    f->is_key = false;
    f->capture = CAPTURE_NONE;
    enum scan_field field = fast_field_here(f);
    if (field < FIELDS) {
        /* From here on the buffer of an earlier value under the same key is free for this one. */
        *scan_field_value(&f->current, field) = (struct scan_value){0};
        f->capture = CAPTURE_FIELD;
        f->capture_field = field;
        f->capture_from = at;
        f->texts[field].len = 0;
    } else if (fast_fact_here(f) < FACTS) {
        f->capture = CAPTURE_FACT;
        f->capture_from = at;
        f->key.len = 0;
    }
}

/* The text that is captured grows here. */
static struct text *captured_text(struct fast *f)
{
    return f->capture == CAPTURE_KEY || f->capture == CAPTURE_FACT ? &f->key : &f->texts[f->capture_field];
}

static bool append(struct text *text, const unsigned char *bytes, size_t len)
{
    if (len > text->size - text->len) {
        size_t size = text->size * 2 > text->len + len ? text->size * 2 : text->len + len;
        char *more = realloc(text->bytes, size);
        if (more == NULL)
            return false;
        text->bytes = more;
        text->size = size;
    }
    if (len > 0)
        memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
    return true;
}

const char *fast_captured(struct fast *f, const struct block *block, size_t end, size_t *len)
{
    struct text *text = captured_text(f);
    size_t more = end - f->capture_from;
    if (text->len == 0) {
        *len = more;
        return (const char *)block->data + f->capture_from;
    }
    if (!append(text, block->data + f->capture_from, more)) {
        *len = SIZE_MAX;
        return NULL;
    }
    *len = text->len;
    return text->bytes;
}

static enum scan_status keep_token(struct fast *f, const struct block *block)
{
    if (f->capture == CAPTURE_NONE)
        return SCAN_OK;
    struct text *text = captured_text(f);
    size_t more = block->len - f->capture_from;
    if (f->capture != CAPTURE_FIELD && text->len + more > LONGEST_KEY) {
        f->capture = CAPTURE_NONE;
        return SCAN_OK;
    }
    if (f->capture == CAPTURE_FIELD && text->len + more > scan_field_limit(f->capture_field))
        return fast_refuse(f, f->capture_field == FIELD_NAME ? SCAN_LONG_NAME : SCAN_LONG_FIELD, f->token_start, NULL);
    if (!append(text, block->data + f->capture_from, more))
        return SCAN_NO_MEMORY;
    f->capture_from = 0;
    return SCAN_OK;
}

enum scan_status fast_keep(struct fast *f, const struct block *block)
{
    if (f->token != TOKEN_NONE) {
        enum scan_status status = keep_token(f, block);
        if (status != SCAN_OK)
            return status;
    }
    if (!f->scan.problem.in_event)
        return SCAN_OK;
    for (enum scan_field field = 0; field < FIELDS; field++) {
        struct scan_value *value = scan_field_value(&f->current, field);
        struct text *text = &f->texts[field];
        if (value->len > 0 && value->text != text->bytes) {
            text->len = 0;
            if (!append(text, (const unsigned char *)value->text, value->len))
                return SCAN_NO_MEMORY;
            value->text = text->bytes;
        }
    }
    return SCAN_OK;
}

/* ---- strings ---- */

void fast_begin_string(struct fast *f, const struct block *block, size_t at)
{
    fast_begin_token(f, TOKEN_STRING, block, at);
    f->capture_from = at + 1;
    f->escape = ESCAPE_NONE;
    f->utf8_more = 0;
    f->slash = false;
    f->odd_control = false;
    f->odd_utf8 = false;
    f->odd_escape = false;
}

/* How many bytes from here on are plain: no quote, no backslash, no control byte, ASCII. */
static size_t plain(const unsigned char *p, size_t len)
{
    size_t n = 0;
    while (len - n >= 8) {
        uint64_t x;
        memcpy(&x, p + n, 8);
        uint64_t quote = x ^ EACH('"');
        uint64_t slash = x ^ EACH('\\');
        uint64_t ok = ((quote & LOW7) + LOW7) & ((slash & LOW7) + LOW7) & ((x & LOW7) + EACH(0x60)) & ~x;
        if ((ok & HIGH1) != HIGH1)
            return n + (size_t)__builtin_ctzll(~ok & HIGH1) / 8;
        n += 8;
    }
    while (n < len && p[n] >= 0x20 && p[n] < 0x80 && p[n] != '"' && p[n] != '\\')
        n++;
    return n;
}

static bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Follows UTF-8 until the first mistake in a string: more are not counted. */
static void utf8_byte(struct fast *f, unsigned char c)
{
    if (f->utf8_more > 0) {
        f->odd_utf8 = c < f->utf8_low || c > f->utf8_high;
        f->utf8_more--;
        f->utf8_low = 0x80;
        f->utf8_high = 0xBF;
    } else if (c >= 0x80) {
        f->odd_utf8 = c < 0xC2 || c > 0xF4;
        f->utf8_more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
        f->utf8_low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
        f->utf8_high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    }
    if (f->odd_utf8)
        f->utf8_more = 0;
}

/* True when the byte was an escape's. Otherwise it is an ordinary one, which may also end an escape that is none. */
static bool escape_byte(struct fast *f, unsigned char c)
{
    if (f->escape == ESCAPE_SLASH) {
        f->escape = c == 'u' ? ESCAPE_HEX4 : ESCAPE_NONE;
        if (c != '\0' && strchr("\"\\/bfnrtu", c) != NULL)
            return true;
    } else if (is_hex(c)) {
        f->escape--;
        return true;
    }
    f->escape = ESCAPE_NONE;
    f->odd_escape = true;
    return false;
}

bool fast_string(struct fast *f, const struct block *block, size_t *at)
{
    const unsigned char *data = block->data;
    size_t i = *at;
    while (i < block->len) {
        if (f->escape == ESCAPE_NONE && f->utf8_more == 0) {
            i += plain(data + i, block->len - i);
            if (i == block->len)
                break;
        }
        unsigned char c = data[i++];
        if (f->escape != ESCAPE_NONE && escape_byte(f, c))
            continue;
        if (!f->odd_utf8 && (f->utf8_more > 0 || c >= 0x80))
            utf8_byte(f, c);
        if (c == '"') {
            *at = i;
            return true;
        }
        if (c == '\\') {
            f->escape = ESCAPE_SLASH;
            f->slash = true;
        } else if (c < 0x20) {
            f->odd_control = true;
        }
    }
    *at = i;
    return false;
}

/* ---- numbers ---- */

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

bool fast_begin_number(struct fast *f, const struct block *block, size_t at)
{
    unsigned char c = block->data[at];
    if (c != '-' && !is_digit(c))
        return false;
    fast_begin_token(f, TOKEN_NUMBER, block, at);
    f->number = c == '-' ? NUMBER_MINUS : c == '0' ? NUMBER_ZERO : NUMBER_WHOLE;
    return true;
}

/* The state behind the byte, or -1 when the number cannot go on with it. */
static int number_next(enum number number, unsigned char c)
{
    bool digit = is_digit(c);
    switch (number) {
    case NUMBER_MINUS:
        return digit ? (c == '0' ? NUMBER_ZERO : NUMBER_WHOLE) : -1;
    case NUMBER_WHOLE:
        if (digit)
            return NUMBER_WHOLE;
        /* fall through */
    case NUMBER_ZERO:
        return c == '.' ? NUMBER_DOT : c == 'e' || c == 'E' ? NUMBER_E : -1;
    case NUMBER_FRACTION:
        return digit ? NUMBER_FRACTION : c == 'e' || c == 'E' ? NUMBER_E : -1;
    case NUMBER_DOT:
        return digit ? NUMBER_FRACTION : -1;
    case NUMBER_E:
        if (c == '+' || c == '-')
            return NUMBER_SIGN;
        /* fall through */
    case NUMBER_SIGN:
    case NUMBER_EXPONENT:
        return digit ? NUMBER_EXPONENT : -1;
    }
    return -1;
}

static bool number_complete(enum number number)
{
    return number == NUMBER_ZERO || number == NUMBER_WHOLE || number == NUMBER_FRACTION || number == NUMBER_EXPONENT;
}

/* ---- words: literals, and what tools write for numbers that are none ---- */

static const struct {
    const char *text; /* in small letters when any case will do */
    enum scan_kind kind;
} words[] = {
    {"true", SCAN_TRUE},     {"false", SCAN_FALSE},   {"null", SCAN_NULL},          {"N/A", SCAN_NONFINITE},
    {"nan", SCAN_NONFINITE}, {"inf", SCAN_NONFINITE}, {"infinity", SCAN_NONFINITE},
};
#define WORDS          (sizeof words / sizeof *words)
#define FIRST_ANY_CASE 4

static bool same_letters(size_t word, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (word >= FIRST_ANY_CASE && c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != words[word].text[i])
            return false;
    }
    return true;
}

/* The word that f->word is, or with !complete may become; WORDS for none. */
static size_t find_word(const struct fast *f, bool complete)
{
    for (size_t i = f->word_sign != 0 ? FIRST_ANY_CASE : 0; i < WORDS; i++) {
        size_t len = strlen(words[i].text);
        if ((complete ? len == f->word_len : len >= f->word_len) && same_letters(i, f->word, f->word_len))
            return i;
    }
    return WORDS;
}

enum scan_kind fast_word_kind(const struct fast *f)
{
    return words[find_word(f, true)].kind;
}

bool fast_word_complete(const struct fast *f)
{
    return find_word(f, true) != WORDS;
}

static bool word_takes(struct fast *f, unsigned char c)
{
    if (f->word_len == sizeof f->word)
        return false;
    f->word[f->word_len++] = (char)c;
    if (find_word(f, false) == WORDS) {
        f->word_len--;
        return false;
    }
    return true;
}

bool fast_begin_word(struct fast *f, const struct block *block, size_t at)
{
    unsigned char c = block->data[at];
    f->word_sign = c == '+' ? '+' : 0;
    f->word_len = 0;
    if (c != '+' && !word_takes(f, c))
        return false;
    fast_begin_token(f, TOKEN_WORD, block, at);
    return true;
}

bool fast_word(struct fast *f, const struct block *block, size_t *at, enum scan_status *status)
{
    for (; *at < block->len; ++*at) {
        if (word_takes(f, block->data[*at]))
            continue;
        if (fast_word_complete(f))
            return true;
        bool plus = f->word_sign == '+' && f->word_len == 0;
        *status = fast_refuse(f, SCAN_SYNTAX, plus ? f->token_start : block->offset + *at,
                              plus ? "no JSON value starts like this" : "expected true, false or null");
        return false;
    }
    return false;
}

bool fast_number(struct fast *f, const struct block *block, size_t *at, enum scan_status *status)
{
    const unsigned char *data = block->data;
    size_t i = *at;
    for (; i < block->len; i++) {
        int next = number_next(f->number, data[i]);
        if (next < 0)
            break;
        f->number = (enum number)next;
    }
    *at = i;
    if (i == block->len)
        return false;
    if (number_complete(f->number))
        return true;
    if (f->number == NUMBER_MINUS) {
        f->word_sign = '-';
        f->word_len = 0;
        if (word_takes(f, data[i])) {
            f->token = TOKEN_WORD;
            ++*at;
            return false;
        }
    }
    *status = fast_refuse(f, SCAN_SYNTAX, block->offset + i, "expected a digit");
    return false;
}
