/*
 * json_text.h - strings between JSON and UTF-8
 */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Decodes the `len` bytes between the quotes of a JSON string into `out`,
 * which must have room for `len` bytes (the result is never longer), and
 * returns the result's length. Known escapes become their character, `\u`
 * pairs of surrogates one character in UTF-8, an unpaired surrogate U+FFFD.
 * An unknown escape (`\U`, or `\u` without four hexadecimal digits) stands
 * for itself, backslash included. Bytes that are not UTF-8 are kept.
 * `out` may be the same memory as `text`.
 */
size_t json_unescape(char *out, const char *text, size_t len);

/* Whether the bytes between the quotes of a JSON string hold an unpaired surrogate. */
bool json_has_half_pair(const char *text, size_t len);

#endif
