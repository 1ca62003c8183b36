/*
 * guide_check.h - whether the guides of a trace are flat, and as the report says
 *
 * Watches the events of an annotated trace; the report's rows are read in
 * step with the guides, so that neither is ever in memory.
 */
#ifndef GUIDE_CHECK_H
#define GUIDE_CHECK_H

#include "guides/findings.h"
#include "guides/report_check.h"
#include "guides/report_reader.h"
#include "trace/fields.h"
#include "trace/reading.h"
#include "json/json_reader.h"

struct checked_track {
    struct member pid, tid; /* of its guides */
    const char *phase;      /* as the report says; NULL without one */
    struct report_check counts;
    uint64_t guides;
    int64_t last_end;             /* of the guides so far, in time */
    bool differs;                 /* something of it does */
    uint64_t names, sort_indexes; /* how many events name and place it */
};

struct guide_check {
    struct reading *reading; /* opened with `texts` */
    struct report *report;   /* or NULL */
    struct findings *findings;
    struct lt_error *error;
    struct fields fields;
    struct checked_track tracks[REPORT_MAX_TRACKS];
    size_t track_count;
    uint64_t guides;
    bool too_many_tracks;      /* some of them could not be told apart */
    struct members args, keys; /* of an event, and the event's own */
    struct arena kept;         /* what tracks are known by; ... */
    struct arena passing;      /* ... and what lives as long as its event */
};

/* After a failure too guide_check_free() must be called. */
enum lt_status guide_check_init(struct guide_check *check, struct reading *reading, struct report *report,
                                struct findings *findings, struct lt_error *error);

/*
 * Without a report the tracks are not known before their guides have been
 * seen: guide_check_others() is for a second reading then, and looks for
 * events that are no guides on the tracks, and more than one name of each.
 */
bool guide_check_others(struct guide_check *check, const struct scan_event *event);

/* Looks at the event that is being handed over. False with *error set. */
bool guide_check_event(struct guide_check *check, const struct scan_event *event);

/* After the reading: what is missing, and what was right. */
enum lt_status guide_check_end(struct guide_check *check);

void guide_check_free(struct guide_check *check);

#endif
