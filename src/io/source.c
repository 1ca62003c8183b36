#define _GNU_SOURCE /* mkostemp */
/*
 * The plain SHA256_* functions, not EVP: those load providers, which takes two
 * megabytes and some milliseconds, and crash when memory is short just then.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "io/file_stamp.h"
#include "io/ring.h"

#define POINT_SPACING ((size_t)1 << 20)
#define LOOK_SIZE     ((size_t)256 << 10)

struct source {
    char *path; /* NULL: standard input */
    char name[512];
    int fd;    /* the trace; for a pipe the pipe */
    int spool; /* what a pipe brought; -1: not a pipe */
    struct stat opened;
    unsigned threads;

    unsigned char head[16]; /* the first bytes, read ahead to tell gzip */
    size_t head_len;
    bool is_gzip, as_stored;

    /* One round. */
    bool first_round;
    uint64_t offset; /* stored bytes that the reader has taken */
    bool pipe_ended;
    struct gunzip *gunzip; /* of this round */
    SHA256_CTX hash;
    enum source_hash hashed;
    uint64_t skip_from, skip_to;
    uint64_t looked; /* uncompressed bytes that hash_block() has seen */

    struct ring *ring;
    uint64_t held_len; /* of the block that the caller has */
    _Atomic uint64_t stored_read;
    _Atomic uint64_t consumed;  /* uncompressed bytes that are done with */
    _Atomic uint64_t insertion; /* UINT64_MAX: not known */

    /* How the round ended. */
    bool ended, truncated;
    struct lt_error error;

    /* Of the first round. */
    bool first_done;
    uint64_t stored_size, uncompressed_size;
    char sha256[SOURCE_HASH_HEX + 1];
    uint32_t crc; /* for SOURCE_CRC_OUTSIDE */
    char crc32[2 * sizeof(uint32_t) + 1];
    struct gunzip *first_gunzip; /* keeps the points */
};

/* ---- opening ----------------------------------------------------------------------------------------------- */

static ptrdiff_t read_some(int fd, unsigned char *buf, size_t size)
{
    ssize_t n;
    do
        n = read(fd, buf, size);
    while (n < 0 && errno == EINTR);
    return n;
}

static ptrdiff_t pread_some(int fd, unsigned char *buf, size_t size, uint64_t offset)
{
    ssize_t n;
    do
        n = pread(fd, buf, size, (off_t)offset);
    while (n < 0 && errno == EINTR);
    return n;
}

static const char *spool_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder == NULL || folder[0] == '\0' ? "/tmp" : folder;
}

static enum lt_status open_spool(struct source *source, struct lt_error *error)
{
    const char *folder = spool_folder();
    char path[4096];
    if (snprintf(path, sizeof path, "%s/layertrack-XXXXXX", folder) >= (int)sizeof path)
        return fail_as(error, LT_CLASS_LIMITED, "TMPDIR is too long; set it to a shorter path");
    /* No signal may end the process between the two. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    source->spool = mkostemp(path, O_CLOEXEC);
    int errnum = errno;
    if (source->spool >= 0)
        unlink(path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return source->spool >= 0
               ? LT_OK
               : fail_errno(error, folder, "no file for what comes through the pipe (see TMPDIR)", errnum);
}

static enum lt_status open_file(struct source *source, struct lt_error *error)
{
    source->fd = source->path == NULL ? STDIN_FILENO : open(source->path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0 || fstat(source->fd, &source->opened) != 0)
        return fail_errno(error, source->path != NULL ? source->path : source->name, "cannot be read", errno);
    if (S_ISDIR(source->opened.st_mode))
        return fail_as(error, LT_CLASS_NOT_A_TRACE, "%s: is a folder; give one trace file at a time", source->name);
    if (source->path == NULL && isatty(source->fd))
        return fail(error, LT_USAGE, "standard input is a terminal; name a trace file or pipe one in");
    bool in_place = S_ISREG(source->opened.st_mode) && (source->path != NULL || lseek(source->fd, 0, SEEK_CUR) == 0);
    if (!in_place)
        return open_spool(source, error);
    if (!file_stamp_open(source->fd, &source->opened))
        return fail_errno(error, source->name, "cannot be read", errno);
#if defined(POSIX_FADV_SEQUENTIAL)
    posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    return LT_OK;
}

/* Whether stored bytes are hashed as they are read; what is hashed uncompressed is hashed beside the scan. */
static bool hashes_stored(const struct source *source)
{
    return source->first_round && source->is_gzip && source->hashed == SOURCE_HASH_STORED;
}

static bool hashes_blocks(const struct source *source)
{
    return source->first_round && source->hashed != SOURCE_HASH_NONE && !hashes_stored(source);
}

/* Takes stored bytes from the file or the pipe (which are spooled). */
static ptrdiff_t take_stored(struct source *source, unsigned char *buf, size_t size)
{
    ptrdiff_t n;
    if (source->spool >= 0 && !source->first_done && !source->pipe_ended) {
        n = read_some(source->fd, buf, size);
        for (ptrdiff_t done = 0; done < n;) {
            ssize_t wrote = write(source->spool, buf + done, (size_t)(n - done));
            if (wrote < 0 && errno == EINTR)
                continue;
            if (wrote <= 0) {
                fail_errno(&source->error, spool_folder(), "what comes through the pipe cannot be kept (see TMPDIR)",
                           errno);
                return -1;
            }
            done += wrote;
        }
        source->pipe_ended = n == 0;
    } else {
        n = pread_some(source_fd(source), buf, size, source->offset);
    }
    if (n > 0 && hashes_stored(source))
        SHA256_Update(&source->hash, buf, (size_t)n);
    if (n > 0)
        source->offset += (uint64_t)n;
    return n;
}

/* The reader behind a round: the head first, then what follows. */
static ptrdiff_t read_stored(void *ctx, unsigned char *buf, size_t size)
{
    struct source *source = ctx;
    uint64_t done = atomic_load_explicit(&source->stored_read, memory_order_relaxed);
    ptrdiff_t n;
    if (done < source->head_len) {
        size_t left = source->head_len - (size_t)done;
        n = (ptrdiff_t)(left < size ? left : size);
        memcpy(buf, source->head + done, (size_t)n);
    } else {
        n = take_stored(source, buf, size);
    }
    if (n > 0)
        atomic_store_explicit(&source->stored_read, done + (uint64_t)n, memory_order_relaxed);
    return n;
}

static enum lt_status read_head(struct source *source, struct lt_error *error)
{
    while (source->head_len < sizeof source->head) {
        ptrdiff_t n = take_stored(source, source->head + source->head_len, sizeof source->head - source->head_len);
        if (n < 0)
            return source->error.status != LT_OK ? fail_again(error, &source->error)
                                                 : fail_errno(error, source->name, "cannot be read", errno);
        if (n == 0)
            break;
        source->head_len += (size_t)n;
    }
    source->is_gzip = !source->as_stored && source->head_len >= 2 && source->head[0] == 0x1f && source->head[1] == 0x8b;
    if (hashes_stored(source))
        SHA256_Update(&source->hash, source->head, source->head_len);
    return LT_OK;
}

/* ---- producing blocks -------------------------------------------------------------------------------------- */

static void gzip_trouble(struct source *source, enum gunzip_status status)
{
    static const char *const words[] = {
        [GUNZIP_BAD_HEADER] = "has a damaged header",
        [GUNZIP_BAD_DATA] = "holds damaged data",
        [GUNZIP_BAD_CRC] = "has a wrong CRC",
        [GUNZIP_BAD_LENGTH] = "has a wrong length",
    };
    unsigned long long member = gunzip_members(source->gunzip) + 1;
    unsigned long long at = gunzip_in_offset(source->gunzip);
    struct lt_error *error = &source->error;
    switch (status) {
    case GUNZIP_TRUNCATED:
        source->truncated = true;
        fail_as(error, LT_CLASS_TRUNCATED,
                "%s: gzip: truncated at stored byte %llu, inside member %llu; copy or record it again", source->name,
                at, member);
        break;
    case GUNZIP_TRAILING:
        fail_as(
            error, LT_CLASS_GZIP,
            "%s: gzip: something that is not gzip follows the last member (stored byte %llu); cut it off or copy the "
            "file again",
            source->name, at);
        break;
    case GUNZIP_READ_ERROR:
        fail_errno(error, source->name, "cannot be read", errno);
        break;
    case GUNZIP_NO_MEMORY:
        fail_memory(error);
        break;
    default:
        fail_as(error, LT_CLASS_GZIP, "%s: gzip: member %llu %s (stored byte %llu); copy or record it again",
                source->name, member, words[status], at);
        break;
    }
}

/* Fills a block as far as it goes: a ring_fill_fn. 0 is the end, or trouble in source->error. */
static size_t fill(void *ctx, unsigned char *data, size_t size)
{
    struct source *source = ctx;
    size_t len = 0;
    while (len < size && source->error.status == LT_OK) {
        size_t got = 0;
        if (source->is_gzip) {
            enum gunzip_status status = gunzip_read(source->gunzip, data + len, size - len, &got);
            len += got;
            if (status == GUNZIP_OK)
                continue;
            if (status != GUNZIP_END && source->error.status == LT_OK)
                gzip_trouble(source, status);
            break;
        }
        ptrdiff_t n = read_stored(source, data + len, size - len);
        if (n < 0)
            fail_errno(&source->error, source->name, "cannot be read", errno);
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    if (source->is_gzip && source->first_round) {
        uint64_t consumed = atomic_load(&source->consumed), insertion = atomic_load(&source->insertion);
        gunzip_forget(source->gunzip, insertion < consumed ? insertion : consumed);
    }
    return len;
}

/* The part of a block that lies in from..to. */
static void hash_part(struct source *source, const unsigned char *data, size_t len, uint64_t from, uint64_t to)
{
    uint64_t at = source->looked;
    uint64_t first = at > from ? at : from, last = at + len < to ? at + len : to;
    if (first >= last)
        return;
    if (source->hashed == SOURCE_CRC_OUTSIDE)
        source->crc = libdeflate_crc32(source->crc, data + (first - at), (size_t)(last - first));
    else
        SHA256_Update(&source->hash, data + (first - at), (size_t)(last - first));
}

static void hash_block(void *ctx, const unsigned char *data, size_t len)
{
    struct source *source = ctx;
    hash_part(source, data, len, 0, source->skip_from);
    hash_part(source, data, len, source->skip_to, UINT64_MAX);
    source->looked += len;
}

static enum lt_status start_round(struct source *source, struct lt_error *error)
{
    if (source->is_gzip) {
        source->gunzip = gunzip_new(read_stored, source);
        if (source->gunzip == NULL)
            return fail_memory(error);
        if (source->first_round) {
            gunzip_note_points(source->gunzip, POINT_SPACING);
            source->first_gunzip = source->gunzip;
        }
    }
    struct ring_options ring = {
        .fill = fill,
        .look = hashes_blocks(source) ? hash_block : NULL,
        .ctx = source,
        .threads = source->threads > 1,
    };
    source->ring = ring_new(&ring);
    return source->ring == NULL ? fail_memory(error) : LT_OK;
}

struct source *source_open(const struct source_options *options, struct lt_error *error)
{
    struct source *source = calloc(1, sizeof *source);
    if (source == NULL) {
        fail_memory(error);
        return NULL;
    }
    source->fd = source->spool = -1;
    source->threads = options->threads;
    source->hashed = options->hash;
    source->as_stored = options->as_stored;
    bool outside = options->hash == SOURCE_HASH_OUTSIDE || options->hash == SOURCE_CRC_OUTSIDE;
    source->skip_from = outside ? options->skip_from : 0;
    source->skip_to = outside ? options->skip_to : 0;
    source->first_round = true;
    atomic_store(&source->insertion, UINT64_MAX);
    bool is_stdin = strcmp(options->path, "-") == 0;
    const char *name = is_stdin ? "standard input" : options->path;
    printable(source->name, sizeof source->name, name, strlen(name));
    source->path = is_stdin ? NULL : strdup(options->path);
    SHA256_Init(&source->hash);
    bool ok = is_stdin || source->path != NULL;
    if (!ok)
        fail_memory(error);
    if (!ok || open_file(source, error) != LT_OK || read_head(source, error) != LT_OK ||
        start_round(source, error) != LT_OK) {
        source_free(source);
        return NULL;
    }
    return source;
}

static void end_first_round(struct source *source)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_Final(digest, &source->hash);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(source->sha256 + 2 * i, 3, "%02x", digest[i]);
    if (source->hashed == SOURCE_CRC_OUTSIDE)
        snprintf(source->crc32, sizeof source->crc32, "%08" PRIx32, source->crc);
    else if (source->is_gzip)
        snprintf(source->crc32, sizeof source->crc32, "%08" PRIx32, gunzip_crc(source->first_gunzip));
    source->stored_size = atomic_load(&source->stored_read);
    source->uncompressed_size = atomic_load(&source->consumed);
    source->first_done = true;
}

enum lt_status source_check_unchanged(struct source *source, struct lt_error *error)
{
    struct stat now;
    if (source->spool < 0 && fstat(source->fd, &now) != 0)
        return fail_errno(error, source->name, "cannot be read", errno);
    bool other_bytes = !source->first_round && source->ended && source->error.status == LT_OK &&
                       atomic_load(&source->consumed) != source->uncompressed_size;
    if ((source->spool < 0 && !file_stamp_is(&source->opened, &now)) || other_bytes)
        return fail_as(error, LT_CLASS_SOURCE_CHANGED, "%s: changed while it was read; wait until it is complete",
                       source->name);
    return LT_OK;
}

enum lt_status source_next(struct source *source, const unsigned char **data, size_t *len, struct lt_error *error)
{
    *len = 0;
    *data = NULL;
    if (!source->ended) {
        atomic_fetch_add(&source->consumed, source->held_len);
        ring_next(source->ring, data, len);
        source->held_len = *len;
        source->ended = *len == 0;
        if (source->ended && source->error.status == LT_OK && source->first_round)
            end_first_round(source);
    }
    if (!source->ended || source->error.status == LT_OK)
        return LT_OK;
    /* Bytes that were right in the first round and are not any more have another cause. */
    if (!source->first_round && source_check_unchanged(source, error) != LT_OK)
        return error->status;
    return fail_again(error, &source->error);
}

static void end_ring(struct source *source)
{
    ring_free(source->ring);
    source->ring = NULL;
}

enum lt_status source_rewind(struct source *source, struct lt_error *error)
{
    end_ring(source);
    if (source->gunzip != source->first_gunzip)
        gunzip_free(source->gunzip);
    source->gunzip = NULL;
    source->first_round = false;
    source->offset = source->head_len; /* the head is kept */
    source->ended = source->truncated = false;
    source->held_len = 0;
    source->error = (struct lt_error){0};
    atomic_store(&source->stored_read, 0);
    atomic_store(&source->consumed, 0);
    return start_round(source, error);
}

void source_insertion(struct source *source, uint64_t offset)
{
    atomic_store(&source->insertion, offset);
}

void source_free(struct source *source)
{
    if (source == NULL)
        return;
    end_ring(source);
    if (source->gunzip != source->first_gunzip)
        gunzip_free(source->gunzip);
    gunzip_free(source->first_gunzip);
    if (source->fd >= 0 && source->path != NULL)
        close(source->fd);
    if (source->spool >= 0)
        close(source->spool);
    free(source->path);
    free(source);
}

/* ---- looking at it ----------------------------------------------------------------------------------------- */

const char *source_name(const struct source *source)
{
    return source->name;
}

bool source_is_gzip(const struct source *source)
{
    return source->is_gzip;
}

bool source_is_truncated(const struct source *source)
{
    return source->truncated;
}

uint64_t source_expected_size(const struct source *source)
{
    if (source->first_done)
        return source->stored_size;
    return source->spool < 0 ? (uint64_t)source->opened.st_size : 0;
}

bool source_is_stdin(const struct source *source)
{
    return source->path == NULL;
}

bool source_is_same_file(const struct source *source, int fd)
{
    struct stat other;
    return S_ISREG(source->opened.st_mode) && fstat(fd, &other) == 0 && other.st_dev == source->opened.st_dev &&
           other.st_ino == source->opened.st_ino;
}

uint64_t source_stored_read(const struct source *source)
{
    return atomic_load_explicit(&source->stored_read, memory_order_relaxed);
}

uint64_t source_stored_size(const struct source *source)
{
    return source->stored_size;
}

uint64_t source_uncompressed_size(const struct source *source)
{
    return source->uncompressed_size;
}

const char *source_crc32(const struct source *source)
{
    return source->crc32;
}

const char *source_sha256(const struct source *source)
{
    return source->sha256;
}

int source_fd(const struct source *source)
{
    return source->spool >= 0 ? source->spool : source->fd;
}

const struct gunzip_point *source_splice_point(const struct source *source, uint64_t insert_offset)
{
    return source->first_gunzip == NULL ? NULL : gunzip_point_before(source->first_gunzip, insert_offset);
}

struct look {
    int fd;
    uint64_t offset;
};

static ptrdiff_t read_look(void *ctx, unsigned char *buf, size_t size)
{
    struct look *look = ctx;
    ptrdiff_t n = pread_some(look->fd, buf, size, look->offset);
    look->offset += n > 0 ? (uint64_t)n : 0;
    return n;
}

static uint64_t count_lines(const unsigned char *data, size_t len)
{
    uint64_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += data[i] == '\n';
    return count;
}

size_t source_look_at(struct source *source, uint64_t from, unsigned char *excerpt, size_t size, uint64_t line_of,
                      uint64_t *line)
{
    end_ring(source);
    source->ended = true;
    struct look look = {.fd = source_fd(source)};
    struct gunzip *gunzip = source->is_gzip ? gunzip_new(read_look, &look) : NULL;
    unsigned char *block = malloc(LOOK_SIZE);
    uint64_t at = 0, end = from + size > line_of ? from + size : line_of;
    size_t copied = 0;
    *line = 1;
    while (block != NULL && at < end && (gunzip != NULL || !source->is_gzip)) {
        size_t got = 0;
        if (gunzip != NULL) {
            gunzip_read(gunzip, block, LOOK_SIZE, &got);
        } else {
            ptrdiff_t n = read_look(&look, block, LOOK_SIZE);
            got = n > 0 ? (size_t)n : 0;
        }
        if (got == 0)
            break;
        if (at < line_of)
            *line += count_lines(block, line_of - at < got ? (size_t)(line_of - at) : got);
        if (at + got > from && copied < size) {
            size_t skip = from > at ? (size_t)(from - at) : 0;
            size_t take = got - skip < size - copied ? got - skip : size - copied;
            memcpy(excerpt + copied, block + skip, take);
            copied += take;
        }
        at += got;
    }
    gunzip_free(gunzip);
    free(block);
    return copied;
}
