#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_bytes(uint64_t seed, char tag, const char *text, size_t len)
{
    const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd6e8feb86659fd93u;
    uint64_t h = mix(seed ^ (unsigned char)tag, k0 ^ len);
    size_t i = 0;
    for (; i + 16 <= len; i += 16) {
        uint64_t a, b;
        memcpy(&a, text + i, 8);
        memcpy(&b, text + i + 8, 8);
        h = mix(a ^ h ^ k0, b ^ k1 ^ seed);
    }
    uint64_t tail[2] = {0, 0};
    if (i < len)
        memcpy(tail, text + i, len - i);
    h = mix(tail[0] ^ h ^ k0, tail[1] ^ k1 ^ seed);
    return mix(h, k1);
}

static uint32_t find_slot(const struct intern *table, uint64_t hash, char tag, const char *text, size_t len)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t slot = (uint32_t)hash & mask;
    while (table->slots[slot] != 0) {
        const struct intern_entry *entry = &table->entries[table->slots[slot] - 1];
        if (entry->hash == hash && entry->len == len && entry->tag == tag &&
            (len == 0 || memcmp(entry->text, text, len) == 0))
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static int grow_slots(struct intern *table)
{
    uint32_t slot_count = table->slot_count == 0 ? 64 : table->slot_count * 2;
    if (slot_count == 0)
        return -1;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (slots == NULL)
        return -1;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t slot = (uint32_t)table->entries[i].hash & (slot_count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (slot_count - 1);
        slots[slot] = i + 1;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return 0;
}

uint32_t intern(struct intern *table, char tag, const char *text, size_t len, int *is_new)
{
    if (is_new != NULL)
        *is_new = 0;
    if (table->seed == 0) {
        /* A trace must not be able to choose names that all collide. */
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        table->seed = mix((uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)table, 0xa0761d6478bd642fu) | 1;
    }
    if (table->count >= table->slot_count / 2 && grow_slots(table) != 0)
        return INTERN_NONE;
    uint64_t hash = hash_bytes(table->seed, tag, text, len);
    uint32_t slot = find_slot(table, hash, tag, text, len);
    if (table->slots[slot] != 0)
        return table->slots[slot] - 1;
    if (table->count == table->capacity) {
        uint32_t capacity = table->capacity == 0 ? 32 : table->capacity * 2;
        struct intern_entry *entries = realloc(table->entries, capacity * sizeof *entries);
        if (entries == NULL)
            return INTERN_NONE;
        table->entries = entries;
        table->capacity = capacity;
    }
    const char *copy = arena_copy(&table->arena, text, len);
    if (copy == NULL)
        return INTERN_NONE;
    table->entries[table->count] = (struct intern_entry){.text = copy, .len = len, .hash = hash, .tag = tag};
    table->slots[slot] = ++table->count;
    if (is_new != NULL)
        *is_new = 1;
    return table->count - 1;
}

uint32_t intern_find(const struct intern *table, char tag, const char *text, size_t len)
{
    if (table->count == 0)
        return INTERN_NONE;
    uint32_t number = table->slots[find_slot(table, hash_bytes(table->seed, tag, text, len), tag, text, len)];
    return number == 0 ? INTERN_NONE : number - 1;
}

void intern_free(struct intern *table)
{
    arena_free(&table->arena);
    free(table->entries);
    free(table->slots);
    *table = (struct intern){0};
}
