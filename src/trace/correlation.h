/*
 * correlation.h - an answer for each of a set of correlations
 *
 * A correlation is the number that a kernel shares with the call that
 * launched it. 12 bytes for each distinct one.
 */
#ifndef CORRELATION_H
#define CORRELATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct correlation {
    uint64_t *keys;    /* [count], rising */
    uint32_t *answers; /* [count], 0 at first */
    size_t count;
};

/* Takes the distinct ones of `count` numbers. False when memory is out; correlation_free() must be called then too. */
bool correlation_init(struct correlation *correlation, const uint64_t *numbers, size_t count);

/* The answer of a number, or NULL when it is none of them. */
uint32_t *correlation_find(const struct correlation *correlation, uint64_t number);

void correlation_free(struct correlation *correlation);

#endif
