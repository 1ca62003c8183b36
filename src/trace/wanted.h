/*
 * wanted.h - which process or device --pid and --device mean
 */
#ifndef WANTED_H
#define WANTED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a pid or device of the trace is the one that was asked for: its
 * text (canonical digits, or a decoded string) is the same, or both are one
 * number: the trace may spell it 1e3, and so may who names it.
 */
bool wanted_is(const char *wanted, const char *text, size_t len, bool is_number);

#endif
