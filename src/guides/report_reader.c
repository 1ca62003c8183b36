#define _POSIX_C_SOURCE 200809L
#include "guides/report_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#include "base/utf8.h"
#include "json/piece.h"
#include "json/yajl_memory.h"

/* So much is given to yajl at a time, where strings are short; the rows in it wait in a queue. */
#define PIECE ((size_t)4 << 10)

/* An object of ours has a third of a hundred keys at most. */
#define MOST_KEYS 1024

/* Depths of a report's objects: one track {1 "layers": [2 {3 row, several {1 "tracks": [2 {3 "layers": [4 {5 row. */
#define TOP     1
#define TRACK   3
#define DEEPEST 64

enum place { IN_OTHER, IN_TOP, IN_TRACK, IN_ROW };

struct row {
    struct members members;
    size_t track;
    struct row *next;
};

struct report_reader {
    struct report *report;
    struct lt_error *error;
    const char *path;
    bool wants_rows; /* the second time */
    int fd;
    uint64_t offset; /* of the piece that is being parsed */
    bool parsing;    /* one is */
    yajl_handle yajl;
    struct yajl_memory memory;
    struct piece piece;
    uint64_t found; /* calls from yajl */

    unsigned depth;
    bool is_object[DEEPEST + 1];
    char key[DEEPEST + 1][24]; /* the last key at each depth; a longer one is cut, and none of ours */
    struct members last_key;   /* the last key, whole */
    size_t track_count;        /* so far */
    bool flat;                 /* the one track's rows stand at the top */
    struct row *first, **last, *current;
};

/* ---- where in the report ----------------------------------------------------------------------------------- */

static bool under(const struct report_reader *reader, unsigned depth, const char *key)
{
    return strcmp(reader->key[depth], key) == 0;
}

/* What the object at the current depth is. */
static enum place place(const struct report_reader *reader)
{
    if (reader->depth > 5 || !reader->is_object[reader->depth])
        return IN_OTHER;
    if (reader->depth == TOP)
        return IN_TOP;
    if (reader->depth == TRACK && !reader->is_object[2])
        return under(reader, TOP, "tracks") ? IN_TRACK : under(reader, TOP, "layers") ? IN_ROW : IN_OTHER;
    bool row = reader->depth == 5 && under(reader, TOP, "tracks") && under(reader, TRACK, "layers") &&
               !reader->is_object[2] && reader->is_object[TRACK] && !reader->is_object[4];
    return row ? IN_ROW : IN_OTHER;
}

static struct report_track *current_track(struct report_reader *reader)
{
    return reader->track_count == 0 ? NULL : &reader->report->tracks[reader->track_count - 1];
}

static int refuse(struct report_reader *reader, const char *what)
{
    char name[512], key[64], at_key[80] = "", near[48] = "";
    /* Elements of an array, and an object before its first key, are at the key that they stand under. */
    unsigned depth = reader->depth;
    while (depth > 0 && reader->key[depth][0] == '\0')
        depth--;
    if (depth > 0)
        snprintf(at_key, sizeof at_key, " at key '%s'",
                 printable(key, sizeof key, reader->key[depth], strlen(reader->key[depth])));
    if (reader->parsing)
        snprintf(near, sizeof near, " (near byte %llu)",
                 (unsigned long long)(reader->offset + yajl_get_bytes_consumed(reader->yajl)));
    fail(reader->error, LT_TRACE, "%s: %s%s%s; it is no report of layertrack, name the right one",
         printable(name, sizeof name, reader->path, strlen(reader->path)), what, at_key, near);
    return 0;
}

static int no_memory(struct report_reader *reader)
{
    fail_memory(reader->error);
    return 0;
}

/* ---- what yajl says ---------------------------------------------------------------------------------------- */

static int value(struct report_reader *reader, enum member_kind kind, const char *text, size_t len)
{
    reader->found++;
    if (reader->depth == 0)
        return refuse(reader, "does not begin with an object");
    struct members *to = NULL;
    switch (place(reader)) {
    case IN_TOP:
        to = reader->wants_rows ? NULL : &reader->report->members;
        break;
    case IN_TRACK:
        to = reader->wants_rows ? NULL : &current_track(reader)->members;
        break;
    case IN_ROW:
        to = reader->wants_rows ? &(*reader->last)->members : NULL;
        break;
    case IN_OTHER:
        break;
    }
    if (to == NULL)
        return 1;
    if (to->count == MOST_KEYS)
        return refuse(reader, "an object of over 1024 keys");
    const struct member *key = &reader->last_key.items[0];
    switch (members_add(to, key->key, key->key_len, kind, text, len)) {
    case MEMBERS_OK:
        return 1;
    case MEMBERS_TWICE:
        return refuse(reader, "the same key twice");
    default:
        return no_memory(reader);
    }
}

static int on_null(void *ctx)
{
    return value(ctx, MEMBER_WORD, "null", 4);
}

static int on_boolean(void *ctx, int yes)
{
    return value(ctx, MEMBER_WORD, yes ? "true" : "false", yes ? 4 : 5);
}

static int on_number(void *ctx, const char *text, size_t len)
{
    return value(ctx, MEMBER_NUMBER, text, len);
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
    return value(ctx, MEMBER_STRING, (const char *)text, len);
}

static int on_key(void *ctx, const unsigned char *key, size_t len)
{
    struct report_reader *reader = ctx;
    reader->found++;
    size_t size = sizeof reader->key[0] - 1, cut = len < size ? len : size;
    memcpy(reader->key[reader->depth], key, cut);
    reader->key[reader->depth][cut] = '\0';
    members_free(&reader->last_key);
    return members_add(&reader->last_key, (const char *)key, len, MEMBER_WORD, "", 0) == MEMBERS_OK ||
           no_memory(reader);
}

static int new_row(struct report_reader *reader)
{
    /* A row of one track alone, whose members are those of the top level. */
    if (reader->track_count == 0) {
        reader->track_count = 1;
        reader->flat = true;
    }
    if (reader->flat != (reader->depth == TRACK))
        return refuse(reader, "has layers beside its tracks");
    if (!reader->wants_rows) {
        current_track(reader)->rows++;
        return 1;
    }
    struct row *row = calloc(1, sizeof *row);
    if (row == NULL)
        return no_memory(reader);
    row->track = reader->track_count - 1;
    *reader->last = row;
    return 1;
}

static int open_value(struct report_reader *reader, bool object)
{
    if ((reader->depth > 0 || !object) && value(reader, MEMBER_NESTED, "", 0) == 0)
        return 0;
    if (reader->depth == DEEPEST)
        return refuse(reader, "is nested too deeply");
    reader->is_object[++reader->depth] = object;
    reader->key[reader->depth][0] = '\0';
    enum place here = place(reader);
    if (here == IN_TRACK && reader->flat)
        return refuse(reader, "has layers beside its tracks");
    if (here == IN_TRACK && reader->track_count++ == REPORT_MAX_TRACKS)
        return refuse(reader, "has too many tracks");
    return here != IN_ROW || new_row(reader);
}

static int on_object(void *ctx)
{
    return open_value(ctx, true);
}

static int on_array(void *ctx)
{
    return open_value(ctx, false);
}

static int on_close(void *ctx)
{
    struct report_reader *reader = ctx;
    if (reader->wants_rows && place(reader) == IN_ROW)
        reader->last = &(*reader->last)->next;
    reader->depth--;
    reader->found++;
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close,
    .yajl_start_array = on_array,
    .yajl_end_array = on_close,
};

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* Another piece of the file. *more is false at its end, which must be the end of the object. */
static enum lt_status read_piece(struct report_reader *reader, bool *more)
{
    struct piece *piece = &reader->piece;
    int errnum = piece_read(piece, reader->fd, reader->found);
    if (errnum == ENOMEM)
        return fail_memory(reader->error);
    if (errnum == EFBIG) {
        refuse(reader, "a string, number or blank of over 8 MiB");
        return reader->error->status;
    }
    if (errnum != 0)
        return fail_errno(reader->error, reader->path, "cannot be read", errnum);
    *more = piece->len > 0;
    if (setjmp(reader->memory.out) != 0)
        return fail_memory(reader->error);
    reader->parsing = *more;
    yajl_status status = *more ? yajl_parse(reader->yajl, piece->data, piece->len) : yajl_complete_parse(reader->yajl);
    if (reader->error->status == LT_OK && status != yajl_status_ok)
        refuse(reader, *more ? "is not JSON" : "is cut short");
    reader->offset += piece->len;
    reader->parsing = false;
    return reader->error->status;
}

static void end_reader(struct report_reader *reader)
{
    if (reader == NULL)
        return;
    while (reader->first != NULL) {
        struct row *row = reader->first;
        reader->first = row->next;
        members_free(&row->members);
        free(row);
    }
    if (reader->current != NULL)
        members_free(&reader->current->members);
    free(reader->current);
    members_free(&reader->last_key);
    piece_free(&reader->piece);
    yajl_memory_free(&reader->memory);
    if (reader->fd >= 0)
        close(reader->fd);
    free((char *)(uintptr_t)reader->path);
    free(reader);
}

/* In a function of its own: what a jump out of yajl leaves is not in registers of another. */
static enum lt_status start_yajl(struct report_reader *reader)
{
    if (setjmp(reader->memory.out) != 0)
        return fail_memory(reader->error);
    reader->yajl = yajl_alloc(&callbacks, &reader->memory.functions, reader);
    return LT_OK;
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
    reader->piece.least = PIECE;
    yajl_memory_init(&reader->memory);
    /* Not to wait for a writer, should it be a pipe. */
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    char name[512];
    if (reader->fd < 0 && errno == ENOENT && lstat(path, &st) == 0)
        fail(error, LT_IO, "%s: the report is a symbolic link to something that is not there; mend it or remove it",
             printable(name, sizeof name, path, strlen(path)));
    else if (reader->fd < 0 || fstat(reader->fd, &st) != 0)
        fail_errno(error, path, "the report cannot be read", errno);
    else if (!S_ISREG(st.st_mode))
        fail(error, LT_IO, "%s: a report is read twice and must be a file; save it in one first",
             printable(name, sizeof name, path, strlen(path)));
    else if (start_yajl(reader) == LT_OK)
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

enum lt_status report_count(const struct report *report, const struct report_track *track, const char *key,
                            uint64_t *out, struct lt_error *error)
{
    char name[512];
    const struct members *members = track == NULL || track->members.count == 0 ? &report->members : &track->members;
    if (member_count(members_find(members, key), out))
        return LT_OK;
    return fail(error, LT_TRACE, "%s: %s is missing or no whole number; it is no report of layertrack",
                printable(name, sizeof name, report->reader->path, strlen(report->reader->path)), key);
}

const char *report_text(const struct report *report, const char *key)
{
    const struct member *member = members_find(&report->members, key);
    return member != NULL && member->kind == MEMBER_STRING ? member->text : NULL;
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
    if (reader->current != NULL)
        members_free(&reader->current->members);
    free(reader->current);
    reader->current = NULL;
    *row = NULL;
    reader->error = error;
    /* A row is whole once another slot is being waited for. */
    bool more = true;
    while (reader->last == &reader->first && more)
        if (read_piece(reader, &more) != LT_OK)
            return error->status;
    if (reader->last == &reader->first)
        return LT_OK;
    reader->current = reader->first;
    reader->first = reader->current->next;
    if (reader->last == &reader->current->next)
        reader->last = &reader->first;
    *track = reader->current->track;
    *row = &reader->current->members;
    return LT_OK;
}

void report_close(struct report *report)
{
    end_reader(report->reader);
    for (size_t i = 0; i < REPORT_MAX_TRACKS; i++)
        members_free(&report->tracks[i].members);
    members_free(&report->members);
}
