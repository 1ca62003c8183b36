/*
 * gzip_splice.h - insert text into a gzip file without recompressing it
 *
 * The bytes up to the last deflate block boundary before the insertion are
 * copied as they are; from that very bit on a new deflate stream goes on with
 * the few original bytes in between, the insertion, and what follows of the
 * member up to a boundary where copying can resume; CRC and length are
 * combined from the parts. Further members are copied as they are.
 */
#ifndef GZIP_SPLICE_H
#define GZIP_SPLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "emit.h"
#include "error.h"
#include "gunzip.h"
#include "sink.h"

/* Makes the text to insert, piece by piece; false when `emit` said so. Called exactly once. */
typedef bool insertion_fn(void *ctx, emit_fn *emit, void *emit_ctx);

struct gzip_splice {
    int fd;                           /* the gzip file, readable with pread() */
    uint64_t stored_size;             /* its size */
    const struct gunzip_point *point; /* gunzip_point_before(insert_offset) of pass one, or NULL */
    uint64_t insert_offset;           /* uncompressed */
    int level;                        /* for the new deflate data, 1..9 */
    insertion_fn *insertion;
    void *insertion_ctx;
};

/*
 * Writes the spliced gzip file to `sink`. LT_IO when the sink failed or the
 * file cannot be read; LT_IO "changed while it was read" when it is no
 * longer what pass one saw.
 */
enum lt_status gzip_splice(const struct gzip_splice *job, struct sink *sink, struct lt_error *error);

#endif
