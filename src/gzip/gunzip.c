#include "gzip/gunzip.h"

#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static_assert(sizeof(z_off_t) >= 8, "crc32_combine() must take lengths over 2 GiB");

/* Compressed bytes are asked for in pieces of this size: some hundred kilobytes of JSON. */
#define IN_SIZE ((size_t)64 << 10)

/* One call of inflate() makes at most this much: the CRC is taken while the bytes are still in a near cache. */
#define PIECE ((size_t)64 << 10)

/* The fields of a member's header (RFC 1952, 2.3.1). */
enum { FHCRC = 2, FEXTRA = 4, FNAME = 8, FCOMMENT = 16, RESERVED = 0xe0 };

struct gunzip {
    gunzip_read_fn *read;
    void *ctx;
    z_stream z;
    bool in_member; /* the deflate data of a member; else its header comes next */
    bool fresh;     /* at the deflate data's first bit */
    enum gunzip_status status;
    int read_errno;

    uint64_t in_total; /* compressed bytes that `read` gave */
    uint64_t out_offset, member_in, member_out;
    uint64_t member, members; /* the number of this one; how many have ended */
    uint32_t crc;             /* of the member so far */
    uint32_t all_crc;         /* of the members before it */

    size_t spacing; /* 0: no points are wanted */
    uint64_t last_point;
    bool any_point;
    size_t point_count;
    struct gunzip_point *points[GUNZIP_POINTS]; /* the first point_count in order; the others are spare or NULL */

    unsigned char in[IN_SIZE];
};

struct gunzip *gunzip_new(gunzip_read_fn *read, void *ctx)
{
    struct gunzip *gz = malloc(sizeof *gz);
    if (gz == NULL)
        return NULL;
    memset(gz, 0, offsetof(struct gunzip, in));
    gz->read = read;
    gz->ctx = ctx;
    if (inflateInit2(&gz->z, -15) != Z_OK) {
        free(gz);
        return NULL;
    }
    return gz;
}

void gunzip_free(struct gunzip *gz)
{
    if (gz == NULL)
        return;
    inflateEnd(&gz->z);
    for (size_t i = 0; i < GUNZIP_POINTS; i++)
        free(gz->points[i]);
    free(gz);
}

uint32_t gunzip_crc(const struct gunzip *gz)
{
    return gz->all_crc;
}

uint64_t gunzip_members(const struct gunzip *gz)
{
    return gz->members;
}

uint64_t gunzip_in_offset(const struct gunzip *gz)
{
    return gz->status == GUNZIP_TRAILING ? gz->member_in : gz->in_total - gz->z.avail_in;
}

uint64_t gunzip_out_offset(const struct gunzip *gz)
{
    return gz->out_offset;
}

/* ---- points ------------------------------------------------------------------------------------------------ */

struct gunzip_place gunzip_here(const struct gunzip *gz)
{
    /* zlib tells how many bits of the last byte it took are still unused. */
    unsigned unused = gz->fresh ? 0 : (unsigned)gz->z.data_type & 7;
    return (struct gunzip_place){
        .in_offset = gz->in_total - gz->z.avail_in - (unused != 0),
        .in_bit = (8 - unused) & 7,
        .out_offset = gz->out_offset,
        .member_in = gz->member_in,
        .member_out = gz->member_out,
        .member = gz->member,
        .crc = gz->crc,
    };
}

size_t gunzip_window(struct gunzip *gz, unsigned char *window)
{
    uInt len = 0;
    if (!gz->fresh)
        inflateGetDictionary(&gz->z, window, &len);
    return len;
}

void gunzip_note_points(struct gunzip *gz, size_t spacing)
{
    gz->spacing = spacing;
}

/* Out of memory is no failure here: without a point the splice merely starts further ahead. */
static void note_point(struct gunzip *gz)
{
    struct gunzip_point *point = gz->points[gz->point_count];
    if (point == NULL && (point = malloc(sizeof *point)) == NULL)
        return;
    gz->points[gz->point_count++] = point;
    gz->any_point = true;
    gz->last_point = gz->out_offset;
    point->place = gunzip_here(gz);
    point->member_in_end = 0;
    point->window_len = gunzip_window(gz, point->window);
}

static bool point_is_due(const struct gunzip *gz, size_t spacing)
{
    return gz->spacing != 0 && gz->point_count < GUNZIP_POINTS &&
           (!gz->any_point || gz->out_offset - gz->last_point >= spacing);
}

void gunzip_forget(struct gunzip *gz, uint64_t out_offset)
{
    size_t drop = 0;
    while (drop + 1 < gz->point_count && gz->points[drop + 1]->place.out_offset <= out_offset)
        drop++;
    for (size_t n = 0; n < drop; n++) {
        struct gunzip_point *spare = gz->points[0];
        memmove(gz->points, gz->points + 1, (GUNZIP_POINTS - 1) * sizeof gz->points[0]);
        gz->points[GUNZIP_POINTS - 1] = spare;
    }
    gz->point_count -= drop;
}

const struct gunzip_point *gunzip_point_before(const struct gunzip *gz, uint64_t out_offset)
{
    size_t n = gz->point_count;
    while (n > 0 && gz->points[n - 1]->place.out_offset > out_offset)
        n--;
    return n == 0 ? NULL : gz->points[n - 1];
}

struct gunzip *gunzip_new_at(gunzip_read_fn *read, void *ctx, const struct gunzip_point *point)
{
    struct gunzip *gz = gunzip_new(read, ctx);
    if (gz == NULL)
        return NULL;
    const struct gunzip_place *place = &point->place;
    gz->in_member = gz->fresh = true;
    gz->in_total = place->in_offset;
    gz->out_offset = place->out_offset;
    gz->member_in = place->member_in;
    gz->member_out = place->member_out;
    gz->member = gz->members = place->member;
    gz->crc = place->crc;
    if (place->in_bit == 0 && point->window_len == 0)
        return gz;
    gz->fresh = false;
    /* The block's first bits share their byte with the block before. */
    unsigned char first = 0;
    if (place->in_bit != 0) {
        if (read(ctx, &first, 1) != 1) {
            gz->status = GUNZIP_TRUNCATED;
            return gz;
        }
        gz->in_total++;
    }
    int bits = (int)((8 - place->in_bit) & 7);
    inflatePrime(&gz->z, bits, first >> place->in_bit);
    inflateSetDictionary(&gz->z, point->window, (uInt)point->window_len);
    gz->z.data_type = bits; /* what zlib would say; see gunzip_here() */
    return gz;
}

/* ---- members ----------------------------------------------------------------------------------------------- */

/* Sees to it that compressed bytes are there; false at the end or on trouble, with the status set. */
static bool fill_in(struct gunzip *gz)
{
    if (gz->z.avail_in > 0)
        return true;
    ptrdiff_t n = gz->read(gz->ctx, gz->in, IN_SIZE);
    if (n <= 0) {
        gz->status = n == 0 ? GUNZIP_TRUNCATED : GUNZIP_READ_ERROR;
        gz->read_errno = errno;
        return false;
    }
    gz->in_total += (uint64_t)n;
    gz->z.next_in = gz->in;
    gz->z.avail_in = (uInt)n;
    return true;
}

/* The next byte of a header or trailer; -1 at the end or on trouble. */
static int take_byte(struct gunzip *gz)
{
    if (!fill_in(gz))
        return -1;
    gz->z.avail_in--;
    return *gz->z.next_in++;
}

/* Takes `len` bytes of a header into its CRC and, when `to` is not NULL, there. */
static bool take_header(struct gunzip *gz, uint32_t *crc, size_t len, unsigned char *to)
{
    for (size_t i = 0; i < len; i++) {
        int byte = take_byte(gz);
        if (byte < 0)
            return false;
        unsigned char c = (unsigned char)byte;
        *crc = libdeflate_crc32(*crc, &c, 1);
        if (to != NULL)
            to[i] = c;
    }
    return true;
}

static bool skip_text(struct gunzip *gz, uint32_t *crc)
{
    unsigned char c = 1;
    while (c != 0)
        if (!take_header(gz, crc, 1, &c))
            return false;
    return true;
}

/* From a member's first byte to its deflate data. False with the status set; GUNZIP_END when no member follows. */
static bool read_header(struct gunzip *gz)
{
    enum gunzip_status no_magic = gz->members > 0 ? GUNZIP_TRAILING : GUNZIP_BAD_HEADER;
    unsigned char head[10];
    uint32_t crc = 0;
    gz->member_in = gz->in_total - gz->z.avail_in;
    gz->member_out = gz->out_offset;
    gz->member = gz->members;
    if (!take_header(gz, &crc, 1, head)) {
        if (gz->status == GUNZIP_TRUNCATED && gz->members > 0)
            gz->status = GUNZIP_END;
        return false;
    }
    if (head[0] != 0x1f) {
        gz->status = no_magic;
        return false;
    }
    if (!take_header(gz, &crc, 1, head + 1))
        return false;
    if (head[1] != 0x8b) {
        gz->status = no_magic;
        return false;
    }
    if (!take_header(gz, &crc, 8, head + 2))
        return false;
    unsigned flags = head[3];
    if (head[2] != 8 || (flags & RESERVED) != 0) {
        gz->status = GUNZIP_BAD_HEADER;
        return false;
    }
    unsigned char two[2];
    if ((flags & FEXTRA) != 0 &&
        !(take_header(gz, &crc, 2, two) && take_header(gz, &crc, two[0] | (size_t)two[1] << 8, NULL)))
        return false;
    if ((flags & FNAME) != 0 && !skip_text(gz, &crc))
        return false;
    if ((flags & FCOMMENT) != 0 && !skip_text(gz, &crc))
        return false;
    if ((flags & FHCRC) != 0) {
        uint32_t expected = crc & 0xffff;
        if (!take_header(gz, &crc, 2, two))
            return false;
        if ((two[0] | (uint32_t)two[1] << 8) != expected) {
            gz->status = GUNZIP_BAD_HEADER;
            return false;
        }
    }
    inflateReset(&gz->z);
    gz->crc = 0;
    gz->in_member = gz->fresh = true;
    return true;
}

static bool take_number(struct gunzip *gz, uint32_t *number)
{
    *number = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        int byte = take_byte(gz);
        if (byte < 0)
            return false;
        *number |= (uint32_t)byte << shift;
    }
    return true;
}

static bool read_trailer(struct gunzip *gz)
{
    uint32_t crc, length;
    if (!take_number(gz, &crc) || !take_number(gz, &length))
        return false;
    if (crc != gz->crc)
        gz->status = GUNZIP_BAD_CRC;
    else if (length != (uint32_t)(gz->out_offset - gz->member_out))
        gz->status = GUNZIP_BAD_LENGTH;
    if (gz->status != GUNZIP_OK)
        return false;
    for (size_t i = 0; i < gz->point_count; i++)
        if (gz->points[i]->place.member == gz->member) {
            gz->points[i]->member_in_end = gz->in_total - gz->z.avail_in;
            gz->points[i]->member_out_end = gz->out_offset;
            gz->points[i]->member_crc = crc;
        }
    gz->all_crc = (uint32_t)crc32_combine(gz->all_crc, crc, (z_off_t)(gz->out_offset - gz->member_out));
    gz->members++;
    gz->in_member = false;
    gz->fresh = true; /* no bit of the deflate data is left over */
    return true;
}

/* ---- inflating --------------------------------------------------------------------------------------------- */

/*
 * Goes on inside a member's deflate data: one call of inflate(), which stops
 * at the next block's start when `flush` is Z_BLOCK. False with the status
 * set on trouble; *event is GUNZIP_MEMBER_END behind the last block.
 */
static bool inflate_some(struct gunzip *gz, int flush, unsigned char *out, size_t size, size_t *got,
                         enum gunzip_event *event)
{
    *got = 0;
    *event = GUNZIP_BYTES;
    if (!fill_in(gz))
        return false;
    gz->z.next_out = out;
    gz->z.avail_out = (uInt)(size < PIECE ? size : PIECE);
    size_t room = gz->z.avail_out;
    int result = inflate(&gz->z, flush);
    *got = room - gz->z.avail_out;
    gz->fresh = false;
    gz->crc = libdeflate_crc32(gz->crc, out, *got);
    gz->out_offset += *got;
    switch (result) {
    case Z_STREAM_END:
        *event = GUNZIP_MEMBER_END;
        return true;
    case Z_OK:
    case Z_BUF_ERROR: /* a short block lay wholly in bits that had been taken before: no byte moved */
        /* 128: at a block's end; 64: it was the last, so none begins here. */
        if ((gz->z.data_type & (128 | 64)) == 128)
            *event = GUNZIP_AT_BLOCK;
        return true;
    case Z_MEM_ERROR:
        gz->status = GUNZIP_NO_MEMORY;
        return false;
    default:
        gz->status = GUNZIP_BAD_DATA;
        return false;
    }
}

/* One thing at a time: a header, a piece of data, or a piece and the trailer behind it. */
static bool advance(struct gunzip *gz, int flush, unsigned char *out, size_t size, size_t *got,
                    enum gunzip_event *event)
{
    *got = 0;
    *event = GUNZIP_AT_BLOCK;
    if (!gz->in_member)
        return read_header(gz);
    return inflate_some(gz, flush, out, size, got, event) && (*event != GUNZIP_MEMBER_END || read_trailer(gz));
}

/* The read function's reason stays its own however often it is asked for. */
static enum gunzip_status final(const struct gunzip *gz)
{
    if (gz->status == GUNZIP_READ_ERROR)
        errno = gz->read_errno;
    return gz->status;
}

enum gunzip_status gunzip_step(struct gunzip *gz, unsigned char *out, size_t size, size_t *got,
                               enum gunzip_event *event)
{
    *got = 0;
    *event = GUNZIP_BYTES;
    while (gz->status == GUNZIP_OK && *got < size && *event == GUNZIP_BYTES) {
        size_t n;
        advance(gz, Z_BLOCK, out + *got, size - *got, &n, event);
        *got += n;
    }
    return final(gz);
}

enum gunzip_status gunzip_read(struct gunzip *gz, unsigned char *out, size_t size, size_t *got)
{
    *got = 0;
    while (gz->status == GUNZIP_OK && *got < size) {
        enum gunzip_event event;
        size_t n;
        /* Stopping at each block would cost where blocks are tiny; so only when one is wanted. */
        advance(gz, point_is_due(gz, gz->spacing) ? Z_BLOCK : Z_NO_FLUSH, out + *got, size - *got, &n, &event);
        *got += n;
        /* A member's start makes a better point than a block's: its end will be known (see gzip_splice.c). */
        if (gz->status == GUNZIP_OK && event == GUNZIP_AT_BLOCK &&
            point_is_due(gz, gz->fresh ? gz->spacing / 16 : gz->spacing))
            note_point(gz);
    }
    if (*got > 0)
        return GUNZIP_OK;
    return final(gz);
}
