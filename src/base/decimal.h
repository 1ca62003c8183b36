/*
 * decimal.h - times as exact decimals
 *
 * A number is kept as it was written: compared, added and subtracted without
 * ever passing through binary floating point. It has at most 38 digits, on
 * both sides of the point together, exponents written out; zeros at the end
 * of the fraction count only as far as there is room for them. What has more
 * is told (DECIMAL_TOO_LONG) and never taken for what it is not.
 */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIMAL_DIGITS 38

/*
 * The number is coefficient × 10^-scale; the scale is the count of digits
 * behind the point as written, so that 5.500 prints as 5.500. It is at most
 * DECIMAL_DIGITS in what is read, added and subtracted; decimal_shift() adds.
 */
struct decimal {
    __int128 coefficient;
    uint8_t scale;
};

/* The same in 16 bytes; the scale is kept beside it. */
struct decimal_packed {
    uint64_t words[2];
};

enum decimal_status {
    DECIMAL_OK,
    DECIMAL_NOT_A_NUMBER,
    DECIMAL_OUT_OF_RANGE, /* not finite as a double, or an exponent below -4096 */
    DECIMAL_TOO_LONG,     /* more than DECIMAL_DIGITS; *out is cut there */
    DECIMAL_NO_MEMORY     /* of those who must decode a text first; nothing here returns it */
};

/*
 * Reads a number: JSON's grammar, and what strings in the field hold besides
 * (a leading plus sign or zeros, a point without digits on one side).
 * Exponents are resolved: 1.7e15 is 1700000000000000. One that is too long is
 * cut towards minus infinity: *out lies below a decimal exactly when the
 * number does. From 10^38 up it becomes the largest decimal, and down -10^38.
 */
enum decimal_status decimal_parse(struct decimal *out, const char *text, size_t len);

struct decimal decimal_from_int(int64_t number);

/* < 0, 0, > 0; exact. */
int decimal_compare(const struct decimal *a, const struct decimal *b);
bool decimal_is_negative(const struct decimal *number);

/*
 * Sum and difference, with the longer scale of the two. One that is too long
 * is cut, less than a unit of its last digit off; from 10^38 up, and down, it
 * becomes the decimal that is next to it.
 */
enum decimal_status decimal_add(struct decimal *out, const struct decimal *a, const struct decimal *b);
enum decimal_status decimal_subtract(struct decimal *out, const struct decimal *a, const struct decimal *b);

/* number × 10^-digits without trailing zeros behind the point; digits: up to 10. */
struct decimal decimal_shift(const struct decimal *number, unsigned digits);

/* Whole units of 10^-digits, towards minus infinity; ±10^38 when there are as many or more. */
__int128 decimal_floor(const struct decimal *number, unsigned digits);

/* The nearest whole number, ties to the even one. False when it does not fit int64_t. */
bool decimal_round(const struct decimal *number, int64_t *out);

/* The same of a number that is whole; false when it is not. */
bool decimal_whole(const struct decimal *number, int64_t *out);

/* Prints in plain digits, no exponent, to DECIMAL_SIZE bytes, with a NUL; returns the length. */
#define DECIMAL_SIZE 64
size_t decimal_print(const struct decimal *number, char *out);

struct decimal_packed decimal_pack(const struct decimal *number);
struct decimal decimal_unpack(struct decimal_packed packed, uint8_t scale);

#endif
