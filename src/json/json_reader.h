/*
 * json_reader.h - our own JSON, read as a stream: a spec, a report, a guide's args
 *
 * yajl reads; what it finds is handed over item by item, with the place
 * where it stands. Memory: a piece of the file and the item, which may have
 * 8 MiB. What becomes of an item, of keys that come twice and of nesting is
 * the caller's business.
 */
#ifndef JSON_READER_H
#define JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/arena.h"
#include "base/intern.h"
#include "json/yajl_memory.h"

enum json_kind {
    JSON_NUMBER, /* text: as written */
    JSON_STRING, /* text: decoded */
    JSON_WORD,   /* text: null, true or false */
    JSON_NESTED, /* an object or array begins, no text; it will be level[depth + 1] */
    JSON_KEY,    /* text: decoded */
    JSON_CLOSE   /* level[depth] ends, no text */
};

/* Takes an item, whose text is valid during the call. False stops the reading. */
typedef bool json_item_fn(void *ctx, enum json_kind kind, const char *text, size_t len);

enum json_status {
    JSON_OK,
    JSON_END,        /* of the file, and of the document in it */
    JSON_STOPPED,    /* by `item` */
    JSON_SYNTAX,     /* no JSON: see `why` */
    JSON_CUT,        /* the file ends too early: see `why` */
    JSON_HALF_PAIR,  /* half of a surrogate pair, before json_reader_offset() */
    JSON_TOO_LONG,   /* a string, number or blank of over 8 MiB */
    JSON_UNREADABLE, /* errno is in `errnum` */
    JSON_NO_MEMORY
};

/* Deeper places have no name. */
#define JSON_LEVELS 64u

struct json_level {
    bool is_object;
    char key[24]; /* the last one of an object, NUL-terminated; a longer one is cut, and is none of ours */
    size_t key_len;
};

/* Set to zero, then the first part. It must stay where it is. */
struct json_reader {
    json_item_fn *item;
    void *ctx;
    size_t piece;       /* of a file: how much is read at first, and again behind each item; it doubles up to 1 MiB */
    bool any_bytes;     /* strings need not be UTF-8 */
    bool no_half_pairs; /* JSON_HALF_PAIR; else yajl makes a question mark of what is half of a character */

    /* Where an item stands. */
    unsigned depth; /* how many objects and arrays are open */
    char *key;      /* the last one, whole and NUL-terminated: that of a value in an object */
    size_t key_len;
    struct json_level level[JSON_LEVELS + 1]; /* from 1 on */

    char why[128]; /* yajl's words for JSON_SYNTAX and JSON_CUT, printable */
    int errnum;
    bool parsing; /* in a piece: json_reader_offset() tells where */

    /* Its own. */
    yajl_handle yajl;
    struct yajl_memory memory;
    uint64_t offset; /* of what is being parsed */
    uint64_t found, found_before, unfinished;
    unsigned char *data;
    size_t len, size, capacity, key_capacity;
    struct json_pairs {
        bool in_string, escaped, high; /* `high`: the first half has come */
        unsigned hex_left, code;
    } pairs;
};

/* Reads the next piece of a file. Goes on as long as that is JSON_OK; behind anything else only json_reader_end(). */
enum json_status json_reader_file(struct json_reader *reader, int fd);

/* Reads a text; what it lacks at its end is not asked for. */
enum json_status json_reader_text(struct json_reader *reader, const char *text, size_t len);

/* Gives back what the reader has taken. */
void json_reader_end(struct json_reader *reader);

/* How many bytes of the document have been taken. */
uint64_t json_reader_offset(const struct json_reader *reader);

/* Whether `key`, one of ours, is the last key of the object at a level. */
static inline bool json_reader_under(const struct json_reader *reader, unsigned level, const char *key)
{
    const struct json_level *at = &reader->level[level];
    size_t len = strlen(key);
    return at->key_len == len && memcmp(at->key, key, len) == 0;
}

/* ---- an object's members, as text -------------------------------------------------------------------------- */

struct member {
    const char *key, *text; /* NUL-terminated; a string may hold further NULs */
    size_t key_len, len;
    enum json_kind kind; /* of a value */
};

/* For small objects: a row of a report, a guide's args. Set to zero. */
struct members {
    struct member *items; /* [count] */
    size_t count, capacity;
    struct arena arena;
    struct intern keys; /* of all items, by their numbers, when there are many */
    bool twice;         /* members_read() met a key a second time and read no further */
};

enum members_added { MEMBERS_OK, MEMBERS_TWICE, MEMBERS_NO_MEMORY };

/* Adds a member. MEMBERS_TWICE: the key is there already. */
enum members_added members_add(struct members *members, const char *key, size_t key_len, enum json_kind kind,
                               const char *text, size_t len);

/* NULL when there is none. */
const struct member *members_find(const struct members *members, const char *key);

/* The same of a key that may hold NULs: whether `member` is known by it. */
bool member_has_key(const struct member *member, const char *key, size_t len);

/* Whether a member is a whole number that fits int64_t, and which; 1e6 and 1000000.0 are one. */
bool member_whole(const struct member *member, int64_t *out);

/* The same from 0 up. */
bool member_count(const struct member *member, uint64_t *out);

/* Same kind and value: numbers as decimals, everything else as text. */
bool member_equal(const struct member *a, const struct member *b);

/*
 * Reads the object under `key` of a JSON object's text (no such key: no
 * members), and the object itself into `outer`. False when memory is out. Of
 * a text that is no JSON, or of keys that come twice, the first part is taken.
 */
bool members_read(struct members *members, struct members *outer, const char *text, size_t len, const char *key);

void members_free(struct members *members);

#endif
