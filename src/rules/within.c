#include "rules/within.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

/* Names of scopes are without number: beyond so many bytes those seen are forgotten and matched anew. */
#define SEEN_BYTES ((size_t)1 << 20)

/* ---- the observer ------------------------------------------------------------------------------------------ */

/* Keeps the names that resemble a pattern that has matched nothing so far, this name neither. */
static void offer_name(struct within *within, unsigned kind, bool told, const uint64_t *matches, const char *name,
                       size_t len)
{
    for (size_t i = 0; i < within->track_count; i++) {
        struct track *track = &within->tracks[i];
        if (kind == EVENT_GPU_SCOPE && track->within_gpu_pattern != PATTERN_NONE && track->gpu_scopes.own.count == 0 &&
            !patterns_hit(matches, track->within_gpu_pattern))
            suggest_offer(&track->near_gpu_scopes, track->options->within_gpu, told, name, len);
        if (kind == EVENT_CPU_SCOPE && track->within_pattern != PATTERN_NONE && track->scopes.count == 0 &&
            !patterns_hit(matches, track->within_pattern))
            suggest_offer(&track->near_scopes, track->options->within, told, name, len);
    }
}

/* What a scope's name matches; NULL with the error set, or when memory is out. */
static const uint64_t *matches_of(struct within *within, struct collect *collect, unsigned kind, bool told,
                                  const char *name, size_t len)
{
    size_t words = patterns_words(within->patterns) + 1;
    if (within->seen_bytes > SEEN_BYTES) {
        intern_free(&within->seen);
        within->seen = (struct intern){0};
        within->seen_bytes = 0;
    }
    int is_new;
    uint32_t id = intern(&within->seen, kind == EVENT_GPU_SCOPE ? 'g' : 's', name, len, &is_new);
    if (id == INTERN_NONE ||
        !array_reserve(&within->matches, &within->match_capacity, (id + 1) * words - 1, sizeof *within->matches))
        return NULL;
    uint64_t *matches = &within->matches[id * words];
    if (is_new) {
        bool any;
        within->seen_bytes += len + sizeof(struct intern_entry) + words * sizeof *matches;
        if (!patterns_search(within->patterns, collect->request.trace_name, "scope", name, len, matches, &any,
                             collect->error))
            return NULL;
        matches[words - 1] = any;
        offer_name(within, kind, told, matches, name, len);
    }
    return matches;
}

/* One is enough to refuse by; of other processes there may be some before it. */
#define MOST_BAD_SCOPES 4096

static bool add_bad(struct track *track, const struct scan_event *event, const struct scope *scope, bool on_gpu,
                    bool too_long)
{
    size_t at = track->bad_scope_count;
    for (size_t i = 0; i < at; i++)
        if (track->bad_scopes[i].on_gpu == on_gpu && track->bad_scopes[i].pid == scope->pid)
            return true;
    if (at == MOST_BAD_SCOPES)
        return true;
    if (!array_reserve(&track->bad_scopes, &track->bad_scope_capacity, at, sizeof *track->bad_scopes))
        return false;
    track->bad_scopes[track->bad_scope_count++] =
        (struct bad_scope){.event = event->index, .offset = event->offset, .pid = scope->pid, .on_gpu = on_gpu};
    track->bad_scopes[at].too_long = too_long;
    return true;
}

static bool add_to_track(struct track *track, const struct scan_event *event, const struct scope *scope, bool on_gpu,
                         bool usable, bool too_long)
{
    if (!usable)
        return add_bad(track, event, scope, on_gpu, too_long);
    return scopes_add(on_gpu ? &track->gpu_scopes.own : &track->scopes, scope);
}

/* Scopes of other processes and devices do not matter. */
static bool is_chosen(const struct selection *chosen, uint32_t pid, uint32_t device)
{
    return pid == chosen->pid && (device == INTERN_NONE || chosen->device == INTERN_NONE || device == chosen->device);
}

/* Notes that a stream carries annotations. */
static bool note_stream(struct within *within, struct collect *collect, const struct scan_event *event)
{
    bool ok = true;
    uint32_t key[3] = {collect_value_or_none(collect, &event->pid, &ok), collect_tid_or_none(collect, &event->tid, &ok),
                       collect_device(collect, event, &ok)};
    uint32_t id = ok ? intern(&within->streams, 'g', (const char *)key, sizeof key, NULL) : INTERN_NONE;
    if (id != INTERN_NONE && id >= COLLECT_MAX_GROUPS)
        fail_at(collect->error, LT_CLASS_LIMIT, (struct error_place){.event = event->index, .offset = event->offset},
                "%s: gpu_user_annotations on more than %u streams, by event %" PRIu64 ", offset %" PRIu64
                "; give each stream one pid and one tid",
                collect->request.trace_name, COLLECT_MAX_GROUPS, event->index, event->offset);
    return id < COLLECT_MAX_GROUPS;
}

static bool add_scope(void *ctx, struct collect *collect, const struct scan_event *event, unsigned kind)
{
    struct within *within = ctx;
    bool on_gpu = kind == EVENT_GPU_SCOPE;
    size_t len = 0;
    if (on_gpu && !note_stream(within, collect, event))
        return false;
    const char *name = event->name.kind == SCAN_STRING ? fields_text(&collect->fields, &event->name, &len) : "";
    /* Somebody gave it that name; an operator has the same one everywhere. */
    bool told = event->cat.len > 0 && has_word(event->cat.text, event->cat.len, "user_annotation", 15);
    const uint64_t *matches = name == NULL ? NULL : matches_of(within, collect, kind, told, name, len);
    if (matches == NULL)
        return false;
    if (matches[patterns_words(within->patterns)] == 0)
        return true;
    bool ok = true;
    struct scope scope = {.name = intern(&within->names, 's', name, len, NULL)};
    scope.pid = collect_value_or_none(collect, &event->pid, &ok);
    scope.tid = collect_tid_or_none(collect, &event->tid, &ok);
    scope.device = on_gpu ? collect_device(collect, event, &ok) : INTERN_NONE;
    struct decimal start, end;
    enum decimal_status status = fields_span(&collect->fields, event, &start, &end);
    bool placed = !collect_is_nested(collect, scope.pid) && !collect_is_nested(collect, scope.tid);
    if (!ok || scope.name == INTERN_NONE || status == DECIMAL_NO_MEMORY)
        return false;
    if (status == DECIMAL_OK) {
        scope.start = decimal_pack(&start);
        scope.end = decimal_pack(&end);
        scope.start_scale = start.scale;
        scope.end_scale = end.scale;
    }
    for (size_t i = 0; i < within->track_count; i++) {
        struct track *track = &within->tracks[i];
        uint32_t pattern = on_gpu ? track->within_gpu_pattern : track->within_pattern;
        if (patterns_hit(matches, pattern) &&
            !add_to_track(track, event, &scope, on_gpu, placed && status == DECIMAL_OK,
                          placed && status == DECIMAL_TOO_LONG))
            return false;
    }
    return true;
}

static unsigned kinds_of(const struct track *tracks, size_t count)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < count; i++) {
        kinds |= tracks[i].within_pattern != PATTERN_NONE ? EVENT_CPU_SCOPE : 0;
        kinds |= tracks[i].within_gpu_pattern != PATTERN_NONE ? EVENT_GPU_SCOPE : 0;
    }
    return kinds;
}

struct collect_observer within_observer(struct within *within)
{
    return (struct collect_observer){
        .ctx = within, .slice = add_scope, .kinds = kinds_of(within->tracks, within->track_count)};
}

void within_free(struct within *within)
{
    intern_free(&within->streams);
    intern_free(&within->names);
    intern_free(&within->seen);
    free(within->matches);
    *within = (struct within){0};
}

/* ---- behind the reading ------------------------------------------------------------------------------------ */

/* "nearest names: 'a', 'b'"; `else_words` when there is no name at all. */
static const char *near_words(char *out, size_t size, const struct suggest_list *list, const char *else_words)
{
    size_t used = (size_t)snprintf(out, size, "%s", list->count == 0 ? else_words : "nearest names: ");
    for (size_t i = 0; i < list->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", i == 0 ? "" : ", ", list->names[i]);
    return out;
}

static enum lt_status settle_cpu_scopes(struct track *track, struct lt_error *error)
{
    struct track_shown shown;
    char near[512];
    if (!scopes_settle(&track->scopes))
        return fail_memory(error);
    if (track->scopes.count > 0)
        return LT_OK;
    track_show(&shown, track, track->options->within);
    return fail_as(error, LT_CLASS_NO_SCOPE,
                   "%s: %s '%s' matches no scope (slice of category user_annotation, cpu_op or python_function); %s",
                   shown.place, track->words->within, shown.pattern,
                   near_words(near, sizeof near, &track->near_scopes, "the trace has none"));
}

/* The streams of the chosen process that carry annotations. */
static bool keep_streams(const struct within *within, const struct selection *chosen, struct gpu_scopes *scopes)
{
    scopes->tids = malloc((within->streams.count + 1) * sizeof *scopes->tids);
    for (uint32_t i = 0; scopes->tids != NULL && i < within->streams.count; i++) {
        uint32_t key[3];
        memcpy(key, within->streams.entries[i].text, sizeof key);
        if (is_chosen(chosen, key[0], key[2]))
            scopes->tids[scopes->tid_count++] = key[1];
    }
    return scopes->tids != NULL;
}

static enum lt_status settle_gpu_scopes(const struct within *within, struct track *track, struct lt_error *error)
{
    struct gpu_scopes *scopes = &track->gpu_scopes;
    const struct selection *chosen = &track->selection;
    struct track_shown shown;
    char near[512];
    size_t kept = 0, matching = scopes->own.count;
    for (size_t i = 0; i < matching; i++) {
        const struct scope *scope = &scopes->own.items[i];
        if (is_chosen(chosen, scope->pid, scope->device))
            scopes->own.items[kept++] = *scope;
    }
    scopes->own.count = kept;
    scopes->pid = chosen->pid;
    if (!keep_streams(within, chosen, scopes) || !gpu_scopes_settle(scopes))
        return fail_memory(error);
    if (kept > 0)
        return LT_OK;
    track_show(&shown, track, track->options->within_gpu);
    /* Names were kept until the first match, whoever's it was: then they are too few to tell of. */
    if (matching > 0)
        track->near_gpu_scopes.count = 0;
    return fail_as(
        error, LT_CLASS_NO_SCOPE,
        "%s: %s '%s' matches no slice of category gpu_user_annotation in the anchors' process%s; %s; or use %s",
        shown.place, track->words->within_gpu, shown.pattern, matching > 0 ? ", only in others" : "",
        near_words(near, sizeof near, &track->near_gpu_scopes, "name one that it has"), track->words->within);
}

static enum lt_status keep_inside_gpu(struct track *track, struct lt_error *error)
{
    struct track_shown shown;
    size_t kept = 0, count = track->anchor_count;
    for (size_t i = 0; i < count; i++) {
        struct decimal ts = decimal_unpack(track->anchors[i].ts, track->anchors[i].ts_scale);
        if (gpu_scopes_at(&track->gpu_scopes, track->anchors[i].tid, &ts, &ts) == NULL)
            continue;
        track_keep_anchor(track, &kept, i);
    }
    track_leave_outside(track, kept);
    if (kept > 0)
        return LT_OK;
    track_show(&shown, track, track->options->within_gpu);
    return fail_as(
        error, LT_CLASS_NO_SCOPE,
        "%s: none of %zu matching anchors starts inside a gpu_user_annotation that %s '%s' matches (%zu such); "
        "name the scope they start in",
        shown.place, count, track->words->within_gpu, shown.pattern, track->gpu_scopes.own.count);
}

static enum lt_status check_bad_scopes(const struct track *track, struct lt_error *error)
{
    char place[512];
    for (size_t i = 0; i < track->bad_scope_count; i++) {
        const struct bad_scope *bad = &track->bad_scopes[i];
        if (!bad->on_gpu || bad->pid == track->selection.pid)
            return fail_at(error, LT_CLASS_BAD_SCOPE, (struct error_place){.event = bad->event, .offset = bad->offset},
                           "%s: matching scope at event %" PRIu64 ", offset %" PRIu64 " %s; name scopes that have %s",
                           printable(place, sizeof place, track->place, strlen(track->place)), bad->event, bad->offset,
                           bad->too_long
                               ? "has a ts, dur or end of more than 38 digits"
                               : "has no finite ts and dur of at least 0, or an object or array as pid or tid",
                           bad->too_long ? "fewer" : "them");
    }
    return LT_OK;
}

enum lt_status within_settle(const struct within *within, struct track *track, struct lt_error *error)
{
    enum lt_status status = check_bad_scopes(track, error);
    if (status == LT_OK && track->within_pattern != PATTERN_NONE)
        status = settle_cpu_scopes(track, error);
    if (status == LT_OK && track->within_gpu_pattern != PATTERN_NONE)
        status = settle_gpu_scopes(within, track, error);
    return status == LT_OK && track->within_gpu_pattern != PATTERN_NONE ? keep_inside_gpu(track, error) : status;
}
