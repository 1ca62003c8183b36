#include "trace/collect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/utf8.h"
#include "json/json_text.h"

void collect_init(struct collect *collect, const struct collect_request *request, struct lt_error *error)
{
    *collect = (struct collect){.request = *request, .error = error, .kinds = EVENT_KERNEL};
    for (size_t i = 0; i < request->observer_count; i++)
        collect->kinds |= request->observers[i].kinds;
}

void collect_free(struct collect *collect)
{
    tidset_free(&collect->tids);
    intern_free(&collect->values);
    intern_free(&collect->spelled);
    free(collect->value_of);
    intern_free(&collect->group_keys);
    free(collect->groups);
    intern_free(&collect->names);
    intern_free(&collect->escaped);
    free(collect->name_of);
    free(collect->kernel_names);
    free(collect->matches);
    fields_free(&collect->fields);
    *collect = (struct collect){0};
}

/* ---- values: identity is JSON type and value --------------------------------------------------------------- */

/* 7, 7.0 and 70e-1 are one number. */
static uint32_t number_value(struct collect *collect, const struct scan_value *value)
{
    char *out = fields_scratch(&collect->fields, value->len + NUMBER_ROOM);
    if (out == NULL)
        return INTERN_NONE;
    size_t len = number_canonical(out, value->text, value->len);
    return len > 0 ? intern(&collect->values, VALUE_NUMBER, out, len, NULL)
                   : intern(&collect->values, VALUE_NUMBER, value->text, value->len, NULL);
}

/* A string that no UTF-8 can say, in its quotes. */
static uint32_t half_pair_value(struct collect *collect, const struct scan_value *value)
{
    size_t len = value->len + 2;
    char *out = fields_scratch(&collect->fields, len);
    if (out == NULL)
        return INTERN_NONE;
    out[0] = out[len - 1] = '"';
    memcpy(out + 1, value->text, value->len);
    return intern(&collect->values, VALUE_OTHER, out, len, NULL);
}

static uint32_t new_value(struct collect *collect, const struct scan_value *value)
{
    size_t len;
    const char *text;
    switch (value->kind) {
    case SCAN_NUMBER:
        return number_value(collect, value);
    case SCAN_STRING:
        if (value->escaped && json_has_half_pair(value->text, value->len))
            return half_pair_value(collect, value);
        text = fields_text(&collect->fields, value, &len);
        return text == NULL ? INTERN_NONE : intern(&collect->values, VALUE_STRING, text, len, NULL);
    case SCAN_NULL:
        return intern(&collect->values, VALUE_OTHER, "null", 4, NULL);
    case SCAN_TRUE:
        return intern(&collect->values, VALUE_OTHER, "true", 4, NULL);
    case SCAN_FALSE:
        return intern(&collect->values, VALUE_OTHER, "false", 5, NULL);
    case SCAN_NONFINITE:
        return intern(&collect->values, VALUE_OTHER, value->text, value->len, NULL);
    default:
        return intern(&collect->values, VALUE_OTHER, "", 0, NULL);
    }
}

uint32_t collect_value(struct collect *collect, const struct scan_value *value)
{
    int is_new;
    char tag = (char)('a' + (int)value->kind * 2 + value->escaped);
    uint32_t spelling = intern(&collect->spelled, tag, value->text, value->text == NULL ? 0 : value->len, &is_new);
    if (spelling == INTERN_NONE ||
        !array_reserve(&collect->value_of, &collect->value_of_capacity, spelling, sizeof *collect->value_of))
        return INTERN_NONE;
    if (is_new)
        collect->value_of[spelling] = new_value(collect, value);
    return collect->value_of[spelling];
}

bool collect_is_nested(const struct collect *collect, uint32_t value)
{
    if (value == INTERN_NONE || value >= collect->values.count)
        return false;
    const struct intern_entry *entry = &collect->values.entries[value];
    return entry->tag == VALUE_OTHER && entry->len == 0;
}

/* TID_INLINE | the number that up to nine digits are; INTERN_NONE: they are something else. */
static uint32_t inline_tid(const char *text, size_t len)
{
    uint32_t number = 0;
    if (len == 0 || len > 9 || (text[0] == '0' && len > 1))
        return INTERN_NONE;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return INTERN_NONE;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    return TID_INLINE | number;
}

uint32_t collect_tid(struct collect *collect, const struct scan_value *value)
{
    uint32_t tid = value->kind == SCAN_NUMBER ? inline_tid(value->text, value->len) : INTERN_NONE;
    if (tid != INTERN_NONE)
        return tid;
    uint32_t id = collect_value(collect, value);
    if (id != INTERN_NONE && collect->values.entries[id].tag == VALUE_NUMBER)
        tid = inline_tid(collect->values.entries[id].text, collect->values.entries[id].len);
    return tid != INTERN_NONE ? tid : id;
}

uint32_t collect_value_or_none(struct collect *collect, const struct scan_value *value, bool *ok)
{
    uint32_t number = value->kind == SCAN_ABSENT ? INTERN_NONE : collect_value(collect, value);
    *ok &= value->kind == SCAN_ABSENT || number != INTERN_NONE;
    return number;
}

uint32_t collect_tid_or_none(struct collect *collect, const struct scan_value *value, bool *ok)
{
    uint32_t number = value->kind == SCAN_ABSENT ? INTERN_NONE : collect_tid(collect, value);
    *ok &= value->kind == SCAN_ABSENT || number != INTERN_NONE;
    return number;
}

uint32_t collect_device(struct collect *collect, const struct scan_event *event, bool *ok)
{
    return event->device.kind == SCAN_NULL ? INTERN_NONE : collect_value_or_none(collect, &event->device, ok);
}

/* ---- groups ------------------------------------------------------------------------------------------------ */

static bool new_group(struct collect *collect, uint32_t id, uint32_t pid, uint32_t device,
                      const struct scan_event *event)
{
    bool taken = true;
    collect->groups[id] = (struct group){.pid = pid, .device = device, .event = event->index, .offset = event->offset};
    for (size_t i = 0; i < collect->request.observer_count && taken; i++) {
        const struct collect_observer *observer = &collect->request.observers[i];
        taken = observer->group == NULL || observer->group(observer->ctx, collect, id);
    }
    return taken;
}

/* The group of a kernel; INTERN_NONE: stop. */
static uint32_t group_of(struct collect *collect, const struct scan_event *event)
{
    bool ok = true;
    uint32_t key[2] = {collect_value_or_none(collect, &event->pid, &ok), collect_device(collect, event, &ok)};
    if (!ok)
        return INTERN_NONE;
    int is_new;
    uint32_t id = intern(&collect->group_keys, 'g', (const char *)key, sizeof key, &is_new);
    if (id != INTERN_NONE && id >= COLLECT_MAX_GROUPS) {
        fail_at(collect->error, LT_CLASS_LIMIT, (struct error_place){.event = event->index, .offset = event->offset},
                "%s: kernels in more than %u processes and devices, by event %" PRIu64 ", offset %" PRIu64
                "; give each GPU one pid and one args.device",
                collect->request.trace_name, COLLECT_MAX_GROUPS, event->index, event->offset);
        return INTERN_NONE;
    }
    if (id == INTERN_NONE || !array_reserve(&collect->groups, &collect->group_capacity, id, sizeof *collect->groups) ||
        (is_new && !new_group(collect, id, key[0], key[1], event)))
        return INTERN_NONE;
    return id;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

static uint32_t plain_name(struct collect *collect, const char *text, size_t len)
{
    int is_new;
    uint32_t id = intern(&collect->names, 'n', text, len, &is_new);
    if (id == INTERN_NONE ||
        !array_reserve(&collect->kernel_names, &collect->name_capacity, id, sizeof *collect->kernel_names))
        return INTERN_NONE;
    if (is_new) {
        size_t words = patterns_words(collect->request.patterns);
        if (!array_reserve(&collect->matches, &collect->match_capacity, (id + 1) * words - 1,
                           sizeof *collect->matches) ||
            !patterns_search(collect->request.patterns, collect->request.trace_name, "kernel", text, len,
                             &collect->matches[id * words], &collect->kernel_names[id].matched, collect->error))
            return INTERN_NONE;
    }
    return id;
}

/* The number of a kernel's name in `names`; INTERN_NONE: stop. A kernel without a name has the empty one. */
static uint32_t name_id(struct collect *collect, const struct scan_value *value)
{
    if (value->kind != SCAN_STRING)
        return plain_name(collect, "", 0);
    if (!value->escaped)
        return plain_name(collect, value->len == 0 ? "" : value->text, value->len);
    int is_new;
    uint32_t spelling = intern(&collect->escaped, 'e', value->text, value->len, &is_new);
    if (spelling == INTERN_NONE ||
        !array_reserve(&collect->name_of, &collect->name_of_capacity, spelling, sizeof *collect->name_of))
        return INTERN_NONE;
    if (is_new) {
        size_t len;
        const char *text = fields_text(&collect->fields, value, &len);
        collect->name_of[spelling] = text == NULL ? INTERN_NONE : plain_name(collect, text, len);
    }
    return collect->name_of[spelling];
}

/* ---- events ------------------------------------------------------------------------------------------------ */

static void note_origin(struct collect *collect, const struct scan_event *event, enum decimal_status status,
                        const struct decimal *ts)
{
    struct long_ts *least = &collect->long_ts;
    if (status == DECIMAL_OK && (!collect->has_origin || decimal_compare(ts, &collect->origin) < 0)) {
        collect->origin = *ts;
        collect->has_origin = true;
    }
    if (status == DECIMAL_TOO_LONG && (!least->found || decimal_compare(ts, &least->cut) < 0))
        *least = (struct long_ts){.found = true, .cut = *ts, .event = event->index, .offset = event->offset};
}

/* Remembers a tid that a guide track might want; few traces have any. */
static bool note_tid(struct collect *collect, const struct scan_event *event)
{
    const struct scan_value *tid = &event->tid;
    if (tid->kind != SCAN_NUMBER || event->pid.kind == SCAN_ABSENT)
        return true;
    /* Only seven plain digits can be one of them; 1e6 and 1000000.0 are integers too. */
    bool plain = memchr(tid->text, 'e', tid->len) == NULL && memchr(tid->text, 'E', tid->len) == NULL &&
                 memchr(tid->text, '.', tid->len) == NULL;
    if (plain && tid->len != 7)
        return true;
    uint64_t number = fields_correlation(&collect->fields, tid);
    if (number > INT64_MAX || !tidset_counts((int64_t)number))
        return true;
    uint32_t pid = 0;
    if (tidset_tells_processes(&collect->tids) && (pid = collect_value(collect, &event->pid)) == INTERN_NONE)
        return false;
    return tidset_add(&collect->tids, pid, (int64_t)number);
}

static void note_bad(struct collect *collect, const struct collect_kernel *kernel, bool in_dur, bool too_long)
{
    const struct scan_event *event = kernel->event;
    const struct scan_value *value = in_dur ? &event->dur : &event->ts;
    struct bad_kernel *bad = &collect->groups[kernel->group].bad;
    if (bad->found)
        return;
    *bad = (struct bad_kernel){.found = true,
                               .event = event->index,
                               .offset = event->offset,
                               .in_dur = in_dur,
                               .too_long = too_long,
                               .kind = value->kind};
    printable(bad->text, sizeof bad->text, value->text, value->text == NULL ? 0 : value->len);
}

void collect_note_too_long(struct collect *collect, const struct collect_kernel *kernel)
{
    note_bad(collect, kernel, true, true);
}

/* Times of more digits than can be computed with matter only where they are needed. */
static bool is_usable(enum decimal_status status, bool needed)
{
    return status == DECIMAL_OK || (status == DECIMAL_TOO_LONG && !needed);
}

/* Reads a kernel's dur and notes what is wrong with its times; leaves those that are fine. False when memory is out. */
static bool check_times(struct collect *collect, struct collect_kernel *kernel, enum decimal_status ts,
                        struct decimal *dur)
{
    bool needed = collect->kernel_names[kernel->name].matched;
    enum decimal_status status = fields_time(&collect->fields, &kernel->event->dur, dur);
    bool negative = (status == DECIMAL_OK || status == DECIMAL_TOO_LONG) && decimal_is_negative(dur);
    if (!is_usable(ts, needed))
        note_bad(collect, kernel, false, ts == DECIMAL_TOO_LONG);
    else if (!is_usable(status, needed) || negative)
        note_bad(collect, kernel, true, !negative && status == DECIMAL_TOO_LONG);
    kernel->dur = kernel->ts != NULL && status == DECIMAL_OK ? dur : NULL;
    if (kernel->dur == NULL)
        kernel->ts = NULL;
    return status != DECIMAL_NO_MEMORY;
}

static bool add_kernel(struct collect *collect, const struct scan_event *event, enum decimal_status status,
                       const struct decimal *ts)
{
    struct collect_kernel kernel = {
        .event = event, .group = group_of(collect, event), .ts = status == DECIMAL_OK ? ts : NULL};
    kernel.name = kernel.group == INTERN_NONE ? INTERN_NONE : name_id(collect, &event->name);
    if (kernel.name == INTERN_NONE)
        return false;
    struct decimal dur;
    collect->kernels++;
    collect->kernel_names[kernel.name].count++;
    collect->groups[kernel.group].kernels++;
    if (collect->request.lengths && !check_times(collect, &kernel, status, &dur))
        return false;
    bool taken = true;
    kernel.matches = &collect->matches[kernel.name * patterns_words(collect->request.patterns)];
    for (size_t i = 0; collect->kernel_names[kernel.name].matched && i < collect->request.observer_count && taken;
         i++) {
        const struct collect_observer *observer = &collect->request.observers[i];
        taken = observer->kernel == NULL || observer->kernel(observer->ctx, collect, &kernel);
    }
    return taken;
}

static bool hand_slice(struct collect *collect, const struct scan_event *event, unsigned kinds)
{
    bool taken = true;
    for (size_t i = 0; i < collect->request.observer_count && taken; i++) {
        const struct collect_observer *observer = &collect->request.observers[i];
        unsigned wanted = kinds & observer->kinds;
        taken = wanted == 0 || observer->slice(observer->ctx, collect, event, wanted);
    }
    return taken;
}

static bool take_event(struct collect *collect, const struct scan_event *event)
{
    struct decimal ts;
    enum decimal_status ts_status = fields_time(&collect->fields, &event->ts, &ts);
    unsigned kinds;
    bool complete;
    if (ts_status == DECIMAL_NO_MEMORY || !note_tid(collect, event) ||
        !fields_kinds(&collect->fields, event, collect->kinds | (collect->has_guide ? 0 : EVENT_GUIDE), &kinds))
        return false;
    note_origin(collect, event, ts_status, &ts);
    if ((kinds & EVENT_GUIDE) != 0) {
        collect->has_guide = true;
        collect->guide_event = event->index;
        collect->guide_offset = event->offset;
    }
    kinds &= collect->kinds;
    if (kinds == 0)
        return true;
    if (!fields_complete(&collect->fields, event, &complete))
        return false;
    return !complete || (hand_slice(collect, event, kinds) &&
                         ((kinds & EVENT_KERNEL) == 0 || add_kernel(collect, event, ts_status, &ts)));
}

enum lt_status collect_check_origin(const struct collect *collect, struct lt_error *error)
{
    const struct long_ts *least = &collect->long_ts;
    char name[512];
    if (!least->found || !collect->has_origin || decimal_compare(&least->cut, &collect->origin) >= 0)
        return LT_OK;
    return fail_at(error, LT_CLASS_LIMIT, (struct error_place){.event = least->event, .offset = least->offset},
                   "%s: event %" PRIu64 ", offset %" PRIu64
                   ": its ts is the smallest of the trace and has more than 38 digits, so that no time can be told "
                   "relative to it; correct it",
                   printable(name, sizeof name, collect->request.trace_name, strlen(collect->request.trace_name)),
                   least->event, least->offset);
}

bool collect_event(void *ctx, const struct scan_event *event)
{
    struct collect *collect = ctx;
    bool taken = !event->is_object || take_event(collect, event);
    if (taken)
        return true;
    if (collect->error->status == LT_OK)
        fail_memory(collect->error);
    return false;
}
