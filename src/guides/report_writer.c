#include "guides/report_writer.h"

#include "base/text.h"
#include "rules/first_pass.h"

/* A writer of members, each on its own line. */
struct report {
    struct text text;
    const char *indent;
    bool begun;
};

/* Begins a line; a member follows. */
static struct text *next_line(struct report *report)
{
    text_puts(&report->text, report->begun ? ",\n" : "{\n");
    report->begun = true;
    text_puts(&report->text, report->indent);
    return &report->text;
}

/* Begins a member: its key. */
static struct text *member(struct report *report, const char *name)
{
    struct text *text = next_line(report);
    text_key(text, name);
    return text;
}

static void member_string(struct report *report, const char *name, const char *string)
{
    text_key_string(next_line(report), name, string);
}

static void member_u64(struct report *report, const char *name, uint64_t number)
{
    text_key_u64(next_line(report), name, number);
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
        guide_row(text, collect, &guide);
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
        text_key_string(text, "regex", track->options->landmarks[i].regex);
        text_puts(text, ", ");
        text_key_u64(text, "count", track->options->landmarks[i].count);
        text_puts(text, "}");
    }
    end_array(report, track->landmark_count);
}

static void report_scopes(struct report *report, const char *key, const struct guide_writer *writer,
                          const struct track *track, bool on_gpu)
{
    struct text *text = member(report, key);
    const struct plan *plan = &track->plan;
    bool asked = on_gpu ? plan->gpu_pass_scope != NULL : plan->pass_scope != NULL;
    uint64_t count = asked ? track->first.passes : 0;
    text_puts(text, "[");
    for (uint64_t i = 0; i < count && !text->failed; i++) {
        const struct scope *scope = on_gpu ? plan->gpu_pass_scope[i] : &track->scopes.items[plan->pass_scope[i]];
        const struct intern_entry *name = &writer->tracks->within.names.entries[scope->name];
        struct decimal start = decimal_unpack(scope->start, scope->start_scale);
        struct decimal end = decimal_unpack(scope->end, scope->end_scale);
        next_element(report, i);
        text_puts(text, "{");
        text_key_u64(text, "pass_index", i);
        text_puts(text, ", ");
        text_key(text, "name");
        text_json(text, name->text, name->len);
        text_puts(text, ", ");
        text_key(text, "pid");
        guide_value(text, writer->collect, scope->pid, false);
        text_puts(text, ", ");
        text_key(text, "tid");
        guide_value(text, writer->collect, scope->tid, false);
        text_puts(text, ", ");
        text_key_decimal(text, "start_us", &start);
        text_puts(text, ", ");
        text_key_decimal(text, "end_us", &end);
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
    guide_value(member(report, "pid"), collect, track->selection.pid, false);
    guide_value(member(report, "device"), collect, track->selection.device, false);
    member_u64(report, "guide_tid", track->selection.guide_tid);
    guide_track_name(member(report, "track_name"), options->phase);
    member_string(report, "anchor_regex", options->anchor_regex);
    member_string(report, "end_anchor_regex", options->end_anchor_regex);
    member_u64(report, "anchor_offset", track->first.anchor_offset);
    member_u64(report, "matching_anchor_count", track->anchor_count);
    member_u64(report, "num_layers", options->num_layers);
    member_u64(report, "first_layer", options->first_layer);
    member_u64(report, "passes", track->first.passes);
}

/* By which rules the numbers of the selection were found. */
static void report_rules(struct report *report, const struct track *track)
{
    char rule[FIRST_PASS_RULE];
    bool all = track->options->passes == LT_ALL;
    member_string(report, "anchor_offset_rule", first_pass_rule(track->options, rule));
    member_string(report, "passes_rule", all ? "all" : NULL);
    if (all)
        member_u64(report, "left_over_anchors", track->first.left_over);
    else
        member_string(report, "left_over_anchors", NULL);
}

static void report_cadence(struct report *report, const struct guide_writer *writer, const struct track *track)
{
    member_u64(report, "anchor_stride", track->options->anchor_stride);
    member_u64(report, "extra_anchors_per_pass", track->options->extra_anchors_per_pass);
    report_landmarks(report, track);
    member_string(report, "within", track->options->within);
    member_string(report, "within_gpu", track->options->within_gpu);
    bool on_cpu = track->plan.pass_scope != NULL, on_gpu = track->plan.gpu_pass_scope != NULL;
    report_scopes(report, "pass_scopes", writer, track, !on_cpu && on_gpu);
    if (on_cpu && on_gpu)
        report_scopes(report, "gpu_pass_scopes", writer, track, true);
    report_rules(report, track);
}

static void report_tracks(struct report *report, const struct guide_writer *writer)
{
    struct text *text = member(report, "tracks");
    const char *indent = report->indent;
    text_puts(text, "[");
    for (size_t i = 0; i < writer->tracks->count; i++) {
        const struct track *track = &writer->tracks->items[i];
        next_element(report, i);
        report->indent = "      ";
        report->begun = false;
        report_selection(report, writer->collect, track);
        report_layers(report, writer->collect, track);
        report_cadence(report, writer, track);
        report->indent = indent;
        text_puts(text, "\n    }");
    }
    report->begun = true;
    end_array(report, writer->tracks->count);
}

static void report_counts(struct report *report, const struct guide_writer *writer, const struct report_facts *facts)
{
    member_u64(report, "original_event_count", facts->event_count);
    member_u64(report, "added_event_count", guide_event_count(writer));
    text_decimal(member(report, "trace_origin_us"), &writer->collect->origin);
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

/* What the trace says of itself as a whole. */
static void report_told(struct report *report, const struct scan_facts *told)
{
    static const struct {
        const char *key;
        enum scan_fact fact;
    } keys[] = {{"base_time_ns", FACT_BASE_TIME}, {"rank", FACT_RANK}, {"world_size", FACT_WORLD_SIZE}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (told->known[keys[i].fact])
            member_u64(report, keys[i].key, told->value[keys[i].fact]);
        else
            member_string(report, keys[i].key, NULL);
}

static void member_place(struct text *text, const char *name, uint64_t place)
{
    text_puts(text, ", ");
    if (place == LT_NONE)
        text_key_string(text, name, NULL);
    else
        text_key_u64(text, name, place);
}

static void report_warnings(struct report *report, const struct heard *heard)
{
    struct text *text = member(report, "warnings");
    text_puts(text, "[");
    for (size_t i = 0; i < heard->count; i++) {
        const struct heard_warning *warning = &heard->items[i];
        next_element(report, i);
        text_puts(text, "{");
        text_key_string(text, "class", lt_class_word(warning->class_id));
        text_puts(text, ", ");
        text_key_u64(text, "count", warning->count);
        member_place(text, "first_event", warning->event);
        member_place(text, "first_offset", warning->offset);
        text_puts(text, ", ");
        text_key_string(text, "sentence", warning->sentence);
        text_puts(text, "}");
    }
    end_array(report, heard->count);
}

bool report_write(const struct guide_writer *writer, const struct report_facts *facts, emit_fn *emit, void *emit_ctx)
{
    const struct collect *collect = writer->collect;
    const struct track *track = &writer->tracks->items[0];
    bool flat = writer->tracks->count == 1;
    struct report report = {.text = {.emit = emit, .ctx = emit_ctx}, .indent = "  "};
    member_u64(&report, "schema_version", 1);
    member_string(&report, "notice", guide_notice);
    if (flat)
        report_selection(&report, collect, track);
    else
        report_tracks(&report, writer);
    report_counts(&report, writer, facts);
    if (flat)
        report_layers(&report, collect, track);
    report_source(&report, facts);
    if (flat)
        report_cadence(&report, writer, track);
    text_puts(member(&report, "source_gzip"), facts->source_is_gzip ? "true" : "false");
    member_string(&report, "source_crc32", facts->source_is_gzip ? facts->crc32 : NULL);
    report_told(&report, facts->told);
    report_warnings(&report, facts->heard);
    text_puts(&report.text, "\n}\n");
    bool ok = text_flush(&report.text);
    text_free(&report.text);
    return ok;
}
