/*
 * number.h - numbers as they are spelled
 *
 * Without arithmetic: a number is its digits and the place of the first one,
 * so that one of any length or exponent costs no more than to read it.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exponents from here up, and down, are not told apart. */
#define NUMBER_FAR ((int64_t)1 << 50)

struct number {
    bool negative;
    const char *digits; /* from the first one that is not 0 to the last such one; ... */
    size_t len;         /* ... a point may lie among them ... */
    size_t count;       /* ... and does not count; 0: the number is zero */
    int64_t place;      /* the first digit counts 10^(place - 1) */
    int64_t exponent;   /* as written */
    int64_t scale; /* digits behind the point, zeros too, the exponent resolved; below 0: so many zeros before it */
};

/*
 * Takes a number apart: JSON's grammar, and what strings in the field hold
 * besides (a leading plus sign or zeros, a point without digits on one side).
 * False: it is none. The text must outlive *out.
 */
bool number_read(struct number *out, const char *text, size_t len);

/* < 0, 0, > 0. */
int number_compare(const struct number *a, const struct number *b);

/* Whether two texts are one number: 7, 7.0 and 70e-1 are. */
bool number_same(const char *a, size_t a_len, const char *b, size_t b_len);

/* Bytes that a canonical spelling may take above the written one. */
#define NUMBER_ROOM ((size_t)64)

/*
 * Writes the one spelling that all of a number's share, to `out` of len +
 * NUMBER_ROOM bytes, and returns its length: plain digits without zeros at
 * the fraction's end while these are 38 at most; else its digits and an
 * exponent. 0: the text is no number, or its exponent is far.
 */
size_t number_canonical(char *out, const char *text, size_t len);

#endif
