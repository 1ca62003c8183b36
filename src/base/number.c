#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>

#define PLAIN_DIGITS 38

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* An exponent behind its letter; clamped to ±10^17. */
static bool read_exponent(int64_t *exponent, const char *at, const char *end)
{
    bool down = false;
    if (at < end && (*at == '-' || *at == '+'))
        down = *at++ == '-';
    if (at == end)
        return false;
    for (; at < end && is_digit(*at); at++)
        if (*exponent < INT64_C(10000000000000000))
            *exponent = *exponent * 10 + (*at - '0');
    if (down)
        *exponent = -*exponent;
    return at == end;
}

bool number_read(struct number *out, const char *text, size_t len)
{
    const char *at = text, *end = text + len, *point = NULL, *first = NULL, *last = NULL;
    size_t digits = 0;
    *out = (struct number){0};
    if (at < end && (*at == '-' || *at == '+'))
        out->negative = *at++ == '-';
    for (; at < end && (is_digit(*at) || (*at == '.' && point == NULL)); at++) {
        if (*at == '.') {
            point = at;
            continue;
        }
        digits++;
        if (*at == '0')
            continue;
        if (first == NULL)
            first = at;
        last = at;
    }
    if (digits == 0 || (at < end && ((*at != 'e' && *at != 'E') || !read_exponent(&out->exponent, at + 1, end))))
        return false;
    out->scale = point == NULL ? 0 : at - point - 1;
    if (first == NULL)
        return true;
    if (point == NULL)
        point = at;
    out->digits = first;
    out->len = (size_t)(last - first) + 1;
    out->count = out->len - (first < point && point < last);
    out->place = (first < point ? point - first : point - first + 1) + out->exponent;
    out->scale -= out->exponent;
    return true;
}

/* As fractions that begin with their first digits. */
static int compare_digits(const struct number *a, const struct number *b)
{
    const char *x = a->digits, *y = b->digits;
    size_t both = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < both; i++, x++, y++) {
        x += *x == '.';
        y += *y == '.';
        if (*x != *y)
            return *x < *y ? -1 : 1;
    }
    return (a->count > b->count) - (a->count < b->count);
}

int number_compare(const struct number *a, const struct number *b)
{
    int sign_a = a->count == 0 ? 0 : a->negative ? -1 : 1, sign_b = b->count == 0 ? 0 : b->negative ? -1 : 1;
    if (sign_a != sign_b || sign_a == 0)
        return (sign_a > sign_b) - (sign_a < sign_b);
    return sign_a * (a->place != b->place ? (a->place < b->place ? -1 : 1) : compare_digits(a, b));
}

static bool is_far(const struct number *number)
{
    return number->place >= NUMBER_FAR || number->place <= -NUMBER_FAR;
}

bool number_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    struct number x, y;
    return number_read(&x, a, a_len) && number_read(&y, b, b_len) && !is_far(&x) && number_compare(&x, &y) == 0;
}

/* In plain digits; `places` of them behind the point. */
static size_t write_plain(char *out, const struct number *number, int64_t places)
{
    const char *from = number->digits;
    size_t at = 0;
    int64_t left = (int64_t)number->count;
    for (int64_t place = number->place > 0 ? number->place : 1; place > -places; place--) {
        if (place == 0)
            out[at++] = '.';
        if (place > number->place || left == 0) {
            out[at++] = '0';
            continue;
        }
        from += *from == '.';
        out[at++] = *from++;
        left--;
    }
    return at;
}

/* As a whole number with an exponent. */
static size_t write_long(char *out, const struct number *number)
{
    int64_t exponent = number->place - (int64_t)number->count;
    const char *from = number->digits;
    size_t at = 0;
    for (; at < number->count; at++) {
        from += *from == '.';
        out[at] = *from++;
    }
    if (exponent == 0)
        return at;
    return at + (size_t)sprintf(out + at, "e%" PRId64, exponent);
}

size_t number_canonical(char *out, const char *text, size_t len)
{
    struct number number;
    if (!number_read(&number, text, len) || is_far(&number))
        return 0;
    int64_t places = (int64_t)number.count - number.place, whole = number.place > 0 ? number.place : 0;
    if (places < 0)
        places = 0;
    size_t sign = number.negative && number.count > 0;
    out[0] = '-';
    return sign + (whole + places <= PLAIN_DIGITS ? write_plain(out + sign, &number, places)
                                                  : write_long(out + sign, &number));
}
