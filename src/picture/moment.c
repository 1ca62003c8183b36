#include "picture/moment.h"

#include "base/arena.h"
#include "json/json_text.h"

static moment power_of_ten(unsigned n)
{
    moment power = 1;
    while (n-- > 0)
        power *= 10;
    return power;
}

/* 10^28 leaves room for a sum and for the width of a picture. */
static moment bound(moment time)
{
    moment most = power_of_ten(28);
    return time > most ? most : time < -most ? -most : time;
}

static moment floor_divide(moment a, moment b)
{
    return a / b - (a % b < 0);
}

/* Too long for 128 bits: the whole digits, and nine behind the point. */
static moment from_text(const struct decimal *number)
{
    moment out = 0, most = power_of_ten(28);
    bool negative = number->len > 0 && number->text[0] == '-';
    unsigned digits = 0; /* behind the point */
    bool behind = false;
    for (uint64_t i = negative; i < number->len && digits < MOMENT_DIGITS && out <= most; i++) {
        if (number->text[i] == '.') {
            behind = true;
            continue;
        }
        out = out * 10 + (number->text[i] - '0');
        digits += behind;
    }
    for (; digits < MOMENT_DIGITS && out <= most; digits++)
        out *= 10;
    return bound(negative ? -out : out);
}

enum decimal_status moment_parse(moment *out, const char *text, size_t len)
{
    struct arena arena = {0};
    struct decimal number;
    enum decimal_status status = decimal_parse(&number, text, len, &arena);
    bool ok = status == DECIMAL_OK;
    if (ok && number.scale == DECIMAL_TEXT)
        *out = from_text(&number);
    else if (ok && number.scale > MOMENT_DIGITS + 38)
        *out = number.coefficient < 0 ? -1 : 0;
    else if (ok && number.scale >= MOMENT_DIGITS)
        *out = bound(floor_divide(number.coefficient, power_of_ten(number.scale - MOMENT_DIGITS)));
    else if (ok)
        *out = bound(number.coefficient > power_of_ten(28) ? power_of_ten(28)
                     : number.coefficient < -power_of_ten(28)
                         ? -power_of_ten(28)
                         : number.coefficient * power_of_ten(MOMENT_DIGITS - number.scale));
    if (arena.last != NULL)
        arena_free(&arena);
    return status;
}

enum decimal_status moment_of(moment *out, const struct scan_value *value)
{
    if (value->kind != SCAN_NUMBER && value->kind != SCAN_STRING)
        return DECIMAL_NOT_A_NUMBER;
    if (!value->escaped)
        return moment_parse(out, value->text, value->len);
    struct arena arena = {0};
    char *text = arena_take(&arena, value->len);
    enum decimal_status status =
        text == NULL ? DECIMAL_NO_MEMORY : moment_parse(out, text, json_unescape(text, value->text, value->len));
    arena_free(&arena);
    return status;
}

void text_moment(struct text *text, moment time, unsigned digits)
{
    struct arena arena = {0};
    struct decimal number = {.coefficient = time, .scale = MOMENT_DIGITS}, shifted;
    if (decimal_shift(&shifted, &number, digits, &arena) == DECIMAL_OK)
        text_decimal(text, &shifted);
    else
        text->failed = true;
    arena_free(&arena);
}
