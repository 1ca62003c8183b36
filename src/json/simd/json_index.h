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

#define INDEX_WORDS 1024
#define INDEX_BYTES ((size_t)INDEX_WORDS * 64)

/* Things that are not strict JSON, but may be tolerated. */
enum json_odd_kind {
    ODD_CONTROL, /* a control byte in a string */
    ODD_UTF8,    /* a byte in a string that is not UTF-8 */
    ODD_ESCAPE,  /* a byte in a string behind a backslash that makes no escape */
    ODD_WORD     /* the first byte of a nan, inf, N/A ... */
};

struct json_odd {
    uint16_t at;
    uint16_t kind;
};

#define INDEX_ODD       ((size_t)1024)
#define INDEX_ODD_MIXED 512

/* Bit i of word w is byte 64 * w + i. Each array has words to spare. */
struct json_index {
    uint64_t quote[INDEX_WORDS + 2];  /* the quotes that open and close strings */
    uint64_t scalar[INDEX_WORDS + 2]; /* bytes of numbers and literals */
    /*
     * The byte (a comma or bracket) ends or opens an item that has no key, so
     * it must stand in an array. Not set for the end of an empty array or object.
     */
    uint64_t keyless[INDEX_WORDS + 2];

    /* Positions of all colons and brackets, and of the commas that are `keyless`, below `good`. */
    uint16_t at[INDEX_BYTES + 64];
    size_t count;

    /*
     * Everything before this position is JSON as far as one can tell without a
     * stack: strings, numbers, literals and the order of tokens, but for what
     * is listed in `odd`. What still has to be checked:
     *   - brackets match
     *   - a colon stands in an object, with a string before it
     *   - whatever is keyless stands in an array
     */
    size_t good;
    /* What is not strict JSON; of each kind in order, of all kinds nearly so: at most INDEX_ODD_MIXED bytes back. */
    struct json_odd odd[INDEX_ODD];
    size_t odd_count;
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

/* Whether it is one of the words that are tolerated for a number: [+-]?(nan|inf|infinity) in any case, N/A. */
bool json_word_nonfinite(const unsigned char *text, size_t len);

/*
 * The length of the well-formed UTF-8 sequence of more than one byte that
 * starts at text[0]; 0 when there is none within len bytes.
 */
size_t json_utf8_length(const unsigned char *text, size_t len);

#endif
