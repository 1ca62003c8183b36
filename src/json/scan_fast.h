/*
 * scan_fast.h - what the files of the fast scanner share
 *
 *   scan_fast.c        the method in words; making, feeding, finishing
 *   scan_fast_step.c   byte by byte: every input, every tolerance
 *   scan_fast_token.c  strings, numbers and words for it
 *   scan_fast_walk.c   whole events by an index of their structure
 *   simd/              makes the index
 */
#ifndef SCAN_FAST_H
#define SCAN_FAST_H

#include "json/scan_parser.h"
#include "json/simd/json_index.h"

/* What may come next outside of tokens. */
enum expect {
    EXPECT_ITEM_OR_CLOSE, /* behind `[` */
    EXPECT_ITEM,          /* behind a comma in an array; a `]` is tolerated */
    EXPECT_KEY_OR_CLOSE,  /* behind `{` */
    EXPECT_KEY,           /* behind a comma in an object; a `}` is tolerated */
    EXPECT_COLON,
    EXPECT_VALUE, /* behind a colon */
    EXPECT_COMMA_OR_CLOSE
};

/* The token that the next byte belongs to. */
enum token { TOKEN_NONE, TOKEN_STRING, TOKEN_NUMBER, TOKEN_WORD };

/* Of which the text is wanted. */
enum capture { CAPTURE_NONE, CAPTURE_KEY, CAPTURE_FIELD, CAPTURE_FACT };

/* Where a string's escape stands: behind the backslash, or this many hexadecimal digits missing. */
enum escape { ESCAPE_NONE, ESCAPE_HEX1, ESCAPE_HEX2, ESCAPE_HEX3, ESCAPE_HEX4, ESCAPE_SLASH };

enum number {
    NUMBER_MINUS,
    NUMBER_ZERO,
    NUMBER_WHOLE,
    NUMBER_DOT,
    NUMBER_FRACTION,
    NUMBER_E,
    NUMBER_SIGN,
    NUMBER_EXPONENT
};

struct text {
    char *bytes;
    size_t len;
    size_t size;
};

/* The longest key that is looked at, as written: `baseTimeNanoseconds` has 19 letters, \uXXXX each. */
#define LONGEST_KEY ((size_t)114)

/* How much is indexed at once: as fits a first-level cache, more for events that need it, less when much is in vain. */
#define USUAL_WINDOW    ((size_t)16384)
#define SMALLEST_WINDOW ((size_t)1024)

/* A walk may look at this many bytes before an event. */
#define KEY_MARGIN ((size_t)16)

struct fast {
    struct scan scan;

    json_index_fn *make_index; /* NULL: byte by byte */
    struct json_index *index;
    size_t index_from; /* position in the block from which on an index is tried */
    size_t window;     /* how many bytes are indexed at once, */
    size_t usual;      /* most of the time; tests make it small */

    /* Where in the document. */
    enum expect expect;
    bool closed; /* the document is complete */
    size_t depth;
    uint64_t objects[SCAN_MAX_DEPTH / 64 + 1]; /* bit d: level d is an object */
    uint64_t comma;                            /* offset of the last comma */

    /* Where in the trace. */
    size_t array_depth; /* that of the event array, 0 outside of it */
    bool had_array;
    bool events_key;       /* the last key at depth 1 was traceEvents */
    enum scan_field field; /* the event's last key */
    bool in_args;
    enum scan_field args_field;
    struct scan_event current;
    bool in_info;        /* in the object distributedInfo */
    enum scan_fact fact; /* that the last key beside the array leads to */

    /* The token in work. */
    enum token token;
    uint64_t token_start;
    bool is_key;
    enum number number;
    enum escape escape;
    unsigned utf8_more;
    unsigned char utf8_low;
    unsigned char utf8_high;
    bool slash;
    bool odd_control;
    bool odd_utf8;
    bool odd_escape;
    char word_sign;
    char word[10];
    size_t word_len;

    /* Its text: what earlier blocks had of it, and from where it goes on in this one. */
    enum capture capture;
    enum scan_field capture_field;
    size_t capture_from;
    struct text key; /* and a fact's number */
    struct text texts[FIELDS];
};

/* One block; `offset` is that of data[0]. */
struct block {
    const unsigned char *data;
    size_t len;
    uint64_t offset;
};

/* Makes the fast scanner with one way of indexing, for tests; NULL also when this machine has it not. */
struct scan *scan_fast_new_with(enum json_simd simd);

/* Refuses, and says in which event and key. */
enum scan_status fast_refuse(struct fast *f, enum scan_refusal what, uint64_t offset, const char *detail);

static inline bool fast_in_object(const struct fast *f)
{
    return f->objects[f->depth / 64] >> (f->depth % 64) & 1;
}

static inline bool fast_at_element(const struct fast *f)
{
    return f->array_depth != 0 && f->depth == f->array_depth;
}

/* The fact that a value here is: one of FACTS, FACT_INFO or FACT_NONE. */
static inline enum scan_fact fast_fact_here(const struct fast *f)
{
    bool beside = f->array_depth == 0 && f->depth == (f->in_info ? 2 : 1);
    return beside ? f->fact : FACT_NONE;
}

/* The field that a value here belongs to. */
static inline enum scan_field fast_field_here(const struct fast *f)
{
    if (f->array_depth == 0 || !f->current.is_object)
        return FIELD_NONE;
    if (f->depth == f->array_depth + 1)
        return f->field;
    return f->depth == f->array_depth + 2 && f->in_args ? f->args_field : FIELD_NONE;
}

/*
 * Goes on at block->data[*at] up to the block's end or the document's. The
 * document's end leaves *at behind it, and f->closed set.
 */
enum scan_status fast_step(struct fast *f, const struct block *block, size_t *at);

/* At the end of the input: a word that was complete is a value. */
enum scan_status fast_last_word(struct fast *f, uint64_t offset);

/* At a block's end: copies what will be needed and is in the block. */
enum scan_status fast_keep(struct fast *f, const struct block *block);

/* Hands the finished event over. */
enum scan_status fast_event(struct fast *f, uint64_t end);

/* Tokens: starts one at block->data[at] ... */
void fast_begin_token(struct fast *f, enum token token, const struct block *block, size_t at);
void fast_begin_string(struct fast *f, const struct block *block, size_t at);
bool fast_begin_number(struct fast *f, const struct block *block, size_t at);
bool fast_begin_word(struct fast *f, const struct block *block, size_t at);

/* ... goes on in it. True when its end was found: *at is the byte behind it; else *at is the block's end or refused. */
bool fast_string(struct fast *f, const struct block *block, size_t *at);
bool fast_number(struct fast *f, const struct block *block, size_t *at, enum scan_status *status);
bool fast_word(struct fast *f, const struct block *block, size_t *at, enum scan_status *status);

/* What the complete word is. */
enum scan_kind fast_word_kind(const struct fast *f);
bool fast_word_complete(const struct fast *f);

/* The text of the captured token, which ends before block->data[end]; NULL and a length of SIZE_MAX: no memory. */
const char *fast_captured(struct fast *f, const struct block *block, size_t end, size_t *len);

/*
 * Hands over whole events, the first of which starts at block->data[at], as
 * long as they are plain. Returns the position behind the last one (`at` for
 * none) and sets f->index_from to where the next try is worth it.
 */
size_t fast_walk(struct fast *f, const struct block *block, size_t at, enum scan_status *status);

#endif
