/*
 * How one gzip member is compressed by several threads.
 *
 * The input is cut into blocks of BLOCK bytes. The calling thread fills a
 * slot with each, together with the window (the 32 KiB before it), and queues
 * it; workers take queued slots in order and compress each for itself, with
 * the window as preset dictionary, so that little is lost against one stream.
 * All but the last are ended with an empty stored block (Z_SYNC_FLUSH): then
 * they end on a byte boundary and can simply follow each other. The calling
 * thread writes finished slots out, in order: those that happen to be done
 * whenever it queues one, and when no slot is free it waits for the oldest.
 * So no more than the slots' memory is in use, and only one thread ever
 * touches the output. Each worker takes the CRC of its block as well; the
 * calling thread combines them.
 */
#define _POSIX_C_SOURCE 200809L
#include "gzip/gzip_write.h"

#include <assert.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/thread.h"

#define WINDOW ((size_t)32 << 10)
#define BLOCK  ((size_t)128 << 10)

/* Deflate data is at most some bytes per 16 KiB longer than what it stands for. */
#define OUT_SIZE (BLOCK + BLOCK / 16 + 256)

static_assert(BLOCK >= WINDOW, "a block must hold the next one's window");
static_assert(sizeof(z_off_t) >= sizeof(size_t), "crc32_combine() must take a block's length");

struct slot {
    size_t window_len, len, out_len;
    bool last, done;
    uint32_t crc;
    unsigned char in[WINDOW + BLOCK]; /* the window's end and the block's start meet at WINDOW */
    unsigned char out[OUT_SIZE];
};

struct worker {
    struct gzip_writer *writer;
    pthread_t thread;
    z_stream z;
};

struct gzip_writer {
    struct output output;
    int level;
    bool failed; /* the output did */
    uint32_t crc;
    uint64_t length;

    /* Block n is in slot n % slot_count. */
    size_t slot_count;
    struct slot *slots;
    uint64_t written; /* so many blocks have left */
    uint64_t current; /* the one that is being filled */

    unsigned worker_count, thread_count; /* with no thread the caller works with the first worker's compressor */
    struct worker *workers;
    pthread_mutex_t lock; /* over what follows, and slot.done */
    pthread_cond_t work, done;
    uint64_t queued, taken; /* so many blocks have been */
    bool stop;
};

/* ---- compressing one block ---------------------------------------------------------------------------------- */

static void compress_slot(struct worker *worker, struct slot *slot)
{
    z_stream *z = &worker->z;
    deflateReset(z);
    if (slot->window_len > 0)
        deflateSetDictionary(z, slot->in + WINDOW - slot->window_len, (uInt)slot->window_len);
    z->next_in = slot->in + WINDOW;
    z->avail_in = (uInt)slot->len;
    z->next_out = slot->out;
    z->avail_out = OUT_SIZE;
    deflate(z, slot->last ? Z_FINISH : Z_SYNC_FLUSH);
    assert(z->avail_in == 0 && z->avail_out > 0);
    slot->out_len = OUT_SIZE - z->avail_out;
    slot->crc = libdeflate_crc32(0, slot->in + WINDOW, slot->len);
}

static void *work(void *ctx)
{
    struct worker *worker = ctx;
    struct gzip_writer *writer = worker->writer;
    pthread_mutex_lock(&writer->lock);
    for (;;) {
        while (writer->taken == writer->queued && !writer->stop)
            pthread_cond_wait(&writer->work, &writer->lock);
        if (writer->stop)
            break;
        struct slot *slot = &writer->slots[writer->taken++ % writer->slot_count];
        pthread_mutex_unlock(&writer->lock);
        compress_slot(worker, slot);
        pthread_mutex_lock(&writer->lock);
        slot->done = true;
        pthread_cond_signal(&writer->done);
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

/* ---- making and ending --------------------------------------------------------------------------------------- */

/* As many as can be had; none will do. */
static void start_threads(struct gzip_writer *writer)
{
    while (writer->thread_count < writer->worker_count) {
        struct worker *worker = &writer->workers[writer->thread_count];
        if (!thread_start(&worker->thread, work, worker))
            break;
        writer->thread_count++;
    }
}

struct gzip_writer *gzip_writer_new(struct output output, int level, unsigned threads)
{
    struct gzip_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return NULL;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_cond_init(&writer->work, NULL);
    pthread_cond_init(&writer->done, NULL);
    writer->output = output;
    writer->level = level;
    /* One is being filled, one waits to be written, and one for each worker. */
    writer->slot_count = threads > 1 ? (size_t)threads + 2 : 1;
    writer->slots = calloc(writer->slot_count, sizeof *writer->slots);
    writer->workers = calloc(threads, sizeof *writer->workers);
    bool ok = writer->slots != NULL && writer->workers != NULL;
    for (unsigned i = 0; i < threads && ok; i++) {
        writer->workers[i].writer = writer;
        ok = deflateInit2(&writer->workers[i].z, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK;
        writer->worker_count += ok;
    }
    if (!ok) {
        gzip_writer_free(writer);
        return NULL;
    }
    if (threads > 1)
        start_threads(writer);
    return writer;
}

void gzip_writer_free(struct gzip_writer *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->stop = true;
    pthread_cond_broadcast(&writer->work);
    pthread_mutex_unlock(&writer->lock);
    for (unsigned i = 0; i < writer->thread_count; i++)
        pthread_join(writer->workers[i].thread, NULL);
    for (unsigned i = 0; i < writer->worker_count; i++)
        deflateEnd(&writer->workers[i].z);
    pthread_cond_destroy(&writer->done);
    pthread_cond_destroy(&writer->work);
    pthread_mutex_destroy(&writer->lock);
    free(writer->workers);
    free(writer->slots);
    free(writer);
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

static bool put(struct gzip_writer *writer, const void *data, size_t len)
{
    if (!writer->failed && !writer->output.write(writer->output.ctx, data, len))
        writer->failed = true;
    return !writer->failed;
}

/* No name and no time: the same input gives the same file. */
static bool put_header(struct gzip_writer *writer)
{
    unsigned char header[10] = {0x1f, 0x8b, 8};
    header[8] = writer->level == 9 ? 2 : writer->level == 1 ? 4 : 0; /* slowest, fastest (RFC 1952, 2.3.1) */
    header[9] = 3;                                                   /* Unix */
    return put(writer, header, sizeof header);
}

static bool put_trailer(struct gzip_writer *writer)
{
    unsigned char trailer[8];
    for (int i = 0; i < 4; i++) {
        trailer[i] = (unsigned char)(writer->crc >> 8 * i);
        trailer[4 + i] = (unsigned char)(writer->length >> 8 * i);
    }
    return put(writer, trailer, sizeof trailer);
}

/* Writes the oldest block that has not left, when it is done or may be waited for. False when it is not done. */
static bool write_oldest(struct gzip_writer *writer, bool wait)
{
    struct slot *slot = &writer->slots[writer->written % writer->slot_count];
    pthread_mutex_lock(&writer->lock);
    while (!slot->done && wait)
        pthread_cond_wait(&writer->done, &writer->lock);
    bool done = slot->done;
    pthread_mutex_unlock(&writer->lock);
    if (!done)
        return false;
    if (writer->written == 0)
        put_header(writer);
    put(writer, slot->out, slot->out_len);
    writer->crc = (uint32_t)crc32_combine(writer->crc, slot->crc, (z_off_t)slot->len);
    writer->length += slot->len;
    writer->written++;
    return true;
}

/* Hands over the block that is filled, and writes what is done. */
static void queue_current(struct gzip_writer *writer, bool last)
{
    struct slot *slot = &writer->slots[writer->current % writer->slot_count];
    slot->last = last;
    slot->done = false;
    if (writer->thread_count == 0) {
        compress_slot(&writer->workers[0], slot);
        slot->done = true;
    }
    pthread_mutex_lock(&writer->lock);
    writer->queued++;
    pthread_cond_signal(&writer->work);
    pthread_mutex_unlock(&writer->lock);
    writer->current++;
    while (writer->written < writer->current && write_oldest(writer, false))
        continue;
}

/* Makes the next block's slot free and brings its window. */
static void start_next(struct gzip_writer *writer)
{
    if (writer->current - writer->written == writer->slot_count)
        write_oldest(writer, true);
    const struct slot *before = &writer->slots[(writer->current - 1) % writer->slot_count];
    struct slot *slot = &writer->slots[writer->current % writer->slot_count];
    memmove(slot->in, before->in + BLOCK, WINDOW); /* with one slot it is the same */
    slot->window_len = WINDOW;
    slot->len = 0;
}

bool gzip_writer_write(struct gzip_writer *writer, const void *data, size_t len)
{
    const unsigned char *from = data;
    while (len > 0 && !writer->failed) {
        struct slot *slot = &writer->slots[writer->current % writer->slot_count];
        /* Queued only when more follows: the last block must be known as such. */
        if (slot->len == BLOCK) {
            queue_current(writer, false);
            start_next(writer);
            continue;
        }
        size_t n = BLOCK - slot->len < len ? BLOCK - slot->len : len;
        memcpy(slot->in + WINDOW + slot->len, from, n);
        slot->len += n;
        from += n;
        len -= n;
    }
    return !writer->failed;
}

bool gzip_writer_finish(struct gzip_writer *writer)
{
    queue_current(writer, true);
    while (writer->written < writer->current && !writer->failed)
        write_oldest(writer, true);
    return put_trailer(writer);
}

enum lt_status gzip_writer_error(const struct gzip_writer *writer, struct lt_error *error)
{
    return writer->failed ? writer->output.error(writer->output.ctx, error) : LT_OK;
}
