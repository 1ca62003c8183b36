#include "json/scan_parser.h"

enum scan_status scan_refuse(struct scan *scan, enum scan_refusal what, uint64_t offset, const char *detail)
{
    scan->problem.what = what;
    scan->problem.offset = offset;
    scan->problem.detail = detail;
    return SCAN_REFUSED;
}

void scan_warn(struct scan *scan, enum scan_warning kind, uint64_t offset)
{
    if (scan->warnings.count[kind]++ == 0)
        scan->warnings.first_offset[kind] = offset;
}

enum scan_status scan_after(struct scan *scan, const unsigned char *data, size_t len, uint64_t offset)
{
    for (size_t i = 0; i < len; i++)
        if (!scan_is_space(data[i]))
            return scan_refuse(scan, SCAN_TRAILING, offset + i, NULL);
    return SCAN_OK;
}
