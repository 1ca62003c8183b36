#define _POSIX_C_SOURCE 200809L
#include "io/ring.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/thread.h"

/*
 * Blocks: large enough that a system call and a hand-over are nothing beside
 * the work on one, small enough to stay in the caches.
 */
#define BLOCK_SIZE ((size_t)256 << 10)
#define BLOCKS     4

struct block {
    unsigned char *data;
    size_t len; /* 0: the end */
};

struct ring {
    struct ring_options options;
    bool started, filling, looking; /* which threads were started */
    pthread_t filler, looker;
    pthread_mutex_t lock;
    pthread_cond_t made, freed;
    struct block blocks[BLOCKS];
    /* Blocks so far: block n is in blocks[n % BLOCKS]. */
    uint64_t filled, looked, taken; /* taken counts what ring_next() has given out, the last of which is in use */
    bool stop;
};

struct ring *ring_new(const struct ring_options *options)
{
    struct ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL)
        return NULL;
    ring->options = *options;
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->made, NULL);
    pthread_cond_init(&ring->freed, NULL);
    for (size_t i = 0; i < (options->threads ? BLOCKS : 1); i++)
        if ((ring->blocks[i].data = malloc(BLOCK_SIZE)) == NULL) {
            ring_free(ring);
            return NULL;
        }
    return ring;
}

static void fill(struct ring *ring, struct block *block)
{
    block->len = ring->options.fill(ring->options.ctx, block->data, BLOCK_SIZE);
}

static void look(struct ring *ring, const struct block *block)
{
    if (ring->options.look != NULL && block->len > 0)
        ring->options.look(ring->options.ctx, block->data, block->len);
}

/* The first block that somebody may still look at. */
static uint64_t oldest(const struct ring *ring)
{
    uint64_t in_use = ring->taken == 0 ? 0 : ring->taken - 1;
    return ring->looking && ring->looked < in_use ? ring->looked : in_use;
}

static void *run_filler(void *ctx)
{
    struct ring *ring = ctx;
    for (bool more = true; more;) {
        pthread_mutex_lock(&ring->lock);
        while (ring->filled - oldest(ring) == BLOCKS && !ring->stop)
            pthread_cond_wait(&ring->freed, &ring->lock);
        struct block *block = &ring->blocks[ring->filled % BLOCKS];
        bool also_look = !ring->looking;
        more = !ring->stop;
        pthread_mutex_unlock(&ring->lock);
        if (!more)
            break;
        fill(ring, block);
        if (also_look)
            look(ring, block);
        more = block->len > 0;
        pthread_mutex_lock(&ring->lock);
        ring->filled++;
        pthread_cond_broadcast(&ring->made);
        pthread_mutex_unlock(&ring->lock);
    }
    return NULL;
}

static void *run_looker(void *ctx)
{
    struct ring *ring = ctx;
    for (bool more = true; more;) {
        pthread_mutex_lock(&ring->lock);
        while (ring->filled == ring->looked && !ring->stop)
            pthread_cond_wait(&ring->made, &ring->lock);
        const struct block *block = &ring->blocks[ring->looked % BLOCKS];
        more = !ring->stop;
        pthread_mutex_unlock(&ring->lock);
        if (!more)
            break;
        look(ring, block);
        more = block->len > 0;
        pthread_mutex_lock(&ring->lock);
        ring->looked++;
        pthread_cond_signal(&ring->freed);
        pthread_mutex_unlock(&ring->lock);
    }
    return NULL;
}

static void start(struct ring *ring)
{
    ring->started = true;
    ring->looking = ring->options.look != NULL && thread_start(&ring->looker, run_looker, ring);
    ring->filling = thread_start(&ring->filler, run_filler, ring);
}

static void join(struct ring *ring)
{
    if (ring->filling)
        pthread_join(ring->filler, NULL);
    if (ring->looking)
        pthread_join(ring->looker, NULL);
    ring->filling = ring->looking = false;
}

static void stop(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    ring->stop = true;
    pthread_cond_broadcast(&ring->made);
    pthread_cond_broadcast(&ring->freed);
    pthread_mutex_unlock(&ring->lock);
    join(ring);
}

/* All in this thread. A looker that was started without a filler has seen nothing yet. */
static const struct block *next_alone(struct ring *ring)
{
    if (ring->looking)
        stop(ring);
    fill(ring, &ring->blocks[0]);
    look(ring, &ring->blocks[0]);
    return &ring->blocks[0];
}

void ring_next(struct ring *ring, const unsigned char **data, size_t *len)
{
    if (ring->options.threads && !ring->started)
        start(ring);
    const struct block *block;
    if (ring->filling) {
        pthread_mutex_lock(&ring->lock);
        ring->taken++;
        pthread_cond_signal(&ring->freed);
        while (ring->filled < ring->taken)
            pthread_cond_wait(&ring->made, &ring->lock);
        pthread_mutex_unlock(&ring->lock);
        block = &ring->blocks[(ring->taken - 1) % BLOCKS];
        /* The other threads end by themselves, the looker once it has seen all. */
        if (block->len == 0)
            join(ring);
    } else {
        block = next_alone(ring);
    }
    *data = block->data;
    *len = block->len;
}

void ring_free(struct ring *ring)
{
    if (ring == NULL)
        return;
    stop(ring);
    for (size_t i = 0; i < BLOCKS; i++)
        free(ring->blocks[i].data);
    pthread_cond_destroy(&ring->freed);
    pthread_cond_destroy(&ring->made);
    pthread_mutex_destroy(&ring->lock);
    free(ring);
}
