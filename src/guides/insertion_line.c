#include "guides/insertion_line.h"

#include <string.h>

#include "guides/guide_writer.h"

#define NAME_BEFORE "Layer guide ("
#define NAME_BEHIND ") \xe2\x80\x94 anchor intervals"

struct cursor {
    const char *at, *end;
};

bool line_part_equal(const struct line_part *a, const struct line_part *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->text, b->text, a->len) == 0);
}

static struct line_part part(const char *from, const char *to)
{
    return (struct line_part){.text = from, .len = (size_t)(to - from)};
}

static bool literal(struct cursor *cursor, const char *text)
{
    size_t len = strlen(text);
    if ((size_t)(cursor->end - cursor->at) < len || memcmp(cursor->at, text, len) != 0)
        return false;
    cursor->at += len;
    return true;
}

static bool is_digit(const struct cursor *cursor)
{
    return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

static bool digits(struct cursor *cursor)
{
    const char *from = cursor->at;
    while (is_digit(cursor))
        cursor->at++;
    return cursor->at > from;
}

/* A whole number as text_u64() writes it, below 10^19. */
static bool whole(struct cursor *cursor, uint64_t *out)
{
    const char *from = cursor->at;
    if (!digits(cursor) || cursor->at - from > 19 || (*from == '0' && cursor->at - from > 1))
        return false;
    *out = 0;
    for (; from < cursor->at; from++)
        *out = *out * 10 + (uint64_t)(*from - '0');
    return true;
}

/* A guide's time: it lies within 2^53 of 0. */
static bool moment(struct cursor *cursor, int64_t *out)
{
    uint64_t number;
    bool negative = literal(cursor, "-");
    if (!whole(cursor, &number) || number > (uint64_t)PLAN_LAST_TIME || (negative && number == 0))
        return false;
    *out = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/* A decimal in plain digits. */
static bool decimal(struct cursor *cursor)
{
    (void)literal(cursor, "-");
    return digits(cursor) && (!literal(cursor, ".") || digits(cursor));
}

static bool string(struct cursor *cursor, struct line_part *inside)
{
    if (!literal(cursor, "\""))
        return false;
    const char *from = cursor->at;
    while (cursor->at < cursor->end && *cursor->at != '"')
        cursor->at += *cursor->at == '\\' && cursor->end - cursor->at > 1 ? 2 : 1;
    *inside = part(from, cursor->at);
    return literal(cursor, "\"");
}

/* A pid: a string, or a number, which stands as it was when it is out of range. */
static bool pid(struct cursor *cursor)
{
    struct line_part inside;
    const char *from = cursor->at;
    if (string(cursor, &inside))
        return true;
    for (cursor->at = from; cursor->at < cursor->end && strchr(", \"{}[]:", *cursor->at) == NULL;)
        cursor->at++;
    return cursor->at > from && (*from == '-' || (*from >= '0' && *from <= '9'));
}

/* A tid of the trace may be anything but an object or array. */
static bool anchor_tid(struct cursor *cursor)
{
    return literal(cursor, "null") || literal(cursor, "true") || literal(cursor, "false") || pid(cursor);
}

static bool place(struct cursor *cursor, struct insertion_line *line)
{
    const char *from = cursor->at;
    bool ok =
        literal(cursor, "\"pid\": ") && pid(cursor) && literal(cursor, ", \"tid\": ") && whole(cursor, &line->tid);
    line->place = part(from, cursor->at);
    return ok && tidset_counts((int64_t)line->tid);
}

static bool name_line(struct cursor *cursor, struct insertion_line *line)
{
    struct line_part name;
    if (!literal(cursor, "{\"ph\": \"M\", \"name\": \"thread_name\", ") || !place(cursor, line) ||
        !literal(cursor, ", \"args\": {\"name\": ") || !string(cursor, &name) || !literal(cursor, "}}"))
        return false;
    size_t before = strlen(NAME_BEFORE), behind = strlen(NAME_BEHIND);
    if (name.len < before + behind || memcmp(name.text, NAME_BEFORE, before) != 0 ||
        memcmp(name.text + name.len - behind, NAME_BEHIND, behind) != 0)
        return false;
    line->phase = part(name.text + before, name.text + name.len - behind);
    return true;
}

static bool sort_line(struct cursor *cursor, struct insertion_line *line)
{
    return literal(cursor, "{\"ph\": \"M\", \"name\": \"thread_sort_index\", ") && place(cursor, line) &&
           literal(cursor, ", \"args\": {\"sort_index\": -") && whole(cursor, &line->sort_below) &&
           literal(cursor, "}}");
}

/* What guide_row() writes. */
static bool row(struct cursor *cursor, struct insertion_line *line)
{
    struct line_part name;
    uint64_t anchor;
    return literal(cursor, "\"pass_index\": ") && whole(cursor, &line->pass) && literal(cursor, ", \"layer_id\": ") &&
           whole(cursor, &line->layer) && literal(cursor, ", \"anchor_index\": ") && whole(cursor, &anchor) &&
           literal(cursor, ", \"anchor_name\": ") && string(cursor, &name) && literal(cursor, ", \"anchor_tid\": ") &&
           anchor_tid(cursor) && literal(cursor, ", \"start_us\": ") && decimal(cursor) &&
           literal(cursor, ", \"end_us\": ") && decimal(cursor) && literal(cursor, ", \"guide_start_us\": ") &&
           moment(cursor, &line->start) && literal(cursor, ", \"guide_end_us\": ") && moment(cursor, &line->end) &&
           literal(cursor, ", \"start_relative_ms\": ") && decimal(cursor) &&
           literal(cursor, ", \"end_relative_ms\": ") && decimal(cursor) && literal(cursor, ", \"boundary_kind\": ") &&
           (literal(cursor, "\"next_layer_anchor\"") || literal(cursor, "\"terminal_kernel_end\"") ||
            literal(cursor, "\"anchor_point_only\""));
}

static bool guide_line(struct cursor *cursor, struct insertion_line *line)
{
    uint64_t layer, dur;
    int64_t ts;
    struct line_part evidence;
    if (!literal(cursor, "{\"ph\": \"X\", \"cat\": \"layer_guide\", \"name\": \"L") || !whole(cursor, &layer) ||
        !literal(cursor, "\", ") || !place(cursor, line) || !literal(cursor, ", \"ts\": ") || !moment(cursor, &ts) ||
        !literal(cursor, ", \"dur\": ") || !whole(cursor, &dur) || !literal(cursor, ", \"args\": {") ||
        !row(cursor, line) || !literal(cursor, ", "))
        return false;
    const char *from = cursor->at;
    if (!literal(cursor, "\"phase\": ") || !string(cursor, &line->phase) || !literal(cursor, ", \"evidence\": ") ||
        !string(cursor, &evidence) || !literal(cursor, ", \"notice\": \"") || !literal(cursor, guide_notice) ||
        !literal(cursor, "\"}}"))
        return false;
    line->last = part(from, cursor->at);
    return layer == line->layer && ts == line->start && line->end >= line->start &&
           dur == (uint64_t)(line->end - line->start);
}

void insertion_line_read(struct insertion_line *line, const char *text, size_t len)
{
    static bool (*const readers[])(struct cursor *, struct insertion_line *) = {
        [LINE_NAME] = name_line, [LINE_SORT_INDEX] = sort_line, [LINE_GUIDE] = guide_line};
    *line = (struct insertion_line){.kind = LINE_OTHER};
    for (enum line_kind kind = LINE_NAME; kind <= LINE_GUIDE; kind++) {
        struct cursor cursor = {.at = text, .end = text + len};
        if (readers[kind](&cursor, line) && cursor.at == cursor.end) {
            line->kind = kind;
            return;
        }
    }
}
