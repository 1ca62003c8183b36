/*
 * nearest.h - kernel names that resemble a pattern that matched none
 */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>
#include <stdint.h>

#include "collect.h"

/*
 * Fills `found` with the numbers of up to `size` kernel names, best first:
 * those that share most three-letter sequences with the pattern's words, the
 * more frequent first among equals. Returns how many.
 */
size_t nearest_names(const struct collect *collect, const char *pattern, uint32_t *found, size_t size);

#endif
