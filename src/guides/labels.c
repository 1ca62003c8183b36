#include "guides/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "trace/reading.h"

const char labels_notice[] =
    "Navigation aid from an anchor's start to the next anchor's start: not the full layer, not "
    "ownership of the kernels beneath it, not a latency.";

uint64_t labels_event_count(const struct labels *labels)
{
    const struct collect_request *request = &labels->collect->request;
    uint64_t count = 0;
    for (size_t i = 0; i < request->track_count; i++)
        count += request->tracks[i].plan.guide_count + 2;
    return count;
}

static void key(struct text *text, const char *name)
{
    text_puts(text, "\"");
    text_puts(text, name);
    text_puts(text, "\": ");
}

static void key_string(struct text *text, const char *name, const char *string)
{
    key(text, name);
    if (string == NULL)
        text_puts(text, "null");
    else
        text_json(text, string, strlen(string));
}

static void key_u64(struct text *text, const char *name, uint64_t number)
{
    key(text, name);
    text_u64(text, number);
}

static void key_decimal(struct text *text, const char *name, const struct decimal *number)
{
    key(text, name);
    text_decimal(text, number);
}

static bool is_json_word(const char *text, size_t len)
{
    return (len == 4 && (memcmp(text, "null", 4) == 0 || memcmp(text, "true", 4) == 0)) ||
           (len == 5 && memcmp(text, "false", 5) == 0);
}

/*
 * A pid, device or tid. In guides bytes that are not UTF-8 are kept: the
 * guide must name the very process that the trace names.
 */
static void value(struct text *text, const struct collect *collect, uint32_t number, bool keep_invalid)
{
    if (number != INTERN_NONE && (number & TID_INLINE) != 0) {
        char digits[16];
        text_add(text, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu32, number & ~TID_INLINE));
        return;
    }
    const struct intern_entry *entry = number == INTERN_NONE ? NULL : &collect->values.entries[number];
    if (entry == NULL || (entry->tag == VALUE_OTHER && entry->len == 0)) {
        text_puts(text, "null");
        return;
    }
    if (entry->tag == VALUE_STRING && keep_invalid)
        text_json_raw(text, entry->text, entry->len);
    else if (entry->tag == VALUE_STRING)
        text_json(text, entry->text, entry->len);
    else if (entry->tag == VALUE_OTHER && !is_json_word(entry->text, entry->len))
        text_json(text, entry->text, entry->len); /* a bare nan, half a surrogate pair */
    else
        text_add(text, entry->text, entry->len);
}

static void track_name(struct text *text, const char *phase)
{
    struct text name = {0};
    text_puts(&name, "Layer guide (");
    text_puts(&name, phase);
    text_puts(&name, ") \xe2\x80\x94 anchor intervals");
    text_json(text, name.data, name.len);
    text->failed |= name.failed;
    text_free(&name);
}

static void relative_ms(struct text *text, const char *name, const struct decimal *time, const struct decimal *origin)
{
    struct arena arena = {0};
    struct decimal difference, ms;
    if (decimal_subtract(&difference, time, origin, &arena) == DECIMAL_OK &&
        decimal_shift(&ms, &difference, 3, &arena) == DECIMAL_OK)
        key_decimal(text, name, &ms);
    else
        text->failed = true;
    arena_free(&arena);
}

/* The members of a report row, without braces. */
static void row(struct text *text, const struct collect *collect, const struct guide *guide)
{
    static const char *const boundaries[] = {
        [PLAN_NEXT_ANCHOR] = "next_layer_anchor",
        [PLAN_TERMINAL_END] = "terminal_kernel_end",
        [PLAN_POINT] = "anchor_point_only",
    };
    const struct intern_entry *name = &collect->names.entries[guide->anchor->name];
    key_u64(text, "pass_index", guide->pass_index);
    text_puts(text, ", ");
    key_u64(text, "layer_id", guide->layer_id);
    text_puts(text, ", ");
    key_u64(text, "anchor_index", guide->anchor_index);
    text_puts(text, ", ");
    key(text, "anchor_name");
    text_json(text, name->text, name->len);
    text_puts(text, ", ");
    key(text, "anchor_tid");
    value(text, collect, guide->anchor->tid, false);
    text_puts(text, ", ");
    key_decimal(text, "start_us", &guide->start);
    text_puts(text, ", ");
    key_decimal(text, "end_us", &guide->end);
    text_puts(text, ", ");
    key(text, "guide_start_us");
    text_i64(text, guide->guide_start);
    text_puts(text, ", ");
    key(text, "guide_end_us");
    text_i64(text, guide->guide_end);
    text_puts(text, ", ");
    relative_ms(text, "start_relative_ms", &guide->start, &collect->origin);
    text_puts(text, ", ");
    relative_ms(text, "end_relative_ms", &guide->end, &collect->origin);
    text_puts(text, ", ");
    key_string(text, "boundary_kind", boundaries[guide->boundary]);
}

/* What every event of the track shares: its process and its tid. */
static void place(struct text *text, const struct collect *collect, const struct track *track)
{
    key(text, "pid");
    value(text, collect, track->selection.pid, true);
    text_puts(text, ", ");
    key_u64(text, "tid", track->selection.guide_tid);
}

static void guide_event(struct text *text, const struct collect *collect, const struct track *track, uint64_t index)
{
    struct guide guide;
    plan_guide(&track->plan, index, &guide);
    text_puts(text, ",\n{\"ph\": \"X\", \"cat\": \"layer_guide\", \"name\": \"L");
    text_u64(text, guide.layer_id);
    text_puts(text, "\", ");
    place(text, collect, track);
    text_puts(text, ", ");
    key(text, "ts");
    text_i64(text, guide.guide_start);
    text_puts(text, ", ");
    key(text, "dur");
    text_u64(text, (uint64_t)guide.guide_end - (uint64_t)guide.guide_start);
    text_puts(text, ", \"args\": {");
    row(text, collect, &guide);
    text_puts(text, ", ");
    key_string(text, "phase", track->options->phase);
    text_puts(text, ", ");
    key_string(text, "evidence", track->options->evidence);
    text_puts(text, ", ");
    key_string(text, "notice", labels_notice);
    text_puts(text, "}}");
}

static void track_events(struct text *text, const struct collect *collect, size_t index)
{
    const struct track *track = &collect->request.tracks[index];
    text_puts(text, "{\"ph\": \"M\", \"name\": \"thread_name\", ");
    place(text, collect, track);
    text_puts(text, ", \"args\": {\"name\": ");
    track_name(text, track->options->phase);
    text_puts(text, "}},\n{\"ph\": \"M\", \"name\": \"thread_sort_index\", ");
    place(text, collect, track);
    text_puts(text, ", \"args\": {\"sort_index\": ");
    text_i64(text, (int64_t)index - LABELS_SORT_BELOW);
    text_puts(text, "}}");
    for (uint64_t i = 0; i < track->plan.guide_count && !text->failed; i++)
        guide_event(text, collect, track, i);
}

bool labels_insertion(void *ctx, emit_fn *emit, void *emit_ctx)
{
    const struct labels *labels = ctx;
    struct text text = {.emit = emit, .ctx = emit_ctx};
    text_puts(&text, labels->needs_comma ? ",\n" : "\n");
    for (size_t i = 0; i < labels->collect->request.track_count; i++) {
        text_puts(&text, i == 0 ? "" : ",\n");
        track_events(&text, labels->collect, i);
    }
    text_puts(&text, "\n");
    bool ok = text_flush(&text);
    text_free(&text);
    return ok;
}

/* ---- what could not be read again -------------------------------------------------------------------------- */

static bool count_only(void *ctx, const void *data, size_t len)
{
    (void)data;
    *(uint64_t *)ctx += len;
    return true;
}

/* Never less than a guide's event is long. */
static uint64_t most_bytes(const struct collect *collect, const struct track *track, const struct guide *guide)
{
    const uint32_t values[] = {track->selection.pid, guide->anchor->tid};
    uint64_t texts = strlen(track->options->phase) + strlen(track->options->evidence) +
                     collect->names.entries[guide->anchor->name].len;
    uint64_t times = decimal_print_size(&guide->start) + decimal_print_size(&guide->end);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        texts += values[i] == INTERN_NONE || (values[i] & TID_INLINE) != 0 ? 0 : collect->values.entries[values[i]].len;
    /* Each time exact and less the origin; a byte as \u001f; keys and the rest. */
    return 2 * times + 2 * (uint64_t)decimal_print_size(&collect->origin) + 6 * texts + 4096;
}

enum labels_excess labels_fit(const struct collect *collect, const struct track *track, struct labels_too_long *found)
{
    struct text text = {.emit = count_only, .ctx = &found->bytes};
    *found = (struct labels_too_long){.limit = SCAN_MAX_FIELD};
    value(&text, collect, track->selection.pid, true);
    if (text_flush(&text) && found->bytes > SCAN_MAX_FIELD + 2)
        found->what = LABELS_LONG_PID;
    for (uint64_t i = 0; i < track->plan.guide_count && !text.failed && found->what == LABELS_FINE; i++) {
        struct guide guide;
        plan_guide(&track->plan, i, &guide);
        if (most_bytes(collect, track, &guide) <= READING_MAX_TEXT)
            continue;
        *found = (struct labels_too_long){.pass = guide.pass_index, .layer = guide.layer_id, .limit = READING_MAX_TEXT};
        guide_event(&text, collect, track, i);
        if (text_flush(&text) && found->bytes > READING_MAX_TEXT)
            found->what = LABELS_LONG_GUIDE;
    }
    if (text.failed)
        found->what = LABELS_NO_MEMORY;
    text_free(&text);
    return found->what;
}

/* ---- the report -------------------------------------------------------------------------------------------- */

/* A writer of members, each on its own line. */
struct report {
    struct text text;
    const char *indent;
    bool begun;
};

/* Begins a member: its key. */
static struct text *member(struct report *report, const char *name)
{
    text_puts(&report->text, report->begun ? ",\n" : "{\n");
    report->begun = true;
    text_puts(&report->text, report->indent);
    key(&report->text, name);
    return &report->text;
}

static void member_string(struct report *report, const char *name, const char *string)
{
    struct text *text = member(report, name);
    if (string == NULL)
        text_puts(text, "null");
    else
        text_json(text, string, strlen(string));
}

static void member_u64(struct report *report, const char *name, uint64_t number)
{
    text_u64(member(report, name), number);
}

/* Between the elements of an array, which stand one a line and deeper than the member. */
static void next_element(struct report *report, uint64_t index)
{
    text_puts(&report->text, index == 0 ? "\n" : ",\n");
    text_puts(&report->text, report->indent);
    text_puts(&report->text, "  ");
}

static void end_array(struct report *report, uint64_t count)
{
    text_puts(&report->text, count == 0 ? "" : "\n");
    text_puts(&report->text, count == 0 ? "" : report->indent);
    text_puts(&report->text, "]");
}

static void report_layers(struct report *report, const struct collect *collect, const struct track *track)
{
    struct text *text = member(report, "layers");
    text_puts(text, "[");
    for (uint64_t i = 0; i < track->plan.guide_count && !text->failed; i++) {
        struct guide guide;
        plan_guide(&track->plan, i, &guide);
        next_element(report, i);
        text_puts(text, "{");
        row(text, collect, &guide);
        text_puts(text, "}");
    }
    end_array(report, track->plan.guide_count);
}

static void report_landmarks(struct report *report, const struct track *track)
{
    struct text *text = member(report, "landmarks");
    text_puts(text, "[");
    for (size_t i = 0; i < track->landmark_count; i++) {
        next_element(report, i);
        text_puts(text, "{");
        key_string(text, "regex", track->options->landmarks[i].regex);
        text_puts(text, ", ");
        key_u64(text, "count", track->options->landmarks[i].count);
        text_puts(text, "}");
    }
    end_array(report, track->landmark_count);
}

static void report_scopes(struct report *report, const struct collect *collect, const struct track *track)
{
    struct text *text = member(report, "pass_scopes");
    const struct plan *plan = &track->plan;
    uint64_t count = plan->pass_scope == NULL && plan->gpu_pass_scope == NULL ? 0 : track->options->passes;
    text_puts(text, "[");
    for (uint64_t i = 0; i < count && !text->failed; i++) {
        const struct scope *scope =
            plan->pass_scope != NULL ? &track->scopes.items[plan->pass_scope[i]] : plan->gpu_pass_scope[i];
        const struct intern_entry *name = &collect->scope_names.entries[scope->name];
        struct decimal start = decimal_unpack(scope->start, scope->start_scale);
        struct decimal end = decimal_unpack(scope->end, scope->end_scale);
        next_element(report, i);
        text_puts(text, "{");
        key_u64(text, "pass_index", i);
        text_puts(text, ", ");
        key(text, "name");
        text_json(text, name->text, name->len);
        text_puts(text, ", ");
        key(text, "pid");
        value(text, collect, scope->pid, false);
        text_puts(text, ", ");
        key(text, "tid");
        value(text, collect, scope->tid, false);
        text_puts(text, ", ");
        key_decimal(text, "start_us", &start);
        text_puts(text, ", ");
        key_decimal(text, "end_us", &end);
        text_puts(text, "}");
    }
    end_array(report, count);
}

/* What identifies a track and its selection. */
static void report_selection(struct report *report, const struct collect *collect, const struct track *track)
{
    const struct lt_track *options = track->options;
    member_string(report, "phase", options->phase);
    member_string(report, "evidence", options->evidence);
    value(member(report, "pid"), collect, track->selection.pid, false);
    value(member(report, "device"), collect, track->selection.device, false);
    member_u64(report, "guide_tid", track->selection.guide_tid);
    track_name(member(report, "track_name"), options->phase);
    member_string(report, "anchor_regex", options->anchor_regex);
    member_string(report, "end_anchor_regex", options->end_anchor_regex);
    member_u64(report, "anchor_offset", options->anchor_offset);
    member_u64(report, "matching_anchor_count", track->anchor_count);
    member_u64(report, "num_layers", options->num_layers);
    member_u64(report, "first_layer", options->first_layer);
    member_u64(report, "passes", options->passes);
}

static void report_cadence(struct report *report, const struct collect *collect, const struct track *track)
{
    member_u64(report, "anchor_stride", track->options->anchor_stride);
    member_u64(report, "extra_anchors_per_pass", track->options->extra_anchors_per_pass);
    report_landmarks(report, track);
    member_string(report, "within", track->options->within);
    member_string(report, "within_gpu", track->options->within_gpu);
    report_scopes(report, collect, track);
}

static void report_tracks(struct report *report, const struct collect *collect)
{
    struct text *text = member(report, "tracks");
    const char *indent = report->indent;
    text_puts(text, "[");
    for (size_t i = 0; i < collect->request.track_count; i++) {
        const struct track *track = &collect->request.tracks[i];
        next_element(report, i);
        report->indent = "      ";
        report->begun = false;
        report_selection(report, collect, track);
        report_layers(report, collect, track);
        report_cadence(report, collect, track);
        report->indent = indent;
        text_puts(text, "\n    }");
    }
    report->begun = true;
    end_array(report, collect->request.track_count);
}

static void report_counts(struct report *report, const struct labels *labels, const struct report_facts *facts)
{
    member_u64(report, "original_event_count", facts->event_count);
    member_u64(report, "added_event_count", labels_event_count(labels));
    text_decimal(member(report, "trace_origin_us"), &labels->collect->origin);
}

static void report_source(struct report *report, const struct report_facts *facts)
{
    member_string(report, "source_sha256", facts->sha256);
    member_string(report, "source_file", facts->source_file);
    member_u64(report, "source_bytes", facts->source_bytes);
    member_u64(report, "insert_offset", facts->insert_offset);
    member_u64(report, "insert_bytes", facts->insert_bytes);
    member_string(report, "tool_version", lt_version());
}

bool labels_report(const struct labels *labels, const struct report_facts *facts, emit_fn *emit, void *emit_ctx)
{
    const struct collect *collect = labels->collect;
    const struct track *track = &collect->request.tracks[0];
    bool flat = collect->request.track_count == 1;
    struct report report = {.text = {.emit = emit, .ctx = emit_ctx}, .indent = "  "};
    member_u64(&report, "schema_version", 1);
    member_string(&report, "notice", labels_notice);
    if (flat)
        report_selection(&report, collect, track);
    else
        report_tracks(&report, collect);
    report_counts(&report, labels, facts);
    if (flat)
        report_layers(&report, collect, track);
    report_source(&report, facts);
    if (flat)
        report_cadence(&report, collect, track);
    text_puts(member(&report, "source_gzip"), facts->source_is_gzip ? "true" : "false");
    if (facts->source_is_gzip)
        member_string(&report, "source_crc32", facts->crc32);
    else
        text_puts(member(&report, "source_crc32"), "null");
    text_puts(&report.text, "\n}\n");
    bool ok = text_flush(&report.text);
    text_free(&report.text);
    return ok;
}
