/*
 * twins.h - plans that label the very same kernels
 *
 * Two tracks of a job may name one pattern and forget the scopes that tell
 * their phases apart: then one of the labels is wrong. Plans that share only
 * some of their anchors are no twins.
 */
#ifndef TWINS_H
#define TWINS_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/plan.h"

/* Equal for twins, and hardly ever for others. */
uint64_t twins_hash(const struct plan *plan);

/* Whether the guides of two accepted plans have the same anchors; names, tids and groups are of the same tables. */
bool twins_are(const struct plan *a, const struct plan *b);

#endif
