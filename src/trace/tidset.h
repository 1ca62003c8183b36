/*
 * tidset.h - which guide tids the processes of a trace already use
 *
 * Only the integers from 1000000 to 2048575 count. The pairs of process and
 * tid are kept while they are few, as they are in a trace; beyond
 * TIDSET_PAIRS only which tids any process uses, so that the size has a
 * bound whatever a trace holds (640 KB).
 */
#ifndef TIDSET_H
#define TIDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIDSET_FIRST 1000000u
#define TIDSET_TIDS  1048576u
#define TIDSET_PAIRS 32768u

struct tidset {
    uint64_t *pairs; /* a hash table, or NULL: empty, or given up; 0 is a free slot */
    size_t count, slots;
    uint64_t *any; /* [TIDSET_TIDS bits]; NULL: not yet needed */
};

/* Whether a tid is one that counts. */
bool tidset_counts(int64_t tid);

/* False once only tids are kept: then which process uses one does not matter any more. */
bool tidset_tells_processes(const struct tidset *set);

/* Marks a tid that counts as used by a process, which has a small number. False when memory is out. */
bool tidset_add(struct tidset *set, uint32_t process, int64_t tid);

/* The first tid from 1000000 up that the process does not use (beyond TIDSET_PAIRS: that none uses); 0: all are used.
 */
uint64_t tidset_first_free(const struct tidset *set, uint32_t process);

void tidset_free(struct tidset *set);

#endif
