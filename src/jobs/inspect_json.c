/*
 * The findings of lt_inspect() as JSON, and their end. Written piece by piece:
 * a hundred thousand names need no buffer of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/line.h"
#include "base/text.h"
#include "base/versioned.h"
#include "layertrack.h"

static void number(struct text *text, const char *name, uint64_t value)
{
    text_puts(text, ", ");
    text_key_u64(text, name, value);
}

/* JSON that may have come from the trace, or null. */
static void json_value(struct text *text, const char *json)
{
    line_add_json(text, json == NULL ? "null" : json, json == NULL ? 4 : strlen(json));
}

static void value(struct text *text, const char *name, const char *json)
{
    text_puts(text, ", ");
    text_key(text, name);
    json_value(text, json);
}

/* A string in which a build's log finds no command. */
static void string_value(struct text *text, const char *string, size_t len)
{
    struct text json = {0};
    text_json(&json, string, len);
    line_add_json(text, json.data, json.len);
    text->failed = text->failed || json.failed;
    text_free(&json);
}

static void clusters(struct text *text, const struct lt_inspect_clusters *found)
{
    number(text, "runs", found->runs);
    value(text, "sizes_in_order", found->in_order ? "true" : "false");
    text_puts(text, ", \"sizes\": [");
    for (unsigned i = 0; i < found->size_count; i++) {
        text_puts(text, i == 0 ? "[" : ", [");
        text_u64(text, found->sizes[i].runs);
        text_puts(text, ", ");
        text_u64(text, found->sizes[i].kernels);
        text_puts(text, "]");
    }
    text_puts(text, "]");
    number(text, "other_runs", found->other_runs);
    value(text, "median_gap_us", found->median_gap);
    value(text, "largest_gap_within_us", found->within_gap);
    value(text, "smallest_gap_between_us", found->between_gap);
    value(text, "ratio", found->ratio);
}

static void name(struct text *text, const struct lt_inspect_name *found, uint64_t layers)
{
    text_puts(text, "\n    {\"name\": ");
    string_value(text, found->name, found->name_len);
    number(text, "count", found->count);
    number(text, "without_ts", found->untimed);
    number(text, "streams", found->streams);
    if (layers > 0) {
        number(text, "count_per_layer", found->count / layers);
        number(text, "count_remainder", found->count % layers);
        value(text, "fits_num_layers", found->fits ? "true" : "false");
    }
    clusters(text, found->clusters);
    text_puts(text, "}");
}

static void group(struct text *text, const struct lt_inspect_group *found, const struct lt_inspect_options *options,
                  uint64_t top)
{
    text_puts(text, "\n  {\"pid\": ");
    json_value(text, found->pid);
    value(text, "device", found->device);
    value(text, "also_without_device", found->also_without_device ? "true" : "false");
    number(text, "kernels", found->kernels);
    number(text, "matching", found->matching);
    number(text, "streams", found->streams);
    value(text, "first_start_us", found->first_us);
    value(text, "last_start_us", found->last_us);
    value(text, "span_us", found->span_us);
    size_t count = found->name_count < top ? found->name_count : (size_t)top;
    number(text, "distinct_names", found->name_count);
    number(text, "names_left_out", found->name_count - count);
    text_puts(text, ", \"names\": [");
    for (size_t i = 0; i < count; i++) {
        text_puts(text, i == 0 ? "" : ",");
        name(text, found->names[i], options->num_layers);
    }
    text_puts(text, "]");
    if (options->anchor_regex != NULL) {
        text_puts(text, ", \"together\": {\"matching\": ");
        text_u64(text, found->matching);
        clusters(text, found->clusters);
        text_puts(text, ", \"clusters\": [");
        for (size_t i = 0; i < found->run_count; i++) {
            text_puts(text, i == 0 ? "\n    {\"run\": " : ",\n    {\"run\": ");
            text_u64(text, i + 1);
            number(text, "first_index", found->runs[i]->first);
            number(text, "size", found->runs[i]->kernels);
            value(text, "start_us", found->runs[i]->start_us);
            value(text, "gap_before_us", found->runs[i]->gap_us);
            text_puts(text, "}");
        }
        text_puts(text, "]}");
    }
    text_puts(text, "}");
}

bool lt_inspection_json(const struct lt_inspection *inspection, const struct lt_inspect_options *options, uint64_t top,
                        lt_emit_fn *emit, void *ctx)
{
    struct lt_inspection found;
    struct lt_inspect_options own;
    struct lt_error why = {0};
    if (versioned_take(&found, sizeof found, inspection, "lt_inspection", &why) != LT_OK ||
        versioned_take(&own, sizeof own, options, "lt_inspect_options", &why) != LT_OK)
        return false;
    struct text text = {.emit = emit, .ctx = ctx};
    text_puts(&text, "{\"schema_version\": 1, \"tool_version\": \"" LT_VERSION "\", \"rule\": ");
    text_json(&text, found.rule, strlen(found.rule));
    number(&text, "events", found.events);
    number(&text, "kernels", found.kernels);
    text_puts(&text, ", \"num_layers\": ");
    if (own.num_layers > 0)
        text_u64(&text, own.num_layers);
    else
        text_puts(&text, "null");
    text_puts(&text, ", \"anchor_regex\": ");
    if (own.anchor_regex != NULL)
        string_value(&text, own.anchor_regex, strlen(own.anchor_regex));
    else
        text_puts(&text, "null");
    text_puts(&text, ", \"groups\": [");
    for (size_t i = 0; i < found.group_count; i++) {
        text_puts(&text, i == 0 ? "" : ",");
        group(&text, found.groups[i], &own, top);
    }
    text_puts(&text, "]}\n");
    bool done = text_flush(&text);
    text_free(&text);
    return done;
}

void lt_inspection_free(struct lt_inspection *inspection)
{
    static const struct lt_inspection none;
    if (inspection->memory != NULL)
        arena_free(inspection->memory);
    free(inspection->memory);
    versioned_give(inspection, &none, sizeof none);
}
