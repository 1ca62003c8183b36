/*
 * compare.h - bytes against another trace, and where they first differ
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "guides/findings.h"
#include "trace/reading.h"

#define COMPARE_SHOWN 24

struct compare {
    struct source *source; /* NULL: nothing to compare with */
    const unsigned char *block;
    size_t len, used;
    uint64_t at; /* in the source */
    bool ended;  /* the source is */
    struct lt_error trouble;

    bool differs;
    uint64_t here, there; /* offsets of the first difference */
    size_t shown_here, shown_there;
    unsigned char text_here[COMPARE_SHOWN], text_there[COMPARE_SHOWN];
    uint64_t event; /* the last one that begins at or before it */
    bool in_events;
};

enum lt_status compare_open(struct compare *compare, const char *path, unsigned threads, struct lt_error *error);

/* The next bytes, which stand at `offset` of the trace that is being read. Behind a difference nothing is looked at. */
void compare_bytes(struct compare *compare, const unsigned char *data, size_t len, uint64_t offset);

/* An event begins: for the message. */
void compare_event(struct compare *compare, uint64_t offset, uint64_t index);

/* The source's byte that comes next; 0 at its end. */
unsigned char compare_next(struct compare *compare);

static inline bool compare_differs(const struct compare *compare)
{
    return compare->differs;
}

/*
 * Tells the findings; with `whole`, that the source must have ended as well. `reading` is the trace that was compared.
 * LT_TRACE or LT_IO when the source could not be read.
 */
enum lt_status compare_end(struct compare *compare, bool whole, struct reading *reading, struct findings *findings,
                           struct lt_error *error);

/* The source's SHA-256 once it was read to its end; else NULL. */
const char *compare_sha256(const struct compare *compare);

void compare_close(struct compare *compare);

#endif
