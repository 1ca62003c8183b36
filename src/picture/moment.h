/*
 * moment.h - times for drawing: whole billionths of a microsecond
 *
 * A decimal with more than nine digits behind the point loses the rest; one
 * beyond +-10^28 billionths becomes that bound, which lies outside of any
 * window.
 */
#ifndef MOMENT_H
#define MOMENT_H

#include "base/decimal.h"
#include "base/text.h"
#include "json/scan.h"

typedef __int128 moment;

#define MOMENT_DIGITS 9
#define MOMENT_US     ((moment)1000000000)

/* Reads a number. */
enum decimal_status moment_parse(moment *out, const char *text, size_t len);

/* The same from a field of an event: a number, or a string that holds one. */
enum decimal_status moment_of(moment *out, const struct scan_value *value);

/* Prints moment / 10^9 / 10^digits exactly, without zeros at the end: digits 0 prints us, 3 ms, 6 s. */
void text_moment(struct text *text, moment time, unsigned digits);

#endif
