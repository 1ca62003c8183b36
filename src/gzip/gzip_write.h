/*
 * gzip_write.h - compress to one gzip member, in parallel blocks
 *
 * The input is cut into blocks; each is compressed by one of `threads`
 * workers with the 32 KiB before it as dictionary, ends on a byte boundary,
 * and leaves in order. CRC values of the blocks are combined. The result
 * depends on input and level only, not on the number of threads.
 */
#ifndef GZIP_WRITE_H
#define GZIP_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/output.h"

struct gzip_writer;

/*
 * `level` 1..9; `threads` >= 1. With 1, or when no thread is to be had, the
 * calling thread does the work. Memory: some 0.6 MB per thread and as much
 * again. NULL when it is out. The output is used by the calling thread only.
 */
struct gzip_writer *gzip_writer_new(struct output output, int level, unsigned threads);

/* False on failure (the output's, perhaps of bytes taken earlier), and from then on; gzip_writer_error() tells. */
bool gzip_writer_write(struct gzip_writer *writer, const void *data, size_t len);
bool gzip_writer_finish(struct gzip_writer *writer);
enum lt_status gzip_writer_error(const struct gzip_writer *writer, struct lt_error *error);

/* Ends the workers and frees; NULL is fine. Does not finish. */
void gzip_writer_free(struct gzip_writer *writer);

#endif
