#include "insertion.h"

#include <string.h>

/* What stands between two events of the insertion, ",\n", is two bytes long. */
#define BETWEEN 2

static void keep_tail(struct insertion *in)
{
    if (in->block_len >= INSERTION_TAIL) {
        memcpy(in->tail, in->block + in->block_len - INSERTION_TAIL, INSERTION_TAIL);
        in->tail_len = INSERTION_TAIL;
        return;
    }
    size_t room = INSERTION_TAIL - in->block_len;
    size_t keep = in->tail_len < room ? in->tail_len : room;
    memmove(in->tail, in->tail + in->tail_len - keep, keep);
    memcpy(in->tail + keep, in->block, in->block_len);
    in->tail_len = keep + in->block_len;
}

/* The byte at `offset`, 0 when it is not at hand. */
static unsigned char byte_at(const struct insertion *in, uint64_t offset)
{
    if (offset >= in->block_offset) {
        uint64_t at = offset - in->block_offset;
        return at < in->block_len ? in->block[at] : 0;
    }
    uint64_t back = in->block_offset - offset;
    return back <= in->tail_len ? in->tail[in->tail_len - back] : 0;
}

/* The bytes behind the last event may come in a later block than its own. */
static void look_behind(struct insertion *in)
{
    for (unsigned i = 0; i < BETWEEN; i++)
        if (in->behind[i] == 0)
            in->behind[i] = byte_at(in, in->end + i);
}

void insertion_block(void *ctx, const unsigned char *data, size_t len, uint64_t offset)
{
    struct insertion *in = ctx;
    if (in->block != NULL)
        keep_tail(in);
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
    if (value->len > INSERTION_PLACE)
        return false;
    place->kind = value->kind;
    place->len = value->len;
    if (value->len > 0)
        memcpy(place->text, value->text, value->len);
    return true;
}

static bool same_place(const struct insertion_place *place, const struct scan_value *value)
{
    return place->kind == value->kind && place->len == value->len &&
           (value->len == 0 || memcmp(place->text, value->text, value->len) == 0);
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
        in->before[i] = event->offset + i >= BETWEEN ? byte_at(in, event->offset + i - BETWEEN) : 0;
}

static bool begin_track(struct insertion *in, const struct scan_event *event)
{
    in->tracks++;
    return keep_place(&in->pid, &event->pid) && keep_place(&in->tid, &event->tid);
}

static void step(struct insertion *in, const struct scan_event *event, bool guide)
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
        in->stage = begin_track(in, event) ? INSERTION_NAMED : INSERTION_OUTSIDE;
    } else {
        in->stage = INSERTION_OUTSIDE;
    }
}

bool insertion_event(void *ctx, const struct scan_event *event)
{
    struct insertion *in = ctx;
    bool guide = is(&event->cat, "layer_guide") && is(&event->ph, "X");
    /* Most events: no guide, and no name of a thread. */
    if (in->stage == INSERTION_OUTSIDE && !guide && !is(&event->ph, "M"))
        return true;
    in->seen += guide;
    step(in, event, guide);
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
