#include "insertion.h"

#include <string.h>

/* What stands between two events of the insertion, ",\n", is two bytes long. */
#define BETWEEN 2

void insertion_init(struct insertion *in, const struct reading *reading, struct lt_error *error)
{
    *in = (struct insertion){.reading = reading, .error = error};
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

/* Whether the event goes on with the run as the insertion would. */
static bool follows(const struct insertion *in, const struct scan_event *event)
{
    return in->stage != INSERTION_OUTSIDE && event->offset == in->end + BETWEEN && in->behind[0] == ',' &&
           in->behind[1] == '\n';
}

static void begin_run(struct insertion *in, const struct scan_event *event)
{
    in->in_run = in->tracks = 0;
    in->start = event->offset;
    for (unsigned i = 0; i < BETWEEN; i++)
        in->before[i] = reading_before(in->reading, event, BETWEEN - i);
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
    } else if (in_place && in->stage >= INSERTION_SORTED && guide) {
        in->stage = INSERTION_IN_TRACK;
        in->in_run++;
    } else if (meta && is(&event->name, "thread_name")) {
        if (!on || in->stage != INSERTION_IN_TRACK)
            begin_run(in, event);
        return begin_track(in, event);
    } else {
        in->stage = INSERTION_OUTSIDE;
    }
    return true;
}

bool insertion_event(void *ctx, const struct scan_event *event)
{
    struct insertion *in = ctx;
    bool guide = is(&event->cat, "layer_guide") && is(&event->ph, "X");
    /* Most events: no guide, and no name of a thread. */
    if (in->stage == INSERTION_OUTSIDE && !guide && !is(&event->ph, "M"))
        return true;
    in->seen += guide;
    if (!step(in, event, guide)) {
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

void insertion_free(struct insertion *in)
{
    text_free(&in->pid.text);
    text_free(&in->tid.text);
}
