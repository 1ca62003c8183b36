#include "guides/rows.h"

#include "base/text.h"

/* Texts of one row, each with its NUL; the buffer is used again for the next. */
enum { ANCHOR_TID, START, END, START_MS, END_MS, TEXTS };

static bool tell(const struct guide_writer *writer, size_t index, const struct guide *guide, struct text *text,
                 lt_row_fn *fn, void *ctx)
{
    const struct collect *collect = writer->collect;
    const struct track *track = &writer->tracks->items[index];
    const struct intern_entry *name = &collect->names.entries[guide->anchor->name];
    const struct decimal *times[] = {&guide->start, &guide->end};
    size_t at[TEXTS];
    text->len = 0;
    for (size_t i = 0; i < TEXTS; i++) {
        at[i] = text->len;
        if (i == ANCHOR_TID)
            guide_value(text, collect, guide->anchor->tid, false);
        else if (i < START_MS)
            text_decimal(text, times[i - START]);
        else
            guide_relative_ms(text, collect, times[i - START_MS]);
        text_add(text, "", 1);
    }
    if (text->failed)
        return false;
    const struct lt_row row = {
        .size = sizeof row,
        .track = index,
        .phase = track->options->phase,
        .guide_tid = track->selection.guide_tid,
        .pass_index = guide->pass_index,
        .layer_id = guide->layer_id,
        .anchor_index = guide->anchor_index,
        .anchor_name = name->text,
        .anchor_name_len = name->len,
        .anchor_tid = text->data + at[ANCHOR_TID],
        .start_us = text->data + at[START],
        .end_us = text->data + at[END],
        .start_relative_ms = text->data + at[START_MS],
        .end_relative_ms = text->data + at[END_MS],
        .guide_start_us = guide->guide_start,
        .guide_end_us = guide->guide_end,
        .boundary_kind = guide_boundary_kind(guide),
    };
    return fn(ctx, &row);
}

enum lt_status rows_tell(const struct guide_writer *writer, lt_row_fn *fn, void *ctx, struct lt_error *error)
{
    struct text text = {0};
    bool ok = true;
    for (size_t i = 0; i < writer->tracks->count; i++) {
        const struct plan *plan = &writer->tracks->items[i].plan;
        for (uint64_t row = 0; row < plan->guide_count && ok; row++) {
            struct guide guide;
            plan_guide(plan, row, &guide);
            ok = tell(writer, i, &guide, &text, fn, ctx);
        }
    }
    enum lt_status status = ok            ? LT_OK
                            : text.failed ? fail_memory(error)
                                          : fail_cancelled(error, writer->collect->request.trace_name);
    text_free(&text);
    return status;
}
