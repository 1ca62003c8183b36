#define _POSIX_C_SOURCE 200809L
#include "guides/report_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/utf8.h"

/* So much is read at a time, where strings are short; the rows in it wait in a queue. */
#define PIECE ((size_t)4 << 10)

/* An object of ours has a third of a hundred keys at most. */
#define MOST_KEYS 1024

/* Depths of a report's objects: one track {1 "layers": [2 {3 row, several {1 "tracks": [2 {3 "layers": [4 {5 row. */
#define TOP   1
#define TRACK 3
#define ROW   5

enum place { IN_OTHER, IN_TOP, IN_TRACK, IN_ROW, IN_WARNING };

struct row {
    struct members members;
    size_t track;
    struct row *next;
};

struct report_reader {
    struct json_reader json;
    struct report *report;
    struct lt_error *error;
    const char *path;
    bool wants_rows; /* the second time */
    int fd;
    size_t track_count;        /* so far */
    bool flat;                 /* the one track's rows stand at the top */
    struct row *first, **last; /* waiting; the one behind them is not whole yet */
    bool given;                /* the first one was */
};

/* ---- where in the report ----------------------------------------------------------------------------------- */

/* What level[depth] is: every other one must be an object. */
static enum place place_of(const struct json_reader *json, unsigned depth)
{
    if (depth > ROW || depth % 2 == 0)
        return IN_OTHER;
    for (unsigned i = TOP; i <= depth; i++)
        if (json->level[i].is_object != (i % 2 == 1))
            return IN_OTHER;
    bool tracks = json_reader_under(json, TOP, "tracks");
    switch (depth) {
    case TOP:
        return IN_TOP;
    case TRACK:
        return tracks                                     ? IN_TRACK
               : json_reader_under(json, TOP, "layers")   ? IN_ROW
               : json_reader_under(json, TOP, "warnings") ? IN_WARNING
                                                          : IN_OTHER;
    default:
        return tracks && json_reader_under(json, TRACK, "layers") ? IN_ROW : IN_OTHER;
    }
}

static struct report_track *current_track(struct report_reader *reader)
{
    return reader->track_count == 0 ? NULL : &reader->report->tracks[reader->track_count - 1];
}

static bool refuse(struct report_reader *reader, const char *what)
{
    char name[512], key[64], at_key[80] = "", near[48] = "";
    /* Elements of an array, and an object before its first key, are at the key that they stand under. */
    const struct json_reader *json = &reader->json;
    unsigned depth = json->depth;
    while (depth > 0 && json->level[depth].key[0] == '\0')
        depth--;
    if (depth > 0)
        snprintf(at_key, sizeof at_key, " at key '%s'",
                 printable(key, sizeof key, json->level[depth].key, strlen(json->level[depth].key)));
    uint64_t offset = json->parsing ? json_reader_offset(json) : LT_NONE;
    if (json->parsing)
        snprintf(near, sizeof near, " (near byte %llu)", (unsigned long long)offset);
    fail_at(reader->error, LT_CLASS_NOT_A_REPORT, (struct error_place){.event = LT_NONE, .offset = offset},
            "%s: %s%s%s; it is no report of layertrack, name the right one",
            printable(name, sizeof name, reader->path, strlen(reader->path)), what, at_key, near);
    return false;
}

static bool no_memory(struct report_reader *reader)
{
    fail_memory(reader->error);
    return false;
}

/* ---- what is found ---------------------------------------------------------------------------------------- */

/* Where a value of the object at hand goes; NULL: it is passed over, this time or altogether. */
static struct members *members_here(struct report_reader *reader)
{
    enum place here = place_of(&reader->json, reader->json.depth);
    if (reader->wants_rows)
        return here == IN_ROW ? &(*reader->last)->members : NULL;
    if (here == IN_WARNING)
        return &reader->report->warnings[reader->report->warning_count - 1];
    return here == IN_TOP ? &reader->report->members : here == IN_TRACK ? &current_track(reader)->members : NULL;
}

static bool take_value(struct report_reader *reader, enum json_kind kind, const char *text, size_t len)
{
    if (reader->json.depth == 0)
        return refuse(reader, "does not begin with an object");
    struct members *to = members_here(reader);
    if (to == NULL)
        return true;
    if (to->count == MOST_KEYS)
        return refuse(reader, "an object of over 1024 keys");
    switch (members_add(to, reader->json.key, reader->json.key_len, kind, text, len)) {
    case MEMBERS_OK:
        return true;
    case MEMBERS_TWICE:
        return refuse(reader, "the same key twice");
    default:
        return no_memory(reader);
    }
}

static bool new_row(struct report_reader *reader)
{
    bool at_top = reader->json.depth + 1 == TRACK;
    /* A row of one track alone, whose members are those of the top level. */
    if (reader->track_count == 0) {
        reader->track_count = 1;
        reader->flat = true;
    }
    if (reader->flat != at_top)
        return refuse(reader, "has layers beside its tracks");
    if (!reader->wants_rows) {
        current_track(reader)->rows++;
        return true;
    }
    struct row *row = calloc(1, sizeof *row);
    if (row == NULL)
        return no_memory(reader);
    row->track = reader->track_count - 1;
    *reader->last = row;
    return true;
}

static bool new_warning(struct report_reader *reader)
{
    struct report *report = reader->report;
    if (reader->wants_rows)
        return true;
    if (report->warning_count == REPORT_MAX_WARNINGS)
        return refuse(reader, "has too many warnings");
    if (!array_grow(&report->warnings, &report->warning_capacity, report->warning_count, sizeof *report->warnings))
        return no_memory(reader);
    report->warnings[report->warning_count++] = (struct members){0};
    return true;
}

static bool take_nested(struct report_reader *reader)
{
    const struct json_reader *json = &reader->json;
    if ((json->depth > 0 || !json->level[TOP].is_object) && !take_value(reader, JSON_NESTED, "", 0))
        return false;
    if (json->depth == JSON_LEVELS)
        return refuse(reader, "is nested too deeply");
    enum place opened = place_of(json, json->depth + 1);
    if (opened == IN_TRACK && reader->flat)
        return refuse(reader, "has layers beside its tracks");
    if (opened == IN_TRACK && reader->track_count++ == REPORT_MAX_TRACKS)
        return refuse(reader, "has too many tracks");
    if (opened == IN_WARNING)
        return new_warning(reader);
    return opened != IN_ROW || new_row(reader);
}

static bool take_item(void *ctx, enum json_kind kind, const char *text, size_t len)
{
    struct report_reader *reader = ctx;
    switch (kind) {
    case JSON_KEY:
        return true;
    case JSON_NESTED:
        return take_nested(reader);
    case JSON_CLOSE:
        if (reader->wants_rows && place_of(&reader->json, reader->json.depth) == IN_ROW)
            reader->last = &(*reader->last)->next;
        return true;
    default:
        return take_value(reader, kind, text, len);
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* Another piece of the file. *more is false at its end, which must be the end of the object. */
static enum lt_status read_piece(struct report_reader *reader, bool *more)
{
    enum json_status status = json_reader_file(&reader->json, reader->fd);
    *more = status != JSON_END;
    switch (status) {
    case JSON_NO_MEMORY:
        return fail_memory(reader->error);
    case JSON_UNREADABLE:
        return fail_errno(reader->error, reader->path, "cannot be read", reader->json.errnum);
    case JSON_TOO_LONG:
        refuse(reader, "a string, number or blank of over 8 MiB");
        break;
    case JSON_SYNTAX:
        refuse(reader, "is not JSON");
        break;
    case JSON_CUT:
        refuse(reader, "is cut short");
        break;
    default:
        break;
    }
    return reader->error->status;
}

static void drop_first(struct report_reader *reader)
{
    struct row *row = reader->first;
    reader->first = row->next;
    if (reader->last == &row->next)
        reader->last = &reader->first;
    members_free(&row->members);
    free(row);
}

static void end_reader(struct report_reader *reader)
{
    if (reader == NULL)
        return;
    while (reader->first != NULL)
        drop_first(reader);
    json_reader_end(&reader->json);
    if (reader->fd >= 0)
        close(reader->fd);
    free((char *)(uintptr_t)reader->path);
    free(reader);
}

static struct report_reader *new_reader(struct report *report, const char *path, bool rows, struct lt_error *error)
{
    struct report_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL || (reader->path = strdup(path)) == NULL) {
        free(reader);
        fail_memory(error);
        return NULL;
    }
    reader->report = report;
    reader->error = error;
    reader->wants_rows = rows;
    reader->last = &reader->first;
    reader->json.item = take_item;
    reader->json.ctx = reader;
    reader->json.piece = PIECE;
    /* Not to wait for a writer, should it be a pipe. */
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    char name[512];
    if (reader->fd < 0 && errno == ENOENT && lstat(path, &st) == 0)
        fail_as(error, LT_CLASS_NOT_FOUND,
                "%s: the report is a symbolic link to something that is not there; mend it or remove it",
                printable(name, sizeof name, path, strlen(path)));
    else if (reader->fd < 0 || fstat(reader->fd, &st) != 0)
        fail_errno(error, path, "the report cannot be read", errno);
    else if (!S_ISREG(st.st_mode))
        fail(error, LT_IO, "%s: a report is read twice and must be a file; save it in one first",
             printable(name, sizeof name, path, strlen(path)));
    else
        return reader;
    end_reader(reader);
    return NULL;
}

static enum lt_status open_path(struct report *report, const char *path, struct lt_error *error)
{
    struct report_reader *reader = new_reader(report, path, false, error);
    bool more = reader != NULL;
    while (more && read_piece(reader, &more) == LT_OK)
        continue;
    uint64_t version;
    report->track_count = reader == NULL ? 0 : reader->track_count;
    if (error->status == LT_OK && (!member_count(members_find(&report->members, "schema_version"), &version) ||
                                   version != 1 || report->track_count == 0))
        refuse(reader, "has no schema_version 1 or no layers");
    end_reader(reader);
    if (error->status != LT_OK)
        return error->status;
    report->reader = new_reader(report, path, true, error);
    return error->status;
}

enum lt_status report_open(struct report *report, const char *path, const char *trace, bool *exists,
                           struct lt_error *error)
{
    *report = (struct report){0};
    *exists = path != NULL;
    if (path != NULL)
        return open_path(report, path, error);
    if (strcmp(trace, "-") == 0)
        return LT_OK;
    char *beside = malloc(strlen(trace) + sizeof ".layers.json");
    if (beside == NULL)
        return fail_memory(error);
    strcat(strcpy(beside, trace), ".layers.json");
    /* A link that leads nowhere is there too. */
    struct stat st;
    *exists = lstat(beside, &st) == 0;
    enum lt_status status = *exists ? open_path(report, beside, error) : LT_OK;
    free(beside);
    return status;
}

const struct members *report_members(const struct report *report, size_t track)
{
    const struct members *own = &report->tracks[track].members;
    return own->count > 0 ? own : &report->members;
}

enum lt_status report_count(const struct report *report, const char *key, uint64_t *out, struct lt_error *error)
{
    char name[512];
    if (member_count(members_find(&report->members, key), out))
        return LT_OK;
    return fail_as(error, LT_CLASS_NOT_A_REPORT, "%s: %s is missing or no whole number; it is no report of layertrack",
                   printable(name, sizeof name, report->reader->path, strlen(report->reader->path)), key);
}

void report_warn(const struct report *report, const char *trace, const struct listener *listener)
{
    char name[512], shown[4096];
    printable(name, sizeof name, trace, strlen(trace));
    for (size_t i = 0; i < report->warning_count; i++) {
        const struct members *warning = &report->warnings[i];
        const struct member *class = members_find(warning, "class"), *sentence = members_find(warning, "sentence");
        uint64_t count;
        if (class == NULL || sentence == NULL || sentence->kind != JSON_STRING ||
            !member_count(members_find(warning, "count"), &count))
            continue;
        enum lt_class class_id = class_of_word(class->text, class->len);
        if (!class_is_warning(class_id) || class_is_of_text(class_id))
            continue;
        /* Its place is one in the source. */
        warn_of(listener, class_id, count, error_nowhere, "%s: the report has a warning: %s", name,
                printable(shown, sizeof shown, sentence->text, sentence->len));
    }
}

const char *report_text(const struct report *report, const char *key)
{
    const struct member *member = members_find(&report->members, key);
    return member != NULL && member->kind == JSON_STRING ? member->text : NULL;
}

bool report_source_is_gzip(const struct report *report)
{
    const struct member *gzip = members_find(&report->members, "source_gzip");
    const char *file = report_text(report, "source_file");
    size_t len = file == NULL ? 0 : strlen(file);
    return gzip != NULL ? strcmp(gzip->text, "true") == 0 : len > 3 && strcmp(file + len - 3, ".gz") == 0;
}

static bool is_hex(const char *text, size_t len)
{
    return text != NULL && strlen(text) == len && strspn(text, "0123456789abcdef") == len;
}

struct report_proof report_proof(const struct report *report)
{
    const char *crc = report_text(report, "source_crc32");
    if (report_source_is_gzip(report) && is_hex(crc, 2 * sizeof(uint32_t)))
        return (struct report_proof){"CRC-32", crc, SOURCE_CRC_OUTSIDE, true};
    return (struct report_proof){"SHA-256", report_text(report, "source_sha256"), SOURCE_HASH_OUTSIDE,
                                 !report_source_is_gzip(report)};
}

const char *report_found(const struct report_proof *proof, const struct source *source)
{
    return proof->hash == SOURCE_CRC_OUTSIDE ? source_crc32(source) : source_sha256(source);
}

enum lt_status report_next(struct report *report, size_t *track, const struct members **row, struct lt_error *error)
{
    struct report_reader *reader = report->reader;
    if (reader->given)
        drop_first(reader);
    reader->given = false;
    reader->error = error;
    *row = NULL;
    /* A row is whole once another slot is being waited for. */
    bool more = true;
    while (reader->last == &reader->first && more)
        if (read_piece(reader, &more) != LT_OK)
            return error->status;
    reader->given = reader->last != &reader->first;
    if (reader->given) {
        *track = reader->first->track;
        *row = &reader->first->members;
    }
    return LT_OK;
}

void report_close(struct report *report)
{
    end_reader(report->reader);
    for (size_t i = 0; i < REPORT_MAX_TRACKS; i++)
        members_free(&report->tracks[i].members);
    members_free(&report->members);
    for (size_t i = 0; i < report->warning_count; i++)
        members_free(&report->warnings[i]);
    free(report->warnings);
}
