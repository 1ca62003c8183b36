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

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "gzip/gunzip.h"

/* Makes the text to insert, piece by piece; false when `emit` said so. Called exactly once. */
typedef bool insertion_fn(void *ctx, emit_fn *emit, void *emit_ctx);

struct gzip_splice {
    const char *name;     /* of the file, for messages; NULL: "the trace" */
    int fd;               /* the gzip file, readable with pread() */
    uint64_t stored_size; /* its size */
    /*
     * gunzip_point_before(insert_offset) of pass one, which read the file to
     * its end. NULL: the file is inflated once more to find one.
     */
    const struct gunzip_point *point;
    uint64_t insert_offset; /* uncompressed; at most the stream's length */
    int level;              /* for the new deflate data, 1..9 */
    insertion_fn *insertion;
    void *insertion_ctx;
};

/*
 * Writes the spliced gzip file to `output`. What the output says when that
 * failed; LT_IO when the file cannot be read; LT_IO "changed while it was read" when what is read
 * again is no longer what pass one saw. The bytes that are only copied are
 * not looked at: the caller must make sure that the file is the same.
 */
enum lt_status gzip_splice(const struct gzip_splice *job, struct output output, struct lt_error *error);

#endif
