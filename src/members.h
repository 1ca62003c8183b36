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

#include "arena.h"
#include "intern.h"

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

/* Whether a member is a whole number below 2^63, and which. */
bool member_count(const struct member *member, uint64_t *out);

/* Same kind and value: numbers as decimals, everything else as text. */
bool member_equal(const struct member *a, const struct member *b);

/*
 * Reads the object under `key` of a JSON object's text (no such key: no
 * members). False when memory is out. Of a text that is no JSON, or of keys
 * that come twice, the first part is taken.
 */
bool members_read(struct members *members, const char *text, size_t len, const char *key);

void members_free(struct members *members);

#endif
