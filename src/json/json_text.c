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
