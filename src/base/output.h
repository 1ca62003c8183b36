/*
 * output.h - where bytes go, for those who need not know what it is
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Three functions and what they are called with. After a failure every further call fails too. */
struct output {
    emit_fn *write;
    /* Appends `len` bytes of `fd` from `offset` on. Fails with *short_read set when `fd` ends before. */
    bool (*copy)(void *ctx, int fd, uint64_t offset, uint64_t len, bool *short_read);
    /* Fills *error with why it failed and returns its status; LT_OK when it has not. */
    enum lt_status (*error)(void *ctx, struct lt_error *error);
    void *ctx;
};

#endif
