#include "trace/suggest.h"

#include <string.h>

#include "base/utf8.h"
#include "trace/collect.h"

#define SET_BITS 32768u

struct trigrams {
    uint64_t bits[SET_BITS / 64];
};

static bool is_word(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static uint32_t trigram(const unsigned char *text)
{
    uint32_t hash = 0;
    for (int i = 0; i < 3; i++)
        hash = hash * 33 + (text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32u : text[i]);
    return hash % SET_BITS;
}

/* Adds a bit; whether it is new. */
static bool add(struct trigrams *set, uint32_t bit)
{
    uint64_t mask = (uint64_t)1 << (bit % 64);
    bool is_new = (set->bits[bit / 64] & mask) == 0;
    set->bits[bit / 64] |= mask;
    return is_new;
}

static bool has(const struct trigrams *set, uint32_t bit)
{
    return (set->bits[bit / 64] >> (bit % 64) & 1) != 0;
}

/* Of a pattern only runs of word characters count; \d, \b and the like are not words. */
static void add_pattern(struct trigrams *set, const char *pattern)
{
    const unsigned char *at = (const unsigned char *)pattern;
    while (*at != 0) {
        if (*at == '\\' && at[1] != 0) {
            at += 2;
            continue;
        }
        const unsigned char *start = at;
        while (is_word(*at))
            at++;
        for (; at - start >= 3; start++)
            add(set, trigram(start));
        if (*at != 0 && *at != '\\')
            at++;
    }
}

static uint64_t shared(const struct trigrams *set, const char *name, size_t len)
{
    struct trigrams seen = {{0}};
    uint64_t count = 0;
    for (size_t i = 0; i + 3 <= len; i++) {
        uint32_t bit = trigram((const unsigned char *)name + i);
        if (has(set, bit) && add(&seen, bit))
            count++;
    }
    return count;
}

size_t suggest_names(const struct collect *collect, const char *pattern, uint32_t *found, size_t size)
{
    struct trigrams set = {{0}};
    uint64_t scores[16];
    size_t count = 0;
    if (size > 16)
        size = 16;
    add_pattern(&set, pattern);
    for (uint32_t id = 0; id < collect->names.count; id++) {
        uint64_t score = shared(&set, collect->names.entries[id].text, collect->names.entries[id].len);
        size_t at = count;
        while (at > 0 &&
               (scores[at - 1] < score || (scores[at - 1] == score && collect->kernel_names[found[at - 1]].count <
                                                                          collect->kernel_names[id].count)))
            at--;
        if (at == size)
            continue;
        if (count < size)
            count++;
        memmove(scores + at + 1, scores + at, (count - at - 1) * sizeof *scores);
        memmove(found + at + 1, found + at, (count - at - 1) * sizeof *found);
        scores[at] = score;
        found[at] = id;
    }
    return count;
}

void suggest_offer(struct suggest_list *list, const char *pattern, bool preferred, const char *name, size_t len)
{
    struct trigrams set = {{0}};
    char shown[sizeof list->names[0]];
    add_pattern(&set, pattern);
    uint64_t score = 2 * shared(&set, name, len) + preferred;
    size_t at = list->count;
    while (at > 0 && list->scores[at - 1] < score)
        at--;
    if (at == SUGGEST_KEPT)
        return;
    printable(shown, sizeof shown, name, len);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], shown) == 0)
            return;
    if (list->count < SUGGEST_KEPT)
        list->count++;
    memmove(list->scores + at + 1, list->scores + at, (list->count - at - 1) * sizeof *list->scores);
    memmove(list->names + at + 1, list->names + at, (list->count - at - 1) * sizeof *list->names);
    list->scores[at] = score;
    strcpy(list->names[at], shown);
}
