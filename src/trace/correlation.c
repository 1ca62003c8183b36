#include "trace/correlation.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

bool correlation_init(struct correlation *correlation, const uint64_t *numbers, size_t count)
{
    *correlation = (struct correlation){.keys = malloc((count + 1) * sizeof *correlation->keys)};
    uint64_t *keys = correlation->keys;
    if (keys == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        keys[i] = numbers[i];
    qsort(keys, count, sizeof *keys, by_value);
    for (size_t i = 0; i < count; i++)
        if (correlation->count == 0 || keys[correlation->count - 1] != keys[i])
            keys[correlation->count++] = keys[i];
    uint64_t *shrunk = realloc(keys, (correlation->count + 1) * sizeof *shrunk);
    if (shrunk != NULL)
        correlation->keys = shrunk;
    correlation->answers = calloc(correlation->count + 1, sizeof *correlation->answers);
    return correlation->answers != NULL;
}

uint32_t *correlation_find(const struct correlation *correlation, uint64_t number)
{
    size_t low = 0, high = correlation->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (correlation->keys[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < correlation->count && correlation->keys[low] == number ? &correlation->answers[low] : NULL;
}

void correlation_free(struct correlation *correlation)
{
    free(correlation->keys);
    free(correlation->answers);
    *correlation = (struct correlation){0};
}
