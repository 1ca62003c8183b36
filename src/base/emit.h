/*
 * emit.h - where a maker of text puts it
 */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stddef.h>

/* Takes a piece of text; false when it could not be taken. */
typedef bool emit_fn(void *ctx, const void *data, size_t len);

#endif
