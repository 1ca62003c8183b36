#include "trace/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"

/* Names of scopes are without number: beyond so many bytes those seen are forgotten and matched anew. */
#define SEEN_BYTES ((size_t)1 << 20)

enum launch_answer { CALL_MISSING, CALL_OUTSIDE, CALL_UNCLEAR, CALL_INSIDE };

/* ---- the first reading: scopes ----------------------------------------------------------------------------- */

enum launch_scope launch_scope_of(const char *cat, size_t len)
{
    if (has_word(cat, len, "user_annotation", 15) || has_word(cat, len, "cpu_op", 6) ||
        has_word(cat, len, "python_function", 15))
        return LAUNCH_CPU_SCOPE;
    return has_word(cat, len, "gpu_user_annotation", 19) ? LAUNCH_GPU_SCOPE : LAUNCH_NO_SCOPE;
}

/* Keeps the names that resemble a pattern that has matched nothing so far. */
static void offer_name(struct collect *collect, enum launch_scope kind, bool told, const char *name, size_t len)
{
    for (size_t i = 0; i < collect->request.track_count; i++) {
        struct track *track = &collect->request.tracks[i];
        if (kind == LAUNCH_GPU_SCOPE && track->within_gpu_pattern != PATTERN_NONE && track->gpu_scopes.own.count == 0)
            suggest_offer(&track->near_gpu_scopes, track->options->within_gpu, told, name, len);
        if (kind == LAUNCH_CPU_SCOPE && track->within_pattern != PATTERN_NONE && track->scopes.count == 0)
            suggest_offer(&track->near_scopes, track->options->within, told, name, len);
    }
}

/* What a scope's name matches; NULL with the error set, or when memory is out. */
static const uint64_t *matches_of(struct collect *collect, enum launch_scope kind, bool told, const char *name,
                                  size_t len)
{
    size_t words = patterns_words(collect->request.scope_patterns) + 1;
    if (collect->scope_seen_bytes > SEEN_BYTES) {
        intern_free(&collect->scope_seen);
        collect->scope_seen = (struct intern){0};
        collect->scope_seen_bytes = 0;
    }
    int is_new;
    uint32_t id = intern(&collect->scope_seen, kind == LAUNCH_GPU_SCOPE ? 'g' : 's', name, len, &is_new);
    if (id == INTERN_NONE || !array_reserve(&collect->scope_matches, &collect->scope_match_capacity,
                                            (id + 1) * words - 1, sizeof *collect->scope_matches))
        return NULL;
    uint64_t *matches = &collect->scope_matches[id * words];
    if (is_new) {
        bool any;
        collect->scope_seen_bytes += len + sizeof(struct intern_entry) + words * sizeof *matches;
        if (!patterns_search(collect->request.scope_patterns, collect->request.trace_name, "scope", name, len, matches,
                             &any, collect->error))
            return NULL;
        matches[words - 1] = any;
        offer_name(collect, kind, told, name, len);
    }
    return matches;
}

static uint32_t tid_or_none(struct collect *collect, const struct scan_value *value, bool *ok)
{
    uint32_t number = value->kind == SCAN_ABSENT ? INTERN_NONE : collect_tid(collect, value);
    *ok &= value->kind == SCAN_ABSENT || number != INTERN_NONE;
    return number;
}

static uint32_t value_or_none(struct collect *collect, const struct scan_value *value, bool *ok)
{
    uint32_t number = value->kind == SCAN_ABSENT ? INTERN_NONE : collect_value(collect, value);
    *ok &= value->kind == SCAN_ABSENT || number != INTERN_NONE;
    return number;
}

/* Start and end of a slice. */
static enum decimal_status span(struct collect *collect, const struct scan_event *event, struct decimal *start,
                                struct decimal *end, struct arena *arena)
{
    struct decimal dur;
    enum decimal_status status = collect_time(collect, &event->ts, start);
    if (status == DECIMAL_OK)
        status = collect_time(collect, &event->dur, &dur);
    if (status == DECIMAL_OK && decimal_is_negative(&dur))
        return DECIMAL_NOT_A_NUMBER;
    return status == DECIMAL_OK ? decimal_add(end, start, &dur, arena) : status;
}

/* One is enough to refuse by; of other processes there may be some before it. */
#define MOST_BAD_SCOPES 4096

static bool add_bad(struct track *track, const struct scan_event *event, const struct scope *scope, bool on_gpu)
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
    return true;
}

static bool add_to_track(struct track *track, const struct scan_event *event, const struct scope *scope,
                         enum launch_scope kind, bool usable)
{
    bool on_gpu = kind == LAUNCH_GPU_SCOPE;
    if (!usable)
        return add_bad(track, event, scope, on_gpu);
    return scopes_add(on_gpu ? &track->gpu_scopes.own : &track->scopes, scope);
}

/* `"device": null` is no device. */
static uint32_t device_or_none(struct collect *collect, const struct scan_event *event, bool *ok)
{
    return event->device.kind == SCAN_NULL ? INTERN_NONE : value_or_none(collect, &event->device, ok);
}

/* Scopes of other processes and devices do not matter. */
static bool is_chosen(const struct selection *chosen, uint32_t pid, uint32_t device)
{
    return pid == chosen->pid && (device == INTERN_NONE || chosen->device == INTERN_NONE || device == chosen->device);
}

static bool asks_gpu(const struct collect *collect)
{
    for (size_t i = 0; i < collect->request.track_count; i++)
        if (collect->request.tracks[i].within_gpu_pattern != PATTERN_NONE)
            return true;
    return false;
}

/* Notes that a stream carries annotations. */
static bool note_stream(struct collect *collect, const struct scan_event *event)
{
    bool ok = true;
    uint32_t key[3] = {value_or_none(collect, &event->pid, &ok), tid_or_none(collect, &event->tid, &ok),
                       device_or_none(collect, event, &ok)};
    uint32_t id = ok ? intern(&collect->gpu_streams, 'g', (const char *)key, sizeof key, NULL) : INTERN_NONE;
    if (id != INTERN_NONE && id >= COLLECT_MAX_GROUPS)
        fail(collect->error, LT_TRACE,
             "%s: gpu_user_annotations on more than %u streams, by event %" PRIu64 ", offset %" PRIu64
             "; give each stream one pid and one tid",
             collect->request.trace_name, COLLECT_MAX_GROUPS, event->index, event->offset);
    return id < COLLECT_MAX_GROUPS;
}

bool launch_add_scope(struct collect *collect, const struct scan_event *event, enum launch_scope kind)
{
    size_t len = 0;
    if (kind == LAUNCH_GPU_SCOPE && !asks_gpu(collect))
        return true;
    if (kind == LAUNCH_GPU_SCOPE && !note_stream(collect, event))
        return false;
    const char *name = event->name.kind == SCAN_STRING ? collect_text(collect, &event->name, &len) : "";
    /* Somebody gave it that name; an operator has the same one everywhere. */
    bool told = event->cat.len > 0 && has_word(event->cat.text, event->cat.len, "user_annotation", 15);
    const uint64_t *matches = name == NULL ? NULL : matches_of(collect, kind, told, name, len);
    if (matches == NULL)
        return false;
    if (matches[patterns_words(collect->request.scope_patterns)] == 0)
        return true;
    bool ok = true;
    struct scope scope = {.name = intern(&collect->scope_names, 's', name, len, NULL)};
    scope.pid = value_or_none(collect, &event->pid, &ok);
    scope.tid = tid_or_none(collect, &event->tid, &ok);
    scope.device = kind == LAUNCH_GPU_SCOPE ? device_or_none(collect, event, &ok) : INTERN_NONE;
    struct decimal start, end;
    enum decimal_status status = span(collect, event, &start, &end, &collect->times);
    bool placed = !collect_is_nested(collect, scope.pid) && !collect_is_nested(collect, scope.tid);
    if (!ok || scope.name == INTERN_NONE || status == DECIMAL_NO_MEMORY ||
        (status == DECIMAL_OK && !track_keep_time(&start, &collect->times)))
        return false;
    if (status == DECIMAL_OK) {
        scope.start = decimal_pack(&start);
        scope.end = decimal_pack(&end);
        scope.start_scale = start.scale;
        scope.end_scale = end.scale;
    }
    for (size_t i = 0; i < collect->request.track_count; i++) {
        struct track *track = &collect->request.tracks[i];
        uint32_t pattern = kind == LAUNCH_GPU_SCOPE ? track->within_gpu_pattern : track->within_pattern;
        if (patterns_hit(matches, pattern) && !add_to_track(track, event, &scope, kind, placed && status == DECIMAL_OK))
            return false;
    }
    return true;
}

/* ---- between the readings ---------------------------------------------------------------------------------- */

/* What messages call a track's trace, and one of its patterns. */
struct shown {
    char place[512], pattern[256];
};

static const struct shown *show(struct shown *shown, const struct track *track, const char *pattern)
{
    printable(shown->place, sizeof shown->place, track->place, strlen(track->place));
    printable(shown->pattern, sizeof shown->pattern, pattern, strlen(pattern));
    return shown;
}

/* "nearest names: 'a', 'b'"; `else_words` when there is no name at all. */
static const char *near_words(char *out, size_t size, const struct suggest_list *list, const char *else_words)
{
    size_t used = (size_t)snprintf(out, size, "%s", list->count == 0 ? else_words : "nearest names: ");
    for (size_t i = 0; i < list->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", i == 0 ? "" : ", ", list->names[i]);
    return out;
}

static enum lt_status settle_launches(struct track *track, struct lt_error *error)
{
    struct shown shown;
    char near[512];
    if (!scopes_settle(&track->scopes))
        return fail_memory(error);
    if (track->scopes.count > 0)
        return LT_OK;
    show(&shown, track, track->options->within);
    return fail(error, LT_SELECTION,
                "%s: %s '%s' matches no scope (slice of category user_annotation, cpu_op or python_function); %s",
                shown.place, track->words->within, shown.pattern,
                near_words(near, sizeof near, &track->near_scopes, "the trace has none"));
}

/* The streams of the chosen process that carry annotations. */
static bool keep_streams(const struct collect *collect, const struct selection *chosen, struct gpu_scopes *scopes)
{
    scopes->tids = malloc((collect->gpu_streams.count + 1) * sizeof *scopes->tids);
    for (uint32_t i = 0; scopes->tids != NULL && i < collect->gpu_streams.count; i++) {
        uint32_t key[3];
        memcpy(key, collect->gpu_streams.entries[i].text, sizeof key);
        if (is_chosen(chosen, key[0], key[2]))
            scopes->tids[scopes->tid_count++] = key[1];
    }
    return scopes->tids != NULL;
}

static enum lt_status settle_gpu_scopes(const struct collect *collect, struct track *track, struct lt_error *error)
{
    struct gpu_scopes *scopes = &track->gpu_scopes;
    const struct selection *chosen = &track->selection;
    struct shown shown;
    char near[512];
    size_t kept = 0;
    for (size_t i = 0; i < scopes->own.count; i++) {
        const struct scope *scope = &scopes->own.items[i];
        if (is_chosen(chosen, scope->pid, scope->device))
            scopes->own.items[kept++] = *scope;
    }
    scopes->own.count = kept;
    scopes->pid = chosen->pid;
    if (!keep_streams(collect, chosen, scopes) || !gpu_scopes_settle(scopes))
        return fail_memory(error);
    if (kept > 0)
        return LT_OK;
    show(&shown, track, track->options->within_gpu);
    return fail(error, LT_SELECTION,
                "%s: %s '%s' matches no slice of category gpu_user_annotation in the anchors' process; %s; or use %s",
                shown.place, track->words->within_gpu, shown.pattern,
                near_words(near, sizeof near, &track->near_gpu_scopes, "name one that it has"), track->words->within);
}

/*
 * Moves an anchor among those kept, which stay in their order; the others
 * gather behind them, in any order.
 */
static void keep_anchor(struct track *track, size_t *kept, size_t index)
{
    struct anchor anchor = track->anchors[index];
    track->anchors[index] = track->anchors[*kept];
    track->anchors[*kept] = anchor;
    if (track->launches != NULL) {
        uint64_t launch = track->launches[index];
        track->launches[index] = track->launches[*kept];
        track->launches[*kept] = launch;
    }
    ++*kept;
}

static void leave_outside(struct track *track, size_t kept)
{
    track->outside_count += track->anchor_count - kept;
    track->anchor_count = kept;
}

static enum lt_status keep_inside_gpu(struct track *track, struct lt_error *error)
{
    struct shown shown;
    size_t kept = 0, count = track->anchor_count;
    for (size_t i = 0; i < count; i++) {
        struct decimal ts = decimal_unpack(track->anchors[i].ts, track->anchors[i].ts_scale);
        if (gpu_scopes_at(&track->gpu_scopes, track->anchors[i].tid, &ts, &ts) == NULL)
            continue;
        keep_anchor(track, &kept, i);
    }
    leave_outside(track, kept);
    if (kept > 0)
        return LT_OK;
    show(&shown, track, track->options->within_gpu);
    return fail(error, LT_SELECTION,
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
            return fail(error, LT_SELECTION,
                        "%s: matching scope at event %" PRIu64 ", offset %" PRIu64
                        " has no finite ts and dur of at least 0, or an object or array as pid or tid; name scopes "
                        "that have them",
                        printable(place, sizeof place, track->place, strlen(track->place)), bad->event, bad->offset);
    }
    return LT_OK;
}

enum lt_status launch_settle(const struct collect *collect, struct track *track, struct lt_error *error)
{
    enum lt_status status = check_bad_scopes(track, error);
    if (status == LT_OK && track->within_pattern != PATTERN_NONE)
        status = settle_launches(track, error);
    if (status == LT_OK && track->within_gpu_pattern != PATTERN_NONE)
        status = settle_gpu_scopes(collect, track, error);
    return status == LT_OK && track->within_gpu_pattern != PATTERN_NONE ? keep_inside_gpu(track, error) : status;
}

/* ---- the second reading: calls ----------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static bool begin_track(struct launches *launches, struct track *track)
{
    launches->track = track;
    launches->keys = malloc((track->anchor_count + 1) * sizeof *launches->keys);
    if (launches->keys == NULL)
        return false;
    memcpy(launches->keys, track->launches, track->anchor_count * sizeof *launches->keys);
    qsort(launches->keys, track->anchor_count, sizeof *launches->keys, by_value);
    for (size_t i = 0; i < track->anchor_count; i++)
        if (launches->count == 0 || launches->keys[launches->count - 1] != launches->keys[i])
            launches->keys[launches->count++] = launches->keys[i];
    uint64_t *shrunk = realloc(launches->keys, (launches->count + 1) * sizeof *shrunk);
    if (shrunk != NULL)
        launches->keys = shrunk;
    launches->answers = calloc(launches->count + 1, sizeof *launches->answers);
    return launches->answers != NULL;
}

enum lt_status launch_begin(struct launch_round *round, struct collect *collect, struct lt_error *error)
{
    *round = (struct launch_round){.collect = collect};
    round->launches = calloc(collect->request.track_count, sizeof *round->launches);
    if (round->launches == NULL)
        return fail_memory(error);
    for (size_t i = 0; i < collect->request.track_count; i++) {
        struct track *track = &collect->request.tracks[i];
        if (track->within_pattern != PATTERN_NONE && !begin_track(&round->launches[round->count++], track))
            return fail_memory(error);
    }
    return LT_OK;
}

void launch_end(struct launch_round *round)
{
    for (size_t i = 0; i < round->count; i++) {
        free(round->launches[i].keys);
        free(round->launches[i].answers);
    }
    free(round->launches);
    *round = (struct launch_round){0};
}

/* Where a correlation stands among the keys, or `count`. */
static size_t find_key(const struct launches *launches, uint64_t key)
{
    size_t low = 0, high = launches->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (launches->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < launches->count && launches->keys[low] == key ? low : launches->count;
}

static bool ends_with(const char *cat, size_t len, const char *ending)
{
    size_t end = strlen(ending);
    return len >= end && memcmp(cat + len - end, ending, end) == 0;
}

/* Runtime and driver calls of any vendor: cuda_runtime, cuda_driver, hip_runtime, xpu_runtime ... */
static bool is_runtime(const char *cat, size_t len)
{
    return ends_with(cat, len, "_runtime") || ends_with(cat, len, "_driver") || has_word(cat, len, "runtime", 7) ||
           has_word(cat, len, "Runtime", 7) || has_word(cat, len, "cuda_runtime", 12) ||
           has_word(cat, len, "cuda_driver", 11);
}

static bool note_call(struct collect *collect, struct launches *launches, size_t at, const struct scan_event *event)
{
    bool ok = true;
    struct decimal start, end;
    uint32_t pid = value_or_none(collect, &event->pid, &ok), tid = tid_or_none(collect, &event->tid, &ok);
    enum decimal_status status = span(collect, event, &start, &end, &collect->passing);
    if (!ok || status == DECIMAL_NO_MEMORY)
        return false;
    /* A call without a place in time is none that could be found. */
    if (status != DECIMAL_OK)
        return true;
    uint32_t scope = scopes_holding(&launches->track->scopes, pid, tid, &start, &end);
    uint32_t answer = scope == SCOPE_NONE ? CALL_OUTSIDE : CALL_INSIDE + scope;
    if (launches->answers[at] == CALL_MISSING)
        launches->answers[at] = answer;
    else if (launches->answers[at] != answer)
        launches->answers[at] = CALL_UNCLEAR;
    return true;
}

static bool take_call(struct launch_round *round, const struct scan_event *event)
{
    struct collect *collect = round->collect;
    if (event->cat.kind != SCAN_STRING || event->ph.kind != SCAN_STRING || event->correlation.kind == SCAN_ABSENT)
        return true;
    size_t len;
    const char *text = collect_text(collect, &event->cat, &len);
    if (text == NULL || !is_runtime(text, len))
        return text != NULL;
    text = collect_text(collect, &event->ph, &len);
    if (text == NULL || len != 1 || text[0] != 'X')
        return text != NULL;
    uint64_t key = collect_correlation(collect, &event->correlation);
    for (size_t i = 0; i < round->count && key != CORRELATION_NONE; i++) {
        size_t at = find_key(&round->launches[i], key);
        if (at < round->launches[i].count && !note_call(collect, &round->launches[i], at, event))
            return false;
    }
    return true;
}

bool launch_event(void *ctx, const struct scan_event *event)
{
    struct launch_round *round = ctx;
    bool taken = !event->is_object || take_call(round, event);
    arena_free(&round->collect->passing);
    if (!taken && round->collect->error->status == LT_OK)
        fail_memory(round->collect->error);
    return taken;
}

/* ---- behind the second reading ----------------------------------------------------------------------------- */

/* What was found for the anchors of one track. */
struct outcome {
    uint64_t missing;
    size_t first_missing, first_unclear; /* anchors, when there are such */
    bool unclear;
    uint64_t missing_key, unclear_key;
    size_t kept;
};

static void sort_out(struct launches *launches, struct outcome *outcome)
{
    struct track *track = launches->track;
    for (size_t i = 0; i < track->anchor_count; i++) {
        uint64_t key = track->launches[i];
        uint32_t answer = launches->answers[find_key(launches, key)];
        if (answer == CALL_MISSING && outcome->missing++ == 0) {
            outcome->first_missing = i;
            outcome->missing_key = key;
        } else if (answer == CALL_UNCLEAR && !outcome->unclear) {
            outcome->unclear = true;
            outcome->first_unclear = i;
            outcome->unclear_key = key;
        }
        track->launches[i] = answer >= CALL_INSIDE ? answer - CALL_INSIDE : SCOPE_NONE;
        outcome->kept += answer >= CALL_INSIDE;
    }
}

static enum lt_status refuse_call(const struct track *track, const struct outcome *outcome, struct lt_error *error)
{
    struct text time = {0};
    struct shown shown;
    const struct anchor *anchor =
        &track->anchors[outcome->missing > 0 ? outcome->first_missing : outcome->first_unclear];
    struct decimal ts = decimal_unpack(anchor->ts, anchor->ts_scale);
    text_decimal(&time, &ts);
    text_add(&time, "", 1);
    show(&shown, track, track->options->within);
    enum lt_status status;
    if (time.failed)
        status = fail_memory(error);
    else if (outcome->missing == 0)
        status = fail(error, LT_SELECTION,
                      "%s: calls in different scopes carry the correlation %" PRIu64
                      " of the anchor at %.64s us, so %s cannot tell where it was launched; annotate each rank's own "
                      "trace",
                      shown.place, outcome->unclear_key, time.data, track->words->within);
    else if (outcome->missing_key == CORRELATION_NONE)
        status =
            fail(error, LT_SELECTION,
                 "%s: the launch of %" PRIu64
                 " of %zu matching anchors is missing: the one at %.64s us has no args.correlation that is a whole "
                 "number; select with "
                 "%s alone",
                 shown.place, outcome->missing, track->anchor_count, time.data, track->words->within_gpu);
    else
        status = fail(error, LT_SELECTION,
                      "%s: the launch of %" PRIu64
                      " of %zu matching anchors is missing: no runtime call carries the correlation %" PRIu64
                      " of the one at %.64s us; record CPU and GPU activity together, or select with %s alone",
                      shown.place, outcome->missing, track->anchor_count, outcome->missing_key, time.data,
                      track->words->within_gpu);
    text_free(&time);
    return status;
}

static enum lt_status apply(struct launches *launches, struct lt_error *error)
{
    struct track *track = launches->track;
    struct outcome outcome = {0};
    struct shown shown;
    sort_out(launches, &outcome);
    if (outcome.missing > 0 || outcome.unclear)
        return refuse_call(track, &outcome, error);
    if (outcome.kept == 0) {
        show(&shown, track, track->options->within);
        return fail(error, LT_SELECTION,
                    "%s: none of %zu matching anchors was launched inside a scope that %s '%s' matches (%zu such); "
                    "name the scope they are launched in",
                    shown.place, track->anchor_count, track->words->within, shown.pattern, track->scopes.count);
    }
    size_t kept = 0;
    for (size_t i = 0; i < track->anchor_count; i++)
        if (track->launches[i] != SCOPE_NONE)
            keep_anchor(track, &kept, i);
    leave_outside(track, kept);
    return LT_OK;
}

enum lt_status launch_apply(struct launch_round *round, struct lt_error *error)
{
    enum lt_status status = LT_OK;
    for (size_t i = 0; i < round->count && status == LT_OK; i++)
        status = apply(&round->launches[i], error);
    return status;
}
