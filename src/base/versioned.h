/*
 * versioned.h - structs of callers that were built with another edition of the public header
 *
 * Each such struct begins with its size as the caller knows it, and grows at
 * its end only, so that the common part of two editions is the shorter one.
 */
#ifndef VERSIONED_H
#define VERSIONED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* No struct of ours is larger, save lt_error, which is only written. */
#define VERSIONED_MOST ((size_t)4096)

/*
 * Begins a job: *own is empty, and becomes the caller's by versioned_end();
 * it names things by *naming, which is empty too. LT_USAGE when the caller's
 * error has no size; `theirs` may be NULL.
 */
enum lt_status versioned_begin(struct lt_error *own, struct naming *naming, const struct lt_error *theirs);
/* Returns own->status. */
enum lt_status versioned_end(struct lt_error *theirs, struct lt_error *own);

/*
 * Copies a caller's struct to one of ours, of `size` bytes: what the caller
 * does not know becomes 0. LT_CLASS_STRUCT_SIZE when its size is not set, or
 * anything but 0 stands in fields that are not known here. `name` is the struct's.
 */
enum lt_status versioned_take(void *own, size_t size, const void *theirs, const char *name, struct lt_error *error);

/* The same of an array, whose elements have the size that the first one says. */
enum lt_status versioned_take_all(void *own, size_t size, size_t count, const void *theirs, const char *name,
                                  struct lt_error *error);

/* Whether a struct that is to be filled says its size; NULL does. */
enum lt_status versioned_check(const void *theirs, const char *name, struct lt_error *error);

/* Copies what the caller knows of a struct of ours, all but the size. `theirs` may be NULL. */
void versioned_give(void *theirs, const void *own, size_t size);

#endif
