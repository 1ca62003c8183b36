#include "cli/columns.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

struct character {
    size_t len;   /* bytes; of what is no character: 1 */
    size_t width; /* columns */
    bool escaped; /* its bytes are shown as \xNN */
};

/* The code point and its length, 0 when the bytes are not UTF-8. */
static size_t decode(const unsigned char *text, size_t len, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    if (n == 0 || n > len)
        return 0;
    *code = n == 1 ? text[0] : text[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    return *code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : n;
}

static bool is_in(uint32_t code, const uint32_t (*ranges)[2], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

#define IS_IN(code, ranges) is_in(code, ranges, sizeof(ranges) / sizeof *(ranges))

/* The character at `at` of text[len]. */
static struct character next(const char *text, size_t len, size_t at)
{
    static const uint32_t unsafe[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x200e, 0x200f},
                                         {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
    static const uint32_t none[][2] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static const uint32_t wide[][2] = {{0x1100, 0x115f},   {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                                       {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};
    uint32_t code = 0;
    size_t n = decode((const unsigned char *)text + at, len - at, &code);
    if (n == 0 || IS_IN(code, unsafe) || opens_command(text, at))
        return (struct character){n == 0 ? 1 : n, 4 * (n == 0 ? 1 : n), true};
    return (struct character){n, IS_IN(code, none) ? 0 : IS_IN(code, wide) ? 2 : 1, false};
}

static size_t width_of(const char *text, size_t len)
{
    size_t width = 0;
    struct character c;
    for (size_t i = 0; i < len; i += c.len) {
        c = next(text, len, i);
        width += c.width;
    }
    return width;
}

/* Prints from `at` on what fits `width`; returns the columns used. */
static size_t print(const char *text, size_t len, size_t at, size_t width)
{
    size_t used = 0;
    struct character c;
    for (; at < len; at += c.len) {
        c = next(text, len, at);
        if (used + c.width > width)
            break;
        used += c.width;
        for (size_t i = 0; c.escaped && i < c.len; i++)
            printf("\\x%02x", (unsigned)(unsigned char)text[at + i]);
        if (!c.escaped)
            fwrite(text + at, 1, c.len, stdout);
    }
    return used;
}

bool columns_name(const char *name, size_t len, size_t width)
{
    size_t left = width_of(name, len), at = 0;
    if (left <= width) {
        print(name, len, 0, width);
        return false;
    }
    size_t used = print(name, len, 0, width / 2);
    fputs("…", stdout);
    while (left > width - used - 1) {
        struct character c = next(name, len, at);
        left -= c.width;
        at += c.len;
    }
    print(name, len, at, left);
    return true;
}

size_t columns_of_terminal(size_t least)
{
    struct winsize size;
    bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return known && size.ws_col > least ? size.ws_col : least;
}

size_t columns_width(const char *text)
{
    return width_of(text, strlen(text));
}

static void blanks(const char *text, size_t width)
{
    for (size_t used = columns_width(text); used < width; used++)
        fputc(' ', stdout);
}

void columns_right(const char *text, size_t width)
{
    blanks(text, width);
    fputs(text, stdout);
}

void columns_left(const char *text, size_t width)
{
    fputs(text, stdout);
    blanks(text, width);
}
