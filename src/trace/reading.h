/*
 * reading.h - one whole reading of a trace: source, scan, and what goes wrong
 *
 * Brings source and scan together for every job that looks at all events.
 * Messages are message_for_scan()'s, progress is LT_STAGE_SCAN.
 */
#ifndef READING_H
#define READING_H

#include "base/error.h"
#include "base/text.h"
#include "io/source.h"
#include "json/scan.h"

/* `len` uncompressed bytes from `offset` on. They stay valid while the events that end in them are handed over. */
typedef void reading_block_fn(void *ctx, const unsigned char *data, size_t len, uint64_t offset);

struct reading_options {
    const char *path; /* "-": standard input */
    unsigned threads; /* 0: one per processor that the process may use */
    enum lt_parser parser;
    scan_event_fn *event; /* returns false after having set the error that reading_run() gives back */
    void *event_ctx;
    reading_block_fn *block;  /* hears of each block before it is scanned; may be NULL. Its context is event_ctx */
    lt_progress_fn *progress; /* may be NULL */
    void *progress_ctx;
    enum source_hash hash;
    uint64_t skip_from, skip_to;
    bool texts; /* `event` will ask for reading_text() */
};

struct reading {
    struct reading_options options;
    unsigned threads;
    struct source *source;
    struct scan *scan;
    struct scan_layout layout; /* after reading_run() */

    /* For reading_text(): the block that is being scanned, and bytes before it. */
    const unsigned char *block;
    uint64_t block_offset;
    struct text carried; /* up to the block; of an unfinished event, and READING_BEFORE bytes more */
    uint64_t carried_offset;
    size_t carried_more;    /* in all blocks but the first one */
    bool carries;           /* there is an unfinished event, ... */
    uint64_t carried_event; /* ... which does not begin before this */
};

/* Opens the trace. After a failure too reading_close() must be called. */
enum lt_status reading_open(struct reading *reading, const struct reading_options *options, struct lt_error *error);

/* Reads it from start to end, and makes sure that it stayed the same. LT_TRACE, LT_IO, or what `event` set. */
enum lt_status reading_run(struct reading *reading, struct lt_error *error);

/* Makes ready for another reading of the same bytes, with another `event`; reading_run() follows. */
enum lt_status reading_again(struct reading *reading, scan_event_fn *event, void *event_ctx, struct lt_error *error);

/*
 * The bytes of the event that is being handed over, valid until `event`
 * returns. NULL when it is longer than READING_MAX_TEXT or memory is out.
 */
#define READING_MAX_TEXT ((size_t)4 << 20)
const char *reading_text(struct reading *reading, const struct scan_event *event, size_t *len);

/*
 * The byte `back` bytes before the event that is being handed over, `back`
 * from 1 to READING_BEFORE; 0 when the trace begins behind it, or the event
 * is longer than READING_MAX_TEXT.
 */
#define READING_BEFORE 2
unsigned char reading_before(const struct reading *reading, const struct scan_event *event, unsigned back);

void reading_close(struct reading *reading);

#endif
