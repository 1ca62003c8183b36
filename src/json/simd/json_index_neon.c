/*
 * json_index_neon.c - indexes with NEON (aarch64)
 */
#include "json/simd/json_index.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define LANES      2
#define INDEX_NAME json_index_neon
#define INDEX_TARGET

/* One bit for each byte of all ones: each keeps its own bit, and three rounds of pairwise sums bring them together. */
static inline uint64_t mask(const uint8x16_t v[4])
{
    static const uint8_t own[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bit = vld1q_u8(own);
    uint8x16_t low = vpaddq_u8(vandq_u8(v[0], bit), vandq_u8(v[1], bit));
    uint8x16_t high = vpaddq_u8(vandq_u8(v[2], bit), vandq_u8(v[3], bit));
    uint8x16_t sum = vpaddq_u8(low, high);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

static inline uint64_t equal(const uint8x16_t v[4], uint8_t c)
{
    uint8x16_t all = vdupq_n_u8(c);
    uint8x16_t m[4] = {vceqq_u8(v[0], all), vceqq_u8(v[1], all), vceqq_u8(v[2], all), vceqq_u8(v[3], all)};
    return mask(m);
}

static inline uint64_t below(const uint8x16_t v[4], uint8_t limit)
{
    uint8x16_t all = vdupq_n_u8(limit);
    uint8x16_t m[4] = {vcltq_u8(v[0], all), vcltq_u8(v[1], all), vcltq_u8(v[2], all), vcltq_u8(v[3], all)};
    return mask(m);
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
    static const uint8_t spaces[16] = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};
    uint8x16_t v[4], v20[4], space[4], digit[4];
    for (int i = 0; i < 4; i++) {
        v[i] = vld1q_u8(bytes + 16 * i);
        v20[i] = vorrq_u8(v[i], vdupq_n_u8(0x20));
        /* A table by the low four bits, of the only white space with these. */
        space[i] = vceqq_u8(vqtbl1q_u8(vld1q_u8(spaces), vandq_u8(v[i], vdupq_n_u8(0x0F))), v[i]);
        digit[i] = vsubq_u8(v[i], vdupq_n_u8('0'));
    }
    c->quote[word] = equal(v, '"');
    c->slash[word] = equal(v, '\\');
    c->colon[word] = equal(v, ':');
    c->comma[word] = equal(v, ',');
    /* Bit 5 is all that differs between [ and {, and between ] and }. */
    c->open[word] = equal(v20, '{');
    c->close[word] = equal(v20, '}');
    c->space[word] = mask(space);
    c->digit[word] = below(digit, 10);
    c->zero[word] = equal(v, '0');
    c->dot[word] = equal(v, '.');
    c->minus_dot[word] = c->dot[word] | equal(v, '-');
    c->control[word] = below(v, 0x20);
    c->high[word] = ~below(v, 0x80);
}

#endif
