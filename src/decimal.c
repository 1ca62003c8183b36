#include "decimal.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <string.h>

/* 10^38 is the largest power of ten in 127 bits. */
#define MAX_DIGITS   38
#define MAX_SCALE    200
#define MIN_EXPONENT (-4096)
#define MAX_EXPONENT 308 /* a double's */

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
        text[at++] = done < parts->whole_len ? parts->whole[done] : parts->fraction[done - parts->whole_len];
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
            text[at++] = done < parts->whole_len ? parts->whole[done] : parts->fraction[done - parts->whole_len];
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
    long scale = (long)parts.fraction_len - parts.exponent;
    size_t zeros = scale < 0 ? (size_t)-scale : 0;
    if (digits - leading + zeros > MAX_DIGITS || scale > MAX_SCALE)
        return as_text(out, &parts, arena);
    __int128 number = 0;
    for (size_t i = leading; i < digits; i++)
        number = number * 10 + ((i < parts.whole_len ? parts.whole[i] : parts.fraction[i - parts.whole_len]) - '0');
    number *= power_of_ten((unsigned)zeros);
    out->coefficient = parts.negative ? -number : number;
    out->scale = (uint8_t)(scale < 0 ? 0 : scale);
    return DECIMAL_OK;
}

struct decimal decimal_from_int(int64_t number)
{
    return (struct decimal){.coefficient = number, .scale = 0};
}

/* ---- long numbers: coefficient as a big integer ------------------------------------------------------------ */

struct big {
    BIGNUM *number;
    size_t scale;
};

static void big_free(struct big *big)
{
    BN_free(big->number);
    big->number = NULL;
}

/* number × 10^digits */
static bool big_scale_up(BIGNUM *number, size_t digits)
{
    BIGNUM *ten = BN_new(), *power = BN_new();
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *exponent = BN_new();
    bool ok = ten != NULL && power != NULL && ctx != NULL && exponent != NULL && BN_set_word(ten, 10) &&
              BN_set_word(exponent, digits) && BN_exp(power, ten, exponent, ctx) && BN_mul(number, number, power, ctx);
    BN_free(ten);
    BN_free(power);
    BN_free(exponent);
    BN_CTX_free(ctx);
    return ok;
}

static bool big_from(struct big *big, const struct decimal *number)
{
    size_t size = decimal_print_size(number) + 1;
    char *digits = OPENSSL_malloc(size);
    *big = (struct big){0};
    if (digits == NULL)
        return false;
    size_t len = decimal_print(number, digits, size - 1);
    digits[len] = '\0';
    char *point = strchr(digits, '.');
    if (point != NULL) {
        big->scale = len - (size_t)(point - digits) - 1;
        memmove(point, point + 1, big->scale + 1);
    }
    bool ok = BN_dec2bn(&big->number, digits) != 0;
    OPENSSL_free(digits);
    return ok;
}

/* Both numbers with one scale. */
static bool big_pair(struct big *a, struct big *b, const struct decimal *x, const struct decimal *y)
{
    *b = (struct big){0};
    if (!big_from(a, x) || !big_from(b, y))
        return false;
    if (a->scale < b->scale && !big_scale_up(a->number, b->scale - a->scale))
        return false;
    if (b->scale < a->scale && !big_scale_up(b->number, a->scale - b->scale))
        return false;
    a->scale = b->scale = a->scale > b->scale ? a->scale : b->scale;
    return true;
}

static enum decimal_status big_to(struct decimal *out, const struct big *big, struct arena *arena)
{
    char *digits = BN_bn2dec(big->number);
    if (digits == NULL)
        return DECIMAL_NO_MEMORY;
    struct parts parts = {.negative = digits[0] == '-'};
    const char *first = digits + parts.negative;
    size_t len = strlen(first);
    enum decimal_status status;
    if (len <= MAX_DIGITS && big->scale <= MAX_SCALE) {
        status = decimal_parse(out, digits, strlen(digits), arena);
        out->scale = (uint8_t)big->scale;
    } else {
        parts.whole = first;
        parts.whole_len = len;
        parts.exponent = -(long)big->scale;
        status = as_text(out, &parts, arena);
    }
    OPENSSL_free(digits);
    return status;
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

int decimal_compare(const struct decimal *a, const struct decimal *b, bool *failed)
{
    __int128 x, y;
    uint8_t scale;
    if (align(a, b, &x, &y, &scale))
        return (x > y) - (x < y);
    struct big p, q;
    int order = 0;
    if (big_pair(&p, &q, a, b))
        order = BN_cmp(p.number, q.number);
    else
        *failed = true;
    big_free(&p);
    big_free(&q);
    return order;
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
    struct big p, q;
    enum decimal_status status = DECIMAL_NO_MEMORY;
    if (big_pair(&p, &q, a, b) &&
        (subtract ? BN_sub(p.number, p.number, q.number) : BN_add(p.number, p.number, q.number)))
        status = big_to(out, &p, arena);
    big_free(&p);
    big_free(&q);
    return status;
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

enum decimal_status decimal_shift(struct decimal *out, const struct decimal *number, unsigned digits,
                                  struct arena *arena)
{
    if (number->scale != DECIMAL_TEXT && number->scale + digits <= MAX_SCALE) {
        __int128 coefficient = number->coefficient;
        unsigned scale = number->scale + digits;
        while (scale > 0 && coefficient % 10 == 0) {
            coefficient /= 10;
            scale--;
        }
        out->coefficient = coefficient;
        out->scale = (uint8_t)scale;
        return DECIMAL_OK;
    }
    struct big big;
    if (!big_from(&big, number)) {
        big_free(&big);
        return DECIMAL_NO_MEMORY;
    }
    big.scale += digits;
    enum decimal_status status = big_to(out, &big, arena);
    big_free(&big);
    if (status == DECIMAL_OK && out->scale == DECIMAL_TEXT && memchr(out->text, '.', out->len) != NULL) {
        while (out->text[out->len - 1] == '0')
            out->len--;
        if (out->text[out->len - 1] == '.')
            out->len--;
    } else if (status == DECIMAL_OK && out->scale != DECIMAL_TEXT) {
        return decimal_shift(out, out, 0, arena);
    }
    return status;
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
