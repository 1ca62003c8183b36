/*
 * How text gets into a gzip file that is not compressed again.
 *
 * A gzip file is a sequence of members; a member is a header, deflate data,
 * and a trailer with the CRC and the length of what the data stands for.
 * Deflate data is a sequence of blocks. A block begins at any bit, right
 * behind the one before, and its matches may reach back 32 KiB (the window)
 * into what was made before, in whichever block. So the data can be cut
 * where a block begins: up to that bit it stays valid, whatever follows.
 *
 *      member that holds the insertion
 *     |header|block|block|  block  |block|block|block|...|block|trailer|
 *            :           :    ^    :           :               :
 *            point       cut  insertion        resume          end
 *
 * Pass one left a point: a place somewhat before the insertion where
 * inflating can start. From there:
 *
 * 1. Inflate up to the insertion to find the cut, the last block start at or
 *    before it. Where one member ends and the next begins, the insertion may
 *    end the one or start the other; it starts the next only when the point
 *    is there, so that the end of the file is no special case. (The first of
 *    several block starts at the same byte serves as well: empty blocks.)
 * 2. Inflate from the point again, now knowing where the cut is, to have the
 *    window there. (Keeping a window for each block start in step 1 would
 *    cost 32 KiB of copying for blocks of a few bits.)
 * 3. Copy the stored bytes before the cut's byte. The bits before the cut in
 *    that byte are handed to the compressor as the first bits of its output
 *    (deflatePrime), the window as its dictionary. Then it is fed the
 *    original bytes between cut and insertion, the insertion, and the
 *    original bytes behind it, up to where copying can resume.
 * 4. Copying can resume where a block begins whose matches, and those of all
 *    blocks behind it, see the bytes that they were made for. The insertion
 *    moved everything before it away; so at least a window's length of
 *    original bytes must lie between. When no such block start comes before
 *    the member's end, its whole rest is compressed anew.
 * 5. The resumed blocks must stand at the same bit of a byte as they did:
 *    their bytes are copied, not shifted (and stored blocks are padded to
 *    bytes, so shifting would not do). The new data ends on a byte boundary
 *    (Z_SYNC_FLUSH), and empty blocks fill the bits up to the wanted phase:
 *    one with the fixed code is 10 bits, which moves it by two; for odd
 *    phases there is one with a code of its own of 95 bits.
 * 6. The trailer. CRC-32 is linear: the CRC of A followed by B is that of A
 *    shifted by the length of B, combined with that of B by exclusive or. So
 *    the CRC of the resumed bytes follows from the member's old CRC and that
 *    of its bytes before the resumption, unseen; and the new CRC from the
 *    CRC before the cut, of what was compressed, and of the resumed bytes.
 * 7. Copy what follows the member.
 *
 * One large block (or a small member) merely means that steps 1 to 3 have
 * more to do. Nothing is kept that grows with the file or the insertion.
 */
#define _POSIX_C_SOURCE 200809L
#include "gzip/gzip_splice.h"
#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define PIECE ((size_t)32 << 10)

static_assert(sizeof(z_off_t) >= 8, "crc32_combine() must take lengths over 2 GiB");

struct splicer {
    const struct gzip_splice *job;
    struct output output;
    struct lt_error *error;
    uint64_t read_at; /* where inflating reads on */

    z_stream deflate;
    uint32_t fresh_crc; /* of what was fed to the compressor */
    uint64_t fresh_len;
    uint64_t inserted;

    unsigned char original[PIECE], compressed[2 * PIECE], window[GUNZIP_WINDOW];
};

static const char *job_name(const struct splicer *splicer)
{
    return splicer->job->name != NULL ? splicer->job->name : "the trace";
}

static enum lt_status changed(struct splicer *splicer)
{
    char name[512];
    printable(name, sizeof name, job_name(splicer), strlen(job_name(splicer)));
    return fail_as(splicer->error, LT_CLASS_SOURCE_CHANGED, "%s: changed while it was read; wait until it is complete",
                   name);
}

/* The output's reason when it has one, else the only other thing that can fail. */
static enum lt_status output_or_memory(struct splicer *splicer)
{
    struct output *output = &splicer->output;
    return output->error(output->ctx, splicer->error) != LT_OK ? splicer->error->status : fail_memory(splicer->error);
}

static enum lt_status put(struct splicer *splicer, const void *data, size_t len)
{
    return len == 0 || splicer->output.write(splicer->output.ctx, data, len) ? LT_OK : output_or_memory(splicer);
}

static enum lt_status copy(struct splicer *splicer, uint64_t from, uint64_t to)
{
    struct output *output = &splicer->output;
    bool short_read = false;
    if (from > to)
        return changed(splicer);
    if (from == to || output->copy(output->ctx, splicer->job->fd, from, to - from, &short_read))
        return LT_OK;
    return short_read ? changed(splicer) : output_or_memory(splicer);
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

static ptrdiff_t read_file(void *ctx, unsigned char *buf, size_t size)
{
    struct splicer *splicer = ctx;
    uint64_t left = splicer->job->stored_size - splicer->read_at;
    ssize_t n;
    do
        n = pread(splicer->job->fd, buf, left < size ? (size_t)left : size, (off_t)splicer->read_at);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        splicer->read_at += (uint64_t)n;
    return n;
}

static enum lt_status read_exactly(struct splicer *splicer, uint64_t offset, unsigned char *buf, size_t size)
{
    splicer->read_at = offset;
    for (size_t got = 0; got < size;) {
        ptrdiff_t n = read_file(splicer, buf + got, size - got);
        if (n < 0)
            return fail_errno(splicer->error, job_name(splicer), "cannot be read", errno);
        if (n == 0)
            return changed(splicer);
        got += (size_t)n;
    }
    return LT_OK;
}

static struct gunzip *inflate_from(struct splicer *splicer, const struct gunzip_point *point)
{
    splicer->read_at = point->place.in_offset;
    struct gunzip *gz = splicer->read_at <= splicer->job->stored_size ? gunzip_new_at(read_file, splicer, point) : NULL;
    if (gz == NULL)
        fail_memory(splicer->error);
    return gz;
}

/* Pass one read the whole file without trouble: whatever is found now means that it is another. */
static enum lt_status inflate_trouble(struct splicer *splicer, enum gunzip_status status)
{
    switch (status) {
    case GUNZIP_OK:
        return LT_OK;
    case GUNZIP_READ_ERROR:
        return fail_errno(splicer->error, job_name(splicer), "cannot be read", errno);
    case GUNZIP_NO_MEMORY:
        return fail_memory(splicer->error);
    default:
        return changed(splicer);
    }
}

/* Steps to the next event with at most a piece of bytes, none of them behind `limit`; one when it is reached. */
static enum lt_status step(struct splicer *splicer, struct gunzip *gz, uint64_t limit, size_t *got,
                           enum gunzip_event *event)
{
    uint64_t at = gunzip_out_offset(gz);
    size_t size = limit <= at ? 1 : limit - at < PIECE ? (size_t)(limit - at) : PIECE;
    return inflate_trouble(splicer, gunzip_step(gz, splicer->original, size, got, event));
}

/* ---- compressing ------------------------------------------------------------------------------------------- */

static enum lt_status start_deflate(struct splicer *splicer, const struct gunzip_place *cut, size_t window_len)
{
    unsigned char shared = 0; /* the byte whose low bits end the block before the cut */
    if (cut->in_bit != 0 && read_exactly(splicer, cut->in_offset, &shared, 1) != LT_OK)
        return splicer->error->status;
    if (deflateInit2(&splicer->deflate, splicer->job->level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return fail_memory(splicer->error);
    deflatePrime(&splicer->deflate, (int)cut->in_bit, shared & ((1 << cut->in_bit) - 1));
    deflateSetDictionary(&splicer->deflate, splicer->window, (uInt)window_len);
    return LT_OK;
}

static enum lt_status deflate_bytes(struct splicer *splicer, const void *data, size_t len, int flush)
{
    z_stream *z = &splicer->deflate;
    z->next_in = (z_const Bytef *)(uintptr_t)data;
    z->avail_in = (uInt)len;
    splicer->fresh_crc = libdeflate_crc32(splicer->fresh_crc, data, len);
    splicer->fresh_len += len;
    do {
        z->next_out = splicer->compressed;
        z->avail_out = sizeof splicer->compressed;
        deflate(z, flush);
        if (put(splicer, splicer->compressed, sizeof splicer->compressed - z->avail_out) != LT_OK)
            return splicer->error->status;
    } while (z->avail_out == 0);
    return LT_OK;
}

static bool insert_piece(void *ctx, const void *data, size_t len)
{
    struct splicer *splicer = ctx;
    const unsigned char *at = data;
    splicer->inserted += len;
    while (len > 0) {
        size_t n = len < ((size_t)1 << 30) ? len : (size_t)1 << 30;
        if (deflate_bytes(splicer, at, n, Z_NO_FLUSH) != LT_OK)
            return false;
        at += n;
        len -= n;
    }
    return true;
}

/* Bits in the order of deflate data: from each byte's least significant bit up. */
struct bits {
    unsigned char bytes[24];
    unsigned count;
};

static void add_bits(struct bits *bits, unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++, bits->count++)
        bits->bytes[bits->count / 8] |= (unsigned char)((value >> i & 1) << bits->count % 8);
}

/* An empty block with the fixed code: 10 bits. */
static void add_fixed_block(struct bits *bits)
{
    add_bits(bits, 1u << 1, 3); /* not the last; fixed code */
    add_bits(bits, 0, 7);       /* end of block */
}

/*
 * An empty block with a code of its own: 95 bits. There are shorter ones,
 * but only with codes that are incomplete, which not every reader takes.
 */
static void add_dynamic_block(struct bits *bits)
{
    add_bits(bits, 2u << 1, 3); /* not the last; own code */
    add_bits(bits, 0, 5);       /* 257 literal and length codes */
    add_bits(bits, 1, 5);       /* 2 distance codes */
    add_bits(bits, 15, 4);      /* 19 code length codes, one more than is needed: for an odd sum */
    /* Of those only two are used: a length of 1 (code 0), and 18, a run of zeros (code 1). */
    for (unsigned i = 0; i < 19; i++)
        add_bits(bits, i == 2 || i == 17, 3); /* their places in the order of RFC 1951, 3.2.7 */
    add_bits(bits, 0, 1);                     /* literal 0: length 1 */
    add_bits(bits, 1 | (138 - 11) << 1, 8);   /* literals 1 to 255: unused */
    add_bits(bits, 1 | (117 - 11) << 1, 8);
    add_bits(bits, 0, 1); /* end of block: length 1 */
    add_bits(bits, 0, 2); /* both distances: length 1 */
    add_bits(bits, 1, 1); /* end of block: it comes second */
}

/* Ends the new data at the bit where the blocks at `resume` begin, and writes the byte that both share. */
static enum lt_status join(struct splicer *splicer, const struct gunzip_place *resume)
{
    if (deflate_bytes(splicer, NULL, 0, Z_SYNC_FLUSH) != LT_OK)
        return splicer->error->status;
    if (resume->in_bit == 0)
        return LT_OK;
    struct bits bits = {{0}, 0};
    if (resume->in_bit % 2 != 0)
        add_dynamic_block(&bits);
    while (bits.count % 8 != resume->in_bit)
        add_fixed_block(&bits);
    unsigned char shared;
    if (read_exactly(splicer, resume->in_offset, &shared, 1) != LT_OK)
        return splicer->error->status;
    add_bits(&bits, (unsigned)shared >> resume->in_bit, 8 - resume->in_bit);
    return put(splicer, bits.bytes, bits.count / 8);
}

/* ---- the steps --------------------------------------------------------------------------------------------- */

/* Where the insertion's member ends, if that is known beforehand. */
static bool end_is_known(const struct gunzip_point *point, const struct gunzip_place *cut)
{
    return point->place.member == cut->member && point->member_in_end != 0;
}

static enum lt_status find_cut(struct splicer *splicer, const struct gunzip_point *point, struct gunzip_place *cut)
{
    uint64_t insert_offset = splicer->job->insert_offset;
    struct gunzip *gz = inflate_from(splicer, point);
    enum lt_status status = splicer->error->status;
    *cut = point->place;
    while (status == LT_OK && cut->out_offset < insert_offset) {
        enum gunzip_event event;
        size_t got;
        status = step(splicer, gz, insert_offset, &got, &event);
        if (status != LT_OK || gunzip_out_offset(gz) > insert_offset)
            break;
        if (event == GUNZIP_MEMBER_END && gunzip_out_offset(gz) == insert_offset)
            break;
        if (event == GUNZIP_AT_BLOCK)
            *cut = gunzip_here(gz);
    }
    gunzip_free(gz);
    return status;
}

/* Goes to the cut for the window there. The cut is where the point is, or an event shows it. */
static enum lt_status go_to_cut(struct splicer *splicer, struct gunzip *gz, const struct gunzip_place *cut)
{
    for (;;) {
        struct gunzip_place here = gunzip_here(gz);
        if (here.in_offset == cut->in_offset && here.in_bit == cut->in_bit)
            return here.out_offset == cut->out_offset && here.crc == cut->crc ? LT_OK : changed(splicer);
        if (here.in_offset > cut->in_offset)
            return changed(splicer);
        enum gunzip_event event = GUNZIP_BYTES;
        while (event == GUNZIP_BYTES) {
            size_t got;
            if (step(splicer, gz, cut->out_offset, &got, &event) != LT_OK)
                return splicer->error->status;
            if (gunzip_out_offset(gz) > cut->out_offset)
                return changed(splicer);
        }
    }
}

/* Feeds original bytes up to the insertion, the insertion, and original bytes up to *resume or the member's end. */
static enum lt_status feed(struct splicer *splicer, struct gunzip *gz, bool may_resume, struct gunzip_place *stop,
                           bool *ended)
{
    const struct gzip_splice *job = splicer->job;
    enum gunzip_event event = GUNZIP_BYTES;
    size_t got;
    while (gunzip_out_offset(gz) < job->insert_offset) {
        if (step(splicer, gz, job->insert_offset, &got, &event) != LT_OK ||
            deflate_bytes(splicer, splicer->original, got, Z_NO_FLUSH) != LT_OK)
            return splicer->error->status;
        if (event == GUNZIP_MEMBER_END)
            break;
    }
    if (gunzip_out_offset(gz) != job->insert_offset)
        return changed(splicer);
    if (!job->insertion(job->insertion_ctx, insert_piece, splicer))
        return splicer->error->status != LT_OK ? splicer->error->status : output_or_memory(splicer);
    while (event != GUNZIP_MEMBER_END) {
        if (step(splicer, gz, UINT64_MAX, &got, &event) != LT_OK ||
            deflate_bytes(splicer, splicer->original, got, Z_NO_FLUSH) != LT_OK)
            return splicer->error->status;
        if (may_resume && event == GUNZIP_AT_BLOCK && gunzip_out_offset(gz) - job->insert_offset >= GUNZIP_WINDOW)
            break;
    }
    *stop = gunzip_here(gz);
    *ended = event == GUNZIP_MEMBER_END;
    return LT_OK;
}

static uint32_t combine(uint32_t first, uint32_t second, uint64_t second_len)
{
    return (uint32_t)crc32_combine(first, second, (z_off_t)second_len);
}

static void put_number(unsigned char *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(number >> 8 * i);
}

/* Everything behind the new data: the resumed blocks, the trailer, the members after it. */
static enum lt_status write_tail(struct splicer *splicer, const struct gunzip_point *point,
                                 const struct gunzip_place *cut, const struct gunzip_place *stop, bool ended)
{
    unsigned char trailer[8], expected[8];
    uint32_t crc = combine(cut->crc, splicer->fresh_crc, splicer->fresh_len);
    uint64_t in_end = stop->in_offset, out_end = stop->out_offset;
    if (ended) {
        if (deflate_bytes(splicer, NULL, 0, Z_FINISH) != LT_OK)
            return splicer->error->status;
    } else {
        in_end = point->member_in_end;
        out_end = point->member_out_end;
        if (join(splicer, stop) != LT_OK || read_exactly(splicer, in_end - 8, trailer, 8) != LT_OK)
            return splicer->error->status;
        put_number(expected, point->member_crc);
        put_number(expected + 4, (uint32_t)(out_end - cut->member_out));
        if (memcmp(trailer, expected, 8) != 0 || out_end < stop->out_offset)
            return changed(splicer);
        uint64_t len = out_end - stop->out_offset;
        uint32_t resumed_crc = point->member_crc ^ combine(stop->crc, 0, len);
        crc = combine(crc, resumed_crc, len);
        if (copy(splicer, stop->in_offset + (stop->in_bit != 0), in_end - 8) != LT_OK)
            return splicer->error->status;
    }
    put_number(trailer, crc);
    put_number(trailer + 4, (uint32_t)(out_end - cut->member_out + splicer->inserted));
    if (put(splicer, trailer, 8) != LT_OK)
        return splicer->error->status;
    return copy(splicer, in_end, splicer->job->stored_size);
}

static enum lt_status splice_from(struct splicer *splicer, const struct gunzip_point *point)
{
    struct gunzip_place cut, stop = {0};
    if (find_cut(splicer, point, &cut) != LT_OK)
        return splicer->error->status;
    struct gunzip *gz = inflate_from(splicer, point);
    if (gz == NULL)
        return splicer->error->status;
    bool ended = false;
    enum lt_status status = go_to_cut(splicer, gz, &cut);
    if (status == LT_OK)
        status = copy(splicer, 0, cut.in_offset);
    if (status == LT_OK) {
        /* The compressor reads a byte of the file for itself: inflating must go on where it was. */
        uint64_t read_at = splicer->read_at;
        status = start_deflate(splicer, &cut, gunzip_window(gz, splicer->window));
        splicer->read_at = read_at;
    }
    if (status == LT_OK)
        status = feed(splicer, gz, end_is_known(point, &cut), &stop, &ended);
    if (status == LT_OK)
        status = write_tail(splicer, point, &cut, &stop, ended);
    deflateEnd(&splicer->deflate);
    gunzip_free(gz);
    return status;
}

/* Without a point: reads the file from its start to its end, as pass one does, and calls back with one. */
static enum lt_status splice_from_start(struct splicer *splicer)
{
    struct gunzip *gz = gunzip_new(read_file, splicer);
    if (gz == NULL)
        return fail_memory(splicer->error);
    gunzip_note_points(gz, (size_t)1 << 20);
    enum gunzip_status status;
    size_t got;
    while ((status = gunzip_read(gz, splicer->original, PIECE, &got)) == GUNZIP_OK) {
        uint64_t done = gunzip_out_offset(gz), insert_offset = splicer->job->insert_offset;
        gunzip_forget(gz, done < insert_offset ? done : insert_offset);
    }
    if (status != GUNZIP_END)
        inflate_trouble(splicer, status);
    const struct gunzip_point *point = gunzip_point_before(gz, splicer->job->insert_offset);
    if (splicer->error->status == LT_OK && point == NULL)
        fail_memory(splicer->error);
    if (splicer->error->status == LT_OK)
        splice_from(splicer, point);
    gunzip_free(gz);
    return splicer->error->status;
}

enum lt_status gzip_splice(const struct gzip_splice *job, struct output output, struct lt_error *error)
{
    struct splicer *splicer = calloc(1, sizeof *splicer);
    if (splicer == NULL)
        return fail_memory(error);
    splicer->job = job;
    splicer->output = output;
    splicer->error = error;
    enum lt_status status = job->point != NULL ? splice_from(splicer, job->point) : splice_from_start(splicer);
    free(splicer);
    return status;
}
