/*
 * splice.h - pass two: copy everything, insert once, parse nothing
 */
#ifndef SPLICE_H
#define SPLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gzip/gzip_splice.h"
#include "io/sink.h"
#include "io/source.h"

struct splice {
    struct source *source; /* its first round is over */
    struct sink *sink;
    uint64_t insert_offset;  /* uncompressed */
    insertion_fn *insertion; /* makes the text to insert */
    void *insertion_ctx;
    bool gzip; /* what the output is to be */
    int level;
    unsigned threads;
};

/*
 * Writes the source's bytes with the insertion at its place, plain or gzip
 * either way, and tells how many uncompressed bytes were inserted. Fails
 * when the sink does, or when the source is no longer what it was.
 */
enum lt_status splice_run(const struct splice *splice, uint64_t *insert_bytes, struct lt_error *error);

#endif
