#include "trace/wanted.h"

#include <string.h>

#include "base/number.h"

bool wanted_is(const char *wanted, const char *text, size_t len, bool is_number)
{
    if (len == strlen(wanted) && memcmp(text, wanted, len) == 0)
        return true;
    return is_number && number_same(text, len, wanted, strlen(wanted));
}
