#include "guides/guide_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "trace/reading.h"

const char guide_notice[] = "Navigation aid from an anchor's start to the next anchor's start: not the full layer, not "
                            "ownership of the kernels beneath it, not a latency.";

uint64_t guide_event_count(const struct guide_writer *writer)
{
    uint64_t count = 0;
    for (size_t i = 0; i < writer->tracks->count; i++)
        count += writer->tracks->items[i].plan.guide_count + 2;
    return count;
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
void guide_value(struct text *text, const struct collect *collect, uint32_t number, bool keep_invalid)
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

void guide_track_name(struct text *text, const char *phase)
{
    struct text name = {0};
    text_puts(&name, "Layer guide (");
    text_puts(&name, phase);
    text_puts(&name, ") \xe2\x80\x94 anchor intervals");
    text_json(text, name.data, name.len);
    text->failed |= name.failed;
    text_free(&name);
}

void guide_relative_ms(struct text *text, const struct collect *collect, const struct decimal *time)
{
    struct decimal difference;
    /* guide_fit() has seen that it fits. */
    text->failed |= decimal_subtract(&difference, time, &collect->origin) != DECIMAL_OK;
    struct decimal ms = decimal_shift(&difference, 3);
    text_decimal(text, &ms);
}

const char *guide_boundary_kind(const struct guide *guide)
{
    static const char *const boundaries[] = {
        [PLAN_NEXT_ANCHOR] = "next_layer_anchor",
        [PLAN_TERMINAL_END] = "terminal_kernel_end",
        [PLAN_POINT] = "anchor_point_only",
    };
    return boundaries[guide->boundary];
}

/* The members of a report row, without braces. */
void guide_row(struct text *text, const struct collect *collect, const struct guide *guide)
{
    const struct intern_entry *name = &collect->names.entries[guide->anchor->name];
    text_key_u64(text, "pass_index", guide->pass_index);
    text_puts(text, ", ");
    text_key_u64(text, "layer_id", guide->layer_id);
    text_puts(text, ", ");
    text_key_u64(text, "anchor_index", guide->anchor_index);
    text_puts(text, ", ");
    text_key(text, "anchor_name");
    text_json(text, name->text, name->len);
    text_puts(text, ", ");
    text_key(text, "anchor_tid");
    guide_value(text, collect, guide->anchor->tid, false);
    text_puts(text, ", ");
    text_key_decimal(text, "start_us", &guide->start);
    text_puts(text, ", ");
    text_key_decimal(text, "end_us", &guide->end);
    text_puts(text, ", ");
    text_key(text, "guide_start_us");
    text_i64(text, guide->guide_start);
    text_puts(text, ", ");
    text_key(text, "guide_end_us");
    text_i64(text, guide->guide_end);
    text_puts(text, ", ");
    text_key(text, "start_relative_ms");
    guide_relative_ms(text, collect, &guide->start);
    text_puts(text, ", ");
    text_key(text, "end_relative_ms");
    guide_relative_ms(text, collect, &guide->end);
    text_puts(text, ", ");
    text_key_string(text, "boundary_kind", guide_boundary_kind(guide));
}

/* What every event of the track shares: its process and its tid. */
static void place(struct text *text, const struct collect *collect, const struct track *track)
{
    text_key(text, "pid");
    guide_value(text, collect, track->selection.pid, true);
    text_puts(text, ", ");
    text_key_u64(text, "tid", track->selection.guide_tid);
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
    text_key(text, "ts");
    text_i64(text, guide.guide_start);
    text_puts(text, ", ");
    text_key(text, "dur");
    text_u64(text, (uint64_t)guide.guide_end - (uint64_t)guide.guide_start);
    text_puts(text, ", \"args\": {");
    guide_row(text, collect, &guide);
    text_puts(text, ", ");
    text_key_string(text, "phase", track->options->phase);
    text_puts(text, ", ");
    text_key_string(text, "evidence", track->options->evidence);
    text_puts(text, ", ");
    text_key_string(text, "notice", guide_notice);
    text_puts(text, "}}");
}

static void track_events(struct text *text, const struct guide_writer *writer, size_t index)
{
    const struct collect *collect = writer->collect;
    const struct track *track = &writer->tracks->items[index];
    text_puts(text, "{\"ph\": \"M\", \"name\": \"thread_name\", ");
    place(text, collect, track);
    text_puts(text, ", \"args\": {\"name\": ");
    guide_track_name(text, track->options->phase);
    text_puts(text, "}},\n{\"ph\": \"M\", \"name\": \"thread_sort_index\", ");
    place(text, collect, track);
    text_puts(text, ", \"args\": {\"sort_index\": ");
    text_i64(text, (int64_t)index - GUIDE_SORT_BELOW);
    text_puts(text, "}}");
    for (uint64_t i = 0; i < track->plan.guide_count && !text->failed; i++)
        guide_event(text, collect, track, i);
}

bool guide_insertion(void *ctx, emit_fn *emit, void *emit_ctx)
{
    const struct guide_writer *writer = ctx;
    struct text text = {.emit = emit, .ctx = emit_ctx};
    text_puts(&text, writer->needs_comma ? ",\n" : "\n");
    for (size_t i = 0; i < writer->tracks->count; i++) {
        text_puts(&text, i == 0 ? "" : ",\n");
        track_events(&text, writer, i);
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
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        texts += values[i] == INTERN_NONE || (values[i] & TID_INLINE) != 0 ? 0 : collect->values.entries[values[i]].len;
    /* A byte as \u001f; times, keys and the rest. */
    return 6 * texts + 4096;
}

/* Whether the times less the origin have so few digits that they can be written. */
static bool times_fit(const struct collect *collect, const struct guide *guide)
{
    struct decimal since;
    return decimal_subtract(&since, &guide->start, &collect->origin) == DECIMAL_OK &&
           decimal_subtract(&since, &guide->end, &collect->origin) == DECIMAL_OK;
}

enum guide_excess guide_fit(const struct collect *collect, const struct track *track, struct guide_too_long *found)
{
    struct text text = {.emit = count_only, .ctx = &found->bytes};
    *found = (struct guide_too_long){.limit = SCAN_MAX_FIELD};
    guide_value(&text, collect, track->selection.pid, true);
    if (text_flush(&text) && found->bytes > SCAN_MAX_FIELD + 2)
        found->what = GUIDE_LONG_PID;
    for (uint64_t i = 0; i < track->plan.guide_count && !text.failed && found->what == GUIDE_FINE; i++) {
        struct guide guide;
        plan_guide(&track->plan, i, &guide);
        bool fits = times_fit(collect, &guide);
        if (fits && most_bytes(collect, track, &guide) <= READING_MAX_TEXT)
            continue;
        *found = (struct guide_too_long){.pass = guide.pass_index, .layer = guide.layer_id, .limit = READING_MAX_TEXT};
        if (!fits) {
            found->what = GUIDE_LONG_TIME;
            break;
        }
        guide_event(&text, collect, track, i);
        if (text_flush(&text) && found->bytes > READING_MAX_TEXT)
            found->what = GUIDE_LONG_GUIDE;
    }
    if (text.failed)
        found->what = GUIDE_NO_MEMORY;
    text_free(&text);
    return found->what;
}
