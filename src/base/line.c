#include "base/line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* The length of the white space at `text` that a reader may cut off a line's start; of ASCII only blanks are left. */
static size_t white_space(const char *text)
{
    static const char *const spaces[] = {" ",           "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xaf", "\xe2\x81\x9f",
                                         "\xe3\x80\x80"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strncmp(text, spaces[i], strlen(spaces[i])) == 0)
            return strlen(spaces[i]);
    /* U+2000 to U+200A. */
    bool is_wide =
        strncmp(text, "\xe2\x80", 2) == 0 && (unsigned char)text[2] >= 0x80 && (unsigned char)text[2] <= 0x8a;
    return is_wide ? 3 : 0;
}

void line_add(struct text *out, const char *bytes, size_t len)
{
    size_t size = 4 * len + 1;
    char *shown = malloc(size);
    if (shown == NULL) {
        out->failed = true;
        return;
    }
    printable(shown, size, bytes, len);
    size_t start = 0, more;
    while ((more = white_space(shown + start)) > 0)
        start += more;
    text_add(out, shown, start);
    if (strncmp(shown + start, "::", 2) == 0) {
        text_puts(out, "\\x3a");
        start++;
    }
    text_puts(out, shown + start);
    free(shown);
}

void line_add_json(struct text *out, const char *bytes, size_t len)
{
    size_t plain = 0; /* the start of what needs no change */
    for (size_t i = 0; i < len; i++) {
        if (!opens_command(bytes, i))
            continue;
        text_add(out, bytes + plain, i - plain);
        text_puts(out, "\\u005b");
        plain = i + 1;
    }
    text_add(out, bytes + plain, len - plain);
}
