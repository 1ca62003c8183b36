/*
 * folder.h - many files, each to whichever of N workers is free, the largest first
 *
 * Knows nothing of what is done with a file.
 */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Works on file `index`. Called from several threads at once, once for each file. */
typedef void folder_work_fn(void *ctx, size_t index);

struct folder {
    const uint64_t *sizes; /* [count]; those of one size stay in their order */
    size_t count;
    unsigned workers; /* at least 1; the calling thread is one of them */
    folder_work_fn *work;
    bool (*stopped)(void *ctx); /* asked before each file: true leaves out the rest; may be NULL */
    void *ctx;
};

/* Works on all files. Fewer threads than asked for are no failure. False when memory is out: nothing was done then. */
bool folder_run(const struct folder *folder);

#endif
