#include "trace/tidset.h"

#include <stdlib.h>

bool tidset_counts(int64_t tid)
{
    return tid >= (int64_t)TIDSET_FIRST && tid < (int64_t)(TIDSET_FIRST + TIDSET_TIDS);
}

bool tidset_tells_processes(const struct tidset *set)
{
    return set->any == NULL;
}

/* Never 0. */
static uint64_t pair_of(uint32_t process, uint32_t bit)
{
    return ((uint64_t)process << 32 | bit) + 1;
}

static size_t slot_of(const struct tidset *set, uint64_t pair)
{
    size_t slot = (size_t)((pair * 0x9e3779b97f4a7c15u) >> 32) & (set->slots - 1);
    while (set->pairs[slot] != 0 && set->pairs[slot] != pair)
        slot = (slot + 1) & (set->slots - 1);
    return slot;
}

static bool grow(struct tidset *set)
{
    struct tidset bigger = {.count = set->count, .slots = set->slots == 0 ? 64 : set->slots * 2};
    bigger.pairs = calloc(bigger.slots, sizeof *bigger.pairs);
    if (bigger.pairs == NULL)
        return false;
    for (size_t i = 0; i < set->slots; i++)
        if (set->pairs[i] != 0)
            bigger.pairs[slot_of(&bigger, set->pairs[i])] = set->pairs[i];
    free(set->pairs);
    *set = bigger;
    return true;
}

static void mark(struct tidset *set, uint32_t bit)
{
    set->any[bit / 64] |= (uint64_t)1 << (bit % 64);
}

static bool give_up_pairs(struct tidset *set)
{
    set->any = calloc(TIDSET_TIDS / 64, sizeof *set->any);
    if (set->any == NULL)
        return false;
    for (size_t i = 0; i < set->slots; i++)
        if (set->pairs[i] != 0)
            mark(set, (uint32_t)(set->pairs[i] - 1));
    free(set->pairs);
    set->pairs = NULL;
    set->slots = set->count = 0;
    return true;
}

static bool has_pair(const struct tidset *set, uint64_t pair)
{
    return set->slots > 0 && set->pairs[slot_of(set, pair)] != 0;
}

bool tidset_add(struct tidset *set, uint32_t process, int64_t tid)
{
    uint32_t bit = (uint32_t)(tid - TIDSET_FIRST);
    uint64_t pair = pair_of(process, bit);
    if (set->any == NULL && has_pair(set, pair))
        return true;
    if (set->any == NULL && set->count >= set->slots / 2 &&
        !(set->count < TIDSET_PAIRS ? grow(set) : give_up_pairs(set)))
        return false;
    if (set->any != NULL) {
        mark(set, bit);
        return true;
    }
    set->pairs[slot_of(set, pair)] = pair;
    set->count++;
    return true;
}

uint64_t tidset_first_free(const struct tidset *set, uint32_t process)
{
    for (uint32_t bit = 0; bit < TIDSET_TIDS; bit++) {
        bool used =
            set->any != NULL ? (set->any[bit / 64] >> (bit % 64) & 1) != 0 : has_pair(set, pair_of(process, bit));
        if (!used)
            return TIDSET_FIRST + bit;
    }
    return 0;
}

void tidset_free(struct tidset *set)
{
    free(set->pairs);
    free(set->any);
    *set = (struct tidset){0};
}
