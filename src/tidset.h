/*
 * tidset.h - which guide tids a process already uses
 *
 * Only the integers from 1000000 to 2048575 count: a bitmap that is made in
 * pages as they are needed, so that its size has a bound whatever a trace
 * holds.
 */
#ifndef TIDSET_H
#define TIDSET_H

#include <stdbool.h>
#include <stdint.h>

#define TIDSET_FIRST     1000000u
#define TIDSET_PAGES     32u
#define TIDSET_PAGE_BITS 32768u

struct tidset {
    uint64_t *pages[TIDSET_PAGES];
};

/* Marks a tid as used; others than those above are ignored. False when memory is out. */
bool tidset_add(struct tidset *set, int64_t tid);

/* The first free tid from 1000000 up; 0 when all are used. */
uint64_t tidset_first_free(const struct tidset *set);

void tidset_free(struct tidset *set);

#endif
