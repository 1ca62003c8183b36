/*
 * members.h - the members of a JSON object, as text
 *
 * For small objects of our own making: a row of a report, a guide's args.
 * Strings are decoded, numbers as written.
 */
#ifndef MEMBERS_H
#define MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"

enum member_kind { MEMBER_NUMBER, MEMBER_STRING, MEMBER_WORD /* null, true, false */, MEMBER_NESTED /* no text */ };

struct member {
    const char *key, *text; /* NUL-terminated; a string may hold further NULs */
    size_t key_len, len;
    enum member_kind kind;
};

struct members {
    struct member *items; /* [count] */
    size_t count, capacity;
    struct arena arena;
    struct intern keys; /* of all items, by their numbers, when there are many */
    bool twice;         /* members_read() met a key a second time and read no further */
};

enum members_added { MEMBERS_OK, MEMBERS_TWICE, MEMBERS_NO_MEMORY };

/* Adds a member. MEMBERS_TWICE: the key is there already. */
enum members_added members_add(struct members *members, const char *key, size_t key_len, enum member_kind kind,
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
