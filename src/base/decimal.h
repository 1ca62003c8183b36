/*
 * decimal.h - times as exact decimals
 *
 * A number is kept as it was written: compared, added and subtracted without
 * ever passing through binary floating point. What fits 128 bits is computed
 * there; longer numbers digit by digit, in time that grows as their length.
 */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Scale of a number that is kept as text. */
#define DECIMAL_TEXT UINT8_MAX

/*
 * The number is coefficient × 10^-scale; the scale is the count of digits
 * behind the point as written, so that 5.500 prints as 5.500. When `scale`
 * is DECIMAL_TEXT the coefficient did not fit: `text` holds the number in
 * plain digits, `len` bytes that belong to the arena it was made in.
 */
struct decimal {
    union {
        __int128 coefficient;
        struct {
            const char *text;
            uint64_t len;
        };
    };
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
    DECIMAL_NO_MEMORY
};

/*
 * Reads a number: JSON's grammar, and what strings in the field hold besides
 * (a leading plus sign or zeros, a point without digits on one side).
 * Exponents are resolved: 1.7e15 is 1700000000000000.
 */
enum decimal_status decimal_parse(struct decimal *out, const char *text, size_t len, struct arena *arena);

struct decimal decimal_from_int(int64_t number);

/* < 0, 0, > 0. */
int decimal_compare(const struct decimal *a, const struct decimal *b);
bool decimal_is_negative(const struct decimal *number);

/* Exact sum and difference, with the longer scale of the two. */
enum decimal_status decimal_add(struct decimal *out, const struct decimal *a, const struct decimal *b,
                                struct arena *arena);
enum decimal_status decimal_subtract(struct decimal *out, const struct decimal *a, const struct decimal *b,
                                     struct arena *arena);

/* number × 10^-digits without trailing zeros behind the point. */
enum decimal_status decimal_shift(struct decimal *out, const struct decimal *number, unsigned digits,
                                  struct arena *arena);

/* The nearest whole number, ties to the even one. False when it does not fit int64_t. */
bool decimal_round(const struct decimal *number, int64_t *out);

/*
 * Prints in plain digits, no exponent. `size` must be at least
 * decimal_print_size(); returns the length (no NUL).
 */
size_t decimal_print_size(const struct decimal *number);
size_t decimal_print(const struct decimal *number, char *out, size_t size);

struct decimal_packed decimal_pack(const struct decimal *number);
struct decimal decimal_unpack(struct decimal_packed packed, uint8_t scale);

#endif
