#include "json/scan.h"

#include <string.h>

static const char *const field_keys[] = {
    [FIELD_PH] = "ph",         [FIELD_CAT] = "cat",
    [FIELD_NAME] = "name",     [FIELD_PID] = "pid",
    [FIELD_TID] = "tid",       [FIELD_TS] = "ts",
    [FIELD_DUR] = "dur",       [FIELD_ID] = "id",
    [FIELD_DEVICE] = "device", [FIELD_CORRELATION] = "correlation",
    [FIELD_ARGS] = "args",     [FIELD_NONE] = "",
};

const char *scan_field_key(enum scan_field field)
{
    return field_keys[field];
}

enum scan_field scan_field_of(const char *key, size_t len, bool in_args)
{
    enum scan_field first = in_args ? FIELD_DEVICE : FIELD_PH;
    enum scan_field last = in_args ? FIELD_CORRELATION : FIELD_ID;
    for (enum scan_field field = first; field <= last; field++)
        if (strlen(field_keys[field]) == len && memcmp(field_keys[field], key, len) == 0)
            return field;
    return !in_args && len == 4 && memcmp(key, "args", 4) == 0 ? FIELD_ARGS : FIELD_NONE;
}

struct scan_value *scan_field_value(struct scan_event *event, enum scan_field field)
{
    switch (field) {
    case FIELD_PH:
        return &event->ph;
    case FIELD_CAT:
        return &event->cat;
    case FIELD_NAME:
        return &event->name;
    case FIELD_PID:
        return &event->pid;
    case FIELD_TID:
        return &event->tid;
    case FIELD_TS:
        return &event->ts;
    case FIELD_DUR:
        return &event->dur;
    case FIELD_ID:
        return &event->id;
    case FIELD_DEVICE:
        return &event->device;
    case FIELD_CORRELATION:
        return &event->correlation;
    default:
        return NULL;
    }
}

size_t scan_field_limit(enum scan_field field)
{
    return field == FIELD_NAME ? SCAN_MAX_NAME : SCAN_MAX_FIELD;
}

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
