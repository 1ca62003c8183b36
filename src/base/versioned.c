#include "base/versioned.h"

#include <string.h>

static size_t size_of(const void *versioned)
{
    size_t size;
    memcpy(&size, versioned, sizeof size);
    return size;
}

enum lt_status versioned_begin(struct lt_error *own, struct naming *naming, const struct lt_error *theirs)
{
    *naming = (struct naming){0};
    *own = (struct lt_error){.size = sizeof *own, .own = naming};
    error_reset(own);
    return theirs == NULL || theirs->size >= sizeof theirs->size ? LT_OK : LT_USAGE;
}

enum lt_status versioned_end(struct lt_error *theirs, struct lt_error *own)
{
    own->own = NULL;
    versioned_give(theirs, own, sizeof *own);
    return own->status;
}

enum lt_status versioned_check(const void *theirs, const char *name, struct lt_error *error)
{
    if (theirs == NULL || size_of(theirs) >= sizeof(size_t))
        return LT_OK;
    return fail_as(error, LT_CLASS_STRUCT_SIZE, "a struct %s does not say its size; set its member size to sizeof it",
                   name);
}

enum lt_status versioned_take(void *own, size_t size, const void *theirs, const char *name, struct lt_error *error)
{
    if (versioned_check(theirs, name, error) != LT_OK)
        return error->status;
    const unsigned char *bytes = theirs;
    size_t known = size_of(theirs);
    bool fits = known <= VERSIONED_MOST;
    for (size_t i = size; i < known && fits; i++)
        fits = bytes[i] == 0;
    if (!fits)
        return fail_as(error, LT_CLASS_STRUCT_SIZE,
                       "a struct %s uses members that liblayertrack " LT_VERSION " does not have; use a later one",
                       name);
    memset(own, 0, size);
    memcpy(own, theirs, known < size ? known : size);
    memcpy(own, &size, sizeof size);
    return LT_OK;
}

enum lt_status versioned_take_all(void *own, size_t size, size_t count, const void *theirs, const char *name,
                                  struct lt_error *error)
{
    const unsigned char *from = theirs;
    unsigned char *to = own;
    size_t step = count == 0 ? 0 : size_of(theirs);
    for (size_t i = 0; i < count; i++, from += step, to += size) {
        if (size_of(from) != step)
            return fail_as(error, LT_CLASS_STRUCT_SIZE,
                           "structs %s of one array say different sizes; set each one's member size to sizeof it",
                           name);
        if (versioned_take(to, size, from, name, error) != LT_OK)
            return error->status;
    }
    return LT_OK;
}

void versioned_give(void *theirs, const void *own, size_t size)
{
    if (theirs == NULL || size_of(theirs) < sizeof size)
        return;
    size_t known = size_of(theirs) < size ? size_of(theirs) : size;
    memcpy((unsigned char *)theirs + sizeof size, (const unsigned char *)own + sizeof size, known - sizeof size);
}
