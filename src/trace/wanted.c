#include "trace/wanted.h"

#include <string.h>

#include "base/decimal.h"

bool wanted_is(const char *wanted, const char *text, size_t len, bool is_number)
{
    if (len == strlen(wanted) && memcmp(text, wanted, len) == 0)
        return true;
    struct arena arena = {0};
    struct decimal number, other;
    bool same = is_number && decimal_parse(&number, text, len, &arena) == DECIMAL_OK &&
                decimal_parse(&other, wanted, strlen(wanted), &arena) == DECIMAL_OK &&
                decimal_compare(&number, &other) == 0;
    arena_free(&arena);
    return same;
}
