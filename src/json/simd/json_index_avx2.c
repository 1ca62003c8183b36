/*
 * json_index_avx2.c - indexes with AVX2 and PCLMUL (x86-64)
 */
#include "json/simd/json_index.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANES        4
#define INDEX_NAME   json_index_avx2
#define INDEX_TARGET __attribute__((target("avx2,pclmul,bmi,bmi2,lzcnt,popcnt")))

struct tables {
    __m256i quote, slash, colon, comma, bit5, open, close, nought, ten, dot, minus, control, space;
};

/* The compiler would rather make a constant anew for each use than keep it; it cannot when it does not know it. */
INDEX_TARGET static inline __m256i constant(__m256i v)
{
    __asm__("" : "+x"(v));
    return v;
}

INDEX_TARGET static inline void load_tables(struct tables *t)
{
    t->quote = constant(_mm256_set1_epi8('"'));
    t->slash = constant(_mm256_set1_epi8('\\'));
    t->colon = constant(_mm256_set1_epi8(':'));
    t->comma = constant(_mm256_set1_epi8(','));
    t->bit5 = constant(_mm256_set1_epi8(0x20));
    t->open = constant(_mm256_set1_epi8('{'));
    t->close = constant(_mm256_set1_epi8('}'));
    t->nought = constant(_mm256_set1_epi8('0'));
    t->ten = constant(_mm256_set1_epi8(9));
    t->dot = constant(_mm256_set1_epi8('.'));
    t->minus = constant(_mm256_set1_epi8('-'));
    t->control = constant(_mm256_set1_epi8(0x1F));
    /* A table by the low four bits, of the only white space with these. */
    __m128i space = _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    t->space = constant(_mm256_broadcastsi128_si256(space));
}

INDEX_TARGET static inline uint64_t mask(__m256i a, __m256i b)
{
    return (uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

INDEX_TARGET static inline uint64_t equal(__m256i a, __m256i b, __m256i c)
{
    return mask(_mm256_cmpeq_epi8(a, c), _mm256_cmpeq_epi8(b, c));
}

/* Bytes that are at most `limit`, as unsigned numbers. */
INDEX_TARGET static inline uint64_t at_most(__m256i a, __m256i b, __m256i limit)
{
    return mask(_mm256_cmpeq_epi8(_mm256_min_epu8(a, limit), a), _mm256_cmpeq_epi8(_mm256_min_epu8(b, limit), b));
}

INDEX_TARGET static inline bool any_bit(__m256i v)
{
    return !_mm256_testz_si256(v, v);
}
#define any(v) any_bit((__m256i)(v))

#include "json/simd/json_index_positions.h"
#include "json/simd/json_index_template.h"

INDEX_TARGET static inline void classify(struct classes *c, size_t word, const unsigned char *bytes,
                                         const struct tables *t)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32));
    c->quote[word] = equal(a, b, t->quote);
    c->slash[word] = equal(a, b, t->slash);
    c->colon[word] = equal(a, b, t->colon);
    c->comma[word] = equal(a, b, t->comma);
    /* Bit 5 is all that differs between [ and {, and between ] and }. */
    __m256i a20 = _mm256_or_si256(a, t->bit5);
    __m256i b20 = _mm256_or_si256(b, t->bit5);
    c->open[word] = equal(a20, b20, t->open);
    c->close[word] = equal(a20, b20, t->close);
    c->space[word] = mask(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(t->space, a), a),
                          _mm256_cmpeq_epi8(_mm256_shuffle_epi8(t->space, b), b));
    c->digit[word] = at_most(_mm256_sub_epi8(a, t->nought), _mm256_sub_epi8(b, t->nought), t->ten);
    c->zero[word] = equal(a, b, t->nought);
    c->dot[word] = equal(a, b, t->dot);
    c->minus_dot[word] = c->dot[word] | equal(a, b, t->minus);
    c->control[word] = at_most(a, b, t->control);
    c->high[word] = mask(a, b);
}

#endif
