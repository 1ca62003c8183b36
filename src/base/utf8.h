/*
 * utf8.h - UTF-8 text: whether it is, whether it shows anything, and as what it is safe to print
 */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the bytes are well-formed UTF-8 (RFC 3629: no surrogates, no
 * overlong forms, nothing beyond U+10FFFF).
 */
bool utf8_valid(const char *text, size_t len);

/* Whether UTF-8 text holds nothing that is seen: white space of every kind, and characters of no width. */
bool utf8_is_blank(const char *text, size_t len);

/*
 * Whether the [ at text[at] makes a command for whoever watches a build
 * (base/line.h): ##[, or with letters between, as in ##vso[.
 */
bool opens_command(const char *text, size_t at);

/*
 * Makes text safe to print on a terminal and to put into a message: control
 * bytes, bytes that are not UTF-8, and a [ that opens a command become \xNN,
 * at most `size` - 1 bytes are written, cut with "..." at a character's edge.
 * Returns `out`.
 */
char *printable(char *out, size_t size, const char *text, size_t len);

#endif
