/*
 * report_reader.h - a mapping report, read back row by row
 *
 * Both forms: one track, or several under `tracks`. A report may have more
 * rows than memory should hold, so it is read twice: once for everything
 * but the rows, and once for these, a few at a time. Unknown keys are kept
 * as they are; what is no report is refused (LT_TRACE).
 */
#ifndef REPORT_READER_H
#define REPORT_READER_H

#include "base/error.h"
#include "io/source.h"
#include "json/json_reader.h"

#define REPORT_MAX_TRACKS   64
#define REPORT_MAX_WARNINGS 1024

struct report_track {
    struct members members; /* of the track; of one track alone, of the whole report */
    uint64_t rows;
};

struct report {
    struct members members; /* at the top level */
    struct report_track tracks[REPORT_MAX_TRACKS];
    size_t track_count;
    struct members *warnings; /* [warning_count]: class, count, first_event, first_offset, sentence */
    size_t warning_count, warning_capacity;

    struct report_reader *reader; /* for the rows */
};

/*
 * Reads all but the rows of the report `path`, or, when that is NULL, of the
 * one beside the trace, where there need not be one: *exists tells. After a
 * failure too report_close() must be called. LT_TRACE, LT_IO.
 */
enum lt_status report_open(struct report *report, const char *path, const char *trace, bool *exists,
                           struct lt_error *error);

/* What says how a track was asked for: its own members, or of one track alone the report's. */
const struct members *report_members(const struct report *report, size_t track);

/* A count at the top level, or LT_TRACE with the key in the message. */
enum lt_status report_count(const struct report *report, const char *key, uint64_t *out, struct lt_error *error);

/*
 * Tells of the warnings that annotate gave, but for those about a trace's
 * text, which whoever reads that is given anew. What a later version may
 * have in its place is passed over. `trace`: as messages call it.
 */
void report_warn(const struct report *report, const char *trace, const struct listener *listener);

/* A text at the top level, or NULL. */
const char *report_text(const struct report *report, const char *key);

/* Whether source_sha256 is of a gzip file. Reports of earlier versions tell by the file's name alone. */
bool report_source_is_gzip(const struct report *report);

/* What of a report can prove the source's uncompressed bytes. */
struct report_proof {
    const char *name;      /* for people: "SHA-256", "CRC-32" */
    const char *expected;  /* hexadecimal digits; NULL: the report has none */
    enum source_hash hash; /* to ask of the trace's reading, over all but the insertion */
    bool is_whole;         /* it is of those bytes, not of a file that was compressed */
};

/*
 * Of a source that was not compressed its SHA-256; of another one the CRC-32
 * of what it held, which finds every accident, or, in reports of earlier
 * versions, nothing.
 */
struct report_proof report_proof(const struct report *report);

/* What the trace has where `proof` was asked for: hexadecimal digits, after its first round. */
const char *report_found(const struct report_proof *proof, const struct source *source);

/*
 * The next row in the order of the report, and of which track it is; *row
 * is valid until the next call, and NULL at the end.
 */
enum lt_status report_next(struct report *report, size_t *track, const struct members **row, struct lt_error *error);

void report_close(struct report *report);

#endif
