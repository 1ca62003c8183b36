#include "json/scan_event.h"

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
