#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The pointer is copied as bytes, since its type is not known here. */
static char *resize(void *array, size_t *capacity, size_t grown, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    char *data = realloc(old, grown * size);
    if (data == NULL)
        return NULL;
    memcpy(array, &data, sizeof data);
    *capacity = grown;
    return data;
}

bool array_reserve(void *array, size_t *capacity, size_t index, size_t size)
{
    if (index < *capacity)
        return true;
    size_t before = *capacity, grown = before == 0 ? 16 : before;
    while (grown <= index)
        grown *= 2;
    char *data = resize(array, capacity, grown, size);
    if (data == NULL)
        return false;
    memset(data + before * size, 0, (grown - before) * size);
    return true;
}

bool array_grow(void *array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    return count < UINT32_MAX && resize(array, capacity, *capacity == 0 ? 64 : *capacity * 2, size) != NULL;
}
