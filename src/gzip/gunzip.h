/*
 * gunzip.h - a gzip file as one stream of uncompressed bytes
 *
 * Reads any number of members one after the other (RFC 1952), checks each
 * member's header, CRC and length, and remembers where the stream can be
 * entered again near the place where guides will be inserted (see
 * gzip_splice.h). It knows nothing of JSON, files or threads.
 */
#ifndef GUNZIP_H
#define GUNZIP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Gives the next compressed bytes: fills `buf` with 1 to `size` bytes and
 * returns how many; 0 at the end; -1 with errno set on trouble.
 */
typedef ptrdiff_t gunzip_read_fn(void *ctx, unsigned char *buf, size_t size);

enum gunzip_status {
    GUNZIP_OK,        /* *got > 0 bytes were made */
    GUNZIP_END,       /* the file ended behind a complete member; *got is 0 */
    GUNZIP_TRUNCATED, /* the file ended inside a member (all bytes that could be made were given before) */
    GUNZIP_BAD_HEADER,
    GUNZIP_BAD_DATA,   /* invalid deflate data */
    GUNZIP_BAD_CRC,    /* the member's CRC differs */
    GUNZIP_BAD_LENGTH, /* the member's length differs */
    GUNZIP_TRAILING,   /* something that is no gzip member follows the last member */
    GUNZIP_READ_ERROR, /* the read function failed; errno tells */
    GUNZIP_NO_MEMORY
};

#define GUNZIP_WINDOW 32768u

/* Where a deflate block begins. */
struct gunzip_place {
    uint64_t in_offset;  /* of the compressed byte that holds the block's first bit */
    unsigned in_bit;     /* 0..7: that bit's position in the byte, from the least significant */
    uint64_t out_offset; /* uncompressed offset in the whole stream */
    uint64_t member_in;  /* compressed offset of the member's header */
    uint64_t member_out; /* uncompressed offset of the member's first byte */
    uint64_t member;     /* 0-based number of the member */
    uint32_t crc;        /* CRC-32 of the member's uncompressed bytes before this place */
};

/* A place where inflating can start again, with no byte before it. */
struct gunzip_point {
    struct gunzip_place place;
    /* How the member ended; known once the stream has been read so far, until then member_in_end is 0. */
    uint64_t member_in_end;  /* compressed offset behind its trailer */
    uint64_t member_out_end; /* uncompressed offset behind its last byte */
    uint32_t member_crc;     /* as its trailer says */

    size_t window_len; /* how many bytes of `window` count: min(GUNZIP_WINDOW, out_offset - member_out) */
    unsigned char window[GUNZIP_WINDOW]; /* the last window_len uncompressed bytes before the place */
};

struct gunzip;

/* NULL when memory is out. */
struct gunzip *gunzip_new(gunzip_read_fn *read, void *ctx);
void gunzip_free(struct gunzip *gz);

/* The same from a point on; `read` gives the bytes from point->place.in_offset on. The point is copied. */
struct gunzip *gunzip_new_at(gunzip_read_fn *read, void *ctx, const struct gunzip_point *point);

/*
 * Makes up to `size` uncompressed bytes (size > 0). A status other than
 * GUNZIP_OK is final: it comes alone, and again at every further call.
 */
enum gunzip_status gunzip_read(struct gunzip *gz, unsigned char *out, size_t size, size_t *got);

/* CRC-32 of all uncompressed bytes of the members that have been read to their end, from the file's start on. */
uint32_t gunzip_crc(const struct gunzip *gz);

/* How many members have been read to their end; the compressed offset reached; the uncompressed bytes made. */
uint64_t gunzip_members(const struct gunzip *gz);
uint64_t gunzip_in_offset(const struct gunzip *gz);
uint64_t gunzip_out_offset(const struct gunzip *gz);

/*
 * Points. With noting on (before the first read), one point is kept for the
 * start, for every `spacing` uncompressed bytes or so, and for the starts of
 * members that are not short. gunzip_forget() tells that nothing before
 * `out_offset` will be asked for: all points but the last one at or before it
 * are dropped. At most GUNZIP_POINTS are kept: when so many are, none is
 * added until some are forgotten. So memory stays bounded, and a caller that
 * forgets in time, or knows the place and forgets no more, loses nothing.
 *
 * gunzip_point_before() gives the last kept point at or before `out_offset`,
 * NULL when there is none. It is valid until the next call that reads or
 * forgets.
 */
#define GUNZIP_POINTS 8
void gunzip_note_points(struct gunzip *gz, size_t spacing);
void gunzip_forget(struct gunzip *gz, uint64_t out_offset);
const struct gunzip_point *gunzip_point_before(const struct gunzip *gz, uint64_t out_offset);

/* Why gunzip_step() came back. */
enum gunzip_event {
    GUNZIP_BYTES,     /* `size` bytes were made */
    GUNZIP_AT_BLOCK,  /* a deflate block begins here; gunzip_here() tells where that is */
    GUNZIP_MEMBER_END /* a member ended and was found right; gunzip_here() still tells of that member */
};

/*
 * Like gunzip_read(), but stops at every deflate block's first bit and every
 * member's end as well; so *got may be 0 with GUNZIP_OK. Bytes made before
 * a failure come with the failure. Not to be mixed with gunzip_read().
 */
enum gunzip_status gunzip_step(struct gunzip *gz, unsigned char *out, size_t size, size_t *got,
                               enum gunzip_event *event);
struct gunzip_place gunzip_here(const struct gunzip *gz);

/* After GUNZIP_AT_BLOCK: fills `window` (GUNZIP_WINDOW bytes) and returns how many of them count. */
size_t gunzip_window(struct gunzip *gz, unsigned char *window);

#endif
