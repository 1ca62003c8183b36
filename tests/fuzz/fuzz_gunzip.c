/*
 * fuzz_gunzip.c - gzip is read as zlib reads it, and spliced as it should be
 *
 * The input is a gzip file, or pretends to be one. What must hold:
 *
 * - gunzip accepts what zlib's own gzip reader accepts, to the end of the
 *   file, and gives the same bytes, in whatever pieces it is read; with
 *   noted points and without;
 * - what zlib refuses it refuses; the bytes given before are a beginning
 *   of zlib's, or zlib's are one of them (zlib may stop within a piece);
 * - an accepted file with a text inserted anywhere is a gzip file, by
 *   zlib's word, of the text so changed, and everything before the splice
 *   is as it was.
 *
 * A fuzzer hardly ever finds a right CRC. So an input that is refused for
 * its trailer alone is repaired and run again.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "gzip/gunzip.h"
#include "gzip/gzip_splice.h"
#include "io/sink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs that stand for more are left alone: they would only cost time. */
#define MOST ((size_t)4 << 20)

struct bytes {
    uint8_t *data;
    size_t len, room;
};

static void put(struct bytes *to, const void *data, size_t len)
{
    if (len > to->room - to->len) {
        to->room = to->room * 2 + len + 256;
        to->data = realloc(to->data, to->room);
        if (to->data == NULL)
            abort();
    }
    if (len > 0)
        memcpy(to->data + to->len, data, len);
    to->len += len;
}

static uint64_t random_state;

static size_t below(size_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state >> 11) % limit;
}

static void stop(const char *what)
{
    fprintf(stderr, "DISAGREEMENT: %s\n", what);
    abort();
}

/* What zlib makes of a file: members up to its very end. */
static bool by_zlib(const uint8_t *data, size_t size, struct bytes *out)
{
    z_stream z = {0};
    if (inflateInit2(&z, 31) != Z_OK)
        abort();
    z.next_in = (z_const Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    static uint8_t piece[1 << 16];
    int result;
    do {
        z.next_out = piece;
        z.avail_out = sizeof piece;
        result = inflate(&z, Z_NO_FLUSH);
        put(out, piece, sizeof piece - z.avail_out);
        if (result == Z_STREAM_END && z.avail_in > 0)
            result = inflateReset(&z);
    } while (result == Z_OK && out->len <= MOST);
    inflateEnd(&z);
    return result == Z_STREAM_END;
}

/* Gives the file in random pieces, from exactly sized blocks so that a byte read behind one is noticed. */
struct feed {
    const uint8_t *data;
    size_t size, at, most;
};

static ptrdiff_t give(void *ctx, unsigned char *buf, size_t size)
{
    struct feed *feed = ctx;
    size_t left = feed->size - feed->at;
    size_t n = left == 0 ? 0 : 1 + below(feed->most);
    n = n < left ? n : left;
    n = n < size ? n : size;
    if (n > 0)
        memcpy(buf, feed->data + feed->at, n);
    feed->at += n;
    return (ptrdiff_t)n;
}

/* Reads all; the gunzip is kept for its points. */
static struct gunzip *read_all(struct feed *feed, size_t spacing, uint64_t wanted, struct bytes *out,
                               enum gunzip_status *status)
{
    struct gunzip *gz = gunzip_new(give, feed);
    if (gz == NULL)
        abort();
    if (spacing > 0)
        gunzip_note_points(gz, spacing);
    size_t got, most = 1 + below(below(2) == 0 ? 100 : 70000);
    for (;;) {
        size_t size = 1 + below(most);
        uint8_t *piece = malloc(size);
        if (piece == NULL)
            abort();
        *status = gunzip_read(gz, piece, size, &got);
        if ((*status == GUNZIP_OK) != (got > 0) || got > size)
            stop("status and length");
        put(out, piece, got);
        free(piece);
        if (gunzip_out_offset(gz) != out->len || gunzip_in_offset(gz) > feed->size)
            stop("offsets");
        gunzip_forget(gz, out->len < wanted ? out->len : wanted);
        if (*status != GUNZIP_OK)
            return gz;
        if (out->len > MOST + most)
            return gz;
    }
}

static bool same(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

static const char text[] = "{\"ph\":\"X\",\"name\":\"L0\"},\n{\"ph\":\"X\",\"name\":\"L1\"}\xc3\xa9";

static bool insert_text(void *ctx, emit_fn *emit, void *emit_ctx)
{
    return emit(emit_ctx, text, *(size_t *)ctx);
}

/* One of two files without a name, emptied and given these bytes. */
static int file_of(int which, const uint8_t *data, size_t size)
{
    static FILE *files[2];
    if (files[which] == NULL)
        files[which] = tmpfile();
    if (files[which] == NULL)
        abort();
    int fd = fileno(files[which]);
    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    return fd;
}

static void check_splice(const uint8_t *data, size_t size, const struct bytes *plain)
{
    static const size_t spacings[] = {1, 100, 5000, 1 << 20};
    size_t at = below(4) == 0 ? plain->len : below(plain->len + 1);
    size_t len = below(4) == 0 ? 0 : below(sizeof text);
    struct feed feed = {data, size, 0, size + 1};
    struct bytes again = {0}, out = {0}, expected = {0};
    enum gunzip_status status;
    struct gunzip *gz = read_all(&feed, spacings[below(4)], at, &again, &status);
    const struct gunzip_point *point = gunzip_point_before(gz, at);
    if (status != GUNZIP_END || !same(again.data, again.len, plain->data, plain->len) || point == NULL)
        stop("reading again with points");
    int in = file_of(0, data, size), to = file_of(1, NULL, 0), old = dup(STDOUT_FILENO);
    if (old < 0 || dup2(to, STDOUT_FILENO) < 0)
        abort();
    struct gzip_splice job = {
        .fd = in,
        .stored_size = size,
        .point = below(4) == 0 ? NULL : point,
        .insert_offset = at,
        .level = 1 + (int)below(9),
        .insertion = insert_text,
        .insertion_ctx = &len,
    };
    struct lt_error error = {0};
    struct sink *sink = sink_open(NULL, &error);
    if (sink == NULL || gzip_splice(&job, sink_output(sink), &error) != LT_OK)
        stop(error.message);
    sink_free(sink);
    dup2(old, STDOUT_FILENO);
    close(old);
    off_t spliced = lseek(to, 0, SEEK_END);
    uint8_t *file = malloc((size_t)spliced);
    if (file == NULL || pread(to, file, (size_t)spliced, 0) != spliced)
        abort();
    put(&expected, plain->data, at);
    put(&expected, text, len);
    put(&expected, plain->data + at, plain->len - at);
    if (!by_zlib(file, (size_t)spliced, &out) || !same(out.data, out.len, expected.data, expected.len))
        stop("the spliced file");
    size_t kept = (size_t)point->place.in_offset;
    if (job.point != NULL && (kept > (size_t)spliced || memcmp(file, data, kept) != 0))
        stop("bytes before the splice");
    free(file);
    free(again.data);
    free(out.data);
    free(expected.data);
    gunzip_free(gz);
}

/* Refused for a CRC or length only: puts the right ones there. */
static bool repair(uint8_t *data, size_t size, enum gunzip_status status, uint64_t behind, const struct bytes *out)
{
    if ((status != GUNZIP_BAD_CRC && status != GUNZIP_BAD_LENGTH) || behind < 8 || behind > size)
        return false;
    struct feed feed = {data, (size_t)behind, 0, size};
    struct gunzip *gz = gunzip_new(give, &feed);
    uint8_t piece[4096];
    size_t got;
    enum gunzip_event event;
    if (gz == NULL)
        abort();
    while (gunzip_step(gz, piece, sizeof piece, &got, &event) == GUNZIP_OK)
        continue;
    uint64_t from = gunzip_here(gz).member_out;
    gunzip_free(gz);
    size_t len = out->len - (size_t)from;
    uint32_t ends[2] = {len == 0 ? 0 : (uint32_t)crc32_z(0, out->data + from, len), (uint32_t)len};
    for (int i = 0; i < 8; i++)
        data[behind - 8 + (uint64_t)i] = (uint8_t)(ends[i / 4] >> 8 * (i % 4));
    return true;
}

/* True when `data` was repaired and is worth another look. */
static bool check(uint8_t *data, size_t size)
{
    struct bytes plain = {0}, ours = {0};
    bool accepted = by_zlib(data, size, &plain), again = false;
    if (plain.len <= MOST) {
        struct feed feed = {data, size, 0, below(3) == 0 ? 1 : below(2) == 0 ? 50 : size + 1};
        enum gunzip_status status;
        struct gunzip *gz = read_all(&feed, below(2) * (1 + below(3000)), below(plain.len + 1), &ours, &status);
        if (accepted != (status == GUNZIP_END))
            stop(accepted ? "only zlib accepts it" : "only zlib refuses it");
        size_t shared = ours.len < plain.len ? ours.len : plain.len;
        if (!same(ours.data, shared, plain.data, shared) || (accepted && ours.len != plain.len))
            stop("bytes");
        if (accepted && gunzip_in_offset(gz) != size)
            stop("end");
        again = repair(data, size, status, gunzip_in_offset(gz), &ours);
        gunzip_free(gz);
        if (accepted)
            check_splice(data, size, &plain);
    }
    free(plain.data);
    free(ours.data);
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    random_state = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        random_state = (random_state ^ data[i]) * UINT64_C(0x100000001b3);
    random_state |= 1;
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    for (int repairs = 0; repairs < 20 && check(copy, size); repairs++)
        continue;
    free(copy);
    return 0;
}
