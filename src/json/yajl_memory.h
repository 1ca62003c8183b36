/*
 * yajl_memory.h - memory for yajl, which does not survive that there is none
 *
 * yajl writes through whatever its allocator returns. This one never returns
 * NULL: it jumps out of yajl, back to where the caller said setjmp(). What
 * yajl has is noted and given back by yajl_memory_free(), which also takes
 * the place of yajl_free().
 */
#ifndef YAJL_MEMORY_H
#define YAJL_MEMORY_H

#include <setjmp.h>
#include <yajl/yajl_common.h>

/* yajl has eight blocks at most, and json_reader.c one more; who wanted still more would be told that memory is out. */
#define YAJL_MEMORY_BLOCKS 16

struct yajl_memory {
    jmp_buf out; /* set before yajl_alloc() and before every other call of yajl */
    void *blocks[YAJL_MEMORY_BLOCKS];
    yajl_alloc_funcs functions; /* for yajl_alloc() */
};

void yajl_memory_init(struct yajl_memory *memory);
void yajl_memory_free(struct yajl_memory *memory);

#endif
