#include "picture/svg.h"

#include "base/utf8.h"

/* Length of the well-formed UTF-8 character at `string`, 0 when there is none. */
static size_t character(const char *string, size_t len)
{
    for (size_t n = 1; n <= 4 && n <= len; n++)
        if (utf8_valid(string, n))
            return n;
    return 0;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\t':
    case '\n':
    case '\r':
        return " ";
    default:
        return (unsigned char)c < 0x20 || c == 0x7f ? "\xef\xbf\xbd" : NULL;
    }
}

/* U+FFFE and U+FFFF are characters of UTF-8 but not of XML. */
static bool is_forbidden(const char *at, size_t n)
{
    return n == 3 && at[0] == '\xef' && at[1] == '\xbf' && (at[2] == '\xbe' || at[2] == '\xbf');
}

void svg_text(struct text *text, const char *string, size_t len)
{
    size_t plain = 0; /* start of what needs no change */
    for (size_t i = 0; i < len;) {
        size_t n = character(string + i, len - i);
        const char *instead = n == 0 || is_forbidden(string + i, n) ? "\xef\xbf\xbd"
                              : opens_command(string, i)            ? "&#91;"
                              : n == 1                              ? entity(string[i])
                                                                    : NULL;
        if (instead != NULL) {
            text_add(text, string + plain, i - plain);
            text_puts(text, instead);
            plain = i + (n == 0 ? 1 : n);
        }
        i += n == 0 ? 1 : n;
    }
    text_add(text, string + plain, len - plain);
}

void svg_px(struct text *text, int64_t hundredths)
{
    uint64_t size = hundredths < 0 ? (uint64_t)-hundredths : (uint64_t)hundredths;
    if (hundredths < 0)
        text_puts(text, "-");
    text_u64(text, size / 100);
    if (size % 100 == 0)
        return;
    char digits[3] = {'.', (char)('0' + size % 100 / 10), (char)('0' + size % 10)};
    text_add(text, digits, size % 10 == 0 ? 2 : 3);
}

size_t svg_columns(const char *string, size_t len)
{
    size_t columns = 0;
    for (size_t i = 0; i < len;) {
        size_t n = character(string + i, len - i);
        columns += n == 1 ? 1 : 2;
        i += n == 0 ? 1 : n;
    }
    return columns;
}

size_t svg_fit(const char *string, size_t len, size_t columns)
{
    size_t taken = 0, i = 0;
    while (i < len) {
        size_t n = character(string + i, len - i);
        taken += n == 1 ? 1 : 2;
        if (taken > columns)
            break;
        i += n == 0 ? 1 : n;
    }
    return i;
}

size_t svg_fit_words(const char *string, size_t len, size_t columns)
{
    size_t fit = svg_fit(string, len, columns);
    if (fit == len)
        return fit;
    for (size_t i = fit; i > fit / 2; i--)
        if (string[i] == ' ')
            return i;
    return fit;
}
