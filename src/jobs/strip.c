#define _POSIX_C_SOURCE 200809L
#include "layertrack.h"

#include <string.h>
#include <unistd.h>

#include "base/heard.h"
#include "base/versioned.h"
#include "guides/guide_check.h"
#include "guides/insertion.h"
#include "guides/report_reader.h"
#include "gzip/gzip_write.h"
#include "io/sink.h"
#include "trace/reading.h"
#include "trace/reading_messages.h"

struct strip {
    const struct lt_strip_options *options;
    struct lt_error *error;
    bool to_stdout, gzip;
    struct heard heard;
    struct reading reading;
    struct insertion insertion;
    struct guide_check guides;
    struct findings findings;
    bool again; /* this is the second reading */
    bool has_report;
    struct report report;                 /* beside the trace, if there is one, and ... */
    uint64_t offset, bytes, source_bytes; /* ... what it says */
    struct lt_strip_result result;
    struct sink *sink;
    struct gzip_writer *writer; /* NULL: plain */
};

static enum lt_status check_options(struct strip *job)
{
    const struct lt_strip_options *options = job->options;
    if (options->trace == NULL || options->trace[0] == '\0')
        return fail_as(job->error, LT_CLASS_OPTION_MISSING, "no trace; name a file, or - for standard input");
    if (options->output == NULL || options->output[0] == '\0')
        return fail_as(job->error, LT_CLASS_OPTION_MISSING, "no output; name one with %s, or - for standard output",
                       error_name(job->error, "output"));
    if (options->level < 0 || options->level > 9)
        return fail(job->error, LT_USAGE, "%s must be a whole number from 1 to 9", error_name(job->error, "level"));
    size_t len = strlen(options->output);
    job->to_stdout = strcmp(options->output, "-") == 0;
    job->gzip = options->compress == LT_COMPRESS_GZIP ||
                (options->compress == LT_COMPRESS_BY_NAME && len >= 3 && strcmp(options->output + len - 3, ".gz") == 0);
    return job->to_stdout ? LT_OK : sink_check_free(options->output, options->trace, job->error);
}

/* What the report beside the trace says of the insertion. */
static enum lt_status open_report(struct strip *job)
{
    enum lt_status status =
        report_open(&job->report, job->options->report, job->options->trace, &job->has_report, job->error);
    const struct {
        const char *key;
        uint64_t *to;
    } counts[] = {{"insert_offset", &job->offset}, {"insert_bytes", &job->bytes}, {"source_bytes", &job->source_bytes}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts && status == LT_OK && job->has_report; i++)
        status = report_count(&job->report, counts[i].key, counts[i].to, job->error);
    return status;
}

static enum lt_status touched(struct strip *job)
{
    return fail_as(job->error, LT_CLASS_GUIDES_CHANGED,
                   "%s: its %llu guides do not stand as annotate writes them, another program changed the file; "
                   "annotate the source again",
                   source_name(job->reading.source), (unsigned long long)job->insertion.seen);
}

static bool on_event_again(void *ctx, const struct scan_event *event)
{
    struct strip *job = ctx;
    return guide_check_others(&job->guides, event);
}

/*
 * Without a proof the trace must show that the insertion is what annotate
 * wrote: every line of it to the letter, and no other event on the tids of
 * its tracks, which were free.
 */
static enum lt_status check_form(struct strip *job)
{
    bool other_tids;
    if (!insertion_is_exact(&job->insertion, &other_tids))
        return touched(job);
    job->again = other_tids;
    if (other_tids && (reading_again(&job->reading, on_event_again, job, job->error) != LT_OK ||
                       reading_run(&job->reading, job->error) != LT_OK))
        return job->error->status;
    if (guide_check_end(&job->guides) != LT_OK)
        return job->error->status;
    if (job->findings.differences > 0)
        return fail_as(job->error, LT_CLASS_GUIDES_CHANGED,
                       "%s: something else lies on the tid of its guides, which was free: another program changed the "
                       "file; %s shows where, annotate the source again",
                       source_name(job->reading.source), error_name(job->error, "lt_verify()"));
    return LT_OK;
}

/*
 * A report must fit what was found. It knows what the trace does not show:
 * what all other bytes must come to, and so whether a comma before the
 * insertion was the source's own.
 */
static enum lt_status use_report(struct strip *job)
{
    struct lt_strip_result *found = &job->result;
    const char *name = source_name(job->reading.source);
    bool own_comma = job->offset == found->insert_offset + 1 && job->insertion.before[0] == ',';
    bool same = job->offset + job->bytes == found->insert_offset + found->insert_bytes &&
                (job->offset == found->insert_offset || own_comma) &&
                job->reading.layout.total == job->source_bytes + job->bytes;
    if (!same)
        return fail_as(
            job->error, LT_CLASS_REPORT_OF_ANOTHER,
            "%s: its report tells of other guides (%llu bytes at byte %llu of a trace of %llu); name the right "
            "one with %s, or move it away",
            name, (unsigned long long)job->bytes, (unsigned long long)job->offset,
            (unsigned long long)job->source_bytes, error_name(job->error, "report"));
    struct report_proof proof = report_proof(&job->report);
    if (proof.expected == NULL || !proof.is_whole) {
        if (own_comma)
            return fail_as(
                job->error, LT_CLASS_NOT_THE_SOURCE,
                "%s: its report says that the comma at byte %llu is the source's own, which its hash does not "
                "prove; use the source, or move the report away to lose the comma",
                name, (unsigned long long)found->insert_offset);
        return check_form(job);
    }
    const char *hash = report_found(&proof, job->reading.source);
    if (strcmp(proof.expected, hash) != 0)
        return fail_as(job->error, LT_CLASS_NOT_THE_SOURCE,
                       "%s: without its guides it is not the source of its report (%s %s, not %s): something else "
                       "was changed; %s with the source shows where, or move the report away",
                       name, proof.name, hash, proof.expected, error_name(job->error, "lt_verify()"));
    found->insert_offset = job->offset;
    found->insert_bytes = job->bytes;
    return LT_OK;
}

static bool on_event(void *ctx, const struct scan_event *event)
{
    struct strip *job = ctx;
    return insertion_event(&job->insertion, event) && guide_check_event(&job->guides, event);
}

static void on_block(void *ctx, const unsigned char *data, size_t len, uint64_t offset)
{
    struct strip *job = ctx;
    if (!job->again)
        insertion_block(&job->insertion, data, len, offset);
}

static enum lt_status find(struct strip *job)
{
    const struct listener out = {job->options->warning, job->options->callback_ctx};
    if (heard_begin(&job->heard, out, job->options->fail_on_warning, job->error) != LT_OK || open_report(job) != LT_OK)
        return job->error->status;
    insertion_init(&job->insertion, &job->reading, job->error);
    struct report_proof proof = report_proof(&job->report);
    struct reading_options reading = {
        .path = job->options->trace,
        .threads = job->options->threads,
        .parser = job->options->parser,
        .event = on_event,
        .event_ctx = job,
        .block = on_block,
        .hash = job->has_report && proof.is_whole ? proof.hash : SOURCE_HASH_NONE,
        .skip_from = job->offset,
        .skip_to = job->offset + job->bytes,
        .texts = true,
        .progress = job->options->progress,
        .progress_ctx = job->options->callback_ctx,
    };
    if (reading_open(&job->reading, &reading, job->error) != LT_OK)
        return job->error->status;
    if (guide_check_init(&job->guides, &job->reading, NULL, &job->findings, job->error) != LT_OK)
        return job->error->status;
    const char *name = source_name(job->reading.source);
    if (job->to_stdout && source_is_same_file(job->reading.source, STDOUT_FILENO))
        return fail_as(job->error, LT_CLASS_SAME_FILE, "%s: is also standard output; write to another file", name);
    if (reading_run(&job->reading, job->error) != LT_OK)
        return job->error->status;
    const struct listener listener = heard_listener(&job->heard, name);
    message_for_scan_warnings(name, scan_warnings(job->reading.scan), &listener);
    if (heard_end(&job->heard, job->error) != LT_OK)
        return job->error->status;
    job->result.guides = job->insertion.in_run;
    job->result.tracks = job->insertion.tracks;
    if (job->insertion.seen == 0)
        return fail_as(job->error, LT_CLASS_NO_GUIDES, "%s: has no guides; there is nothing to strip", name);
    if (!insertion_find(&job->insertion, &job->reading.layout, &job->result.insert_offset, &job->result.insert_bytes))
        return touched(job);
    return job->has_report ? use_report(job) : check_form(job);
}

static bool wrote(void *ctx, uint64_t bytes)
{
    struct strip *job = ctx;
    uint64_t total = job->gzip ? 0 : source_uncompressed_size(job->reading.source) - job->result.insert_bytes;
    return job->options->progress == NULL ||
           job->options->progress(job->options->callback_ctx, LT_STAGE_WRITE, bytes, total);
}

static enum lt_status changed(struct strip *job)
{
    return fail_as(job->error, LT_CLASS_SOURCE_CHANGED, "%s: changed while it was read; wait until it is complete",
                   source_name(job->reading.source));
}

static enum lt_status copy_plain(struct strip *job)
{
    int fd = source_fd(job->reading.source);
    uint64_t start = job->result.insert_offset, end = start + job->result.insert_bytes;
    bool short_read = false;
    bool ok = sink_copy(job->sink, fd, 0, start, &short_read) &&
              sink_copy(job->sink, fd, end, source_stored_size(job->reading.source) - end, &short_read);
    if (ok)
        return LT_OK;
    return short_read ? changed(job) : sink_error(job->sink, job->error);
}

/* Writes the part of a block that lies in `from`..`to`. */
static enum lt_status write_part(struct strip *job, const unsigned char *data, size_t len, uint64_t at, uint64_t from,
                                 uint64_t to)
{
    uint64_t first = at > from ? at : from, last = at + len < to ? at + len : to;
    if (first >= last)
        return LT_OK;
    const unsigned char *part = data + (first - at);
    size_t size = (size_t)(last - first);
    if (job->writer != NULL)
        return gzip_writer_write(job->writer, part, size) ? LT_OK : gzip_writer_error(job->writer, job->error);
    return sink_write(job->sink, part, size) ? LT_OK : sink_error(job->sink, job->error);
}

/* Reads once more and writes what is not the insertion. */
static enum lt_status stream(struct strip *job)
{
    uint64_t at = 0, start = job->result.insert_offset, end = start + job->result.insert_bytes;
    enum lt_status status = source_rewind(job->reading.source, job->error);
    while (status == LT_OK) {
        const unsigned char *data;
        size_t len;
        status = source_next(job->reading.source, &data, &len, job->error);
        if (status != LT_OK || len == 0)
            break;
        status = write_part(job, data, len, at, 0, start);
        if (status == LT_OK)
            status = write_part(job, data, len, at, end, UINT64_MAX);
        at += len;
    }
    if (status == LT_OK && job->writer != NULL && !gzip_writer_finish(job->writer))
        status = gzip_writer_error(job->writer, job->error);
    return status;
}

static enum lt_status write_rest(struct strip *job)
{
    /* Whoever must clean up after an interruption hears of it before there is anything to clean up. */
    if (!wrote(job, 0))
        return fail_cancelled(job->error, source_name(job->reading.source));
    job->sink = sink_open(job->to_stdout ? NULL : job->options->output, job->error);
    if (job->sink == NULL)
        return job->error->status;
    sink_on_progress(job->sink, wrote, job);
    if (job->gzip) {
        int level = job->options->level == 0 ? 6 : job->options->level;
        job->writer = gzip_writer_new(sink_output(job->sink), level, job->reading.threads);
        if (job->writer == NULL)
            return fail_memory(job->error);
    }
    bool copy = !job->gzip && !source_is_gzip(job->reading.source);
    enum lt_status status = copy ? copy_plain(job) : stream(job);
    if (status == LT_OK)
        status = source_check_unchanged(job->reading.source, job->error);
    return status == LT_OK ? sink_commit(&job->sink, 1, job->error) : status;
}

static enum lt_status strip(const struct lt_strip_options *options, struct lt_strip_result *result,
                            struct lt_error *error)
{
    struct strip job = {.options = options, .error = error};
    enum lt_status status = check_options(&job);
    if (status == LT_OK)
        status = find(&job);
    if (status == LT_OK)
        status = write_rest(&job);
    *result = job.result;
    heard_free(&job.heard);
    gzip_writer_free(job.writer);
    sink_free(job.sink);
    guide_check_free(&job.guides);
    insertion_free(&job.insertion);
    reading_close(&job.reading);
    report_close(&job.report);
    return status;
}

enum lt_status lt_strip(const struct lt_strip_options *options, struct lt_strip_result *result, struct lt_error *error)
{
    struct lt_strip_options own;
    struct lt_strip_result done;
    struct naming naming;
    struct lt_error why;
    if (versioned_begin(&why, &naming, error) != LT_OK)
        return LT_USAGE;
    if (versioned_check(result, "lt_strip_result", &why) == LT_OK &&
        versioned_take(&own, sizeof own, options, "lt_strip_options", &why) == LT_OK) {
        naming = (struct naming){own.name, own.callback_ctx};
        if (strip(&own, &done, &why) == LT_OK)
            versioned_give(result, &done, sizeof done);
    }
    return versioned_end(error, &why);
}
