/*
 * json_index_portable.c - indexes with plain C: eight bytes in a 64-bit word
 */
#include "json/simd/json_index.h"

#include <string.h>

#define LANES      2
#define INDEX_NAME json_index_portable
#define INDEX_TARGET

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define LOW7       EACH(0x7F)
#define HIGH1      EACH(0x80)

/* The top bit of each byte, gathered into the lowest eight bits. */
static inline uint64_t gather(uint64_t tops)
{
    return ((tops >> 7) * UINT64_C(0x0102040810204080)) >> 56;
}

/* The top bit of each byte of x that is zero. No borrow or carry crosses a byte. */
static inline uint64_t zero_bytes(uint64_t x)
{
    return ~(((x & LOW7) + LOW7) | x) & HIGH1;
}

static inline uint64_t equal(uint64_t x, unsigned char c)
{
    return zero_bytes(x ^ EACH(c));
}

/* The top bit of each byte of x below `limit` (at most 0x80). */
static inline uint64_t below(uint64_t x, unsigned char limit)
{
    return ~((x & LOW7) + EACH(0x80u - limit)) & ~x & HIGH1;
}

struct tables {
    char none;
};

static inline void load_tables(struct tables *t)
{
    t->none = 0;
}

#define any(v) (((v)[0] | (v)[1]) != 0)

#include "json/simd/json_index_positions.h"
#include "json/simd/json_index_template.h"

static inline void classify(struct classes *c, size_t word, const unsigned char *bytes, const struct tables *t)
{
    (void)t;
    uint64_t quote = 0, slash = 0, colon = 0, comma = 0, open = 0, close = 0, spaces = 0;
    uint64_t digit = 0, minus_dot = 0, dot = 0, zero = 0, control = 0, high = 0;
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t x;
        memcpy(&x, bytes + i, 8);
        uint64_t x20 = x | EACH(0x20);
        uint64_t space = equal(x, ' ') | equal(x, '\n') | equal(x, '\r') | equal(x, '\t');
        quote |= gather(equal(x, '"')) << i;
        slash |= gather(equal(x, '\\')) << i;
        colon |= gather(equal(x, ':')) << i;
        comma |= gather(equal(x, ',')) << i;
        open |= gather(equal(x20, '{')) << i;
        close |= gather(equal(x20, '}')) << i;
        spaces |= gather(space) << i;
        digit |= gather(below(x, '9' + 1) & ~below(x, '0')) << i;
        zero |= gather(equal(x, '0')) << i;
        minus_dot |= gather(equal(x, '-') | equal(x, '.')) << i;
        dot |= gather(equal(x, '.')) << i;
        control |= gather(below(x, 0x20)) << i;
        high |= gather(x & HIGH1) << i;
    }
    c->quote[word] = quote;
    c->slash[word] = slash;
    c->colon[word] = colon;
    c->comma[word] = comma;
    c->open[word] = open;
    c->close[word] = close;
    c->space[word] = spaces;
    c->digit[word] = digit;
    c->minus_dot[word] = minus_dot;
    c->dot[word] = dot;
    c->zero[word] = zero;
    c->control[word] = control;
    c->high[word] = high;
}
