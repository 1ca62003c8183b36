/*
 * sink.h - an output that appears whole or not at all, or standard output
 *
 * A file is made under a temporary name in its own folder and gets its name
 * in sink_commit() only, when it is on the disk, never over something that
 * exists. Every write is checked. A sink knows nothing of what is written.
 */
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/output.h"

struct sink;

/*
 * Called as bytes are written, of a file some hundred times per gigabyte; returns false
 * to give up (the sink then fails with ECANCELED).
 */
typedef bool sink_progress_fn(void *ctx, uint64_t bytes);

/*
 * Checks, before any work, that `path` can become a new file: nothing exists
 * there (not even a dangling symbolic link) and its folder does. `input` is
 * the path that is read, for the message when it is the very file.
 */
enum lt_status sink_check_free(const char *path, const char *input, struct lt_error *error);

/* Whether two paths, of files that need not exist, are the same name in the same folder. */
bool sink_same_place(const char *a, const char *b);

/* Opens a sink; `path` NULL is standard output. NULL on failure, with *error set. */
struct sink *sink_open(const char *path, struct lt_error *error);

/* From now on a file that stands under the name is replaced. */
void sink_replace(struct sink *sink);

/* Who hears of progress; may be NULL. */
void sink_on_progress(struct sink *sink, sink_progress_fn *fn, void *ctx);

/*
 * Appends bytes (unbuffered). False on failure, after which every further
 * call fails too; sink_error() tells why.
 */
bool sink_write(struct sink *sink, const void *data, size_t len);

/*
 * Appends `len` bytes of `fd` from `offset` on, in the kernel where it can
 * (copy_file_range), else through a buffer. Fails with *short_read set
 * when `fd` ends before.
 */
bool sink_copy(struct sink *sink, int fd, uint64_t offset, uint64_t len, bool *short_read);

uint64_t sink_written(const struct sink *sink);

/* Fills *error from a failed sink: LT_IO, with the path and the reason. Returns its status. */
enum lt_status sink_error(const struct sink *sink, struct lt_error *error);

/* The sink as an output, for as long as it is. */
struct output sink_output(struct sink *sink);

/*
 * Synchronises and closes every sink and gives the files their names, for
 * good when it returns: all of them, or none. They get them one after the
 * other, and a process that is killed meanwhile leaves those that have
 * theirs; all stay locked (temporary.h) until sink_free().
 * sinks[] may hold NULLs. Interrupting signals are held back meanwhile.
 */
enum lt_status sink_commit(struct sink **sinks, size_t count, struct lt_error *error);

/* Frees; a file that was not committed is removed. NULL is fine. */
void sink_free(struct sink *sink);

#endif
