/*
 * columns.h - text that fits a column of a terminal
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

/* Columns of the terminal that standard output is; `least` where it is narrower, or none. */
size_t columns_of_terminal(size_t least);

/*
 * Prints a name in at most `width` (>= 8) columns, shortened in the middle.
 * Control and direction characters, bytes that are not UTF-8, and a [ that
 * opens a command of a build's log (base/utf8.h) become \xNN. East Asian wide
 * characters count two columns, combining ones none. Returns whether it was
 * shortened.
 */
bool columns_name(const char *name, size_t len, size_t width);

/* Columns of text that is UTF-8. */
size_t columns_width(const char *text);

/* Prints text right-aligned, or left-aligned, in `width` columns. */
void columns_right(const char *text, size_t width);
void columns_left(const char *text, size_t width);

#endif
