#include "layertrack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heard.h"
#include "base/utf8.h"
#include "base/versioned.h"
#include "guides/compare.h"
#include "guides/guide_check.h"
#include "guides/insertion.h"
#include "guides/report_reader.h"
#include "trace/reading.h"
#include "trace/reading_messages.h"

struct verify {
    const struct lt_verify_options *options;
    struct lt_error *error;
    struct findings findings;
    struct heard heard;
    struct reading reading;
    struct insertion insertion;
    bool found; /* as annotate writes it, at ... */
    uint64_t found_offset, found_end;

    bool has_report;
    struct report report;
    uint64_t original_events, added_events, source_bytes;

    /* Bytes outside [insert_offset, insert_end) are the source's; the place is known from the start with a report. */
    bool place_known, again; /* this is the second reading */
    bool comma_settled;
    uint64_t insert_offset, insert_end;
    struct compare compare; /* with SOURCE; without it the reading hashes them */

    struct guide_check guides;
};

/* ---- the report -------------------------------------------------------------------------------------------- */

static enum lt_status open_report(struct verify *job)
{
    enum lt_status status =
        report_open(&job->report, job->options->report, job->options->trace, &job->has_report, job->error);
    uint64_t bytes = 0;
    const struct {
        const char *key;
        uint64_t *to;
    } counts[] = {{"original_event_count", &job->original_events},
                  {"added_event_count", &job->added_events},
                  {"source_bytes", &job->source_bytes},
                  {"insert_offset", &job->insert_offset},
                  {"insert_bytes", &bytes}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts && status == LT_OK && job->has_report; i++)
        status = report_count(&job->report, counts[i].key, counts[i].to, job->error);
    job->insert_end = job->insert_offset + bytes;
    job->place_known = job->has_report;
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

static void outside(struct verify *job, const unsigned char *data, uint64_t at, uint64_t from, uint64_t to, size_t len)
{
    uint64_t first = at > from ? at : from, last = at + len < to ? at + len : to;
    if (first >= last)
        return;
    compare_bytes(&job->compare, data + (first - at), (size_t)(last - first), first);
}

/*
 * Without a report nothing tells whether a comma in front of the insertion is
 * its own, or the source's, which ended in one. The source does.
 */
static void settle_comma(struct verify *job, const unsigned char *data, uint64_t offset, size_t len)
{
    if (!job->again || job->comma_settled || job->insert_offset < offset || job->insert_offset >= offset + len)
        return;
    job->comma_settled = true;
    if (data[job->insert_offset - offset] == ',' && !job->compare.differs && compare_next(&job->compare) == ',')
        job->insert_offset++;
}

static void on_block(void *ctx, const unsigned char *data, size_t len, uint64_t offset)
{
    struct verify *job = ctx;
    if (!job->again)
        insertion_block(&job->insertion, data, len, offset);
    if (!job->place_known)
        return;
    if (job->options->source == NULL)
        return;
    outside(job, data, offset, 0, job->insert_offset, len);
    if (job->again) {
        uint64_t first = job->insert_offset;
        settle_comma(job, data, offset, len);
        outside(job, data, offset, first, job->insert_offset, len);
    }
    outside(job, data, offset, job->insert_end, UINT64_MAX, len);
}

static bool on_event(void *ctx, const struct scan_event *event)
{
    struct verify *job = ctx;
    compare_event(&job->compare, event->offset, event->index);
    return insertion_event(&job->insertion, event) && guide_check_event(&job->guides, event);
}

/* The second reading, when no report told the place. */
static bool on_event_again(void *ctx, const struct scan_event *event)
{
    struct verify *job = ctx;
    compare_event(&job->compare, event->offset, event->index);
    return guide_check_others(&job->guides, event);
}

static enum lt_status open_job(struct verify *job)
{
    const struct lt_verify_options *options = job->options;
    if (options->trace == NULL || options->trace[0] == '\0')
        return fail_as(job->error, LT_CLASS_OPTION_MISSING, "no trace; name a file, or - for standard input");
    if (options->source != NULL && strcmp(options->source, "-") == 0 && strcmp(options->trace, "-") == 0)
        return fail(job->error, LT_USAGE, "only one of the two can be standard input");
    const struct listener out = {options->warning, options->callback_ctx};
    if (heard_begin(&job->heard, out, options->fail_on_warning, job->error) != LT_OK || open_report(job) != LT_OK)
        return job->error->status;
    insertion_init(&job->insertion, &job->reading, job->error);
    struct reading_options reading = {
        .path = options->trace,
        .threads = options->threads,
        .parser = options->parser,
        .event = on_event,
        .event_ctx = job,
        .block = on_block,
        .progress = options->progress,
        .progress_ctx = options->callback_ctx,
        .hash = job->has_report && options->source == NULL ? report_proof(&job->report).hash : SOURCE_HASH_NONE,
        .skip_from = job->insert_offset,
        .skip_to = job->insert_end,
        .texts = true,
    };
    if (reading_open(&job->reading, &reading, job->error) != LT_OK)
        return job->error->status;
    if (options->source != NULL &&
        compare_open(&job->compare, options->source, job->reading.threads, job->error) != LT_OK)
        return job->error->status;
    return guide_check_init(&job->guides, &job->reading, job->has_report ? &job->report : NULL, &job->findings,
                            job->error);
}

/* ---- what was found ---------------------------------------------------------------------------------------- */

static void find_place(struct verify *job)
{
    uint64_t bytes = 0;
    job->found = insertion_find(&job->insertion, &job->reading.layout, &job->found_offset, &bytes);
    job->found_end = job->found_offset + bytes;
    if (!job->has_report && job->found) {
        job->insert_offset = job->found_offset;
        job->insert_end = job->found_end;
    }
}

/* Where the guides stand, and how many events and bytes there are. */
static void check_place(struct verify *job)
{
    const struct scan_layout *layout = &job->reading.layout;
    if (!job->has_report) {
        if (!job->found)
            finding(&job->findings, LT_FINDING_OPEN,
                    "the guides do not stand as annotate writes them: another program "
                    "wrote the file, so that its other bytes cannot be told apart");
        return;
    }
    uint64_t expected = job->insert_end - job->insert_offset;
    /* A comma of the source's own stands before the insertion. */
    bool same = job->found && job->found_end == job->insert_end &&
                (job->found_offset == job->insert_offset ||
                 (job->found_offset + 1 == job->insert_offset && job->insertion.before[0] == ','));
    if (same)
        finding(&job->findings, LT_FINDING_OK, "the guides are one insertion of %llu bytes at byte %llu",
                (unsigned long long)expected, (unsigned long long)job->insert_offset);
    else
        finding(&job->findings, LT_FINDING_DIFFERS,
                "the guides are not the insertion of %llu bytes at byte %llu that the report tells of: another program "
                "wrote the file",
                (unsigned long long)expected, (unsigned long long)job->insert_offset);
    if (layout->events != job->original_events + job->added_events)
        finding(&job->findings, LT_FINDING_DIFFERS, "%llu events, the report says %llu and %llu added",
                (unsigned long long)layout->events, (unsigned long long)job->original_events,
                (unsigned long long)job->added_events);
    if (layout->total != job->source_bytes + expected)
        finding(&job->findings, LT_FINDING_DIFFERS, "%llu bytes, the report says %llu and %llu inserted",
                (unsigned long long)layout->total, (unsigned long long)job->source_bytes, (unsigned long long)expected);
}

/* Without SOURCE. */
static void check_hash(struct verify *job)
{
    char shown[256];
    struct report_proof proof = report_proof(&job->report);
    const char *found = report_found(&proof, job->reading.source);
    const char *expected = proof.expected, *file = report_text(&job->report, "source_file");
    if (expected == NULL && job->has_report)
        finding(&job->findings, LT_FINDING_OPEN,
                "whether every other byte is the source's: the report has no source_sha256; name SOURCE");
    else if (expected == NULL)
        finding(&job->findings, LT_FINDING_OPEN, "whether every other byte is the source's: no report, no SOURCE");
    else if (strcmp(expected, found) == 0)
        finding(&job->findings, LT_FINDING_OK, "every other byte is the source's (%s %s)", proof.name, found);
    else if (!proof.is_whole)
        finding(&job->findings, LT_FINDING_OPEN,
                "whether every other byte is the source's: the report has the hash of a compressed file; name it (%s)",
                file == NULL || strcmp(file, "-") == 0 ? "SOURCE" : printable(shown, sizeof shown, file, strlen(file)));
    else
        finding(&job->findings, LT_FINDING_DIFFERS,
                "the bytes outside the guides have %s %s, the source had %s; name the source to see where", proof.name,
                found, expected);
}

static enum lt_status check_source(struct verify *job, bool whole)
{
    enum lt_status status = compare_end(&job->compare, whole, &job->reading, &job->findings, job->error);
    const char *expected = report_text(&job->report, "source_sha256"), *found = compare_sha256(&job->compare);
    if (status == LT_OK && expected != NULL && found != NULL) {
        if (strcmp(expected, found) == 0)
            finding(&job->findings, LT_FINDING_OK, "SOURCE is the report's (SHA-256 %s)", found);
        else if (!compare_differs(&job->compare) &&
                 (report_source_is_gzip(&job->report) || source_is_gzip(job->compare.source)))
            finding(&job->findings, LT_FINDING_OPEN,
                    "whether SOURCE is the report's file: one of them is compressed, or both in other ways");
        else
            finding(&job->findings, LT_FINDING_DIFFERS, "SOURCE is not the report's: SHA-256 %s, not %s", found,
                    expected);
    }
    return status;
}

/* With the place of the insertion, if there is one. */
static enum lt_status read_again(struct verify *job)
{
    job->place_known = job->found;
    job->again = true;
    enum lt_status status = reading_again(&job->reading, on_event_again, job, job->error);
    return status == LT_OK ? reading_run(&job->reading, job->error) : status;
}

/*
 * Without a report the insertion's place comes from the scan, which a broken
 * trace does not pass: then its first byte that is not SOURCE's is told,
 * which may be the insertion.
 */
static enum lt_status compare_broken(struct verify *job)
{
    uint64_t at = 0;
    enum lt_status status = source_rewind(job->reading.source, job->error);
    while (status == LT_OK) {
        const unsigned char *data;
        size_t len;
        struct lt_error cut = {0}; /* a gzip file may end too early once more */
        if (source_next(job->reading.source, &data, &len, &cut) != LT_OK || len == 0)
            break;
        compare_bytes(&job->compare, data, len, at);
        at += len;
    }
    return status;
}

/* A trace that is not usable: when that comes of a byte that is not SOURCE's, this is the finding. */
static enum lt_status check_broken(struct verify *job)
{
    struct lt_error why = *job->error;
    error_reset(job->error);
    if (!job->place_known && compare_broken(job) != LT_OK)
        return job->error->status;
    if (!compare_differs(&job->compare)) {
        *job->error = why;
        return why.status;
    }
    finding(&job->findings, LT_FINDING_DIFFERS, "%s", why.message);
    return check_source(job, false);
}

static enum lt_status check(struct verify *job)
{
    enum lt_status status = reading_run(&job->reading, job->error);
    if (status == LT_TRACE && job->options->source != NULL)
        return check_broken(job);
    if (status != LT_OK)
        return status;
    const char *name = source_name(job->reading.source);
    const struct listener listener = heard_listener(&job->heard, name);
    message_for_scan_warnings(name, scan_warnings(job->reading.scan), &listener);
    report_warn(&job->report, name, &listener);
    if (job->guides.guides == 0)
        return guide_check_end(&job->guides);
    find_place(job);
    if (!job->has_report)
        status = read_again(job);
    if (status == LT_OK)
        status = guide_check_end(&job->guides);
    if (status != LT_OK)
        return status;
    check_place(job);
    if (job->options->source == NULL)
        check_hash(job);
    else if (job->place_known)
        status = check_source(job, true);
    else
        finding(&job->findings, LT_FINDING_DIFFERS, "the file is not SOURCE with one insertion");
    return status;
}

static enum lt_status verify(const struct lt_verify_options *options, struct lt_error *error)
{
    struct verify *job = calloc(1, sizeof *job);
    if (job == NULL)
        return fail_memory(error);
    job->options = options;
    job->error = error;
    job->findings = (struct findings){.say = options->finding, .ctx = options->finding_ctx};
    enum lt_status status = open_job(job);
    if (status == LT_OK)
        status = check(job);
    findings_end(&job->findings);
    if (status == LT_OK && job->findings.differences > 0)
        status = fail(error, LT_DIFFERENT, "%s: %llu differences", source_name(job->reading.source),
                      (unsigned long long)job->findings.differences);
    if (status == LT_OK)
        status = heard_end(&job->heard, error);
    heard_free(&job->heard);
    guide_check_free(&job->guides);
    insertion_free(&job->insertion);
    compare_close(&job->compare);
    reading_close(&job->reading);
    report_close(&job->report);
    free(job);
    return status;
}

enum lt_status lt_verify(const struct lt_verify_options *options, struct lt_error *error)
{
    struct lt_verify_options own;
    struct naming naming;
    struct lt_error why;
    if (versioned_begin(&why, &naming, error) != LT_OK)
        return LT_USAGE;
    if (versioned_take(&own, sizeof own, options, "lt_verify_options", &why) == LT_OK) {
        naming = (struct naming){own.name, own.callback_ctx};
        verify(&own, &why);
    }
    return versioned_end(error, &why);
}
