#include "json/json_text.h"

#include <stdint.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

/* The code unit of the `\uXXXX` that starts at text[0], or -1 when there is none. */
static int32_t code_unit(const char *text, size_t len)
{
    if (len < 6 || text[0] != '\\' || text[1] != 'u') {
        return -1;
    }
    int32_t unit = 0;
    for (size_t i = 2; i < 6; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit;
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

static char simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

size_t json_unescape(char *out, const char *text, size_t len)
{
    size_t n = 0;
    size_t i = 0;
    while (i < len) {
        const char *slash = memchr(text + i, '\\', len - i);
        size_t plain = slash != NULL ? (size_t)(slash - text) - i : len - i;
        memmove(out + n, text + i, plain);
        n += plain;
        i += plain;
        if (i == len) {
            break;
        }
        int32_t unit = code_unit(text + i, len - i);
        if (unit >= 0) {
            uint32_t c = (uint32_t)unit;
            i += 6;
            if (c >= 0xD800 && c <= 0xDBFF) {
                int32_t low = code_unit(text + i, len - i);
                if (low >= 0xDC00 && low <= 0xDFFF) {
                    c = 0x10000 + ((c - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
                    i += 6;
                } else {
                    c = 0xFFFD;
                }
            } else if (c >= 0xDC00 && c <= 0xDFFF) {
                c = 0xFFFD;
            }
            n += put_utf8(out + n, c);
            continue;
        }
        char c = i + 1 < len ? simple_escape(text[i + 1]) : 0;
        if (c != 0) {
            out[n++] = c;
            i += 2;
        } else {
            /* Only the backslash: what it stands before is an ordinary byte, as it is never a backslash itself. */
            out[n++] = text[i++];
        }
    }
    return n;
}

bool json_has_half_pair(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '\\')
            continue;
        int32_t unit = code_unit(text + i, len - i);
        if (unit >= 0xDC00 && unit <= 0xDFFF)
            return true;
        if (unit >= 0xD800 && unit <= 0xDBFF) {
            i += 6;
            unit = code_unit(text + i, len - i);
            if (unit < 0xDC00 || unit > 0xDFFF)
                return true;
        }
        i += unit >= 0 ? 5 : 1;
    }
    return false;
}

bool utf8_valid(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;
    const unsigned char *end = p + len;
    while (p < end) {
        if ((size_t)(end - p) >= 8) {
            uint64_t word;
            memcpy(&word, p, 8);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                p += 8;
                continue;
            }
        }
        unsigned char lead = *p++;
        if (lead < 0x80) {
            continue;
        }
        /* The first continuation byte's range is what excludes overlong forms, surrogates and all beyond U+10FFFF. */
        unsigned char low = 0x80;
        unsigned char high = 0xBF;
        ptrdiff_t more;
        if (lead >= 0xC2 && lead <= 0xDF) {
            more = 1;
        } else if (lead >= 0xE0 && lead <= 0xEF) {
            more = 2;
            low = lead == 0xE0 ? 0xA0 : 0x80;
            high = lead == 0xED ? 0x9F : 0xBF;
        } else if (lead >= 0xF0 && lead <= 0xF4) {
            more = 3;
            low = lead == 0xF0 ? 0x90 : 0x80;
            high = lead == 0xF4 ? 0x8F : 0xBF;
        } else {
            return false;
        }
        if (end - p < more || p[0] < low || p[0] > high) {
            return false;
        }
        for (ptrdiff_t i = 1; i < more; i++) {
            if (p[i] < 0x80 || p[i] > 0xBF) {
                return false;
            }
        }
        p += more;
    }
    return true;
}

/* The first and last characters of runs that show nothing. */
static const struct {
    uint32_t first, last;
} unseen[] = {
    {0x0000, 0x0020}, {0x007f, 0x00a0}, {0x00ad, 0x00ad}, {0x034f, 0x034f}, {0x061c, 0x061c}, {0x115f, 0x1160},
    {0x1680, 0x1680}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f},
    {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
};

bool utf8_is_blank(const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + len;
    while (at < end) {
        uint32_t c = *at++;
        if (c >= 0xc0)
            c &= c >= 0xf0 ? 0x07 : c >= 0xe0 ? 0x0f : 0x1f;
        while (at < end && (*at & 0xc0) == 0x80)
            c = c << 6 | (*at++ & 0x3f);
        bool seen = true;
        for (size_t i = 0; i < sizeof unseen / sizeof *unseen && seen; i++)
            seen = c < unseen[i].first || c > unseen[i].last;
        if (seen)
            return false;
    }
    return true;
}
