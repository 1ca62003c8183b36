/*
 * arena.h - memory that is given back all at once
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *last;
};

/* `size` bytes, unaligned; NULL when memory is out. Valid until arena_free(). */
char *arena_take(struct arena *arena, size_t size);

/* A copy of `len` bytes; NULL when memory is out. */
char *arena_copy(struct arena *arena, const char *data, size_t len);

/* The same with a NUL behind it. */
char *arena_string(struct arena *arena, const char *text, size_t len);

void arena_free(struct arena *arena);

#endif
