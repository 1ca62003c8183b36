#include "json/members.h"

#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/decimal.h"
#include "json/yajl_memory.h"

/* From so many keys on they are hashed. */
#define MANY 32u

static const struct member *find(const struct members *members, const char *key, size_t len)
{
    if (members->count >= MANY) {
        uint32_t number = intern_find(&members->keys, 'k', key, len);
        return number == INTERN_NONE ? NULL : &members->items[number];
    }
    for (size_t i = 0; i < members->count; i++)
        if (member_has_key(&members->items[i], key, len))
            return &members->items[i];
    return NULL;
}

bool member_has_key(const struct member *member, const char *key, size_t len)
{
    return member->key_len == len && memcmp(member->key, key, len) == 0;
}

/* Hashes the last key; with MANY of them the first time, all. */
static bool hash_keys(struct members *members)
{
    for (size_t i = members->count == MANY ? 0 : members->count - 1; i < members->count && members->count >= MANY; i++)
        if (intern(&members->keys, 'k', members->items[i].key, members->items[i].key_len, NULL) == INTERN_NONE)
            return false;
    return true;
}

const struct member *members_find(const struct members *members, const char *key)
{
    return find(members, key, strlen(key));
}

static const char *keep(struct members *members, const char *text, size_t len)
{
    char *copy = arena_take(&members->arena, len + 1);
    if (copy == NULL)
        return NULL;
    if (len > 0)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

enum members_added members_add(struct members *members, const char *key, size_t key_len, enum member_kind kind,
                               const char *text, size_t len)
{
    if (find(members, key, key_len) != NULL)
        return MEMBERS_TWICE;
    if (members->count == members->capacity) {
        size_t capacity = members->capacity == 0 ? 32 : members->capacity * 2;
        struct member *items = realloc(members->items, capacity * sizeof *items);
        if (items == NULL)
            return MEMBERS_NO_MEMORY;
        members->items = items;
        members->capacity = capacity;
    }
    struct member member = {.key_len = key_len, .len = len, .kind = kind};
    member.key = keep(members, key, key_len);
    member.text = keep(members, text, len);
    if (member.key == NULL || member.text == NULL)
        return MEMBERS_NO_MEMORY;
    members->items[members->count++] = member;
    return hash_keys(members) ? MEMBERS_OK : MEMBERS_NO_MEMORY;
}

bool member_whole(const struct member *member, int64_t *out)
{
    struct arena arena = {0};
    struct decimal number, rounded;
    if (member == NULL || member->kind != MEMBER_NUMBER)
        return false;
    bool whole = decimal_parse(&number, member->text, member->len, &arena) == DECIMAL_OK && decimal_round(&number, out);
    if (whole) {
        rounded = decimal_from_int(*out);
        whole = decimal_compare(&number, &rounded) == 0;
    }
    arena_free(&arena);
    return whole;
}

bool member_count(const struct member *member, uint64_t *out)
{
    int64_t number;
    if (!member_whole(member, &number) || number < 0)
        return false;
    *out = (uint64_t)number;
    return true;
}

bool member_equal(const struct member *a, const struct member *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->len == b->len && memcmp(a->text, b->text, a->len) == 0)
        return true;
    if (a->kind != MEMBER_NUMBER)
        return false;
    struct arena arena = {0};
    struct decimal x, y;
    bool equal = decimal_parse(&x, a->text, a->len, &arena) == DECIMAL_OK &&
                 decimal_parse(&y, b->text, b->len, &arena) == DECIMAL_OK && decimal_compare(&x, &y) == 0;
    arena_free(&arena);
    return equal;
}

/* ---- reading one object ------------------------------------------------------------------------------------ */

struct reader {
    struct members *members, *outer;
    const char *wanted;
    unsigned depth;
    bool inside;     /* the object that opens next, or is open, is the wanted one */
    const char *key; /* the last one of `outer`, or of `members` */
    size_t key_len;
    bool failed;
};

static int value(struct reader *reader, enum member_kind kind, const char *text, size_t len)
{
    if (reader->depth != 1 && (!reader->inside || reader->depth != 2))
        return 1;
    struct members *to = reader->depth == 1 ? reader->outer : reader->members;
    enum members_added added = members_add(to, reader->key, reader->key_len, kind, text, len);
    reader->failed = added == MEMBERS_NO_MEMORY;
    to->twice |= added == MEMBERS_TWICE;
    return added == MEMBERS_OK;
}

static int on_null(void *ctx)
{
    return value(ctx, MEMBER_WORD, "null", 4);
}

static int on_boolean(void *ctx, int yes)
{
    return value(ctx, MEMBER_WORD, yes ? "true" : "false", yes ? 4 : 5);
}

static int on_number(void *ctx, const char *text, size_t len)
{
    return value(ctx, MEMBER_NUMBER, text, len);
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
    return value(ctx, MEMBER_STRING, (const char *)text, len);
}

static int on_open(void *ctx)
{
    struct reader *reader = ctx;
    int go_on = value(reader, MEMBER_NESTED, "", 0);
    reader->depth++;
    return go_on;
}

static int on_close(void *ctx)
{
    struct reader *reader = ctx;
    if (--reader->depth == 1)
        reader->inside = false;
    return 1;
}

static int on_key(void *ctx, const unsigned char *key, size_t len)
{
    struct reader *reader = ctx;
    if (reader->depth == 1)
        reader->inside = len == strlen(reader->wanted) && memcmp(key, reader->wanted, len) == 0;
    if (reader->depth == 1 || (reader->depth == 2 && reader->inside)) {
        reader->key = keep(reader->depth == 1 ? reader->outer : reader->members, (const char *)key, len);
        reader->key_len = len;
        reader->failed = reader->key == NULL;
    }
    return !reader->failed;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_open,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close,
    .yajl_start_array = on_open,
    .yajl_end_array = on_close,
};

bool members_read(struct members *members, struct members *outer, const char *text, size_t len, const char *key)
{
    struct reader reader = {.members = members, .outer = outer, .wanted = key};
    struct yajl_memory memory;
    yajl_memory_init(&memory);
    if (setjmp(memory.out) == 0) {
        yajl_handle yajl = yajl_alloc(&callbacks, &memory.functions, &reader);
        yajl_config(yajl, yajl_dont_validate_strings, 1);
        yajl_parse(yajl, (const unsigned char *)text, len);
    } else {
        reader.failed = true;
    }
    yajl_memory_free(&memory);
    return !reader.failed;
}

void members_free(struct members *members)
{
    free(members->items);
    arena_free(&members->arena);
    intern_free(&members->keys);
    *members = (struct members){0};
}
