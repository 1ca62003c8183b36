#include "json/yajl_memory.h"

#include <stdlib.h>

/* Where a block is noted; of NULL: where none is. */
static void **place_of(struct yajl_memory *memory, const void *block)
{
    size_t i = 0;
    while (i < YAJL_MEMORY_BLOCKS && memory->blocks[i] != block)
        i++;
    if (i == YAJL_MEMORY_BLOCKS)
        longjmp(memory->out, 1);
    return &memory->blocks[i];
}

static void *resize(void *ctx, void *data, size_t size)
{
    struct yajl_memory *memory = ctx;
    void **place = place_of(memory, data);
    void *block = realloc(data, size);
    if (block == NULL)
        longjmp(memory->out, 1);
    *place = block;
    return block;
}

static void *take(void *ctx, size_t size)
{
    return resize(ctx, NULL, size);
}

static void give_back(void *ctx, void *data)
{
    if (data != NULL)
        *place_of(ctx, data) = NULL;
    free(data);
}

void yajl_memory_init(struct yajl_memory *memory)
{
    for (size_t i = 0; i < YAJL_MEMORY_BLOCKS; i++)
        memory->blocks[i] = NULL;
    memory->functions = (yajl_alloc_funcs){.malloc = take, .realloc = resize, .free = give_back, .ctx = memory};
}

void yajl_memory_free(struct yajl_memory *memory)
{
    for (size_t i = 0; i < YAJL_MEMORY_BLOCKS; i++) {
        free(memory->blocks[i]);
        memory->blocks[i] = NULL;
    }
}
