/*
 * json_index_portable.c - indexes with plain C: eight bytes in a 64-bit word
 */
#include "json_index.h"

#include <string.h>

#define INDEX_NAME json_index_portable
#define INDEX_TARGET

struct classes {
    uint64_t quote, slash, colon, comma, open, close, space, digit, minus_dot, dot, zero, control, high;
};

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

static inline void classify(struct classes *c, const unsigned char *bytes, const struct tables *t)
{
    (void)t;
    memset(c, 0, sizeof *c);
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t x;
        memcpy(&x, bytes + i, 8);
        uint64_t x20 = x | EACH(0x20);
        uint64_t space = equal(x, ' ') | equal(x, '\n') | equal(x, '\r') | equal(x, '\t');
        c->quote |= gather(equal(x, '"')) << i;
        c->slash |= gather(equal(x, '\\')) << i;
        c->colon |= gather(equal(x, ':')) << i;
        c->comma |= gather(equal(x, ',')) << i;
        c->open |= gather(equal(x20, '{')) << i;
        c->close |= gather(equal(x20, '}')) << i;
        c->space |= gather(space) << i;
        c->digit |= gather(below(x, '9' + 1) & ~below(x, '0')) << i;
        c->zero |= gather(equal(x, '0')) << i;
        c->minus_dot |= gather(equal(x, '-') | equal(x, '.')) << i;
        c->dot |= gather(equal(x, '.')) << i;
        c->control |= gather(below(x, 0x20)) << i;
        c->high |= gather(x & HIGH1) << i;
    }
}

static inline uint64_t prefix_xor(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2) {
        bits ^= bits << shift;
    }
    return bits;
}

#include "json_index_positions.h"
#include "json_index_template.h"
