/*
 * yajl_memory.h - memory for yajl, which does not survive that there is none
 *
 * yajl writes through whatever its allocator returns. This one never returns
 * NULL: it jumps out of yajl, back to where the caller said setjmp(). What
 * yajl had taken is kept in a list and given back by yajl_memory_free(),
 * which also takes the place of yajl_free().
 */
#ifndef YAJL_MEMORY_H
#define YAJL_MEMORY_H

#include <setjmp.h>
#include <yajl/yajl_common.h>

struct yajl_memory_block;

struct yajl_memory {
    jmp_buf out; /* set before yajl_alloc() and before every other call of yajl */
    struct yajl_memory_block *blocks;
    yajl_alloc_funcs functions; /* for yajl_alloc() */
};

void yajl_memory_init(struct yajl_memory *memory);
void yajl_memory_free(struct yajl_memory *memory);

#endif
