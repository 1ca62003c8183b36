#include "json/scan.h"

#include "json/scan_parser.h"

struct scan *scan_new(enum scan_parser parser, scan_event_fn *event, void *ctx)
{
    struct scan *scan = parser == SCAN_STRICT ? scan_yajl_new() : scan_fast_new();
    if (scan != NULL) {
        scan->event = event;
        scan->ctx = ctx;
    }
    return scan;
}

void scan_free(struct scan *scan)
{
    if (scan != NULL)
        scan->ops->free(scan);
}

/*
 * Looks at the bytes before the document and returns how many they are: for
 * both parsers, so that both say the same about a file that is no trace.
 */
static size_t find_begin(struct scan *scan, const unsigned char *data, size_t len)
{
    static const unsigned char bom[3] = {0xEF, 0xBB, 0xBF};
    for (size_t i = 0; i < len; i++) {
        uint64_t offset = scan->taken + i;
        unsigned char c = data[i];
        if (offset == scan->bom && offset < sizeof bom && c == bom[offset]) {
            if (++scan->bom == sizeof bom) {
                scan->status = scan_refuse(scan, SCAN_BOM, 0, NULL);
                return i;
            }
        } else if (scan->bom > 0) {
            scan->status = scan_refuse(scan, SCAN_NOT_JSON, 0, NULL);
            return i;
        } else if (c == '{' || c == '[') {
            scan->begun = true;
            scan->layout.bare = c == '[';
            return i;
        } else if (!scan_is_space(c)) {
            scan->status = scan_refuse(scan, SCAN_NOT_JSON, offset, NULL);
            return i;
        }
    }
    return len;
}

enum scan_status scan_feed(struct scan *scan, const unsigned char *data, size_t len)
{
    if (scan->status != SCAN_OK)
        return scan->status;
    size_t skip = 0;
    if (!scan->begun)
        skip = find_begin(scan, data, len);
    if (scan->status == SCAN_OK && skip < len)
        scan->status = scan->ops->feed(scan, data + skip, len - skip, scan->taken + skip);
    scan->taken += len;
    return scan->status;
}

enum scan_status scan_finish(struct scan *scan, struct scan_layout *layout)
{
    if (scan->status != SCAN_OK)
        return scan->status;
    if (!scan->begun) {
        scan->status = scan->bom > 0 ? scan_refuse(scan, SCAN_NOT_JSON, 0, NULL)
                                     : scan_refuse(scan, SCAN_EMPTY, scan->taken, NULL);
        return scan->status;
    }
    scan->status = scan->ops->finish(scan, scan->taken);
    if (scan->status == SCAN_OK) {
        scan->layout.events = scan->problem.events;
        scan->layout.total = scan->taken;
        *layout = scan->layout;
    }
    return scan->status;
}

uint64_t scan_insert_offset(const struct scan *scan)
{
    return scan->array_closed ? scan->layout.insert_offset : UINT64_MAX;
}

const struct scan_problem *scan_problem(struct scan *scan)
{
    if (scan->problem.what == SCAN_FINE)
        scan->problem.offset = scan->taken;
    scan->problem.event = scan->problem.events;
    return &scan->problem;
}

const struct scan_warnings *scan_warnings(const struct scan *scan)
{
    return &scan->warnings;
}
