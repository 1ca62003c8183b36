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

static bool is(const char *key, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(key, word, len) == 0;
}

enum scan_fact scan_fact_of(struct scan_facts *facts, const char *key, size_t len, bool in_info)
{
    enum scan_fact fact = FACT_NONE;
    if (in_info)
        fact = is(key, len, "rank") ? FACT_RANK : is(key, len, "world_size") ? FACT_WORLD_SIZE : FACT_NONE;
    else if (is(key, len, "baseTimeNanoseconds"))
        fact = FACT_BASE_TIME;
    else if (is(key, len, "distributedInfo"))
        fact = FACT_INFO;
    if (fact < FACTS)
        facts->known[fact] = false;
    if (fact == FACT_INFO)
        facts->known[FACT_RANK] = facts->known[FACT_WORLD_SIZE] = false;
    return fact;
}

void scan_fact_set(struct scan_facts *facts, enum scan_fact fact, const char *text, size_t len)
{
    uint64_t value = 0;
    if (fact >= FACTS || len == 0 || len > 19)
        return;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    facts->known[fact] = true;
    facts->value[fact] = value;
}
