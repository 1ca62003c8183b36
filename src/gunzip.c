#include "gunzip.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/*
 * Members are taken apart here (header, trailer) and inflated raw, since only
 * so zlib can be stopped at the boundary of a deflate block and entered there
 * again. CRC-32 is libdeflate's, several times as fast as zlib's.
 */
#define INPUT_SIZE ((size_t)128 << 10)

enum state { AT_HEADER, IN_DATA, AT_TRAILER, FINISHED };

struct kept {
    struct kept *next;
    struct gunzip_point point;
};

struct gunzip {
    gunzip_read_fn *read;
    void *ctx;
    unsigned char *input;
    size_t at, filled;   /* input[at .. filled) waits */
    uint64_t filled_end; /* stored offset of input[filled] */
    bool ended;
    int errnum;

    z_stream z;
    enum state state;
    enum gunzip_status result; /* once FINISHED */
    uint64_t members, member_in, member_out, out_offset;
    uint32_t crc;

    size_t spacing; /* 0: no points */
    uint64_t next_point;
    struct kept *first, *last, *spare;
};

struct gunzip *gunzip_new(gunzip_read_fn *read, void *ctx)
{
    struct gunzip *gz = calloc(1, sizeof *gz);
    if (gz == NULL)
        return NULL;
    gz->read = read;
    gz->ctx = ctx;
    gz->input = malloc(INPUT_SIZE);
    if (gz->input == NULL || inflateInit2(&gz->z, -MAX_WBITS) != Z_OK) {
        free(gz->input);
        free(gz);
        return NULL;
    }
    return gz;
}

static void free_list(struct kept *kept)
{
    while (kept != NULL) {
        struct kept *next = kept->next;
        free(kept);
        kept = next;
    }
}

void gunzip_free(struct gunzip *gz)
{
    if (gz == NULL)
        return;
    inflateEnd(&gz->z);
    free_list(gz->first);
    free_list(gz->spare);
    free(gz->input);
    free(gz);
}

uint64_t gunzip_members(const struct gunzip *gz)
{
    return gz->members;
}

uint64_t gunzip_in_offset(const struct gunzip *gz)
{
    return gz->filled_end - (gz->filled - gz->at);
}

uint64_t gunzip_out_offset(const struct gunzip *gz)
{
    return gz->out_offset;
}

/* ---- bytes in ---------------------------------------------------------------------------------------------- */

/* Makes sure that a byte waits; false at the end or on trouble (errnum tells). */
static bool refill(struct gunzip *gz)
{
    if (gz->at < gz->filled)
        return true;
    if (gz->ended)
        return false;
    ptrdiff_t n = gz->read(gz->ctx, gz->input, INPUT_SIZE);
    gz->errnum = n < 0 ? errno : 0;
    gz->ended = n <= 0;
    gz->at = 0;
    gz->filled = n > 0 ? (size_t)n : 0;
    gz->filled_end += gz->filled;
    return n > 0;
}

static enum gunzip_status ran_out(struct gunzip *gz)
{
    if (gz->errnum == 0)
        return GUNZIP_TRUNCATED;
    errno = gz->errnum;
    return GUNZIP_READ_ERROR;
}

/* One byte of a header or trailer, which a header's own CRC covers. -1: none. */
static int take_byte(struct gunzip *gz, uint32_t *crc)
{
    if (!refill(gz))
        return -1;
    unsigned char c = gz->input[gz->at++];
    *crc = libdeflate_crc32(*crc, &c, 1);
    return c;
}

static enum gunzip_status skip_string(struct gunzip *gz, uint32_t *crc)
{
    int c;
    do
        c = take_byte(gz, crc);
    while (c > 0);
    return c < 0 ? ran_out(gz) : GUNZIP_OK;
}

static enum gunzip_status take_le(struct gunzip *gz, unsigned bytes, uint32_t *value, uint32_t *crc)
{
    *value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        int c = take_byte(gz, crc);
        if (c < 0)
            return ran_out(gz);
        *value |= (uint32_t)c << (8 * i);
    }
    return GUNZIP_OK;
}

/* RFC 1952, 2.3. The two magic bytes decide whether this is a member at all. */
static enum gunzip_status read_header(struct gunzip *gz)
{
    enum { FHCRC = 2, FEXTRA = 4, FNAME = 8, FCOMMENT = 16, RESERVED = 0xe0 };
    uint32_t crc = 0, value, flags;
    gz->member_in = gunzip_in_offset(gz);
    gz->member_out = gz->out_offset;
    if (!refill(gz))
        return gz->errnum != 0 ? ran_out(gz) : gz->members > 0 ? GUNZIP_END : GUNZIP_TRUNCATED;
    enum gunzip_status bad = gz->members > 0 ? GUNZIP_TRAILING : GUNZIP_BAD_HEADER;
    if (gz->input[gz->at] != 0x1f)
        return bad;
    if (take_le(gz, 1, &value, &crc) != GUNZIP_OK || !refill(gz))
        return gz->errnum == 0 ? bad : ran_out(gz);
    if (gz->input[gz->at] != 0x8b)
        return bad;
    enum gunzip_status status = take_le(gz, 2, &value, &crc);
    if (status == GUNZIP_OK && value >> 8 != 8)
        return GUNZIP_BAD_HEADER;
    if (status == GUNZIP_OK)
        status = take_le(gz, 1, &flags, &crc);
    if (status == GUNZIP_OK && (flags & RESERVED) != 0)
        return GUNZIP_BAD_HEADER;
    for (int i = 0; i < 6 && status == GUNZIP_OK; i++) /* time, extra flags, system */
        status = take_le(gz, 1, &value, &crc);
    if (status == GUNZIP_OK && (flags & FEXTRA) != 0) {
        uint32_t len;
        status = take_le(gz, 2, &len, &crc);
        for (uint32_t i = 0; i < len && status == GUNZIP_OK; i++)
            status = take_le(gz, 1, &value, &crc);
    }
    if (status == GUNZIP_OK && (flags & FNAME) != 0)
        status = skip_string(gz, &crc);
    if (status == GUNZIP_OK && (flags & FCOMMENT) != 0)
        status = skip_string(gz, &crc);
    if (status == GUNZIP_OK && (flags & FHCRC) != 0) {
        uint32_t expected = crc & 0xffff;
        status = take_le(gz, 2, &value, &crc);
        if (status == GUNZIP_OK && value != expected)
            return GUNZIP_BAD_HEADER;
    }
    if (status != GUNZIP_OK)
        return status;
    gz->crc = 0;
    inflateReset(&gz->z);
    gz->state = IN_DATA;
    return GUNZIP_OK;
}

static enum gunzip_status read_trailer(struct gunzip *gz)
{
    uint32_t crc, length, unused = 0;
    enum gunzip_status status = take_le(gz, 4, &crc, &unused);
    if (status == GUNZIP_OK)
        status = take_le(gz, 4, &length, &unused);
    if (status != GUNZIP_OK)
        return status;
    if (crc != gz->crc)
        return GUNZIP_BAD_CRC;
    if (length != (uint32_t)(gz->out_offset - gz->member_out))
        return GUNZIP_BAD_LENGTH;
    gz->members++;
    gz->state = AT_HEADER;
    return GUNZIP_OK;
}

/* ---- points ------------------------------------------------------------------------------------------------ */

void gunzip_note_points(struct gunzip *gz, size_t spacing)
{
    gz->spacing = spacing;
}

static enum gunzip_status note_point(struct gunzip *gz)
{
    struct kept *kept = gz->spare != NULL ? gz->spare : malloc(sizeof *kept);
    if (kept == NULL)
        return GUNZIP_NO_MEMORY;
    if (gz->spare != NULL)
        gz->spare = gz->spare->next;
    unsigned unused_bits = (unsigned)gz->z.data_type & 7;
    struct gunzip_point *point = &kept->point;
    point->in_offset = gunzip_in_offset(gz) - (unused_bits > 0);
    point->in_bit = unused_bits > 0 ? 8 - unused_bits : 0;
    point->out_offset = gz->out_offset;
    point->member_in = gz->member_in;
    point->member_out = gz->member_out;
    point->member = gz->members;
    point->crc = gz->crc;
    uInt len = GUNZIP_WINDOW;
    if (inflateGetDictionary(&gz->z, point->window, &len) != Z_OK)
        len = 0;
    point->window_len = len;
    kept->next = NULL;
    if (gz->last != NULL)
        gz->last->next = kept;
    else
        gz->first = kept;
    gz->last = kept;
    gz->next_point = gz->out_offset + gz->spacing;
    return GUNZIP_OK;
}

void gunzip_forget(struct gunzip *gz, uint64_t out_offset)
{
    while (gz->first != NULL && gz->first->next != NULL && gz->first->next->point.out_offset <= out_offset) {
        struct kept *old = gz->first;
        gz->first = old->next;
        old->next = gz->spare;
        gz->spare = old;
    }
}

const struct gunzip_point *gunzip_point_before(const struct gunzip *gz, uint64_t out_offset)
{
    const struct gunzip_point *found = NULL;
    for (const struct kept *kept = gz->first; kept != NULL && kept->point.out_offset <= out_offset; kept = kept->next)
        found = &kept->point;
    return found;
}

/* ---- bytes out --------------------------------------------------------------------------------------------- */

/* Inflates into out[0 .. size) until that is full, the input runs dry, or a point was noted. */
static enum gunzip_status inflate_some(struct gunzip *gz, unsigned char *out, size_t size, size_t *got)
{
    if (!refill(gz))
        return ran_out(gz);
    bool want_point = gz->spacing > 0 && gz->out_offset >= gz->next_point;
    gz->z.next_in = gz->input + gz->at;
    gz->z.avail_in = (uInt)(gz->filled - gz->at);
    gz->z.next_out = out;
    gz->z.avail_out = (uInt)size;
    int code = inflate(&gz->z, want_point ? Z_BLOCK : Z_NO_FLUSH);
    *got = size - gz->z.avail_out;
    gz->at = gz->filled - gz->z.avail_in;
    gz->crc = libdeflate_crc32(gz->crc, out, *got);
    gz->out_offset += *got;
    if (code == Z_STREAM_END)
        gz->state = AT_TRAILER;
    else if (code == Z_MEM_ERROR)
        return GUNZIP_NO_MEMORY;
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return GUNZIP_BAD_DATA;
    else if (want_point && (gz->z.data_type & (128 | 64)) == 128)
        return note_point(gz);
    return GUNZIP_OK;
}

enum gunzip_status gunzip_read(struct gunzip *gz, unsigned char *out, size_t size, size_t *got)
{
    *got = 0;
    enum gunzip_status status = GUNZIP_OK;
    while (status == GUNZIP_OK && *got < size && gz->state != FINISHED) {
        size_t made = 0;
        if (gz->state == AT_HEADER)
            status = read_header(gz);
        else if (gz->state == AT_TRAILER)
            status = read_trailer(gz);
        else
            status = inflate_some(gz, out + *got, size - *got, &made);
        *got += made;
    }
    if (status != GUNZIP_OK) {
        gz->state = FINISHED;
        gz->result = status;
    }
    /* What was made comes first; the next call tells why there is no more. */
    return *got > 0 || size == 0 ? GUNZIP_OK : gz->result;
}
