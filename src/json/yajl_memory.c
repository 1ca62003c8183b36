#include "json/yajl_memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

struct yajl_memory_block {
    struct yajl_memory_block *previous, *next;
    alignas(max_align_t) unsigned char data[];
};

static struct yajl_memory_block *block_of(void *data)
{
    return (struct yajl_memory_block *)(void *)((unsigned char *)data - offsetof(struct yajl_memory_block, data));
}

static void link_in(struct yajl_memory *memory, struct yajl_memory_block *block)
{
    block->previous = NULL;
    block->next = memory->blocks;
    if (block->next != NULL)
        block->next->previous = block;
    memory->blocks = block;
}

static void unlink_from(struct yajl_memory *memory, struct yajl_memory_block *block)
{
    if (block->previous != NULL)
        block->previous->next = block->next;
    else
        memory->blocks = block->next;
    if (block->next != NULL)
        block->next->previous = block->previous;
}

static void *take(void *ctx, size_t size)
{
    struct yajl_memory *memory = ctx;
    struct yajl_memory_block *block = malloc(sizeof *block + size);
    if (block == NULL)
        longjmp(memory->out, 1);
    link_in(memory, block);
    return block->data;
}

static void *take_more(void *ctx, void *data, size_t size)
{
    struct yajl_memory *memory = ctx;
    if (data == NULL)
        return take(ctx, size);
    struct yajl_memory_block *block = block_of(data);
    unlink_from(memory, block);
    struct yajl_memory_block *grown = realloc(block, sizeof *block + size);
    link_in(memory, grown == NULL ? block : grown);
    if (grown == NULL)
        longjmp(memory->out, 1);
    return grown->data;
}

static void give_back(void *ctx, void *data)
{
    if (data == NULL)
        return;
    unlink_from(ctx, block_of(data));
    free(block_of(data));
}

void yajl_memory_init(struct yajl_memory *memory)
{
    memory->blocks = NULL;
    memory->functions = (yajl_alloc_funcs){.malloc = take, .realloc = take_more, .free = give_back, .ctx = memory};
}

void yajl_memory_free(struct yajl_memory *memory)
{
    while (memory->blocks != NULL) {
        struct yajl_memory_block *next = memory->blocks->next;
        free(memory->blocks);
        memory->blocks = next;
    }
}
