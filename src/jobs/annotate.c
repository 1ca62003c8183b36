#define _POSIX_C_SOURCE 200809L
#include "layertrack.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heard.h"
#include "base/versioned.h"
#include "guides/found.h"
#include "guides/guide_writer.h"
#include "guides/messages.h"
#include "guides/report_writer.h"
#include "guides/rows.h"
#include "io/sink.h"
#include "io/splice.h"
#include "rules/first_pass.h"
#include "rules/launches.h"
#include "rules/select.h"
#include "rules/tracks.h"
#include "rules/warnings.h"
#include "trace/collect.h"
#include "trace/reading.h"
#include "trace/reading_messages.h"

/* One job, from options to files. What is made is freed in end_job(). */
struct job {
    const struct lt_annotate_options *options;
    struct lt_error *error;
    bool to_stdout, gzip;
    char *report; /* path, or NULL */
    struct tracks tracks;
    struct reading reading;
    struct collect collect;
    struct collect_observer observers[TRACKS_OBSERVERS];
    struct sink *output, *report_sink;
    struct heard heard;
    struct listener listener;
    bool chosen; /* the anchors of all tracks are */
};

/* ---- options ----------------------------------------------------------------------------------------------- */

static enum lt_status check_options(const struct lt_annotate_options *options, struct lt_error *error)
{
    if (options->trace == NULL || options->trace[0] == '\0')
        return fail_as(error, LT_CLASS_OPTION_MISSING, "no trace; name a file, or - for standard input");
    bool needs_output = !options->dry_run || options->output != NULL;
    if (needs_output && (options->output == NULL || options->output[0] == '\0'))
        return fail_as(error, LT_CLASS_OPTION_MISSING, "no output; name one with %s, or - for standard output",
                       error_name(error, "output"));
    if (options->level < 0 || options->level > 9)
        return fail(error, LT_USAGE, "%s must be a whole number from 1 to 9", error_name(error, "level"));
    return LT_OK;
}

static bool ends_in(const char *text, const char *ending)
{
    size_t len = strlen(text), end = strlen(ending);
    return len >= end && strcmp(text + len - end, ending) == 0;
}

static enum lt_status decide_outputs(struct job *job)
{
    const struct lt_annotate_options *options = job->options;
    if (options->output == NULL)
        return LT_OK;
    job->to_stdout = strcmp(options->output, "-") == 0;
    job->gzip = options->compress == LT_COMPRESS_GZIP ||
                (options->compress == LT_COMPRESS_BY_NAME && !job->to_stdout && ends_in(options->output, ".gz"));
    if (options->report != NULL) {
        if (strcmp(options->report, "-") == 0)
            return fail(job->error, LT_USAGE, "the report cannot go to standard output; name a file with %s",
                        error_name(job->error, "report"));
        job->report = strdup(options->report);
    } else if (!job->to_stdout) {
        job->report = malloc(strlen(options->output) + sizeof ".layers.json");
        if (job->report != NULL)
            strcat(strcpy(job->report, options->output), ".layers.json");
    }
    if (job->report == NULL && (options->report != NULL || !job->to_stdout))
        return fail_memory(job->error);
    if (strcmp(options->output, "/dev/null") == 0)
        return fail_as(job->error, LT_CLASS_EXISTS, "%s: already exists; to write nothing at all use %s",
                       options->output, error_name(job->error, "dry_run"));
    if (job->report != NULL && !job->to_stdout && sink_same_place(job->report, options->output))
        return fail(job->error, LT_USAGE, "output and report are the same file; name another with %s",
                    error_name(job->error, "report"));
    enum lt_status status = job->to_stdout ? LT_OK : sink_check_free(options->output, options->trace, job->error);
    if (status == LT_OK && job->report != NULL)
        status = sink_check_free(job->report, options->trace, job->error);
    return status;
}

/* ---- the plans --------------------------------------------------------------------------------------------- */

static bool has_within(const struct tracks *tracks)
{
    for (size_t i = 0; i < tracks->count; i++)
        if (tracks->items[i].within_pattern != PATTERN_NONE)
            return true;
    return false;
}

/* Reads the trace once more for the anchors' launches. */
static enum lt_status find_launches(struct job *job)
{
    struct launches launches;
    enum lt_status status = launches_begin(&launches, &job->collect, job->tracks.items, job->tracks.count, job->error);
    if (status == LT_OK)
        status = reading_again(&job->reading, launches_event, &launches, job->error);
    if (status == LT_OK)
        status = reading_run(&job->reading, job->error);
    if (status == LT_OK)
        status = launches_apply(&launches, job->error);
    launches_end(&launches);
    return status;
}

static enum lt_status select_anchors(struct job *job)
{
    for (size_t i = 0; i < job->tracks.count; i++) {
        if (select_group(&job->collect, &job->tracks, i, job->error) != LT_OK ||
            within_settle(&job->tracks.within, &job->tracks.items[i], job->error) != LT_OK)
            return job->error->status;
    }
    return has_within(&job->tracks) ? find_launches(job) : LT_OK;
}

static enum lt_status find_first_pass(struct track *track, struct lt_error *error)
{
    struct places places;
    enum places_status found = first_pass_find(track, &places);
    enum lt_status status = found == PLACES_FINE        ? LT_OK
                            : found == PLACES_NO_MEMORY ? fail_memory(error)
                                                        : message_for_places(track, found, &places, error);
    places_free(&places);
    return status;
}

static enum lt_status plan_track(struct track *track, struct lt_error *error)
{
    const struct lt_track *options = track->options;
    struct plan_request request = {
        .anchors = track->anchors,
        .anchor_count = track->anchor_count,
        .outside_count = track->outside_count,
        .terminals = track->terminals,
        .terminal_count = track->terminal_count,
        .has_terminal = options->end_anchor_regex != NULL,
        .num_layers = options->num_layers,
        .passes = track->first.passes,
        .anchor_offset = track->first.anchor_offset,
        .first_layer = options->first_layer,
        .stride = options->anchor_stride,
        .extras = options->extra_anchors_per_pass,
        .landmarks = track->landmarks,
        .landmark_count = track->landmark_count,
        .instances = options->within == NULL ? NULL : track->launches,
        .gpu_scopes = options->within_gpu == NULL ? NULL : &track->gpu_scopes,
    };
    return plan_make(&track->plan, &request) == PLAN_FINE ? LT_OK : message_for_plan(track, error);
}

/* What annotate writes, verify and strip must be able to read. */
static enum lt_status check_lengths(const struct job *job, const struct track *track)
{
    struct guide_too_long found;
    enum guide_excess what = guide_fit(&job->collect, track, &found);
    if (what == GUIDE_NO_MEMORY)
        return fail_memory(job->error);
    return what == GUIDE_FINE ? LT_OK : message_for_too_long(track, &found, job->error);
}

/* Each track is compared with the earlier ones up to its first twin. */
static void warn_of_same_kernels(struct job *job)
{
    const struct tracks *tracks = &job->tracks;
    uint64_t hashes[LT_MAX_TRACKS];
    for (size_t i = 0; i < tracks->count && tracks->count > 1; i++) {
        hashes[i] = warnings_hash(&tracks->items[i].plan);
        for (size_t j = 0; j < i; j++) {
            if (hashes[j] != hashes[i] || !warnings_same_kernels(&tracks->items[j].plan, &tracks->items[i].plan))
                continue;
            message_for_same_kernels(source_name(job->reading.source), tracks->items[j].options->phase,
                                     tracks->items[i].options->phase, &job->listener);
            break;
        }
    }
}

/* All tracks are accepted, or none. */
static enum lt_status make_plans(struct job *job)
{
    const struct listener *listener = &job->listener;
    job->listener = heard_listener(&job->heard, source_name(job->reading.source));
    message_for_scan_warnings(source_name(job->reading.source), scan_warnings(job->reading.scan), listener);
    if (select_anchors(job) != LT_OK)
        return job->error->status;
    job->chosen = true;
    if (collect_check_origin(&job->collect, job->error) != LT_OK)
        return job->error->status;
    for (size_t i = 0; i < job->tracks.count; i++)
        if (find_first_pass(&job->tracks.items[i], job->error) != LT_OK ||
            plan_track(&job->tracks.items[i], job->error) != LT_OK ||
            check_lengths(job, &job->tracks.items[i]) != LT_OK)
            return job->error->status;
    for (size_t i = 0; i < job->tracks.count; i++) {
        const struct track *track = &job->tracks.items[i];
        struct misplaced_passes found;
        struct mixed_names names;
        warnings_mixed_names(&track->plan, &names);
        if (!warnings_misplaced_passes(&track->plan, &found))
            return fail_memory(job->error);
        message_for_same_start(track->place, &track->plan, listener);
        message_for_negative(track->place, &track->plan, listener);
        message_for_mixed_names(track, &job->collect, &names, listener);
        message_for_misplaced_passes(track->place, &found, listener, job->error);
    }
    warn_of_same_kernels(job);
    return heard_end(&job->heard, job->error);
}

/* ---- pass two ---------------------------------------------------------------------------------------------- */

static bool wrote(void *ctx, uint64_t bytes)
{
    struct job *job = ctx;
    uint64_t total = job->gzip && !source_is_gzip(job->reading.source) ? 0
                     : job->gzip                                       ? source_stored_size(job->reading.source)
                                                                       : source_uncompressed_size(job->reading.source);
    return job->options->progress == NULL ||
           job->options->progress(job->options->callback_ctx, LT_STAGE_WRITE, bytes, total);
}

static bool write_report(void *ctx, const void *data, size_t len)
{
    return sink_write(ctx, data, len);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static enum lt_status open_sinks(struct job *job)
{
    /* Whoever must clean up after an interruption hears of it before there is anything to clean up. */
    if (!wrote(job, 0))
        return fail_cancelled(job->error, source_name(job->reading.source));
    job->output = sink_open(job->to_stdout ? NULL : job->options->output, job->error);
    if (job->output == NULL)
        return job->error->status;
    sink_on_progress(job->output, wrote, job);
    if (job->report != NULL && (job->report_sink = sink_open(job->report, job->error)) == NULL)
        return job->error->status;
    return LT_OK;
}

static void fill_result(const struct job *job, const struct guide_writer *writer, uint64_t insert_bytes,
                        struct lt_annotate_result *result)
{
    *result = (struct lt_annotate_result){
        .events = job->reading.layout.events,
        .added_events = guide_event_count(writer),
        .tracks = job->tracks.count,
        .guide_tid = job->tracks.items[0].selection.guide_tid,
        .source_bytes = job->reading.layout.total,
        .insert_offset = job->reading.layout.insert_offset,
        .insert_bytes = insert_bytes,
        .anchor_offset = job->tracks.items[0].first.anchor_offset,
        .run = job->tracks.items[0].first.run,
        .warnings = job->heard.count,
    };
    for (size_t i = 0; i < job->tracks.count; i++) {
        const struct track *track = &job->tracks.items[i];
        result->anchors += track->anchor_count;
        result->guides += track->plan.guide_count;
        result->passes += track->first.passes;
        result->left_over += track->first.left_over;
    }
}

static bool count_bytes(void *ctx, const void *data, size_t len)
{
    (void)data;
    *(uint64_t *)ctx += len;
    return true;
}

/* What pass two would do. */
static enum lt_status dry_run(struct job *job, struct lt_annotate_result *result)
{
    struct guide_writer writer = {
        .collect = &job->collect, .tracks = &job->tracks, .needs_comma = job->reading.layout.needs_comma};
    uint64_t bytes = 0;
    if (!guide_insertion(&writer, count_bytes, &bytes))
        return fail_memory(job->error);
    fill_result(job, &writer, bytes, result);
    return LT_OK;
}

static enum lt_status pass_two(struct job *job, struct lt_annotate_result *result)
{
    struct guide_writer writer = {
        .collect = &job->collect, .tracks = &job->tracks, .needs_comma = job->reading.layout.needs_comma};
    struct splice splice = {
        .source = job->reading.source,
        .sink = job->output,
        .insert_offset = job->reading.layout.insert_offset,
        .insertion = guide_insertion,
        .insertion_ctx = &writer,
        .gzip = job->gzip,
        .level = job->options->level == 0 ? 6 : job->options->level,
        .threads = job->reading.threads,
    };
    struct report_facts facts = {
        .event_count = job->reading.layout.events,
        .sha256 = source_sha256(job->reading.source),
        .source_is_gzip = source_is_gzip(job->reading.source),
        .crc32 = source_crc32(job->reading.source),
        .source_file = strcmp(job->options->trace, "-") == 0 ? NULL : base_name(job->options->trace),
        .source_bytes = job->reading.layout.total,
        .insert_offset = job->reading.layout.insert_offset,
        .heard = &job->heard,
        .told = &job->reading.layout.facts,
    };
    enum lt_status status = splice_run(&splice, &facts.insert_bytes, job->error);
    if (status != LT_OK)
        return status;
    if (job->report_sink != NULL && !report_write(&writer, &facts, write_report, job->report_sink))
        return sink_error(job->report_sink, job->error) != LT_OK ? job->error->status : fail_memory(job->error);
    fill_result(job, &writer, facts.insert_bytes, result);
    /* Killed between the two, the job leaves no output that has no report. */
    return sink_commit((struct sink *[]){job->report_sink, job->output}, 2, job->error);
}

static enum lt_status write_files(struct job *job, struct lt_annotate_result *result)
{
    enum lt_status status = open_sinks(job);
    return status == LT_OK ? pass_two(job, result) : status;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static enum lt_status open_job(struct job *job)
{
    enum lt_status status = check_options(job->options, job->error);
    if (status == LT_OK)
        status = tracks_init(&job->tracks, job->options, job->error);
    if (status == LT_OK)
        status = decide_outputs(job);
    const struct listener out = {job->options->warning, job->options->callback_ctx};
    if (status == LT_OK)
        status = heard_begin(&job->heard, out, job->options->fail_on_warning, job->error);
    if (status != LT_OK)
        return status;
    struct reading_options reading = {
        .path = job->options->trace,
        .threads = job->options->threads,
        .parser = job->options->parser,
        .event = collect_event,
        .event_ctx = &job->collect,
        .progress = job->options->progress,
        .progress_ctx = job->options->callback_ctx,
    };
    if (reading_open(&job->reading, &reading, job->error) != LT_OK)
        return job->error->status;
    const char *name = source_name(job->reading.source);
    if (job->to_stdout && !job->options->dry_run && source_is_same_file(job->reading.source, STDOUT_FILENO))
        return fail_as(job->error, LT_CLASS_SAME_FILE, "%s: is also standard output; write to another file", name);
    struct collect_request collect = {
        .trace_name = name,
        .patterns = &job->tracks.patterns,
        .observers = job->observers,
        .observer_count = tracks_observers(&job->tracks, job->observers),
        .lengths = true,
    };
    collect_init(&job->collect, &collect, job->error);
    return tracks_name(&job->tracks, name, job->error);
}

static void end_job(struct job *job)
{
    sink_free(job->output);
    sink_free(job->report_sink);
    tracks_free(&job->tracks);
    collect_free(&job->collect);
    reading_close(&job->reading);
    heard_free(&job->heard);
    free(job->report);
}

/* After a refusal too, which stays what is told. */
static enum lt_status tell_found(const struct job *job, enum lt_status status)
{
    const struct lt_annotate_options *options = job->options;
    const struct found_request request = {
        .collect = &job->collect,
        .tracks = &job->tracks,
        .facts = &job->reading.layout.facts,
        .chosen = job->chosen,
        .accepted = status == LT_OK,
        .warnings = job->heard.count,
    };
    if (options->found == NULL || (status != LT_OK && status != LT_SELECTION))
        return status;
    switch (found_tell(&request, options->found, options->callback_ctx)) {
    case FOUND_GO_ON:
        return status;
    case FOUND_CANCEL:
        return fail_cancelled(job->error, source_name(job->reading.source));
    default:
        return fail_memory(job->error);
    }
}

static enum lt_status annotate(const struct lt_annotate_options *options, struct lt_annotate_result *result,
                               struct lt_error *error)
{
    struct job job = {.options = options, .error = error};
    const struct guide_writer writer = {.collect = &job.collect, .tracks = &job.tracks};
    enum lt_status status = open_job(&job);
    if (status == LT_OK)
        status = reading_run(&job.reading, error);
    if (status == LT_OK)
        status = tell_found(&job, make_plans(&job));
    if (status == LT_OK && options->row != NULL)
        status = rows_tell(&writer, options->row, options->callback_ctx, error);
    if (status == LT_OK)
        status = options->dry_run ? dry_run(&job, result) : write_files(&job, result);
    end_job(&job);
    return status;
}

enum lt_status lt_annotate(const struct lt_annotate_options *options, struct lt_annotate_result *result,
                           struct lt_error *error)
{
    struct lt_annotate_options own;
    struct lt_annotate_result done;
    struct naming naming;
    struct lt_error why;
    if (versioned_begin(&why, &naming, error) != LT_OK)
        return LT_USAGE;
    if (versioned_check(result, "lt_annotate_result", &why) == LT_OK &&
        versioned_take(&own, sizeof own, options, "lt_annotate_options", &why) == LT_OK) {
        naming = (struct naming){own.name, own.callback_ctx};
        if (annotate(&own, &done, &why) == LT_OK)
            versioned_give(result, &done, sizeof done);
    }
    return versioned_end(error, &why);
}
