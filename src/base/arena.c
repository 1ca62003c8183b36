#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Blocks double: of small arenas there may be many at a time, one for each row of a report that waits. */
#define FIRST_SIZE ((size_t)1 << 10)
#define MOST_SIZE  ((size_t)16 << 10)

struct arena_block {
    struct arena_block *before;
    size_t used, size;
    char bytes[];
};

static size_t next_size(const struct arena_block *last)
{
    if (last == NULL)
        return FIRST_SIZE;
    return last->size < MOST_SIZE / 2 ? 2 * last->size : MOST_SIZE;
}

char *arena_take(struct arena *arena, size_t size)
{
    struct arena_block *block = arena->last;
    if (block == NULL || block->size - block->used < size) {
        size_t room = next_size(block);
        if (room < size)
            room = size;
        block = malloc(sizeof *block + room);
        if (block == NULL)
            return NULL;
        *block = (struct arena_block){.before = arena->last, .size = room};
        arena->last = block;
    }
    char *start = block->bytes + block->used;
    block->used += size;
    return start;
}

char *arena_copy(struct arena *arena, const char *data, size_t len)
{
    char *copy = arena_take(arena, len);
    if (copy != NULL && len > 0)
        memcpy(copy, data, len);
    return copy;
}

char *arena_string(struct arena *arena, const char *text, size_t len)
{
    char *copy = arena_take(arena, len + 1);
    if (copy == NULL)
        return NULL;
    if (len > 0)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->last != NULL) {
        struct arena_block *before = arena->last->before;
        free(arena->last);
        arena->last = before;
    }
}
