#include "json/json_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/decimal.h"
#include "base/number.h"

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

enum members_added members_add(struct members *members, const char *key, size_t key_len, enum json_kind kind,
                               const char *text, size_t len)
{
    if (find(members, key, key_len) != NULL)
        return MEMBERS_TWICE;
    if (!array_grow(&members->items, &members->capacity, members->count, sizeof *members->items))
        return MEMBERS_NO_MEMORY;
    struct member member = {.key_len = key_len, .len = len, .kind = kind};
    member.key = arena_string(&members->arena, key, key_len);
    member.text = arena_string(&members->arena, text, len);
    if (member.key == NULL || member.text == NULL)
        return MEMBERS_NO_MEMORY;
    members->items[members->count++] = member;
    return hash_keys(members) ? MEMBERS_OK : MEMBERS_NO_MEMORY;
}

bool member_whole(const struct member *member, int64_t *out)
{
    struct decimal number;
    return member != NULL && member->kind == JSON_NUMBER &&
           decimal_parse(&number, member->text, member->len) == DECIMAL_OK && decimal_whole(&number, out);
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
    return a->kind == JSON_NUMBER && number_same(a->text, a->len, b->text, b->len);
}

/* ---- reading one object ------------------------------------------------------------------------------------ */

struct job {
    struct json_reader json;
    struct members *members, *outer;
    const char *wanted;
    bool failed;
};

static bool take_item(void *ctx, enum json_kind kind, const char *text, size_t len)
{
    struct job *job = ctx;
    const struct json_reader *json = &job->json;
    bool is_inside = json->depth == 2 && json_reader_under(json, 1, job->wanted);
    if (kind > JSON_NESTED || (json->depth != 1 && !is_inside))
        return true;
    struct members *to = is_inside ? job->members : job->outer;
    enum members_added added = members_add(to, json->key, json->key_len, kind, text, len);
    job->failed = added == MEMBERS_NO_MEMORY;
    to->twice |= added == MEMBERS_TWICE;
    return added == MEMBERS_OK;
}

bool members_read(struct members *members, struct members *outer, const char *text, size_t len, const char *key)
{
    struct job job = {
        .json = {.item = take_item, .any_bytes = true, .ctx = &job}, .members = members, .outer = outer, .wanted = key};
    job.failed |= json_reader_text(&job.json, text, len) == JSON_NO_MEMORY;
    json_reader_end(&job.json);
    return !job.failed;
}

void members_free(struct members *members)
{
    free(members->items);
    arena_free(&members->arena);
    intern_free(&members->keys);
    *members = (struct members){0};
}
