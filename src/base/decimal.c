#include "base/decimal.h"

#include <string.h>

/* 10^38 is the largest power of ten in 127 bits. */
#define MAX_DIGITS   38
#define MAX_SCALE    200
#define MIN_EXPONENT (-4096)
#define MAX_EXPONENT 308                    /* a double's ... */
#define MAX_LEADING  "17976931348623158079" /* ... and with which digits a number of that size is none any more */

static __int128 power_of_ten(unsigned n)
{
    __int128 power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

/* ---- parsing ---------------------------------------------------------------------------------------------- */

/* A number taken apart: sign, digits on both sides of the point, exponent. */
struct parts {
    bool negative;
    const char *whole, *fraction;
    size_t whole_len, fraction_len;
    long exponent; /* clamped to ±100000 */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take_apart(struct parts *parts, const char *text, size_t len)
{
    const char *at = text, *end = text + len;
    *parts = (struct parts){0};
    if (at < end && (*at == '-' || *at == '+'))
        parts->negative = *at++ == '-';
    parts->whole = at;
    while (at < end && is_digit(*at))
        at++;
    parts->whole_len = (size_t)(at - parts->whole);
    if (at < end && *at == '.') {
        parts->fraction = ++at;
        while (at < end && is_digit(*at))
            at++;
        parts->fraction_len = (size_t)(at - parts->fraction);
    }
    if (parts->whole_len + parts->fraction_len == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool down = false;
        if (++at < end && (*at == '-' || *at == '+'))
            down = *at++ == '-';
        if (at == end)
            return false;
        while (at < end && is_digit(*at)) {
            if (parts->exponent < 100000)
                parts->exponent = parts->exponent * 10 + (*at - '0');
            at++;
        }
        if (down)
            parts->exponent = -parts->exponent;
    }
    return at == end;
}

static char part_digit(const struct parts *parts, size_t at)
{
    return at < parts->whole_len ? parts->whole[at] : parts->fraction[at - parts->whole_len];
}

/* The number in plain digits, with its exponent resolved, in the arena. */
static enum decimal_status as_text(struct decimal *out, const struct parts *parts, struct arena *arena)
{
    size_t digits = parts->whole_len + parts->fraction_len;
    long point = (long)parts->whole_len + parts->exponent; /* where the point stands among the digits */
    size_t before = point > 0 ? (size_t)point : 0;
    size_t pad_before = before > digits ? before - digits : 0;
    size_t pad_after = point < 0 ? (size_t)-point : 0;
    char *text = arena_take(arena, digits + pad_before + pad_after + 4);
    if (text == NULL)
        return DECIMAL_NO_MEMORY;
    size_t at = 0, done = 0;
    if (parts->negative)
        text[at++] = '-';
    size_t start = at;
    for (; done < before && done < digits; done++)
        text[at++] = part_digit(parts, done);
    memset(text + at, '0', pad_before);
    at += pad_before;
    size_t zeros = 0; /* leading ones are not wanted */
    while (start + zeros < at && text[start + zeros] == '0')
        zeros++;
    memmove(text + start, text + start + zeros, at - start - zeros);
    at -= zeros;
    if (at == start)
        text[at++] = '0';
    if (done < digits || pad_after > 0) {
        text[at++] = '.';
        memset(text + at, '0', pad_after);
        at += pad_after;
        for (; done < digits; done++)
            text[at++] = part_digit(parts, done);
    }
    *out = (struct decimal){.scale = DECIMAL_TEXT};
    out->text = text;
    out->len = at;
    return DECIMAL_OK;
}

/* Up to 18 digits and a point: what nearly every time is. */
static bool parse_short(struct decimal *out, const char *text, size_t len)
{
    uint64_t number = 0;
    size_t point = len;
    if (len == 0 || len > 19)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (is_digit(text[i]))
            number = number * 10 + (uint64_t)(text[i] - '0');
        else if (text[i] == '.' && point == len && i > 0 && i + 1 < len)
            point = i;
        else
            return false;
    }
    if (point == len && len > 18)
        return false;
    out->coefficient = number;
    out->scale = (uint8_t)(point == len ? 0 : len - point - 1);
    return true;
}

/* Of a number with as many digits as the largest double: whether it is larger. */
static bool is_infinite(const struct parts *parts, size_t leading, size_t digits)
{
    for (size_t i = 0; i < sizeof MAX_LEADING - 1; i++) {
        char digit = leading + i < digits ? part_digit(parts, leading + i) : '0';
        if (digit != MAX_LEADING[i])
            return digit > MAX_LEADING[i];
    }
    return true;
}

enum decimal_status decimal_parse(struct decimal *out, const char *text, size_t len, struct arena *arena)
{
    struct parts parts;
    *out = (struct decimal){.scale = 0};
    if (parse_short(out, text, len))
        return DECIMAL_OK;
    if (!take_apart(&parts, text, len))
        return DECIMAL_NOT_A_NUMBER;
    size_t leading = 0, digits = parts.whole_len + parts.fraction_len;
    while (leading < digits &&
           (leading < parts.whole_len ? parts.whole[leading] : parts.fraction[leading - parts.whole_len]) == '0')
        leading++;
    if (leading == digits)
        parts.exponent = 0; /* zero is zero */
    else if (parts.exponent < MIN_EXPONENT || (long)parts.whole_len - (long)leading + parts.exponent > MAX_EXPONENT + 1)
        return DECIMAL_OUT_OF_RANGE;
    else if ((long)parts.whole_len - (long)leading + parts.exponent == MAX_EXPONENT + 1 &&
             is_infinite(&parts, leading, digits))
        return DECIMAL_OUT_OF_RANGE;
    long scale = (long)parts.fraction_len - parts.exponent;
    size_t zeros = scale < 0 ? (size_t)-scale : 0;
    if (digits - leading + zeros > MAX_DIGITS || scale > MAX_SCALE)
        return as_text(out, &parts, arena);
    __int128 number = 0;
    for (size_t i = leading; i < digits; i++)
        number = number * 10 + (part_digit(&parts, i) - '0');
    number *= power_of_ten((unsigned)zeros);
    out->coefficient = parts.negative ? -number : number;
    out->scale = (uint8_t)(scale < 0 ? 0 : scale);
    return DECIMAL_OK;
}

struct decimal decimal_from_int(int64_t number)
{
    return (struct decimal){.coefficient = number, .scale = 0};
}

/* ---- long numbers: digit by digit, so that the work grows as their length does ----------------------------- */

#define SHORT_SIZE (MAX_DIGITS + MAX_SCALE + 8)

/* A number's digits without the zeros that lead. */
struct digits {
    bool negative;
    const char *whole, *fraction;
    size_t whole_len, fraction_len;
    char printed[SHORT_SIZE]; /* of a number that is not kept as text */
};

static void digits_of(struct digits *digits, const struct decimal *number)
{
    const char *text = number->text;
    size_t len;
    if (number->scale == DECIMAL_TEXT) {
        len = number->len;
    } else {
        text = digits->printed;
        len = decimal_print(number, digits->printed, sizeof digits->printed);
    }
    const char *end = text + len;
    digits->negative = *text == '-';
    digits->whole = text + digits->negative;
    const char *point = memchr(text, '.', len);
    digits->fraction = point != NULL ? point + 1 : end;
    digits->fraction_len = (size_t)(end - digits->fraction);
    const char *whole_end = point != NULL ? point : end;
    while (digits->whole < whole_end && *digits->whole == '0')
        digits->whole++;
    digits->whole_len = (size_t)(whole_end - digits->whole);
}

/* The digit that counts 10^place. */
static int digit_at(const struct digits *digits, long place)
{
    if (place >= 0)
        return (size_t)place < digits->whole_len ? digits->whole[digits->whole_len - 1 - (size_t)place] - '0' : 0;
    size_t behind = (size_t)(-place - 1);
    return behind < digits->fraction_len ? digits->fraction[behind] - '0' : 0;
}

static bool all_zero(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != '0')
            return false;
    return true;
}

/* Compares without signs. */
static int compare_magnitudes(const struct digits *a, const struct digits *b)
{
    if (a->whole_len != b->whole_len)
        return a->whole_len < b->whole_len ? -1 : 1;
    int order = memcmp(a->whole, b->whole, a->whole_len);
    size_t both = a->fraction_len < b->fraction_len ? a->fraction_len : b->fraction_len;
    if (order == 0)
        order = memcmp(a->fraction, b->fraction, both);
    if (order == 0 && !all_zero(a->fraction + both, a->fraction_len - both))
        order = 1;
    if (order == 0 && !all_zero(b->fraction + both, b->fraction_len - both))
        order = -1;
    return order;
}

/* The number that plain digits say: as a coefficient when it fits. */
static enum decimal_status settle(struct decimal *out, const char *text, size_t len, struct arena *arena)
{
    struct parts parts;
    take_apart(&parts, text, len);
    size_t zeros = 0;
    while (zeros < parts.whole_len && parts.whole[zeros] == '0')
        zeros++;
    /* decimal_parse() would refuse a sum of finite numbers that is beyond a double. */
    return parts.whole_len - zeros > MAX_DIGITS ? as_text(out, &parts, arena) : decimal_parse(out, text, len, arena);
}

/* a + b, or a - b for a >= b >= 0, without signs; then the sign. */
static enum decimal_status combine_digits(struct decimal *out, const struct digits *a, const struct digits *b,
                                          bool subtract, bool negative, struct arena *arena)
{
    size_t whole = (a->whole_len > b->whole_len ? a->whole_len : b->whole_len) + 1;
    size_t fraction = a->fraction_len > b->fraction_len ? a->fraction_len : b->fraction_len;
    size_t size = whole + fraction + 2;
    char *text = arena_take(arena, size);
    if (text == NULL)
        return DECIMAL_NO_MEMORY;
    size_t at = size;
    int carry = 0;
    for (long place = -(long)fraction; place < (long)whole; place++) {
        int digit = digit_at(a, place) + (subtract ? -digit_at(b, place) : digit_at(b, place)) + carry;
        carry = digit < 0 ? -1 : digit > 9;
        if (place == 0 && fraction > 0)
            text[--at] = '.';
        text[--at] = (char)('0' + digit - 10 * carry);
    }
    if (negative)
        text[--at] = '-';
    return settle(out, text + at, size - at, arena);
}

/* ---- arithmetic -------------------------------------------------------------------------------------------- */

/* Both coefficients with one scale, when that fits. */
static bool align(const struct decimal *a, const struct decimal *b, __int128 *x, __int128 *y, uint8_t *scale)
{
    if (a->scale == DECIMAL_TEXT || b->scale == DECIMAL_TEXT)
        return false;
    *x = a->coefficient;
    *y = b->coefficient;
    *scale = a->scale > b->scale ? a->scale : b->scale;
    unsigned up_a = (unsigned)(*scale - a->scale), up_b = (unsigned)(*scale - b->scale);
    if (up_a > MAX_DIGITS || up_b > MAX_DIGITS)
        return false;
    return !__builtin_mul_overflow(*x, power_of_ten(up_a), x) && !__builtin_mul_overflow(*y, power_of_ten(up_b), y);
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
    __int128 x, y;
    uint8_t scale;
    if (align(a, b, &x, &y, &scale))
        return (x > y) - (x < y);
    struct digits p, q;
    digits_of(&p, a);
    digits_of(&q, b);
    int order = compare_magnitudes(&p, &q);
    bool negative = decimal_is_negative(a);
    if (negative != decimal_is_negative(b))
        return negative ? -1 : 1;
    return negative ? -order : order;
}

bool decimal_is_negative(const struct decimal *number)
{
    if (number->scale != DECIMAL_TEXT)
        return number->coefficient < 0;
    if (number->text[0] != '-')
        return false;
    for (size_t i = 1; i < number->len; i++)
        if (number->text[i] != '0' && number->text[i] != '.')
            return true;
    return false;
}

static enum decimal_status combine(struct decimal *out, const struct decimal *a, const struct decimal *b, bool subtract,
                                   struct arena *arena)
{
    __int128 x, y, sum;
    uint8_t scale;
    if (align(a, b, &x, &y, &scale) &&
        !(subtract ? __builtin_sub_overflow(x, y, &sum) : __builtin_add_overflow(x, y, &sum)) &&
        sum < power_of_ten(MAX_DIGITS) && sum > -power_of_ten(MAX_DIGITS)) {
        out->coefficient = sum;
        out->scale = scale;
        return DECIMAL_OK;
    }
    struct digits p, q;
    digits_of(&p, a);
    digits_of(&q, b);
    bool other = q.negative != subtract; /* the sign of what is added */
    if (p.negative == other)
        return combine_digits(out, &p, &q, false, p.negative, arena);
    int order = compare_magnitudes(&p, &q);
    return order >= 0 ? combine_digits(out, &p, &q, true, p.negative && order != 0, arena)
                      : combine_digits(out, &q, &p, true, other, arena);
}

enum decimal_status decimal_add(struct decimal *out, const struct decimal *a, const struct decimal *b,
                                struct arena *arena)
{
    return combine(out, a, b, false, arena);
}

enum decimal_status decimal_subtract(struct decimal *out, const struct decimal *a, const struct decimal *b,
                                     struct arena *arena)
{
    return combine(out, a, b, true, arena);
}

enum decimal_status decimal_shift(struct decimal *out, const struct decimal *number, unsigned down, struct arena *arena)
{
    if (number->scale != DECIMAL_TEXT && number->scale + down <= MAX_SCALE) {
        __int128 coefficient = number->coefficient;
        unsigned scale = number->scale + down;
        while (scale > 0 && coefficient % 10 == 0) {
            coefficient /= 10;
            scale--;
        }
        out->coefficient = coefficient;
        out->scale = (uint8_t)scale;
        return DECIMAL_OK;
    }
    struct digits digits;
    digits_of(&digits, number);
    struct parts parts = {.negative = digits.negative,
                          .whole = digits.whole,
                          .whole_len = digits.whole_len,
                          .fraction = digits.fraction,
                          .fraction_len = digits.fraction_len,
                          .exponent = -(long)down};
    struct decimal text;
    enum decimal_status status = as_text(&text, &parts, arena);
    if (status != DECIMAL_OK)
        return status;
    if (memchr(text.text, '.', text.len) != NULL) {
        while (text.text[text.len - 1] == '0')
            text.len--;
        if (text.text[text.len - 1] == '.')
            text.len--;
    }
    return settle(out, text.text, text.len, arena);
}

bool decimal_round(const struct decimal *number, int64_t *out)
{
    if (number->scale == DECIMAL_TEXT) {
        /* Whole digits decide the size; of the fraction only "below, at, above one half" matters. */
        const char *text = number->text, *end = text + number->len;
        bool negative = *text == '-';
        const char *point = memchr(text, '.', number->len);
        const char *whole_end = point != NULL ? point : end;
        struct decimal whole = {.scale = 0};
        const char *start = text + negative;
        if (whole_end - start > 19)
            return false;
        for (const char *c = start; c < whole_end; c++)
            whole.coefficient = whole.coefficient * 10 + (*c - '0');
        whole.coefficient *= 10;
        if (point != NULL && point + 1 < end) {
            int first = point[1] - '0';
            bool rest = false;
            for (const char *c = point + 2; c < end && !rest; c++)
                rest = *c != '0';
            /* One digit that rounds as the whole fraction does. */
            whole.coefficient += first == 5 ? (rest ? 6 : 5) : first;
        }
        whole.scale = 1;
        if (negative)
            whole.coefficient = -whole.coefficient;
        return decimal_round(&whole, out);
    }
    __int128 quotient = 0, remainder = number->coefficient;
    __int128 unit = 1;
    if (number->scale <= MAX_DIGITS) {
        unit = power_of_ten(number->scale);
        quotient = number->coefficient / unit;
        remainder = number->coefficient % unit;
        __int128 magnitude = remainder < 0 ? -remainder : remainder;
        __int128 left = unit - magnitude; /* compares with the magnitude as twice the magnitude with the unit */
        if (magnitude > left || (magnitude == left && quotient % 2 != 0))
            quotient += number->coefficient < 0 ? -1 : 1;
    }
    if (quotient > INT64_MAX || quotient < INT64_MIN)
        return false;
    *out = (int64_t)quotient;
    return true;
}

/* ---- printing ---------------------------------------------------------------------------------------------- */

size_t decimal_print_size(const struct decimal *number)
{
    return number->scale == DECIMAL_TEXT ? (size_t)number->len : MAX_DIGITS + MAX_SCALE + 8;
}

size_t decimal_print(const struct decimal *number, char *out, size_t size)
{
    if (size < decimal_print_size(number))
        return 0;
    if (number->scale == DECIMAL_TEXT) {
        memcpy(out, number->text, number->len);
        return number->len;
    }
    char digits[MAX_DIGITS + MAX_SCALE + 4];
    size_t at = sizeof digits, count = 0;
    unsigned __int128 rest =
        number->coefficient < 0 ? 0 - (unsigned __int128)number->coefficient : (unsigned __int128)number->coefficient;
    /* Dividing 128 bits is slow: cut off what 64 bits can hold. */
    while (rest != 0 || count <= number->scale) {
        uint64_t low = (uint64_t)(rest % 1000000000000000000u);
        rest /= 1000000000000000000u;
        for (int i = 0; i < 18 && (rest != 0 || low != 0 || count <= number->scale); i++) {
            if (count == number->scale && count > 0)
                digits[--at] = '.';
            digits[--at] = (char)('0' + low % 10);
            low /= 10;
            count++;
        }
    }
    if (number->coefficient < 0)
        digits[--at] = '-';
    memcpy(out, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

struct decimal_packed decimal_pack(const struct decimal *number)
{
    struct decimal_packed packed;
    if (number->scale == DECIMAL_TEXT) {
        packed.words[0] = (uint64_t)(uintptr_t)number->text;
        packed.words[1] = number->len;
    } else {
        packed.words[0] = (uint64_t)number->coefficient;
        packed.words[1] = (uint64_t)(number->coefficient >> 64);
    }
    return packed;
}

struct decimal decimal_unpack(struct decimal_packed packed, uint8_t scale)
{
    struct decimal number = {.scale = scale};
    if (scale == DECIMAL_TEXT) {
        number.text = (const char *)(uintptr_t)packed.words[0];
        number.len = packed.words[1];
    } else {
        number.coefficient = (__int128)(((unsigned __int128)packed.words[1] << 64) | packed.words[0]);
    }
    return number;
}
