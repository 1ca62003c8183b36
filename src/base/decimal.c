#include "base/decimal.h"

#include <string.h>

#include "base/number.h"

/* 10^DECIMAL_DIGITS, which 127 bits hold. */
#define LIMIT        ((__int128)UINT64_C(10000000000000000000) * UINT64_C(10000000000000000000))
#define MIN_EXPONENT (-4096)
/* The place of a double's first digit, at most, and the least number there that is none any more. */
#define MAX_PLACE 309
#define INFINITE  "17976931348623158079e289"

static __int128 power_of_ten(unsigned n)
{
    __int128 power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* Up to 19 digits and a point: what nearly every time is. */
static bool parse_short(struct decimal *out, const char *text, size_t len)
{
    uint64_t number = 0;
    size_t point = len;
    if (len == 0 || len > 20)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            number = number * 10 + (uint64_t)(text[i] - '0');
        else if (text[i] == '.' && point == len && i > 0 && i + 1 < len)
            point = i;
        else
            return false;
    }
    if (point == len && len > 19)
        return false;
    *out = (struct decimal){.coefficient = number, .scale = (uint8_t)(point == len ? 0 : len - point - 1)};
    return true;
}

static bool is_out_of_range(const struct number *number)
{
    struct number infinite, magnitude = *number;
    if (number->count == 0)
        return false;
    if (number->exponent < MIN_EXPONENT || number->place > MAX_PLACE)
        return true;
    magnitude.negative = false;
    return number->place == MAX_PLACE && number_read(&infinite, INFINITE, sizeof INFINITE - 1) &&
           number_compare(&magnitude, &infinite) >= 0;
}

enum decimal_status decimal_parse(struct decimal *out, const char *text, size_t len)
{
    struct number number;
    if (parse_short(out, text, len))
        return DECIMAL_OK;
    *out = (struct decimal){0};
    if (!number_read(&number, text, len))
        return DECIMAL_NOT_A_NUMBER;
    if (is_out_of_range(&number))
        return DECIMAL_OUT_OF_RANGE;
    int64_t whole = number.place > 0 ? number.place : 0, least = (int64_t)number.count - number.place;
    int64_t scale = number.scale > 0 ? number.scale : 0;
    if (whole + scale > DECIMAL_DIGITS)
        scale = least > 0 ? least : 0; /* the fraction's last zeros give way */
    bool too_long = whole + scale > DECIMAL_DIGITS;
    if (whole > DECIMAL_DIGITS) {
        out->coefficient = number.negative ? -LIMIT : LIMIT - 1;
        return DECIMAL_TOO_LONG;
    }
    if (too_long)
        scale = DECIMAL_DIGITS - whole;
    const char *at = number.digits;
    size_t left = number.count;
    for (int64_t i = number.place + scale; i > 0; i--) {
        out->coefficient *= 10;
        if (left == 0)
            continue;
        at += *at == '.';
        out->coefficient += *at++ - '0';
        left--;
    }
    if (number.negative)
        out->coefficient = -out->coefficient - too_long;
    out->scale = (uint8_t)scale;
    return too_long ? DECIMAL_TOO_LONG : DECIMAL_OK;
}

struct decimal decimal_from_int(int64_t number)
{
    return (struct decimal){.coefficient = number, .scale = 0};
}

/* ---- arithmetic -------------------------------------------------------------------------------------------- */

/* Multiplies by 10^digits. False when that does not fit. */
static bool scale_up(__int128 *number, unsigned digits)
{
    if (digits > DECIMAL_DIGITS)
        return *number == 0;
    return !__builtin_mul_overflow(*number, power_of_ten(digits), number);
}

/* Whole units of 10^-scale, towards minus infinity, and whether there is a rest. False when they do not fit. */
static bool in_units(const struct decimal *number, unsigned scale, __int128 *units, bool *rest)
{
    *units = number->coefficient;
    if (scale >= number->scale)
        return scale_up(units, scale - number->scale);
    unsigned down = number->scale - scale;
    __int128 unit = down <= DECIMAL_DIGITS ? power_of_ten(down) : LIMIT, part = number->coefficient % unit;
    if (down > DECIMAL_DIGITS) /* a unit is more than any coefficient */
        part = number->coefficient;
    *units = (number->coefficient - part) / unit - (part < 0);
    *rest |= part != 0;
    return true;
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
    if (a->scale > b->scale)
        return -decimal_compare(b, a);
    __int128 x = a->coefficient;
    /* What does not fit is more than any coefficient. */
    if (!scale_up(&x, (unsigned)(b->scale - a->scale)))
        return a->coefficient < 0 ? -1 : 1;
    return (x > b->coefficient) - (x < b->coefficient);
}

bool decimal_is_negative(const struct decimal *number)
{
    return number->coefficient < 0;
}

static bool fits(__int128 coefficient)
{
    return coefficient < LIMIT && coefficient > -LIMIT;
}

static enum decimal_status combine(struct decimal *out, const struct decimal *a, const struct decimal *b, bool subtract)
{
    __int128 x, y, sum;
    for (unsigned scale = (a->scale > b->scale ? a->scale : b->scale) + 1u; scale-- > 0;) {
        bool rest = false;
        if (!in_units(a, scale, &x, &rest) || !in_units(b, scale, &y, &rest) ||
            (subtract ? __builtin_sub_overflow(x, y, &sum) : __builtin_add_overflow(x, y, &sum)))
            continue;
        if (!fits(sum) && sum % 10 == 0 && scale > 0) { /* a carry's last zero gives way */
            sum /= 10;
            scale--;
        }
        if (!fits(sum))
            continue;
        *out = (struct decimal){.coefficient = sum, .scale = (uint8_t)scale};
        return rest ? DECIMAL_TOO_LONG : DECIMAL_OK;
    }
    *out = (struct decimal){.coefficient = a->coefficient < 0 ? 1 - LIMIT : LIMIT - 1};
    return DECIMAL_TOO_LONG;
}

enum decimal_status decimal_add(struct decimal *out, const struct decimal *a, const struct decimal *b)
{
    return combine(out, a, b, false);
}

enum decimal_status decimal_subtract(struct decimal *out, const struct decimal *a, const struct decimal *b)
{
    return combine(out, a, b, true);
}

struct decimal decimal_shift(const struct decimal *number, unsigned digits)
{
    struct decimal out = {.coefficient = number->coefficient, .scale = (uint8_t)(number->scale + digits)};
    for (; out.scale > 0 && out.coefficient % 10 == 0; out.scale--)
        out.coefficient /= 10;
    return out;
}

__int128 decimal_floor(const struct decimal *number, unsigned digits)
{
    __int128 units;
    bool rest = false;
    if (!in_units(number, digits, &units, &rest) || units > LIMIT || units < -LIMIT)
        return number->coefficient < 0 ? -LIMIT : LIMIT;
    return units;
}

bool decimal_round(const struct decimal *number, int64_t *out)
{
    __int128 quotient = 0;
    if (number->scale <= DECIMAL_DIGITS) {
        __int128 unit = power_of_ten(number->scale), remainder = number->coefficient % unit;
        quotient = number->coefficient / unit;
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

bool decimal_whole(const struct decimal *number, int64_t *out)
{
    if (!decimal_round(number, out))
        return false;
    struct decimal whole = decimal_from_int(*out);
    return decimal_compare(number, &whole) == 0;
}

/* ---- printing ---------------------------------------------------------------------------------------------- */

size_t decimal_print(const struct decimal *number, char *out)
{
    char digits[DECIMAL_SIZE];
    size_t at = sizeof digits, count = 0;
    unsigned __int128 rest =
        number->coefficient < 0 ? 0 - (unsigned __int128)number->coefficient : (unsigned __int128)number->coefficient;
    digits[--at] = '\0';
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
    return sizeof digits - at - 1;
}

struct decimal_packed decimal_pack(const struct decimal *number)
{
    return (struct decimal_packed){{(uint64_t)number->coefficient, (uint64_t)(number->coefficient >> 64)}};
}

struct decimal decimal_unpack(struct decimal_packed packed, uint8_t scale)
{
    __int128 coefficient = (__int128)(((unsigned __int128)packed.words[1] << 64) | packed.words[0]);
    return (struct decimal){.coefficient = coefficient, .scale = scale};
}
