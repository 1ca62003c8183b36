/*
 * intern.h - every distinct byte string once, under a small number
 */
#ifndef INTERN_H
#define INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define INTERN_NONE UINT32_MAX

struct intern_entry {
    const char *text; /* not NUL-terminated */
    size_t len;
    uint64_t hash;
    char tag;
};

struct intern {
    struct arena arena;
    struct intern_entry *entries; /* [count], by number */
    uint32_t *slots;              /* [slot_count]: number + 1, or 0 */
    uint32_t count, capacity, slot_count;
    uint64_t seed;
};

/*
 * The number of (tag, text), which is given out now when it is new: numbers
 * count up from 0. INTERN_NONE when memory is out. *is_new may be NULL.
 */
uint32_t intern(struct intern *table, char tag, const char *text, size_t len, int *is_new);

/* The number of (tag, text), or INTERN_NONE. */
uint32_t intern_find(const struct intern *table, char tag, const char *text, size_t len);

void intern_free(struct intern *table);

#endif
