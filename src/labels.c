#include "labels.h"

#include <string.h>

#include "text.h"

const char labels_notice[] =
    "Navigation aid from an anchor's start to the next anchor's start: not the full layer, not "
    "ownership of the kernels beneath it, not a latency.";

uint64_t labels_event_count(const struct labels *labels)
{
    return labels->plan->guide_count + 2;
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

/*
 * A pid, device or tid. In guides bytes that are not UTF-8 are kept: the
 * guide must name the very process that the trace names.
 */
static void value(struct text *text, const struct collect *collect, uint32_t number, bool keep_invalid)
{
    if (number == INTERN_NONE) {
        text_puts(text, "null");
        return;
    }
    const struct intern_entry *entry = &collect->values.entries[number];
    if (entry->tag == VALUE_STRING && keep_invalid)
        text_json_raw(text, entry->text, entry->len);
    else if (entry->tag == VALUE_STRING)
        text_json(text, entry->text, entry->len);
    else
        text_add(text, entry->len > 0 ? entry->text : "null", entry->len > 0 ? entry->len : 4);
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
static void row(struct text *text, const struct labels *labels, const struct guide *guide)
{
    static const char *const boundaries[] = {
        [PLAN_NEXT_ANCHOR] = "next_layer_anchor",
        [PLAN_TERMINAL_END] = "terminal_kernel_end",
        [PLAN_POINT] = "anchor_point_only",
    };
    const struct collect *collect = labels->collect;
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
static void place(struct text *text, const struct labels *labels)
{
    key(text, "pid");
    value(text, labels->collect, labels->selection->pid, true);
    text_puts(text, ", ");
    key_u64(text, "tid", labels->selection->guide_tid);
}

static void guide_event(struct text *text, const struct labels *labels, uint64_t index)
{
    struct guide guide;
    plan_guide(labels->plan, index, &guide);
    text_puts(text, ",\n{\"ph\": \"X\", \"cat\": \"layer_guide\", \"name\": \"L");
    text_u64(text, guide.layer_id);
    text_puts(text, "\", ");
    place(text, labels);
    text_puts(text, ", ");
    key(text, "ts");
    text_i64(text, guide.guide_start);
    text_puts(text, ", ");
    key(text, "dur");
    text_u64(text, (uint64_t)guide.guide_end - (uint64_t)guide.guide_start);
    text_puts(text, ", \"args\": {");
    row(text, labels, &guide);
    text_puts(text, ", ");
    key_string(text, "phase", labels->options->phase);
    text_puts(text, ", ");
    key_string(text, "evidence", labels->options->evidence);
    text_puts(text, ", ");
    key_string(text, "notice", labels_notice);
    text_puts(text, "}}");
}

bool labels_insertion(void *ctx, emit_fn *emit, void *emit_ctx)
{
    const struct labels *labels = ctx;
    struct text text = {.emit = emit, .ctx = emit_ctx};
    text_puts(&text, labels->needs_comma ? ",\n" : "\n");
    text_puts(&text, "{\"ph\": \"M\", \"name\": \"thread_name\", ");
    place(&text, labels);
    text_puts(&text, ", \"args\": {\"name\": ");
    track_name(&text, labels->options->phase);
    text_puts(&text, "}},\n{\"ph\": \"M\", \"name\": \"thread_sort_index\", ");
    place(&text, labels);
    text_puts(&text, ", \"args\": {\"sort_index\": -1000}}");
    for (uint64_t i = 0; i < labels->plan->guide_count && !text.failed; i++)
        guide_event(&text, labels, i);
    text_puts(&text, "\n");
    bool ok = text_flush(&text);
    text_free(&text);
    return ok;
}

static void next_line(struct text *text)
{
    text_puts(text, ",\n  ");
}

static void report_layers(struct text *text, const struct labels *labels)
{
    key(text, "layers");
    text_puts(text, "[");
    for (uint64_t i = 0; i < labels->plan->guide_count && !text->failed; i++) {
        struct guide guide;
        plan_guide(labels->plan, i, &guide);
        text_puts(text, i == 0 ? "\n    {" : ",\n    {");
        row(text, labels, &guide);
        text_puts(text, "}");
    }
    text_puts(text, "\n  ]");
}

bool labels_report(const struct labels *labels, const struct report_facts *facts, emit_fn *emit, void *emit_ctx)
{
    const struct lt_annotate_options *options = labels->options;
    const struct collect *collect = labels->collect;
    struct text writer = {.emit = emit, .ctx = emit_ctx}, *text = &writer;
    text_puts(text, "{\n  ");
    key_u64(text, "schema_version", 1);
    next_line(text);
    key_string(text, "notice", labels_notice);
    next_line(text);
    key_string(text, "phase", options->phase);
    next_line(text);
    key_string(text, "evidence", options->evidence);
    next_line(text);
    key(text, "pid");
    value(text, collect, labels->selection->pid, false);
    next_line(text);
    key(text, "device");
    value(text, collect, labels->selection->device, false);
    next_line(text);
    key_u64(text, "guide_tid", labels->selection->guide_tid);
    next_line(text);
    key(text, "track_name");
    track_name(text, options->phase);
    next_line(text);
    key_string(text, "anchor_regex", options->anchor_regex);
    next_line(text);
    key_string(text, "end_anchor_regex", options->end_anchor_regex);
    next_line(text);
    key_u64(text, "anchor_offset", options->anchor_offset);
    next_line(text);
    key_u64(text, "matching_anchor_count", collect->anchor_count);
    next_line(text);
    key_u64(text, "num_layers", options->num_layers);
    next_line(text);
    key_u64(text, "first_layer", options->first_layer);
    next_line(text);
    key_u64(text, "passes", options->passes);
    next_line(text);
    key_u64(text, "original_event_count", facts->event_count);
    next_line(text);
    key_u64(text, "added_event_count", labels_event_count(labels));
    next_line(text);
    key_decimal(text, "trace_origin_us", &collect->origin);
    next_line(text);
    report_layers(text, labels);
    next_line(text);
    key_string(text, "source_sha256", facts->sha256);
    next_line(text);
    key_string(text, "source_file", facts->source_file);
    next_line(text);
    key_u64(text, "source_bytes", facts->source_bytes);
    next_line(text);
    key_u64(text, "insert_offset", facts->insert_offset);
    next_line(text);
    key_u64(text, "insert_bytes", facts->insert_bytes);
    next_line(text);
    key_string(text, "tool_version", lt_version());
    text_puts(text, "\n}\n");
    bool ok = text_flush(text);
    text_free(text);
    return ok;
}
