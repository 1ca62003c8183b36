/*
 * svg.h - pieces of SVG: escaped text and exact positions
 */
#ifndef SVG_H
#define SVG_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/*
 * Text between tags or within an attribute: what XML reserves is escaped,
 * line ends and tabs become blanks, and what XML cannot hold (control
 * characters, bytes that are not UTF-8, U+FFFE and U+FFFF) becomes U+FFFD.
 */
void svg_text(struct text *text, const char *string, size_t len);

/* Hundredths of a pixel as a number of pixels: 1250 prints 12.5. */
void svg_px(struct text *text, int64_t hundredths);

/* How many columns of a fixed-width font `string` takes: one for ASCII, two for anything else. */
size_t svg_columns(const char *string, size_t len);

/* How many bytes of `string` take at most `columns`; never ends within a character. */
size_t svg_fit(const char *string, size_t len, size_t columns);

/* The same for running text: ends before a blank where there is one. */
size_t svg_fit_words(const char *string, size_t len, size_t columns);

#endif
