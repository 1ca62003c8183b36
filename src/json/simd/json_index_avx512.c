/*
 * json_index_avx512.c - indexes with AVX-512 BW and VBMI2 (x86-64)
 */
#include "json/simd/json_index.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LANES        8
#define INDEX_NAME   json_index_avx512
#define INDEX_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,pclmul,bmi,bmi2,lzcnt,popcnt")))

struct tables {
    __m512i quote, slash, colon, comma, bit5, open, close, nought, ten, dot, minus, control, space;
};

/* The compiler would rather make a constant anew for each use than keep it; it cannot when it does not know it. */
INDEX_TARGET static inline __m512i constant(__m512i v)
{
    __asm__("" : "+v"(v));
    return v;
}

INDEX_TARGET static inline void load_tables(struct tables *t)
{
    t->quote = constant(_mm512_set1_epi8('"'));
    t->slash = constant(_mm512_set1_epi8('\\'));
    t->colon = constant(_mm512_set1_epi8(':'));
    t->comma = constant(_mm512_set1_epi8(','));
    t->bit5 = constant(_mm512_set1_epi8(0x20));
    t->open = constant(_mm512_set1_epi8('{'));
    t->close = constant(_mm512_set1_epi8('}'));
    t->nought = constant(_mm512_set1_epi8('0'));
    t->ten = constant(_mm512_set1_epi8(10));
    t->dot = constant(_mm512_set1_epi8('.'));
    t->minus = constant(_mm512_set1_epi8('-'));
    t->control = constant(_mm512_set1_epi8(0x20));
    /* A table by the low four bits, of the only white space with these. */
    __m128i space = _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    t->space = constant(_mm512_broadcast_i32x4(space));
}

INDEX_TARGET static inline bool any_bit(__m512i v)
{
    return _mm512_test_epi64_mask(v, v) != 0;
}
#define any(v) any_bit((__m512i)(v))

INDEX_TARGET static inline size_t put_positions(uint16_t *out, uint64_t bits, size_t base)
{
    static const unsigned char numbers[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    __m512i packed = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(numbers));
    __m512i first = _mm512_set1_epi16((short)base);
    __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(packed));
    size_t count = (size_t)__builtin_popcountll(bits);
    _mm512_storeu_si512(out, _mm512_add_epi16(low, first));
    if (count > 32) {
        __m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(packed, 1));
        _mm512_storeu_si512(out + 32, _mm512_add_epi16(high, first));
    }
    return count;
}

#include "json/simd/json_index_template.h"

INDEX_TARGET static inline void classify(struct classes *c, size_t word, const unsigned char *bytes,
                                         const struct tables *t)
{
    __m512i a = _mm512_loadu_si512(bytes);
    c->quote[word] = _mm512_cmpeq_epi8_mask(a, t->quote);
    c->slash[word] = _mm512_cmpeq_epi8_mask(a, t->slash);
    c->colon[word] = _mm512_cmpeq_epi8_mask(a, t->colon);
    c->comma[word] = _mm512_cmpeq_epi8_mask(a, t->comma);
    /* Bit 5 is all that differs between [ and {, and between ] and }. */
    __m512i a20 = _mm512_or_si512(a, t->bit5);
    c->open[word] = _mm512_cmpeq_epi8_mask(a20, t->open);
    c->close[word] = _mm512_cmpeq_epi8_mask(a20, t->close);
    c->space[word] = _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(t->space, a), a);
    c->digit[word] = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(a, t->nought), t->ten);
    c->zero[word] = _mm512_cmpeq_epi8_mask(a, t->nought);
    c->dot[word] = _mm512_cmpeq_epi8_mask(a, t->dot);
    c->minus_dot[word] = c->dot[word] | _mm512_cmpeq_epi8_mask(a, t->minus);
    c->control[word] = _mm512_cmplt_epu8_mask(a, t->control);
    c->high[word] = _mm512_movepi8_mask(a);
}

#endif
