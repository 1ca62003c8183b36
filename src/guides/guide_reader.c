#include "guides/guide_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "json/json_reader.h"
#include "json/json_text.h"

/* ---- one guide's args --------------------------------------------------------------------------------------- */

enum arg { ARG_PASS, ARG_LAYER, ARG_START, ARG_END, ARG_PHASE, ARG_EVIDENCE, ARG_NOTICE, ARG_ANCHOR, ARGS };

static const char *const arg_names[ARGS] = {
    [ARG_PASS] = "pass_index", [ARG_LAYER] = "layer_id",    [ARG_START] = "start_us", [ARG_END] = "end_us",
    [ARG_PHASE] = "phase",     [ARG_EVIDENCE] = "evidence", [ARG_NOTICE] = "notice",  [ARG_ANCHOR] = "anchor_name",
};

struct args {
    struct json_reader json;
    struct arena arena; /* of `text` */
    char *text[ARGS];   /* NUL-terminated */
    size_t len[ARGS];
    bool number[ARGS], failed;
};

/* Of an argument that comes twice the last text or number counts. */
static bool take_item(void *ctx, enum json_kind kind, const char *text, size_t len)
{
    struct args *args = ctx;
    int arg = 0;
    if ((kind != JSON_NUMBER && kind != JSON_STRING) || args->json.depth != 2 ||
        !json_reader_under(&args->json, 1, "args"))
        return true;
    while (arg < ARGS && !json_reader_under(&args->json, 2, arg_names[arg]))
        arg++;
    if (arg == ARGS)
        return true;
    args->text[arg] = arena_string(&args->arena, text, len);
    args->len[arg] = len;
    args->number[arg] = kind == JSON_NUMBER;
    args->failed = args->text[arg] == NULL;
    return !args->failed;
}

/* False when memory is out. What could not be read is missing in *args. */
static bool read_args(struct args *args, const char *text, size_t len)
{
    *args = (struct args){.json = {.item = take_item, .ctx = args, .any_bytes = true}};
    args->failed |= json_reader_text(&args->json, text, len) == JSON_NO_MEMORY;
    json_reader_end(&args->json);
    return !args->failed;
}

static bool count_of(const struct args *args, enum arg arg, uint64_t *out)
{
    const char *text = args->text[arg];
    if (text == NULL || !args->number[arg] || args->len[arg] == 0 || args->len[arg] > 18 ||
        strspn(text, "0123456789") != args->len[arg])
        return false;
    *out = strtoull(text, NULL, 10);
    return true;
}

/* ---- tracks ------------------------------------------------------------------------------------------------ */

static bool same_text(const struct guide_value *value, const struct scan_value *field, bool *failed)
{
    const char *text = field->text;
    size_t len = field->len;
    char *decoded = NULL;
    if (field->escaped) {
        decoded = malloc(len);
        *failed |= decoded == NULL;
        if (decoded == NULL)
            return false;
        text = decoded;
        len = json_unescape(decoded, field->text, field->len);
    }
    bool same = len == value->len && (len == 0 || memcmp(text, value->text, len) == 0);
    free(decoded);
    return same;
}

bool guide_value_is(const struct guide_value *value, const struct scan_value *field, bool *failed)
{
    if (value->kind != field->kind)
        return false;
    if (same_text(value, field, failed))
        return true;
    return value->kind == SCAN_NUMBER && number_same(value->text, value->len, field->text, field->len);
}

static bool keep_value(struct guide_reader *guides, struct guide_value *out, const struct scan_value *field)
{
    char *copy = arena_copy(&guides->arena, field->text, field->len);
    if (copy == NULL)
        return false;
    out->kind = field->kind;
    out->text = copy;
    out->len = field->escaped ? json_unescape(copy, field->text, field->len) : field->len;
    return true;
}

static const char *keep_string(struct guide_reader *guides, const struct args *args, enum arg arg)
{
    if (args->text[arg] == NULL)
        return "";
    return arena_copy(&guides->arena, args->text[arg], args->len[arg] + 1);
}

static bool is_wanted(const struct guide_reader *guides, const struct guide_track *track)
{
    if (guides->track == NULL || strcmp(guides->track, track->phase) == 0)
        return true;
    return strlen(guides->track) == track->tid.len && memcmp(guides->track, track->tid.text, track->tid.len) == 0;
}

static struct guide_track *new_track(struct guide_reader *guides, const struct scan_event *event,
                                     const struct args *args)
{
    char name[512];
    if (guides->track_count == GUIDES_MAX_TRACKS) {
        fail_as(guides->error, LT_CLASS_GUIDES_CHANGED,
                "%s: guides on more than %d tracks; annotate the original trace again",
                printable(name, sizeof name, source_name(guides->reading->source),
                          strlen(source_name(guides->reading->source))),
                GUIDES_MAX_TRACKS);
        return NULL;
    }
    struct guide_track *track = &guides->tracks[guides->track_count];
    *track = (struct guide_track){0};
    track->phase = keep_string(guides, args, ARG_PHASE);
    track->evidence = keep_string(guides, args, ARG_EVIDENCE);
    track->notice = keep_string(guides, args, ARG_NOTICE);
    if (!keep_value(guides, &track->pid, &event->pid) || !keep_value(guides, &track->tid, &event->tid) ||
        track->phase == NULL || track->evidence == NULL || track->notice == NULL) {
        fail_memory(guides->error);
        return NULL;
    }
    guides->track_count++;
    if (guides->taken == NULL && is_wanted(guides, track))
        guides->taken = track;
    return track;
}

static struct guide_track *track_of(struct guide_reader *guides, const struct scan_event *event,
                                    const struct args *args)
{
    bool failed = false;
    for (unsigned i = guides->track_count; i-- > 0;)
        if (guide_value_is(&guides->tracks[i].tid, &event->tid, &failed) &&
            guide_value_is(&guides->tracks[i].pid, &event->pid, &failed))
            return &guides->tracks[i];
    if (!failed)
        return new_track(guides, event, args);
    fail_memory(guides->error);
    return NULL;
}

/* ---- events ------------------------------------------------------------------------------------------------ */

static bool bad_guide(struct guide_reader *guides, const struct scan_event *event, const char *what)
{
    char name[512];
    const char *file = source_name(guides->reading->source);
    fail_at(guides->error, LT_CLASS_GUIDES_CHANGED,
            (struct error_place){.event = event->index, .offset = event->offset},
            "%s: the guide at byte %" PRIu64 ", event %" PRIu64 ", %s; annotate the original trace again",
            printable(name, sizeof name, file, strlen(file)), event->offset, event->index, what);
    return false;
}

static bool add_row(struct guide_reader *guides, const struct guide_row *row, const struct scan_event *event)
{
    if (guides->row_count > 0) {
        const struct guide_row *last = &guides->rows[guides->row_count - 1];
        struct decimal start = decimal_unpack(row->start, row->start_scale),
                       before = decimal_unpack(last->start, last->start_scale);
        if (decimal_compare(&start, &before) < 0)
            return bad_guide(guides, event, "starts before the one in front of it");
    }
    if (guides->row_count == guides->row_capacity) {
        size_t capacity = guides->row_capacity == 0 ? 64 : guides->row_capacity * 2;
        struct guide_row *rows = realloc(guides->rows, capacity * sizeof *rows);
        if (rows == NULL) {
            fail_memory(guides->error);
            return false;
        }
        guides->rows = rows;
        guides->row_capacity = capacity;
    }
    guides->rows[guides->row_count++] = *row;
    return true;
}

size_t guide_reader_cut_name(const char *name, size_t len)
{
    if (len <= GUIDES_NAME_LENGTH)
        return len;
    len = GUIDES_NAME_LENGTH;
    while (len > GUIDES_NAME_LENGTH - 4 && ((unsigned char)name[len] & 0xc0) == 0x80)
        len--;
    return len;
}

/* The number of the anchor's name. False when memory is out. */
static bool name_of(struct guide_reader *guides, const struct args *args, uint32_t *out)
{
    const char *name = args->text[ARG_ANCHOR];
    *out = INTERN_NONE;
    if (name == NULL || args->number[ARG_ANCHOR])
        return true;
    size_t len = guide_reader_cut_name(name, args->len[ARG_ANCHOR]);
    if (guides->names.count == GUIDES_MAX_NAMES) {
        *out = intern_find(&guides->names, 0, name, len);
        return true;
    }
    *out = intern(&guides->names, 0, name, len, NULL);
    if (*out == INTERN_NONE)
        fail_memory(guides->error);
    return *out != INTERN_NONE;
}

static bool time_of(const struct args *args, enum arg arg, struct decimal *out)
{
    return args->text[arg] != NULL && decimal_parse(out, args->text[arg], args->len[arg]) == DECIMAL_OK;
}

static bool take_guide(struct guide_reader *guides, const struct scan_event *event, const struct args *args)
{
    uint64_t pass;
    struct guide_row row;
    struct decimal start, end;
    if (event->tid.text == NULL || event->pid.text == NULL)
        return bad_guide(guides, event, "has no pid or tid");
    if (!count_of(args, ARG_PASS, &pass) || !count_of(args, ARG_LAYER, &row.layer))
        return bad_guide(guides, event, "names no pass_index and layer_id in its args");
    if (!time_of(args, ARG_START, &start) || !time_of(args, ARG_END, &end) || decimal_compare(&end, &start) < 0)
        return bad_guide(guides, event, "has no usable start_us and end_us in its args");
    row.start = decimal_pack(&start);
    row.start_scale = start.scale;
    row.end = decimal_pack(&end);
    row.end_scale = end.scale;
    struct guide_track *track = track_of(guides, event, args);
    if (track == NULL)
        return false;
    if (track->passes <= pass)
        track->passes = pass + 1;
    return track != guides->taken || pass != guides->pass ||
           (name_of(guides, args, &row.name) && add_row(guides, &row, event));
}

bool guide_reader_event(void *ctx, const struct scan_event *event)
{
    struct guide_reader *guides = ctx;
    struct args args;
    size_t len;
    unsigned guide;
    bool complete = false;
    if (!fields_kinds(&guides->fields, event, EVENT_GUIDE, &guide) ||
        (guide != 0 && !fields_complete(&guides->fields, event, &complete))) {
        fail_memory(guides->error);
        return false;
    }
    if (guide == 0)
        return true;
    if (!complete)
        return bad_guide(guides, event, "has another ph than \"X\"");
    const char *text = reading_text(guides->reading, event, &len);
    if (text == NULL)
        return bad_guide(guides, event, "is too long");
    bool taken = read_args(&args, text, len);
    if (!taken)
        fail_memory(guides->error);
    taken = taken && take_guide(guides, event, &args);
    arena_free(&args.arena);
    return taken;
}

/* ---- what there is ----------------------------------------------------------------------------------------- */

static enum lt_status refuse_tracks(struct guide_reader *guides, const char *file, const char *why)
{
    struct text list = {0};
    for (unsigned i = 0; i < guides->track_count; i++) {
        text_puts(&list, i == 0 ? "" : ", ");
        text_json(&list, guides->tracks[i].phase, strlen(guides->tracks[i].phase));
        text_puts(&list, " (tid ");
        text_json_raw(&list, guides->tracks[i].tid.text, guides->tracks[i].tid.len);
        text_puts(&list, ")");
    }
    text_add(&list, "", 1);
    char shown[2048];
    enum lt_status status =
        list.failed
            ? fail_memory(guides->error)
            : fail_as(guides->error, LT_CLASS_NO_SUCH_GUIDES, "%s: %s; choose one with %s PHASE or TID: %s", file, why,
                      error_name(guides->error, "track"), printable(shown, sizeof shown, list.data, strlen(list.data)));
    text_free(&list);
    return status;
}

enum lt_status guide_reader_check(struct guide_reader *guides)
{
    char file[512];
    const char *name = source_name(guides->reading->source);
    unsigned wanted = 0;
    printable(file, sizeof file, name, strlen(name));
    for (unsigned i = 0; i < guides->track_count; i++)
        wanted += is_wanted(guides, &guides->tracks[i]);
    if (guides->track_count == 0)
        return fail_as(guides->error, LT_CLASS_NO_GUIDES,
                       "%s: has no layer guides; annotate it first (%s) and render the output", file,
                       error_name(guides->error, "lt_annotate()"));
    if (wanted > 1)
        return refuse_tracks(guides, file, "more than one track of guides");
    if (wanted == 0)
        return refuse_tracks(guides, file, "no such track of guides");
    if (guides->row_count == 0)
        return fail_as(guides->error, LT_CLASS_NO_SUCH_GUIDES,
                       "%s: there is no pass %" PRIu64 "; passes are counted from 0, and the last one is %" PRIu64,
                       file, guides->pass, guides->taken->passes - 1);
    return LT_OK;
}

void guide_reader_free(struct guide_reader *guides)
{
    free(guides->rows);
    fields_free(&guides->fields);
    intern_free(&guides->names);
    arena_free(&guides->arena);
}
