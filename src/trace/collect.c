#include "trace/collect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "trace/launch.h"
#include "trace/wanted.h"
#include "json/json_text.h"

void collect_init(struct collect *collect, const struct collect_request *request, struct lt_error *error)
{
    *collect = (struct collect){.request = *request, .error = error};
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
    intern_free(&collect->gpu_streams);
    intern_free(&collect->scope_names);
    intern_free(&collect->scope_seen);
    free(collect->scope_matches);
    arena_free(&collect->times);
    arena_free(&collect->passing);
    arena_free(&collect->origin_text);
    free(collect->scratch);
    *collect = (struct collect){0};
}

static char *scratch(struct collect *collect, size_t size)
{
    if (collect->scratch_capacity < size) {
        char *data = realloc(collect->scratch, size * 2);
        if (data == NULL)
            return NULL;
        collect->scratch = data;
        collect->scratch_capacity = size * 2;
    }
    return collect->scratch;
}

const char *collect_text(struct collect *collect, const struct scan_value *value, size_t *len)
{
    *len = value->len;
    if (!value->escaped)
        return value->len == 0 ? "" : value->text;
    char *out = scratch(collect, value->len);
    if (out != NULL)
        *len = json_unescape(out, value->text, value->len);
    return out;
}

/* ---- values: identity is JSON type and value --------------------------------------------------------------- */

/* 7, 7.0 and 70e-1 are one number. */
static uint32_t number_value(struct collect *collect, const struct scan_value *value)
{
    struct arena arena = {0};
    struct decimal number, plain;
    uint32_t id = INTERN_NONE;
    enum decimal_status status = decimal_parse(&number, value->text, value->len, &arena);
    if (status == DECIMAL_OK)
        status = decimal_shift(&plain, &number, 0, &arena);
    if (status == DECIMAL_OK) {
        size_t size = decimal_print_size(&plain);
        char *out = arena_take(&arena, size);
        if (out != NULL)
            id = intern(&collect->values, VALUE_NUMBER, out, decimal_print(&plain, out, size), NULL);
    } else if (status != DECIMAL_NO_MEMORY) {
        id = intern(&collect->values, VALUE_NUMBER, value->text, value->len, NULL);
    }
    arena_free(&arena);
    return id;
}

/* A string that no UTF-8 can say, in its quotes. */
static uint32_t half_pair_value(struct collect *collect, const struct scan_value *value)
{
    size_t len = value->len + 2;
    char *out = scratch(collect, len);
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
        text = collect_text(collect, value, &len);
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

/* ---- groups ------------------------------------------------------------------------------------------------ */

static bool is_wanted(const struct collect *collect, uint32_t value, const char *wanted)
{
    if (wanted == NULL)
        return true;
    if (value == INTERN_NONE)
        return false;
    const struct intern_entry *entry = &collect->values.entries[value];
    return wanted_is(wanted, entry->text, entry->len, entry->tag == VALUE_NUMBER);
}

static bool new_group(struct collect *collect, uint32_t id, uint32_t pid, uint32_t device,
                      const struct scan_event *event)
{
    collect->groups[id] = (struct group){.pid = pid, .device = device, .event = event->index, .offset = event->offset};
    for (size_t i = 0; i < collect->request.track_count; i++) {
        struct track *track = &collect->request.tracks[i];
        if (!array_reserve(&track->groups, &track->group_capacity, id, sizeof *track->groups))
            return false;
        track->groups[id].wanted =
            is_wanted(collect, pid, track->options->pid) && is_wanted(collect, device, track->options->device);
    }
    return true;
}

/* The group of a kernel; UINT32_MAX when memory is out. */
static uint32_t group_of(struct collect *collect, const struct scan_event *event)
{
    uint32_t key[2] = {INTERN_NONE, INTERN_NONE};
    if (event->pid.kind != SCAN_ABSENT && (key[0] = collect_value(collect, &event->pid)) == INTERN_NONE)
        return INTERN_NONE;
    /* `"device": null` is no device. */
    if (event->device.kind != SCAN_ABSENT && event->device.kind != SCAN_NULL &&
        (key[1] = collect_value(collect, &event->device)) == INTERN_NONE)
        return INTERN_NONE;
    int is_new;
    uint32_t id = intern(&collect->group_keys, 'g', (const char *)key, sizeof key, &is_new);
    if (id != INTERN_NONE && id >= COLLECT_MAX_GROUPS) {
        fail(collect->error, LT_TRACE,
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
        const char *text = collect_text(collect, value, &len);
        collect->name_of[spelling] = text == NULL ? INTERN_NONE : plain_name(collect, text, len);
    }
    return collect->name_of[spelling];
}

/* ---- events ------------------------------------------------------------------------------------------------ */

enum decimal_status collect_time(struct collect *collect, const struct scan_value *value, struct decimal *time)
{
    if (value->kind != SCAN_NUMBER && value->kind != SCAN_STRING)
        return DECIMAL_NOT_A_NUMBER;
    size_t len;
    const char *text = collect_text(collect, value, &len);
    return text == NULL ? DECIMAL_NO_MEMORY : decimal_parse(time, text, len, &collect->passing);
}

static bool note_origin(struct collect *collect, const struct decimal *ts)
{
    if (collect->has_origin && decimal_compare(ts, &collect->origin) >= 0)
        return true;
    struct arena old = collect->origin_text;
    collect->origin_text = (struct arena){0};
    collect->origin = *ts;
    collect->has_origin = true;
    bool kept = track_keep_time(&collect->origin, &collect->origin_text);
    arena_free(&old);
    return kept;
}

bool has_word(const char *cat, size_t len, const char *word, size_t word_len)
{
    const char *end = cat + len;
    for (const char *at = cat;; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma != NULL ? comma : end;
        while (at < stop && *at == ' ')
            at++;
        const char *last = stop;
        while (last > at && last[-1] == ' ')
            last--;
        if ((size_t)(last - at) == word_len && memcmp(at, word, word_len) == 0)
            return true;
        if (comma == NULL)
            return false;
        at = comma;
    }
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
    struct decimal number, whole;
    int64_t rounded = 0;
    if (decimal_parse(&number, tid->text, tid->len, &collect->passing) != DECIMAL_OK ||
        !decimal_round(&number, &rounded) || !tidset_counts(rounded))
        return true;
    whole = decimal_from_int(rounded);
    if (decimal_compare(&number, &whole) != 0)
        return true;
    uint32_t pid = 0;
    if (tidset_tells_processes(&collect->tids) && (pid = collect_value(collect, &event->pid)) == INTERN_NONE)
        return false;
    return tidset_add(&collect->tids, pid, rounded);
}

static void note_bad(struct group *group, const struct scan_event *event, const struct scan_value *value, bool in_dur)
{
    if (group->bad.found)
        return;
    group->bad = (struct bad_kernel){
        .found = true, .event = event->index, .offset = event->offset, .in_dur = in_dur, .kind = value->kind};
    printable(group->bad.text, sizeof group->bad.text, value->text, value->text == NULL ? 0 : value->len);
}

uint64_t collect_correlation(struct collect *collect, const struct scan_value *value)
{
    struct decimal number, whole;
    int64_t rounded;
    if (collect_time(collect, value, &number) != DECIMAL_OK || !decimal_round(&number, &rounded) || rounded < 0)
        return CORRELATION_NONE;
    whole = decimal_from_int(rounded);
    return decimal_compare(&number, &whole) == 0 ? (uint64_t)rounded : CORRELATION_NONE;
}

static bool add_to_tracks(struct collect *collect, const struct scan_event *event, struct track_kernel *kernel,
                          bool usable)
{
    kernel->matches = &collect->matches[kernel->name * patterns_words(collect->request.patterns)];
    kernel->tid = INTERN_NONE;
    bool is_anchor = false;
    for (size_t i = 0; i < collect->request.track_count; i++) {
        struct track *track = &collect->request.tracks[i];
        bool hit = patterns_hit(kernel->matches, track->anchor_pattern);
        track->groups[kernel->group].anchors += hit;
        is_anchor |= hit && track->groups[kernel->group].wanted;
    }
    if (!usable)
        return true;
    if (is_anchor && event->tid.kind != SCAN_ABSENT && (kernel->tid = collect_tid(collect, &event->tid)) == INTERN_NONE)
        return false;
    kernel->correlation = is_anchor && collect->request.scope_patterns != NULL
                              ? collect_correlation(collect, &event->correlation)
                              : CORRELATION_NONE;
    for (size_t i = 0; i < collect->request.track_count; i++) {
        struct track *track = &collect->request.tracks[i];
        if (track->groups[kernel->group].wanted && !track_add_kernel(track, kernel, &collect->times))
            return false;
    }
    return true;
}

/* The kernel goes to whoever takes the place of the tracks' lists. */
static bool hand_over(struct collect *collect, const struct scan_event *event, const struct decimal *ts, uint32_t name,
                      uint32_t group)
{
    const uint64_t *matches = &collect->matches[name * patterns_words(collect->request.patterns)];
    struct track *track = &collect->request.tracks[0];
    if (!patterns_hit(matches, track->anchor_pattern))
        return true;
    track->groups[group].anchors++;
    return !track->groups[group].wanted ||
           collect->request.kernel(collect->request.kernel_ctx, collect, event, ts, name, group);
}

static bool add_kernel(struct collect *collect, const struct scan_event *event, enum decimal_status ts_status,
                       const struct decimal *ts)
{
    uint32_t group_id = group_of(collect, event);
    uint32_t name = group_id == INTERN_NONE ? INTERN_NONE : name_id(collect, &event->name);
    if (name == INTERN_NONE)
        return false;
    struct group *group = &collect->groups[group_id];
    collect->kernels++;
    collect->kernel_names[name].count++;
    group->kernels++;

    if (collect->request.kernel != NULL)
        return ts_status != DECIMAL_NO_MEMORY &&
               hand_over(collect, event, ts_status == DECIMAL_OK ? ts : NULL, name, group_id);

    struct decimal dur;
    enum decimal_status dur_status = collect_time(collect, &event->dur, &dur);
    if (ts_status == DECIMAL_NO_MEMORY || dur_status == DECIMAL_NO_MEMORY)
        return false;
    if (ts_status != DECIMAL_OK)
        note_bad(group, event, &event->ts, false);
    else if (dur_status != DECIMAL_OK || decimal_is_negative(&dur))
        note_bad(group, event, &event->dur, true);
    if (!collect->kernel_names[name].matched)
        return true;
    struct track_kernel kernel = {.name = name, .group = group_id, .ts = ts, .dur = &dur};
    return add_to_tracks(collect, event, &kernel, ts_status == DECIMAL_OK && dur_status == DECIMAL_OK);
}

static bool take_event(struct collect *collect, const struct scan_event *event)
{
    struct decimal ts;
    enum decimal_status ts_status = collect_time(collect, &event->ts, &ts);
    if (ts_status == DECIMAL_NO_MEMORY || !note_tid(collect, event) ||
        (ts_status == DECIMAL_OK && !note_origin(collect, &ts)))
        return false;
    if (event->cat.kind != SCAN_STRING)
        return true;
    size_t len;
    const char *cat = collect_text(collect, &event->cat, &len);
    if (cat == NULL)
        return false;
    if (!collect->has_guide && has_word(cat, len, "layer_guide", 11)) {
        collect->has_guide = true;
        collect->guide_event = event->index;
        collect->guide_offset = event->offset;
    }
    bool is_kernel = has_word(cat, len, "kernel", 6);
    enum launch_scope scope = collect->request.scope_patterns == NULL ? LAUNCH_NO_SCOPE : launch_scope_of(cat, len);
    if ((!is_kernel && scope == LAUNCH_NO_SCOPE) || event->ph.kind != SCAN_STRING)
        return true;
    const char *ph = collect_text(collect, &event->ph, &len);
    if (ph == NULL)
        return false;
    if (len != 1 || ph[0] != 'X')
        return true;
    return (scope == LAUNCH_NO_SCOPE || launch_add_scope(collect, event, scope)) &&
           (!is_kernel || add_kernel(collect, event, ts_status, &ts));
}

bool collect_event(void *ctx, const struct scan_event *event)
{
    struct collect *collect = ctx;
    bool taken = !event->is_object || take_event(collect, event);
    arena_free(&collect->passing);
    if (taken)
        return true;
    if (collect->error->status == LT_OK)
        fail_memory(collect->error);
    return false;
}
