/*
 * suggest.h - names that resemble a pattern that matched none
 */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct collect;

/*
 * Fills `found` with the numbers of up to `size` kernel names, best first:
 * those that share most three-letter sequences with the pattern's words, the
 * more frequent first among equals. Returns how many.
 */
size_t suggest_names(const struct collect *collect, const char *pattern, uint32_t *found, size_t size);

/* The best of names that come one by one and are not kept: set to zero. */
#define SUGGEST_KEPT 3
struct suggest_list {
    uint64_t scores[SUGGEST_KEPT];
    char names[SUGGEST_KEPT][81]; /* printable */
    size_t count;
};

/* Takes a name into the list when it is among the best; of those that resemble as much, a preferred one comes first. */
void suggest_offer(struct suggest_list *list, const char *pattern, bool preferred, const char *name, size_t len);

#endif
