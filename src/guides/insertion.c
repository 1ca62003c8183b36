#include "guides/insertion.h"

#include <string.h>

#include "guides/guide_writer.h"

/* What stands between two events of the insertion, ",\n", is two bytes long. */
#define BETWEEN 2

void insertion_init(struct insertion *in, struct reading *reading, struct lt_error *error)
{
    *in = (struct insertion){.reading = reading, .error = error, .other_first = UINT64_MAX};
}

/* The bytes behind the last event may come in a later block than its own. */
static void look_behind(struct insertion *in)
{
    for (unsigned i = 0; i < BETWEEN; i++)
        if (in->end + i >= in->block_offset && in->end + i - in->block_offset < in->block_len)
            in->behind[i] = in->block[in->end + i - in->block_offset];
}

void insertion_block(void *ctx, const unsigned char *data, size_t len, uint64_t offset)
{
    struct insertion *in = ctx;
    in->block = data;
    in->block_len = len;
    in->block_offset = offset;
    if (in->stage != INSERTION_OUTSIDE)
        look_behind(in);
}

static bool is(const struct scan_value *value, const char *text)
{
    return value->kind == SCAN_STRING && value->len == strlen(text) && memcmp(value->text, text, value->len) == 0;
}

static bool keep_place(struct insertion_place *place, const struct scan_value *value)
{
    place->kind = value->kind;
    place->text.len = 0;
    if (value->len > 0)
        text_add(&place->text, value->text, value->len);
    return !place->text.failed;
}

static bool same_place(const struct insertion_place *place, const struct scan_value *value)
{
    return place->kind == value->kind && place->text.len == value->len &&
           (value->len == 0 || memcmp(place->text.data, value->text, value->len) == 0);
}

/* ---- what lies outside ------------------------------------------------------------------------------------- */

static void note_tids(struct insertion *in, uint64_t first, uint64_t last)
{
    if (first < in->other_first)
        in->other_first = first;
    if (last > in->other_last)
        in->other_last = last;
}

/* A number in seven plain digits may be a track's tid, and one that is spelled otherwise may be any of them. */
static void note_tid(struct insertion *in, const struct scan_value *tid)
{
    uint64_t number = 0;
    if (tid->kind != SCAN_NUMBER)
        return;
    for (size_t i = 0; i < tid->len; i++) {
        if (tid->text[i] == '.' || tid->text[i] == 'e' || tid->text[i] == 'E') {
            note_tids(in, 0, UINT64_MAX);
            return;
        }
        number = number * 10 + (uint64_t)(tid->text[i] - '0');
    }
    if (tid->len == 7 && tid->text[0] != '-' && tidset_counts((int64_t)number))
        note_tids(in, number, number);
}

/* The run was none, so that its tracks are others'. */
static void leave_run(struct insertion *in)
{
    if (in->stage != INSERTION_OUTSIDE)
        note_tids(in, in->form.first_tid, in->form.last_tid);
    in->stage = INSERTION_OUTSIDE;
}

/* ---- whether it is written as annotate writes -------------------------------------------------------------- */

static bool same_part(const struct text *kept, const struct line_part *part)
{
    return line_part_equal(&(struct line_part){.text = kept->data, .len = kept->len}, part);
}

static void keep_part(struct text *kept, const struct line_part *part)
{
    kept->len = 0;
    text_add(kept, part->text, part->len);
}

/* A track ends with a whole pass. */
static bool ends_whole(const struct insertion_form *form)
{
    return form->layers == 0 || form->layer - form->first_layer + 1 == form->layers;
}

static bool next_guide(struct insertion_form *form, const struct insertion_line *line)
{
    bool next_layer = line->pass == form->pass && line->layer == form->layer + 1 &&
                      (form->layers == 0 || line->layer - form->first_layer < form->layers);
    bool next_pass = line->pass == form->pass + 1 && line->layer == form->first_layer && ends_whole(form);
    if (next_pass)
        form->layers = form->layer - form->first_layer + 1;
    return next_layer || next_pass;
}

static bool good_guide(struct insertion_form *form, const struct insertion_line *line)
{
    bool good;
    if (form->guides == 0) {
        form->first_layer = line->layer;
        keep_part(&form->last, &line->last);
        good = line->pass == 0 && same_part(&form->phase, &line->phase);
    } else {
        good = next_guide(form, line) && same_part(&form->last, &line->last);
    }
    form->guides++;
    form->pass = line->pass;
    form->layer = line->layer;
    return good;
}

static void begin_track_form(struct insertion *in, const struct insertion_line *line)
{
    struct insertion_form *form = &in->form;
    form->exact = form->exact && ends_whole(form) && in->tracks <= LT_MAX_TRACKS;
    form->guides = form->layers = form->pass = form->layer = form->first_layer = 0;
    keep_part(&form->place, &line->place);
    keep_part(&form->phase, &line->phase);
    if (line->tid < form->first_tid)
        form->first_tid = line->tid;
    if (line->tid > form->last_tid)
        form->last_tid = line->tid;
}

/* Looks at a line that goes on with the run. False when memory is out. */
static bool take_line(struct insertion *in, const struct scan_event *event)
{
    struct insertion_form *form = &in->form;
    struct insertion_line line;
    size_t len;
    if (!form->exact)
        return true;
    const char *text = reading_text(in->reading, event, &len);
    if (text == NULL && len <= READING_MAX_TEXT)
        return false;
    insertion_line_read(&line, text == NULL ? "" : text, text == NULL ? 0 : len);
    if (in->stage == INSERTION_NAMED && line.kind == LINE_NAME)
        begin_track_form(in, &line);
    else if (in->stage == INSERTION_SORTED && line.kind == LINE_SORT_INDEX)
        form->exact = same_part(&form->place, &line.place) && line.sort_below + in->tracks == GUIDE_SORT_BELOW + 1;
    else if (in->stage == INSERTION_IN_TRACK && line.kind == LINE_GUIDE)
        form->exact = same_part(&form->place, &line.place) && good_guide(form, &line);
    else
        form->exact = false;
    return !form->place.failed && !form->phase.failed && !form->last.failed;
}

/* ---- the run ----------------------------------------------------------------------------------------------- */

/* Whether the event goes on with the run as the insertion would. */
static bool follows(const struct insertion *in, const struct scan_event *event)
{
    return in->stage != INSERTION_OUTSIDE && event->offset == in->end + BETWEEN && in->behind[0] == ',' &&
           in->behind[1] == '\n';
}

static void begin_run(struct insertion *in, const struct scan_event *event)
{
    leave_run(in);
    in->in_run = in->tracks = 0;
    in->start = event->offset;
    for (unsigned i = 0; i < BETWEEN; i++)
        in->before[i] = reading_before(in->reading, event, BETWEEN - i);
    in->form.exact = true;
    in->form.layers = 0;
    in->form.first_tid = UINT64_MAX;
    in->form.last_tid = 0;
}

static bool begin_track(struct insertion *in, const struct scan_event *event)
{
    in->tracks++;
    in->stage = INSERTION_NAMED;
    return keep_place(&in->pid, &event->pid) && keep_place(&in->tid, &event->tid);
}

/* False when memory is out. */
static bool step(struct insertion *in, const struct scan_event *event, bool guide)
{
    bool on = follows(in, event);
    bool in_place = on && same_place(&in->pid, &event->pid) && same_place(&in->tid, &event->tid);
    bool meta = is(&event->ph, "M");
    if (in_place && in->stage == INSERTION_NAMED && meta && is(&event->name, "thread_sort_index")) {
        in->stage = INSERTION_SORTED;
    } else if (in_place && in->stage >= INSERTION_SORTED && guide && is(&event->ph, "X")) {
        in->stage = INSERTION_IN_TRACK;
        in->in_run++;
    } else if (meta && is(&event->name, "thread_name")) {
        if (!on || in->stage != INSERTION_IN_TRACK)
            begin_run(in, event);
        if (!begin_track(in, event))
            return false;
    } else {
        leave_run(in);
        note_tid(in, &event->tid);
        return true;
    }
    return take_line(in, event);
}

bool insertion_event(void *ctx, const struct scan_event *event)
{
    struct insertion *in = ctx;
    unsigned guide;
    if (!fields_kinds(&in->fields, event, EVENT_GUIDE, &guide)) {
        fail_memory(in->error);
        return false;
    }
    /* Most events: no guide, and no name of a thread. */
    if (in->stage == INSERTION_OUTSIDE && !guide && !is(&event->ph, "M")) {
        note_tid(in, &event->tid);
        return true;
    }
    in->seen += guide != 0;
    if (!step(in, event, guide != 0)) {
        fail_memory(in->error);
        return false;
    }
    in->end = event->end;
    memset(in->behind, 0, sizeof in->behind);
    look_behind(in);
    return true;
}

bool insertion_find(const struct insertion *in, const struct scan_layout *layout, uint64_t *offset, uint64_t *bytes)
{
    if (in->stage != INSERTION_IN_TRACK || in->in_run != in->seen || in->before[1] != '\n' || in->behind[0] != '\n' ||
        in->end + 1 != layout->insert_offset)
        return false;
    *offset = in->start - (in->before[0] == ',' ? 2 : 1);
    *bytes = layout->insert_offset - *offset;
    return true;
}

bool insertion_is_exact(const struct insertion *in, bool *other_tids)
{
    *other_tids = in->other_first <= in->form.last_tid && in->other_last >= in->form.first_tid;
    return in->form.exact && ends_whole(&in->form);
}

void insertion_free(struct insertion *in)
{
    fields_free(&in->fields);
    text_free(&in->form.place);
    text_free(&in->form.phase);
    text_free(&in->form.last);
    text_free(&in->pid.text);
    text_free(&in->tid.text);
}
