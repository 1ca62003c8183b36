/*
 * ring.h - blocks made in one thread and used in others
 *
 * One thread makes blocks in order, the caller takes them in order, and a
 * third may look at each of them besides. A few blocks lie between them, so
 * that none waits for the others for long, and memory stays the same however
 * much passes through. With one thread, or when the system gives no more,
 * the same happens in the caller's thread, block by block.
 */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>

/* Fills `data` with up to `size` bytes; returns how many, 0: the end. Not called again after that. */
typedef size_t ring_fill_fn(void *ctx, unsigned char *data, size_t size);

/* Looks at a block, in order. */
typedef void ring_look_fn(void *ctx, const unsigned char *data, size_t len);

struct ring_options {
    ring_fill_fn *fill;
    ring_look_fn *look; /* or NULL */
    void *ctx;          /* of both */
    bool threads;       /* else all is done in ring_next() */
};

struct ring;

/* NULL when memory is out. Threads are started by the first ring_next(), with all signals blocked. */
struct ring *ring_new(const struct ring_options *options);

/*
 * The next block, valid until the next call; *len 0 is the end. By then
 * every block was looked at and no thread runs any more.
 */
void ring_next(struct ring *ring, const unsigned char **data, size_t *len);

/* Ends the threads, in the middle of things if need be; NULL is allowed. */
void ring_free(struct ring *ring);

#endif
