#include "guides.h"

#include <string.h>

/* What stands between two events of the insertion, ",\n", is two bytes long. */
#define BETWEEN 2

static void keep_tail(struct guides *guides)
{
    if (guides->block_len >= GUIDES_TAIL) {
        memcpy(guides->tail, guides->block + guides->block_len - GUIDES_TAIL, GUIDES_TAIL);
        guides->tail_len = GUIDES_TAIL;
        return;
    }
    size_t room = GUIDES_TAIL - guides->block_len;
    size_t keep = guides->tail_len < room ? guides->tail_len : room;
    memmove(guides->tail, guides->tail + guides->tail_len - keep, keep);
    memcpy(guides->tail + keep, guides->block, guides->block_len);
    guides->tail_len = keep + guides->block_len;
}

/* The byte at `offset`, 0 when it is not at hand. */
static unsigned char byte_at(const struct guides *guides, uint64_t offset)
{
    if (offset >= guides->block_offset) {
        uint64_t at = offset - guides->block_offset;
        return at < guides->block_len ? guides->block[at] : 0;
    }
    uint64_t back = guides->block_offset - offset;
    return back <= guides->tail_len ? guides->tail[guides->tail_len - back] : 0;
}

/* The bytes behind the last event may come in a later block than its own. */
static void look_behind(struct guides *guides)
{
    for (unsigned i = 0; i < BETWEEN; i++)
        if (guides->behind[i] == 0)
            guides->behind[i] = byte_at(guides, guides->end + i);
}

void guides_block(void *ctx, const unsigned char *data, size_t len, uint64_t offset)
{
    struct guides *guides = ctx;
    if (guides->block != NULL)
        keep_tail(guides);
    guides->block = data;
    guides->block_len = len;
    guides->block_offset = offset;
    if (guides->stage != GUIDES_OUTSIDE)
        look_behind(guides);
}

static bool is(const struct scan_value *value, const char *text)
{
    return value->kind == SCAN_STRING && value->len == strlen(text) && memcmp(value->text, text, value->len) == 0;
}

static bool keep_place(struct guides_place *place, const struct scan_value *value)
{
    if (value->len > GUIDES_PLACE)
        return false;
    place->kind = value->kind;
    place->len = value->len;
    if (value->len > 0)
        memcpy(place->text, value->text, value->len);
    return true;
}

static bool same_place(const struct guides_place *place, const struct scan_value *value)
{
    return place->kind == value->kind && place->len == value->len &&
           (value->len == 0 || memcmp(place->text, value->text, value->len) == 0);
}

/* Whether the event goes on with the run as the insertion would. */
static bool follows(const struct guides *guides, const struct scan_event *event)
{
    return guides->stage != GUIDES_OUTSIDE && event->offset == guides->end + BETWEEN && guides->behind[0] == ',' &&
           guides->behind[1] == '\n';
}

static void begin_run(struct guides *guides, const struct scan_event *event)
{
    guides->in_run = guides->tracks = 0;
    guides->start = event->offset;
    for (unsigned i = 0; i < BETWEEN; i++)
        guides->before[i] = event->offset + i >= BETWEEN ? byte_at(guides, event->offset + i - BETWEEN) : 0;
}

static bool begin_track(struct guides *guides, const struct scan_event *event)
{
    guides->tracks++;
    return keep_place(&guides->pid, &event->pid) && keep_place(&guides->tid, &event->tid);
}

static void step(struct guides *guides, const struct scan_event *event, bool guide)
{
    bool on = follows(guides, event);
    bool in_place = on && same_place(&guides->pid, &event->pid) && same_place(&guides->tid, &event->tid);
    bool meta = is(&event->ph, "M");
    if (in_place && guides->stage == GUIDES_NAMED && meta && is(&event->name, "thread_sort_index")) {
        guides->stage = GUIDES_SORTED;
    } else if (in_place && guides->stage >= GUIDES_SORTED && guide) {
        guides->stage = GUIDES_IN_TRACK;
        guides->in_run++;
    } else if (meta && is(&event->name, "thread_name")) {
        if (!on || guides->stage != GUIDES_IN_TRACK)
            begin_run(guides, event);
        guides->stage = begin_track(guides, event) ? GUIDES_NAMED : GUIDES_OUTSIDE;
    } else {
        guides->stage = GUIDES_OUTSIDE;
    }
}

bool guides_event(void *ctx, const struct scan_event *event)
{
    struct guides *guides = ctx;
    bool guide = is(&event->cat, "layer_guide") && is(&event->ph, "X");
    /* Most events: no guide, and no name of a thread. */
    if (guides->stage == GUIDES_OUTSIDE && !guide && !is(&event->ph, "M"))
        return true;
    guides->seen += guide;
    step(guides, event, guide);
    guides->end = event->end;
    memset(guides->behind, 0, sizeof guides->behind);
    look_behind(guides);
    return true;
}

bool guides_insertion(const struct guides *guides, const struct scan_layout *layout, uint64_t *offset, uint64_t *bytes)
{
    if (guides->stage != GUIDES_IN_TRACK || guides->in_run != guides->seen || guides->before[1] != '\n' ||
        guides->behind[0] != '\n' || guides->end + 1 != layout->insert_offset)
        return false;
    *offset = guides->start - (guides->before[0] == ',' ? 2 : 1);
    *bytes = layout->insert_offset - *offset;
    return true;
}
