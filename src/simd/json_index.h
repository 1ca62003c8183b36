/*
 * json_index.h - the structure of a piece of JSON as bitmaps
 *
 * An index looks at up to INDEX_BYTES bytes that start with the `{` of an
 * event, 64 at a time, and finds out with a handful of instructions
 * for all 64 together what a parser would find out token by token: where
 * strings, numbers and brackets are, and whether each token may follow the
 * one before it. What it leaves to its user is all that needs a stack.
 * scan_fast.c tells the method.
 */
#ifndef JSON_INDEX_H
#define JSON_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_WORDS 256
#define INDEX_BYTES ((size_t)INDEX_WORDS * 64)

/* Bit i of word w is byte 64 * w + i. Each array has a word to spare. */
struct json_index {
    uint64_t quote[INDEX_WORDS + 1];  /* the quotes that open and close strings */
    uint64_t scalar[INDEX_WORDS + 1]; /* bytes of numbers and literals */
    /*
     * The byte (a comma or bracket) ends or opens an item that has no key, so
     * it must stand in an array. Not set for the end of an empty array or object.
     */
    uint64_t keyless[INDEX_WORDS + 1];

    /* Positions of all colons and brackets, and of the commas that are `keyless`, below `good`. */
    uint16_t at[INDEX_BYTES + 64];
    size_t count;

    /*
     * Everything before this position is strict JSON as far as one can tell
     * without a stack: strings, escapes, UTF-8, numbers, literals and the order
     * of tokens. What still has to be checked:
     *   - brackets match
     *   - a colon stands in an object, with a string before it
     *   - whatever is keyless stands in an array
     */
    size_t good;
    bool backslash; /* there is one before `good` */
};

/* The ways to make an index. All make the same. */
enum json_simd {
    SIMD_NONE, /* no index: the scanner goes byte by byte */
    SIMD_PORTABLE,
    SIMD_AVX2,
    SIMD_AVX512,
    SIMD_NEON,
    SIMD_KINDS
};

/*
 * Indexes data[0..len), 0 < len <= INDEX_BYTES; data[0] is the first byte
 * of a value that may stand there.
 */
typedef void json_index_fn(struct json_index *index, const unsigned char *data, size_t len);

/* The function of a kind, or NULL when this machine (or SIMD_NONE) has none. */
json_index_fn *json_index_of(enum json_simd simd);

/* The fastest kind of this machine. */
enum json_simd json_simd_best(void);

json_index_fn json_index_portable;
#if defined(__x86_64__)
json_index_fn json_index_avx2;
json_index_fn json_index_avx512;
#endif
#if defined(__aarch64__)
json_index_fn json_index_neon;
#endif

/*
 * Whether text[0..len), a run of bytes that are no white space, no quote and
 * no structural character, is a JSON number, true, false or null.
 */
bool json_scalar_valid(const unsigned char *text, size_t len);

/*
 * The length of the well-formed UTF-8 sequence of more than one byte that
 * starts at text[0]; 0 when there is none within len bytes.
 */
size_t json_utf8_length(const unsigned char *text, size_t len);

#endif
