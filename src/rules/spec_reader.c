#include "rules/spec_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"

#define MAX_COUNT ((int64_t)1 << 53)
#define MAX_DEPTH 512u

/* ---- keys -------------------------------------------------------------------------------------------------- */

enum kind {
    KIND_TEXT,     /* a string that is not blank */
    KIND_PATTERN,  /* a string */
    KIND_OPTIONAL, /* a string, or null */
    KIND_IDENTITY, /* a string or a number, or null */
    KIND_COUNT,
    KIND_LANDMARKS,
    KIND_TRACKS,
    KIND_RESULT /* passed over */
};

struct field {
    const char *key;
    enum kind kind;
    size_t offset; /* in struct lt_track, or struct lt_landmark */
    int64_t bound; /* the least count; the most bytes of a text */
    bool required;
};

#define TRACK(member) offsetof(struct lt_track, member)

static const struct field track_fields[] = {
    {"phase", KIND_TEXT, TRACK(phase), LT_MAX_PHASE, true},
    {"evidence", KIND_TEXT, TRACK(evidence), LT_MAX_EVIDENCE, true},
    {"anchor_regex", KIND_PATTERN, TRACK(anchor_regex), 0, true},
    {"anchor_offset", KIND_COUNT, TRACK(anchor_offset), 0, true},
    {"num_layers", KIND_COUNT, TRACK(num_layers), 1, true},
    {"passes", KIND_COUNT, TRACK(passes), 1, false},
    {"first_layer", KIND_COUNT, TRACK(first_layer), 0, false},
    {"anchor_stride", KIND_COUNT, TRACK(anchor_stride), 1, false},
    {"extra_anchors_per_pass", KIND_COUNT, TRACK(extra_anchors_per_pass), 0, false},
    {"end_anchor_regex", KIND_OPTIONAL, TRACK(end_anchor_regex), 0, false},
    {"within", KIND_OPTIONAL, TRACK(within), 0, false},
    {"within_gpu", KIND_OPTIONAL, TRACK(within_gpu), 0, false},
    {"pid", KIND_IDENTITY, TRACK(pid), 0, false},
    {"device", KIND_IDENTITY, TRACK(device), 0, false},
    {"landmarks", KIND_LANDMARKS, 0, 0, false},
    {"tracks", KIND_TRACKS, 0, 0, false},
    {"schema_version", KIND_RESULT, 0, 0, false},
    {"notice", KIND_RESULT, 0, 0, false},
    {"guide_tid", KIND_RESULT, 0, 0, false},
    {"track_name", KIND_RESULT, 0, 0, false},
    {"matching_anchor_count", KIND_RESULT, 0, 0, false},
    {"original_event_count", KIND_RESULT, 0, 0, false},
    {"added_event_count", KIND_RESULT, 0, 0, false},
    {"trace_origin_us", KIND_RESULT, 0, 0, false},
    {"layers", KIND_RESULT, 0, 0, false},
    {"source_sha256", KIND_RESULT, 0, 0, false},
    {"source_file", KIND_RESULT, 0, 0, false},
    {"source_bytes", KIND_RESULT, 0, 0, false},
    {"insert_offset", KIND_RESULT, 0, 0, false},
    {"insert_bytes", KIND_RESULT, 0, 0, false},
    {"tool_version", KIND_RESULT, 0, 0, false},
    {"pass_scopes", KIND_RESULT, 0, 0, false},
    {"source_gzip", KIND_RESULT, 0, 0, false},
    {"source_crc32", KIND_RESULT, 0, 0, false},
};

static const struct field landmark_fields[] = {
    {"regex", KIND_PATTERN, offsetof(struct lt_landmark, regex), 0, true},
    {"count", KIND_COUNT, offsetof(struct lt_landmark, count), 0, false},
};

/* One bit per field of a table. */
_Static_assert(sizeof track_fields / sizeof *track_fields <= 64, "too many keys for a mask");

/* ---- messages ----------------------------------------------------------------------------------------------- */

static struct lt_track *track_of(struct spec_reader *reader)
{
    return &reader->spec->tracks[reader->spec->count - 1];
}

static struct lt_landmark *landmark_of(struct spec_reader *reader)
{
    size_t track = reader->spec->count - 1;
    return &reader->spec->landmarks[track][reader->spec->tracks[track].landmark_count - 1];
}

/* tracks[1].landmarks[0].regex */
static void describe(const struct spec_reader *reader, const char *key, char *out, size_t size)
{
    const struct spec *spec = reader->spec;
    char track[48] = "", landmark[48] = "", shown[128];
    if (reader->place >= IN_TRACK && reader->has_tracks && !reader->track_at_top)
        snprintf(track, sizeof track, "tracks[%zu]%s", spec->count - 1,
                 key[0] == '\0' && reader->place == IN_TRACK ? "" : ".");
    else if (reader->place == IN_TRACKS)
        snprintf(track, sizeof track, "tracks[%zu]", spec->count);
    if (reader->place == IN_LANDMARK)
        snprintf(landmark, sizeof landmark, "landmarks[%zu]%s", spec->tracks[spec->count - 1].landmark_count - 1,
                 key[0] == '\0' ? "" : ".");
    else if (reader->place == IN_LANDMARKS)
        snprintf(landmark, sizeof landmark, "landmarks[%zu]", spec->tracks[spec->count - 1].landmark_count);
    snprintf(out, size, "%s%s%s", track, landmark, printable(shown, sizeof shown, key, strlen(key)));
}

/* Ends the reading with a message about a key. Returns 0, which stops yajl. */
static int refuse(struct spec_reader *reader, const char *key, const char *what)
{
    char where[256];
    describe(reader, key, where, sizeof where);
    fail(reader->error, LT_USAGE, "%s: %s%s%s", reader->file, where, where[0] == '\0' ? "" : ": ", what);
    return 0;
}

static int no_memory(struct spec_reader *reader)
{
    fail_memory(reader->error);
    return 0;
}

static int refuse_value(struct spec_reader *reader, const char *is)
{
    static const char *const wanted[] = {
        [KIND_TEXT] = "a string that is not blank", [KIND_PATTERN] = "a string",
        [KIND_OPTIONAL] = "a string or null",       [KIND_IDENTITY] = "a string, a number or null",
        [KIND_LANDMARKS] = "an array of objects",   [KIND_TRACKS] = "an array of objects",
    };
    char what[256], number[48];
    const struct field *field = reader->field;
    if (reader->place == AT_START) {
        snprintf(what, sizeof what, "must be an object with tracks, or a report; it is %s", is);
        return refuse(reader, "", what);
    }
    if (reader->place == IN_TRACKS || reader->place == IN_LANDMARKS) {
        snprintf(what, sizeof what, "must be an object, is %s", is);
        return refuse(reader, "", what);
    }
    snprintf(number, sizeof number, "a whole number from %d to 2^53", (int)field->bound);
    snprintf(what, sizeof what, "must be %s, is %s", field->kind == KIND_COUNT ? number : wanted[field->kind], is);
    return refuse(reader, field->key, what);
}

/* Whether a value is passed over. */
static bool is_passing(const struct spec_reader *reader)
{
    return reader->passing > 0 || (reader->field != NULL && reader->field->kind == KIND_RESULT);
}

/* ---- tracks and landmarks ---------------------------------------------------------------------------------- */

static int new_track(struct spec_reader *reader)
{
    struct spec *spec = reader->spec;
    if (spec->count == LT_MAX_TRACKS)
        return refuse(reader, "", "one track too many; a job has at most 64");
    if (spec->count == reader->track_capacity) {
        size_t grown = spec->count == 0 ? 4 : spec->count * 2;
        struct lt_track *tracks = realloc(spec->tracks, grown * sizeof *tracks);
        if (tracks == NULL)
            return no_memory(reader);
        spec->tracks = tracks;
        struct lt_landmark **landmarks = realloc(spec->landmarks, grown * sizeof *landmarks);
        if (landmarks == NULL)
            return no_memory(reader);
        spec->landmarks = landmarks;
        reader->track_capacity = grown;
    }
    spec->landmarks[spec->count] = NULL;
    spec->tracks[spec->count++] = (struct lt_track){.passes = 1, .anchor_stride = 1};
    reader->track_seen = 0;
    reader->landmark_capacity = 0;
    return 1;
}

static int new_landmark(struct spec_reader *reader)
{
    struct lt_track *track = track_of(reader);
    struct lt_landmark **landmarks = &reader->spec->landmarks[reader->spec->count - 1];
    if (track->landmark_count == LT_MAX_LANDMARKS)
        return refuse(reader, "", "one landmark too many; a track has at most 64");
    if (track->landmark_count == reader->landmark_capacity) {
        size_t grown = track->landmark_count == 0 ? 4 : track->landmark_count * 2;
        struct lt_landmark *data = realloc(*landmarks, grown * sizeof *data);
        if (data == NULL)
            return no_memory(reader);
        *landmarks = data;
        reader->landmark_capacity = grown;
    }
    (*landmarks)[track->landmark_count++] = (struct lt_landmark){.count = 1};
    reader->landmark_seen = 0;
    return 1;
}

static int check_required(struct spec_reader *reader, const struct field *fields, size_t count, uint64_t seen)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].required && (seen >> i & 1) == 0)
            return refuse(reader, fields[i].key, "is missing");
    return 1;
}

static int check_track(struct spec_reader *reader)
{
    return check_required(reader, track_fields, sizeof track_fields / sizeof *track_fields, reader->track_seen);
}

static int end_top(struct spec_reader *reader)
{
    if (!reader->has_tracks) {
        reader->spec->flat = true;
        if (reader->spec->count == 0 && !new_track(reader))
            return 0;
        return check_track(reader);
    }
    return reader->spec->count > 0 || refuse(reader, "tracks", "is empty; put a track into it");
}

/* ---- what yajl finds --------------------------------------------------------------------------------------- */

static const struct field *find_field(const struct field *fields, size_t count, const char *key, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(fields[i].key) == len && memcmp(fields[i].key, key, len) == 0)
            return &fields[i];
    return NULL;
}

static int mark_seen(struct spec_reader *reader, uint64_t *seen, const struct field *fields)
{
    uint64_t bit = (uint64_t)1 << (reader->field - fields);
    if ((*seen & bit) != 0)
        return refuse(reader, reader->field->key, "stands twice");
    *seen |= bit;
    return 1;
}

/* A key of a track, be it at the top or in the array. */
static int track_key(struct spec_reader *reader)
{
    enum kind kind = reader->field->kind;
    if (kind == KIND_RESULT)
        return mark_seen(reader, reader->place == IN_TOP ? &reader->top_seen : &reader->track_seen, track_fields);
    if (kind == KIND_TRACKS && reader->place == IN_TRACK)
        return refuse(reader, "tracks", "unknown key in a track");
    if (kind == KIND_TRACKS) {
        reader->has_tracks = true;
        if (reader->track_at_top)
            return refuse(reader, "tracks", "stands beside a track's own keys; move those into it");
        return mark_seen(reader, &reader->top_seen, track_fields);
    }
    if (reader->place == IN_TOP) {
        if (reader->has_tracks)
            return refuse(reader, reader->field->key, "stands beside tracks; move it into one");
        if (!reader->track_at_top && !new_track(reader))
            return 0;
        reader->track_at_top = true;
    }
    return mark_seen(reader, &reader->track_seen, track_fields);
}

/* With the key that was meant, when one begins alike. */
static int refuse_key(struct spec_reader *reader, const struct field *fields, size_t count, const char *key, size_t len)
{
    char shown[128], what[128] = "unknown key; the manual lists them under SEVERAL TRACKS";
    size_t most = 3;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        while (same < len && fields[i].key[same] == key[same] && key[same] != '\0')
            same++;
        if (same <= most || fields[i].kind == KIND_RESULT)
            continue;
        most = same;
        snprintf(what, sizeof what, "unknown key; did you mean %s?", fields[i].key);
    }
    return refuse(reader, printable(shown, sizeof shown, key, len), what);
}

static int on_key(void *ctx, const unsigned char *text, size_t len)
{
    struct spec_reader *reader = ctx;
    reader->found++;
    const char *key = (const char *)text;
    if (reader->passing > 0)
        return 1;
    bool landmark = reader->place == IN_LANDMARK;
    const struct field *fields = landmark ? landmark_fields : track_fields;
    size_t count = landmark ? sizeof landmark_fields / sizeof *fields : sizeof track_fields / sizeof *fields;
    reader->field = find_field(fields, count, key, len);
    if (reader->field == NULL)
        return refuse_key(reader, fields, count, key, len);
    return landmark ? mark_seen(reader, &reader->landmark_seen, fields) : track_key(reader);
}

/* Where the value that comes now belongs; NULL: nowhere, it is of the wrong type. */
static void *target(struct spec_reader *reader)
{
    if (reader->place == IN_LANDMARK)
        return (char *)landmark_of(reader) + reader->field->offset;
    if (reader->place == IN_TRACK || reader->place == IN_TOP)
        return (char *)track_of(reader) + reader->field->offset;
    return NULL;
}

static int keep_text(struct spec_reader *reader, const char *text, size_t len)
{
    char *copy = arena_take(&reader->spec->texts, len + 1);
    if (copy == NULL)
        return no_memory(reader);
    memcpy(copy, text, len);
    copy[len] = '\0';
    const char *kept = copy;
    memcpy(target(reader), &kept, sizeof kept);
    return 1;
}

static bool takes_values(const struct spec_reader *reader)
{
    return reader->place == IN_TOP || reader->place == IN_TRACK || reader->place == IN_LANDMARK;
}

static int on_null(void *ctx)
{
    struct spec_reader *reader = ctx;
    reader->found++;
    if (is_passing(reader))
        return 1;
    bool fits = takes_values(reader) && (reader->field->kind == KIND_OPTIONAL || reader->field->kind == KIND_IDENTITY);
    return fits || refuse_value(reader, "null");
}

static int on_boolean(void *ctx, int value)
{
    struct spec_reader *reader = ctx;
    reader->found++;
    return is_passing(reader) || refuse_value(reader, value ? "true" : "false");
}

/* A number's canonical digits, as the trace's own pids are compared. */
static int keep_number(struct spec_reader *reader, const struct decimal *number)
{
    struct arena arena = {0};
    struct decimal plain;
    int kept = 0;
    char *digits = NULL;
    if (decimal_shift(&plain, number, 0, &arena) == DECIMAL_OK)
        digits = arena_take(&arena, decimal_print_size(&plain));
    if (digits == NULL)
        no_memory(reader);
    else
        kept = keep_text(reader, digits, decimal_print(&plain, digits, decimal_print_size(&plain)));
    arena_free(&arena);
    return kept;
}

static int take_number(struct spec_reader *reader, const struct decimal *number, const char *shown)
{
    int64_t rounded;
    if (reader->field->kind == KIND_IDENTITY)
        return keep_number(reader, number);
    bool whole = decimal_round(number, &rounded);
    if (whole) {
        struct decimal back = decimal_from_int(rounded);
        whole = decimal_compare(number, &back) == 0;
    }
    if (!whole || rounded < reader->field->bound || rounded > MAX_COUNT)
        return refuse_value(reader, shown);
    uint64_t count = (uint64_t)rounded;
    memcpy(target(reader), &count, sizeof count);
    return 1;
}

static int on_number(void *ctx, const char *text, size_t len)
{
    struct spec_reader *reader = ctx;
    reader->found++;
    char shown[64];
    if (is_passing(reader))
        return 1;
    printable(shown, sizeof shown, text, len);
    if (!takes_values(reader) || (reader->field->kind != KIND_COUNT && reader->field->kind != KIND_IDENTITY))
        return refuse_value(reader, shown);
    struct arena arena = {0};
    struct decimal number;
    enum decimal_status status = decimal_parse(&number, text, len, &arena);
    int taken = status == DECIMAL_OK          ? take_number(reader, &number, shown)
                : status == DECIMAL_NO_MEMORY ? no_memory(reader)
                                              : refuse_value(reader, shown);
    arena_free(&arena);
    return taken;
}

static int on_string(void *ctx, const unsigned char *bytes, size_t len)
{
    struct spec_reader *reader = ctx;
    reader->found++;
    const char *text = (const char *)bytes;
    char shown[64], quoted[80];
    if (is_passing(reader))
        return 1;
    snprintf(quoted, sizeof quoted, "\"%s\"", printable(shown, sizeof shown, text, len));
    if (!takes_values(reader) || reader->field->kind > KIND_IDENTITY ||
        (reader->field->kind == KIND_TEXT && utf8_is_blank(text, len)))
        return refuse_value(reader, quoted);
    if (reader->field->kind == KIND_TEXT && len > (uint64_t)reader->field->bound) {
        snprintf(quoted, sizeof quoted, "is longer than %" PRId64 " bytes; shorten it", reader->field->bound);
        return refuse(reader, reader->field->key, quoted);
    }
    if (memchr(text, '\0', len) != NULL)
        return refuse(reader, reader->field->key, "holds a NUL character; take it out");
    return keep_text(reader, text, len);
}

/* Counts nesting. Returns -1 to go on, else what yajl is told. */
static int open_container(struct spec_reader *reader)
{
    reader->found++;
    if (++reader->depth > MAX_DEPTH) {
        fail(reader->error, LT_USAGE, "%s: nested more than %u deep; write a flatter file", reader->file, MAX_DEPTH);
        return 0;
    }
    if (!is_passing(reader))
        return -1;
    reader->passing++;
    return 1;
}

static bool close_container(struct spec_reader *reader)
{
    reader->found++;
    reader->depth--;
    if (reader->passing == 0)
        return false;
    reader->passing--;
    return true;
}

static int on_start_map(void *ctx)
{
    struct spec_reader *reader = ctx;
    int passed = open_container(reader);
    if (passed >= 0)
        return passed;
    switch (reader->place) {
    case AT_START:
        reader->place = IN_TOP;
        return 1;
    case IN_TRACKS:
        if (!new_track(reader))
            return 0;
        reader->place = IN_TRACK;
        return 1;
    case IN_LANDMARKS:
        if (!new_landmark(reader))
            return 0;
        reader->place = IN_LANDMARK;
        return 1;
    default:
        return refuse_value(reader, "an object");
    }
}

static int on_end_map(void *ctx)
{
    struct spec_reader *reader = ctx;
    if (close_container(reader))
        return 1;
    reader->field = NULL;
    switch (reader->place) {
    case IN_TRACK:
        if (!check_track(reader))
            return 0;
        reader->place = IN_TRACKS;
        return 1;
    case IN_LANDMARK:
        if (!check_required(reader, landmark_fields, sizeof landmark_fields / sizeof *landmark_fields,
                            reader->landmark_seen))
            return 0;
        reader->place = IN_LANDMARKS;
        return 1;
    default:
        return end_top(reader);
    }
}

static int on_start_array(void *ctx)
{
    struct spec_reader *reader = ctx;
    int passed = open_container(reader);
    if (passed >= 0)
        return passed;
    if (reader->place == IN_TOP && reader->field->kind == KIND_TRACKS)
        reader->place = IN_TRACKS;
    else if (takes_values(reader) && reader->field->kind == KIND_LANDMARKS)
        reader->place = IN_LANDMARKS;
    else
        return refuse_value(reader, "an array");
    reader->field = NULL;
    return 1;
}

static int on_end_array(void *ctx)
{
    struct spec_reader *reader = ctx;
    if (!close_container(reader))
        reader->place = reader->place == IN_TRACKS || reader->track_at_top ? IN_TOP : IN_TRACK;
    return 1;
}

const yajl_callbacks spec_callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end_map,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array,
};
