#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

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

/* Length of the well-formed UTF-8 character at `text`, 0 when there is none. */
static size_t character(const char *text, size_t len)
{
    for (size_t n = 1; n <= 4 && n <= len; n++)
        if (utf8_valid(text, n))
            return n;
    return 0;
}

static bool is_control(const char *text, size_t n)
{
    const unsigned char *c = (const unsigned char *)text;
    if (n == 1)
        return c[0] < 0x20 || c[0] == 0x7f;
    /* U+0080..9F, and the marks that reorder or hide what a terminal shows. */
    if (n == 2)
        return c[0] == 0xc2 && c[1] < 0xa0;
    if (n == 3 && c[0] == 0xe2)
        return (c[1] == 0x80 && (c[2] == 0x8b || (c[2] >= 0x8e && c[2] <= 0x8f) || (c[2] >= 0xa8 && c[2] <= 0xae))) ||
               (c[1] == 0x81 && c[2] >= 0xa0 && c[2] <= 0xaf);
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool opens_command(const char *text, size_t at)
{
    if (text[at] != '[')
        return false;
    while (at > 0 && is_letter(text[at - 1]))
        at--;
    return at >= 2 && text[at - 1] == '#' && text[at - 2] == '#';
}

char *printable(char *out, size_t size, const char *text, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    size_t at = 0, room = size - 1;
    size_t cut = 0; /* how much of `out` stands when "..." must follow */
    for (size_t i = 0; i < len;) {
        size_t n = character(text + i, len - i);
        bool raw = n != 0 && !is_control(text + i, n) && !opens_command(text, i);
        size_t need = raw ? n : 4;
        if (at + 3 <= room)
            cut = at;
        if (at + need > room) {
            memcpy(out + cut, "...", room >= 3 ? 3 : 0);
            at = room >= 3 ? cut + 3 : 0;
            break;
        }
        if (raw) {
            memcpy(out + at, text + i, n);
            i += n;
        } else {
            unsigned char c = (unsigned char)text[i++];
            memcpy(out + at, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
        }
        at += need;
    }
    out[at] = '\0';
    return out;
}
