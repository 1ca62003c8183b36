#define _POSIX_C_SOURCE 200809L
#include "rules/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/number.h"
#include "base/utf8.h"
#include "rules/first_pass.h"
#include "json/json_reader.h"

#define PIECE     ((size_t)64 << 10)
#define MAX_COUNT ((int64_t)1 << 53)
#define MAX_DEPTH 512u

/* ---- keys -------------------------------------------------------------------------------------------------- */

enum kind {
    KIND_TEXT,     /* a string that is not blank */
    KIND_PATTERN,  /* a string */
    KIND_OPTIONAL, /* a string, or null */
    KIND_RUN,      /* "run:3", "skip-partial", or null */
    KIND_ALL,      /* "all", or null */
    KIND_IDENTITY, /* a string or a number, or null */
    KIND_COUNT,
    KIND_OFFSET, /* a count, or "run:3" */
    KIND_PASSES, /* a count, or "all" */
    KIND_FLAG,   /* true or false */
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
    {"anchor_offset", KIND_OFFSET, TRACK(anchor_offset), 0, false},
    {"skip_partial", KIND_FLAG, TRACK(skip_partial), 0, false},
    {"num_layers", KIND_COUNT, TRACK(num_layers), 1, true},
    {"passes", KIND_PASSES, TRACK(passes), 1, false},
    {"anchor_offset_rule", KIND_RUN, TRACK(anchor_run), 0, false},
    {"passes_rule", KIND_ALL, TRACK(passes), 0, false},
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
    {"gpu_pass_scopes", KIND_RESULT, 0, 0, false},
    {"source_gzip", KIND_RESULT, 0, 0, false},
    {"source_crc32", KIND_RESULT, 0, 0, false},
    {"base_time_ns", KIND_RESULT, 0, 0, false},
    {"rank", KIND_RESULT, 0, 0, false},
    {"world_size", KIND_RESULT, 0, 0, false},
    {"left_over_anchors", KIND_RESULT, 0, 0, false},
    {"warnings", KIND_RESULT, 0, 0, false},
};

static const struct field landmark_fields[] = {
    {"regex", KIND_PATTERN, offsetof(struct lt_landmark, regex), 0, true},
    {"count", KIND_COUNT, offsetof(struct lt_landmark, count), 0, false},
};

#define TRACK_FIELDS    (sizeof track_fields / sizeof *track_fields)
#define LANDMARK_FIELDS (sizeof landmark_fields / sizeof *landmark_fields)

/* One bit per field of a table. */
_Static_assert(TRACK_FIELDS <= 64, "too many keys for a mask");

/* ---- a spec being read ------------------------------------------------------------------------------------- */

/* Each but the first lies in the one before it; landmarks of a track at the top lie in IN_TOP. */
enum place { AT_START, IN_TOP, IN_TRACKS, IN_TRACK, IN_LANDMARKS, IN_LANDMARK, PLACES };

struct reader {
    struct json_reader json;
    struct spec *spec;
    struct lt_error *error;
    char file[512]; /* printable */
    enum place place;
    unsigned depth;            /* of the place; what is deeper is passed over */
    const struct field *field; /* whose value comes next; NULL: none, in an array or at the start */
    uint64_t seen[PLACES];     /* which keys, by their place in the table */
    bool has_tracks;           /* `tracks` was seen */
};

static struct lt_track *track_of(struct reader *reader)
{
    return &reader->spec->tracks[reader->spec->count - 1];
}

static struct lt_landmark *landmark_of(struct reader *reader)
{
    return &reader->spec->landmarks[reader->spec->count - 1][track_of(reader)->landmark_count - 1];
}

/* The fields that the place may have. */
static const struct field *fields_of(const struct reader *reader, size_t *count)
{
    bool in_landmark = reader->place == IN_LANDMARK;
    *count = in_landmark ? LANDMARK_FIELDS : TRACK_FIELDS;
    return in_landmark ? landmark_fields : track_fields;
}

/* ---- messages ----------------------------------------------------------------------------------------------- */

/* tracks[1].landmarks[0].regex */
static void describe(const struct reader *reader, const char *key, char *out, size_t size)
{
    const struct spec *spec = reader->spec;
    char track[48] = "", landmark[48] = "", shown[128];
    if (reader->place >= IN_TRACK && reader->has_tracks)
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

/* Ends the reading with a message about a key. Returns false. */
static bool refuse_hint(struct reader *reader, const char *key, const char *what, const char *hint)
{
    char where[256];
    describe(reader, key, where, sizeof where);
    const char *colon = where[0] == '\0' ? "" : ": ";
    if (hint == NULL)
        fail_as(reader->error, LT_CLASS_SPEC, "%s: %s%s%s", reader->file, where, colon, what);
    else
        fail_as(reader->error, LT_CLASS_SPEC, "%s: %s%s%s; %s", reader->file, where, colon, what, hint);
    return false;
}

/* The same where it is plain what to do. */
static bool refuse(struct reader *reader, const char *key, const char *what)
{
    return refuse_hint(reader, key, what, NULL);
}

static bool no_memory(struct reader *reader)
{
    fail_memory(reader->error);
    return false;
}

static bool refuse_value(struct reader *reader, const char *is)
{
    static const char *const wanted[] = {
        [KIND_TEXT] = "a string that is not blank",
        [KIND_PATTERN] = "a string",
        [KIND_OPTIONAL] = "a string or null",
        [KIND_RUN] = "run:K, run:-K, skip-partial or null",
        [KIND_ALL] = "all or null",
        [KIND_IDENTITY] = "a string, a number or null",
        [KIND_OFFSET] = ", run:K or run:-K",
        [KIND_PASSES] = ", or all",
        [KIND_FLAG] = "true or false",
        [KIND_LANDMARKS] = "an array of objects",
        [KIND_TRACKS] = "an array of objects",
    };
    char what[256], number[80];
    const struct field *field = reader->field;
    if (field == NULL) {
        snprintf(what, sizeof what,
                 reader->place == AT_START ? "must be an object with tracks, or a report; it is %s"
                                           : "must be an object, is %s",
                 is);
        return refuse(reader, "", what);
    }
    bool is_count = field->kind >= KIND_COUNT && field->kind <= KIND_PASSES;
    snprintf(number, sizeof number, "a whole number from %d to 2^53%s", (int)field->bound,
             field->kind == KIND_COUNT ? "" : wanted[field->kind]);
    snprintf(what, sizeof what, "must be %s, is %s", is_count ? number : wanted[field->kind], is);
    return refuse(reader, field->key, what);
}

/* With the key that was meant, when one begins alike. */
static bool refuse_key(struct reader *reader, const char *key, size_t len)
{
    char shown[128], hint[128] = "the manual lists them under SEVERAL TRACKS";
    size_t most = 3, count;
    const struct field *fields = fields_of(reader, &count);
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        while (same < len && fields[i].key[same] == key[same] && key[same] != '\0')
            same++;
        if (same <= most || fields[i].kind == KIND_RESULT)
            continue;
        most = same;
        snprintf(hint, sizeof hint, "did you mean %s?", fields[i].key);
    }
    return refuse_hint(reader, printable(shown, sizeof shown, key, len), "unknown key", hint);
}

/* ---- tracks and landmarks ---------------------------------------------------------------------------------- */

static bool new_track(struct reader *reader)
{
    struct spec *spec = reader->spec;
    if (spec->count == LT_MAX_TRACKS)
        return refuse_hint(reader, "", "one track too many", "a job has at most 64");
    spec->tracks[spec->count++] = (struct lt_track){.passes = 1, .anchor_stride = 1};
    return true;
}

static bool new_landmark(struct reader *reader)
{
    struct lt_track *track = track_of(reader);
    struct lt_landmark **landmarks = &reader->spec->landmarks[reader->spec->count - 1];
    if (track->landmark_count == LT_MAX_LANDMARKS)
        return refuse_hint(reader, "", "one landmark too many", "a track has at most 64");
    if (*landmarks == NULL)
        *landmarks = malloc(LT_MAX_LANDMARKS * sizeof **landmarks);
    if (*landmarks == NULL)
        return no_memory(reader);
    (*landmarks)[track->landmark_count++] = (struct lt_landmark){.count = 1};
    track->landmarks = *landmarks;
    return true;
}

static bool was_seen(const struct reader *reader, const char *key)
{
    size_t count, i = 0;
    const struct field *fields = fields_of(reader, &count);
    while (strcmp(fields[i].key, key) != 0)
        i++;
    return (reader->seen[reader->place] >> i & 1) != 0;
}

/* A report has both its rule and the number that it found by that, which is another one in each trace. */
static bool settle_rule(struct reader *reader)
{
    struct lt_track *track = track_of(reader);
    bool has_rule = track->anchor_run != 0 || track->skip_partial != 0;
    if (!has_rule)
        return was_seen(reader, "anchor_offset") || refuse(reader, "anchor_offset", "is missing");
    if (track->skip_partial != 0 &&
        (track->anchor_run != 0 || (was_seen(reader, "skip_partial") && was_seen(reader, "anchor_offset"))))
        return refuse_hint(reader, "skip_partial", "stands beside anchor_offset",
                           "both say where the first pass begins");
    track->anchor_offset = 0;
    return true;
}

static bool check_required(struct reader *reader)
{
    size_t count;
    const struct field *fields = fields_of(reader, &count);
    for (size_t i = 0; i < count; i++)
        if (fields[i].required && (reader->seen[reader->place] >> i & 1) == 0)
            return refuse(reader, fields[i].key, "is missing");
    return reader->place == IN_LANDMARK || settle_rule(reader);
}

/* Which process and device each trace has of its own. */
static void forget_identity(struct spec *spec)
{
    for (size_t i = 0; i < spec->count; i++)
        spec->tracks[i].pid = spec->tracks[i].device = NULL;
}

static bool end_top(struct reader *reader)
{
    reader->spec->flat = !reader->has_tracks;
    reader->spec->is_report = was_seen(reader, "source_sha256");
    if (reader->spec->is_report)
        forget_identity(reader->spec);
    if (reader->spec->flat)
        return (reader->spec->count > 0 || new_track(reader)) && check_required(reader);
    return reader->spec->count > 0 || refuse_hint(reader, "tracks", "is empty", "put a track into it");
}

/* ---- keys and values ---------------------------------------------------------------------------------------- */

/* A key of a track, be it at the top or in the array. */
static bool take_track_key(struct reader *reader, const struct field *field)
{
    bool at_top = reader->place == IN_TOP, is_flat = reader->spec->count > 0 && !reader->has_tracks;
    if (field->kind == KIND_RESULT)
        return true;
    if (field->kind == KIND_TRACKS) {
        reader->has_tracks = true;
        return at_top
                   ? !is_flat || refuse_hint(reader, "tracks", "stands beside a track's own keys", "move those into it")
                   : refuse(reader, "tracks", "unknown key in a track");
    }
    if (at_top && reader->has_tracks)
        return refuse_hint(reader, field->key, "stands beside tracks", "move it into one");
    return !at_top || is_flat || new_track(reader);
}

static bool take_key(struct reader *reader, const char *key, size_t len)
{
    size_t count, i = 0;
    const struct field *fields = fields_of(reader, &count);
    while (i < count && (strlen(fields[i].key) != len || memcmp(fields[i].key, key, len) != 0))
        i++;
    if (i == count)
        return refuse_key(reader, key, len);
    reader->field = &fields[i];
    if (fields == track_fields && !take_track_key(reader, reader->field))
        return false;
    if ((reader->seen[reader->place] >> i & 1) != 0)
        return refuse(reader, key, "stands twice");
    reader->seen[reader->place] |= (uint64_t)1 << i;
    return true;
}

/* Where the field's value belongs. */
static void *target(struct reader *reader)
{
    char *base = reader->place == IN_LANDMARK ? (char *)landmark_of(reader) : (char *)track_of(reader);
    return base + reader->field->offset;
}

static bool keep_text(struct reader *reader, const char *text, size_t len)
{
    const char *copy = arena_string(&reader->spec->texts, text, len);
    if (copy == NULL)
        return no_memory(reader);
    memcpy(target(reader), &copy, sizeof copy);
    return true;
}

/* Rules of the first pass and of the passes. */
static bool take_rule(struct reader *reader, const char *text, size_t len)
{
    struct lt_track *track = track_of(reader);
    const enum kind kind = reader->field->kind;
    if (kind == KIND_PASSES || kind == KIND_ALL) {
        if (len != 3 || memcmp(text, "all", 3) != 0)
            return false;
        track->passes = LT_ALL;
        return true;
    }
    if (kind == KIND_RUN && len == 12 && memcmp(text, "skip-partial", 12) == 0) {
        track->skip_partial = 1;
        return true;
    }
    return first_pass_parse_run(text, len, &track->anchor_run);
}

static bool refuse_auto(struct reader *reader)
{
    return refuse_hint(reader, reader->field->key,
                       "there is no auto, since no trace tells which kernel is the first "
                       "layer's",
                       "state run:K or run:-K (a run as inspect counts them), skip_partial (the first whole run), or "
                       "the index of a verified first layer");
}

static bool take_string(struct reader *reader, const char *text, size_t len)
{
    char shown[64], what[80];
    const struct field *field = reader->field;
    bool may_be_rule = field != NULL && (field->kind == KIND_RUN || field->kind == KIND_ALL ||
                                         field->kind == KIND_OFFSET || field->kind == KIND_PASSES);
    if (may_be_rule && take_rule(reader, text, len))
        return true;
    if (may_be_rule && field->kind == KIND_OFFSET && len == 4 && memcmp(text, "auto", 4) == 0)
        return refuse_auto(reader);
    if (field == NULL || may_be_rule || field->kind > KIND_IDENTITY ||
        (field->kind == KIND_TEXT && utf8_is_blank(text, len))) {
        snprintf(what, sizeof what, "\"%s\"", printable(shown, sizeof shown, text, len));
        return refuse_value(reader, what);
    }
    if (field->kind == KIND_TEXT && len > (uint64_t)field->bound) {
        snprintf(what, sizeof what, "is longer than %" PRId64 " bytes", field->bound);
        return refuse_hint(reader, field->key, what, "shorten it");
    }
    if (memchr(text, '\0', len) != NULL)
        return refuse_hint(reader, field->key, "holds a NUL character", "take it out");
    return keep_text(reader, text, len);
}

static bool take_count(struct reader *reader, const char *text, size_t len, const char *shown)
{
    struct decimal number;
    int64_t whole;
    if (decimal_parse(&number, text, len) != DECIMAL_OK || !decimal_whole(&number, &whole) ||
        whole < reader->field->bound || whole > MAX_COUNT)
        return refuse_value(reader, shown);
    uint64_t count = (uint64_t)whole;
    /* The number beside a rule, in a report. */
    if (reader->field->kind == KIND_PASSES && track_of(reader)->passes == LT_ALL)
        return true;
    memcpy(target(reader), &count, sizeof count);
    return true;
}

/* A number's canonical digits, as the trace's own pids are compared. */
static bool keep_digits(struct reader *reader, const char *text, size_t len)
{
    struct arena arena = {0};
    char *digits = arena_take(&arena, len + NUMBER_ROOM);
    size_t size = digits == NULL ? 0 : number_canonical(digits, text, len);
    bool kept = digits == NULL ? no_memory(reader) : keep_text(reader, size > 0 ? digits : text, size > 0 ? size : len);
    arena_free(&arena);
    return kept;
}

static bool take_number(struct reader *reader, const char *text, size_t len)
{
    char shown[64];
    bool is_count = reader->field != NULL && reader->field->kind >= KIND_COUNT && reader->field->kind <= KIND_PASSES;
    printable(shown, sizeof shown, text, len);
    if (!is_count && (reader->field == NULL || reader->field->kind != KIND_IDENTITY))
        return refuse_value(reader, shown);
    return is_count ? take_count(reader, text, len, shown) : keep_digits(reader, text, len);
}

static bool take_word(struct reader *reader, const char *word)
{
    const struct field *field = reader->field;
    bool may_be_null = field != NULL && field->kind >= KIND_OPTIONAL && field->kind <= KIND_IDENTITY;
    if (field != NULL && field->kind == KIND_FLAG && strcmp(word, "null") != 0) {
        track_of(reader)->skip_partial = strcmp(word, "true") == 0;
        return true;
    }
    return (may_be_null && strcmp(word, "null") == 0) || refuse_value(reader, word);
}

/* ---- places ------------------------------------------------------------------------------------------------- */

static bool open_place(struct reader *reader)
{
    const struct field *field = reader->field;
    bool is_object = reader->json.level[reader->json.depth + 1].is_object;
    if (is_object && field == NULL) {
        if ((reader->place == IN_TRACKS && !new_track(reader)) ||
            (reader->place == IN_LANDMARKS && !new_landmark(reader)))
            return false;
        reader->place++;
        reader->seen[reader->place] = 0;
    } else if (!is_object && field != NULL && field->kind >= KIND_LANDMARKS) {
        reader->place = field->kind == KIND_TRACKS ? IN_TRACKS : IN_LANDMARKS;
    } else {
        return refuse_value(reader, is_object ? "an object" : "an array");
    }
    reader->field = NULL;
    reader->depth++;
    return true;
}

static bool close_place(struct reader *reader)
{
    if (reader->place == IN_TOP)
        return end_top(reader);
    if ((reader->place == IN_TRACK || reader->place == IN_LANDMARK) && !check_required(reader))
        return false;
    reader->place = reader->place == IN_LANDMARKS && !reader->has_tracks ? IN_TOP : reader->place - 1;
    reader->field = NULL;
    reader->depth--;
    return true;
}

static bool take_item(void *ctx, enum json_kind kind, const char *text, size_t len)
{
    struct reader *reader = ctx;
    if (kind == JSON_NESTED && reader->json.depth == MAX_DEPTH) {
        fail_as(reader->error, LT_CLASS_SPEC, "%s: nested more than %u deep; write a flatter file", reader->file,
                MAX_DEPTH);
        return false;
    }
    bool is_value = kind != JSON_KEY && kind != JSON_CLOSE;
    if (reader->json.depth > reader->depth || (is_value && reader->field != NULL && reader->field->kind == KIND_RESULT))
        return true;
    switch (kind) {
    case JSON_KEY:
        return take_key(reader, text, len);
    case JSON_NESTED:
        return open_place(reader);
    case JSON_CLOSE:
        return close_place(reader);
    case JSON_STRING:
        return take_string(reader, text, len);
    case JSON_NUMBER:
        return take_number(reader, text, len);
    default:
        return take_word(reader, text);
    }
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

static enum lt_status read_all(struct reader *reader, const char *path, int fd)
{
    enum json_status status = JSON_OK;
    while (status == JSON_OK)
        status = json_reader_file(&reader->json, fd);
    const char *file = reader->file;
    uint64_t offset = json_reader_offset(&reader->json);
    switch (status) {
    case JSON_END:
        return LT_OK;
    case JSON_STOPPED:
        return reader->error->status;
    case JSON_NO_MEMORY:
        return fail_memory(reader->error);
    case JSON_UNREADABLE:
        return fail_errno(reader->error, path, "cannot be read", reader->json.errnum);
    case JSON_TOO_LONG:
        return fail_at(reader->error, LT_CLASS_SPEC, (struct error_place){.event = LT_NONE, .offset = offset},
                       "%s: a string, number or blank of over 8 MiB before byte %" PRIu64 "; shorten it", file, offset);
    case JSON_HALF_PAIR:
        return fail_at(reader->error, LT_CLASS_SPEC, (struct error_place){.event = LT_NONE, .offset = offset},
                       "%s: half of a surrogate pair before byte %" PRIu64 "; write the character itself, in UTF-8",
                       file, offset);
    default:
        if (status == JSON_CUT && offset == 0)
            return fail_as(reader->error, LT_CLASS_SPEC, "%s: is empty; a spec is an object with tracks, or a report",
                           file);
        return fail_at(reader->error, LT_CLASS_SPEC, (struct error_place){.event = LT_NONE, .offset = offset},
                       "%s: not JSON at byte %" PRIu64 ": %s; a spec is JSON: {\"tracks\": [...]}, or a report", file,
                       offset, reader->json.why);
    }
}

enum lt_status spec_read(struct spec *spec, const char *path, struct lt_error *error)
{
    *spec = (struct spec){0};
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return fail(error, LT_USAGE, "%s '%s' names no file; save the spec in one", error_name(error, "spec"), path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(error, path, "cannot be opened", errno);
    struct reader reader = {.json = {.item = take_item, .ctx = &reader, .piece = PIECE, .no_half_pairs = true},
                            .spec = spec,
                            .error = error};
    printable(reader.file, sizeof reader.file, path, strlen(path));
    enum lt_status status = read_all(&reader, path, fd);
    json_reader_end(&reader.json);
    (void)close(fd);
    return status;
}

void spec_free(struct spec *spec)
{
    for (size_t i = 0; i < spec->count; i++)
        free(spec->landmarks[i]);
    arena_free(&spec->texts);
    *spec = (struct spec){0};
}
