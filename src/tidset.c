#include "tidset.h"

#include <stdlib.h>

bool tidset_add(struct tidset *set, int64_t tid)
{
    if (tid < (int64_t)TIDSET_FIRST || tid >= (int64_t)(TIDSET_FIRST + TIDSET_PAGES * TIDSET_PAGE_BITS))
        return true;
    uint32_t bit = (uint32_t)(tid - TIDSET_FIRST);
    uint64_t **page = &set->pages[bit / TIDSET_PAGE_BITS];
    if (*page == NULL && (*page = calloc(TIDSET_PAGE_BITS / 64, sizeof **page)) == NULL)
        return false;
    (*page)[bit % TIDSET_PAGE_BITS / 64] |= (uint64_t)1 << (bit % 64);
    return true;
}

uint64_t tidset_first_free(const struct tidset *set)
{
    for (uint32_t bit = 0; bit < TIDSET_PAGES * TIDSET_PAGE_BITS; bit++) {
        const uint64_t *page = set->pages[bit / TIDSET_PAGE_BITS];
        if (page == NULL || (page[bit % TIDSET_PAGE_BITS / 64] >> (bit % 64) & 1) == 0)
            return TIDSET_FIRST + bit;
    }
    return 0;
}

void tidset_free(struct tidset *set)
{
    for (uint32_t i = 0; i < TIDSET_PAGES; i++)
        free(set->pages[i]);
    *set = (struct tidset){0};
}
