#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/heard.h"
#include "base/text.h"
#include "base/versioned.h"
#include "rules/select.h"
#include "rules/series.h"
#include "rules/tracks.h"
#include "trace/cluster.h"
#include "trace/cluster_exact.h"
#include "trace/collect.h"
#include "trace/reading.h"
#include "trace/reading_messages.h"

struct job {
    const struct lt_inspect_options *options;
    struct lt_error *error;
    struct lt_inspection *found;
    struct arena *memory; /* the findings' */
    struct patterns patterns;
    struct lt_track wanted;
    struct track_words words;
    struct track track; /* of which only the choice is used */
    struct heard heard;
    struct reading reading;
    struct collect collect;
    struct collect_observer observers[2];
    struct series_set all;
};

/* ---- words ------------------------------------------------------------------------------------------------- */

/* Takes the text over into the findings' memory. NULL when memory is out. */
static const char *keep(struct job *job, struct text *text)
{
    text_add(text, "", 1);
    const char *kept = text->failed ? NULL : arena_copy(job->memory, text->data, text->len);
    text_free(text);
    return kept;
}

/* Without trailing zeros. */
static const char *keep_time(struct job *job, const struct decimal *time)
{
    char digits[DECIMAL_SIZE];
    struct decimal plain = decimal_shift(time, 0);
    return arena_copy(job->memory, digits, decimal_print(&plain, digits) + 1);
}

/* A JSON value; *out stays NULL where the events have none. */
static bool keep_value(struct job *job, uint32_t value, const char **out)
{
    if (value == INTERN_NONE)
        return true;
    const struct intern_entry *entry = &job->collect.values.entries[value];
    struct text text = {0};
    /* What JSON cannot say (an object that was not kept, a bare nan) becomes null. */
    if (entry->tag == VALUE_STRING)
        text_json(&text, entry->text, entry->len);
    else if (entry->tag == VALUE_NUMBER ||
             (entry->len > 0 && strchr("ntf", entry->text[0]) != NULL && (entry->len == 4 || entry->len == 5)))
        text_add(&text, entry->text, entry->len);
    else
        text_puts(&text, "null");
    *out = keep(job, &text);
    return *out != NULL;
}

/* Zeroed memory that lives as long as the findings; its address suits any object. */
static void *keep_array(struct job *job, size_t count, size_t size)
{
    size_t bytes = (count + 1) * size;
    char *data = arena_take(job->memory, bytes + 16);
    if (data == NULL)
        return NULL;
    data += (16 - (uintptr_t)data % 16) % 16;
    memset(data, 0, bytes);
    return data;
}

/* [count] pointers to zeroed structs that begin with their size. */
static void *keep_structs(struct job *job, size_t count, size_t size)
{
    char **pointers = keep_array(job, count, sizeof *pointers);
    char *structs = keep_array(job, count, size);
    for (size_t i = 0; i < count && pointers != NULL && structs != NULL; i++)
        pointers[i] = memcpy(structs + i * size, &size, sizeof size);
    return structs == NULL ? NULL : pointers;
}

/* ---- findings ---------------------------------------------------------------------------------------------- */

static struct cluster_times times_of(const struct job *job, size_t first, size_t count)
{
    return (struct cluster_times){.first = count == 0 ? NULL : &job->all.timed.records[first].ticks,
                                  .stride = sizeof(struct kernel_record),
                                  .count = count};
}

static bool keep_gaps(struct job *job, size_t first, const struct cluster_times *times,
                      const struct cluster_split *split, struct lt_inspect_clusters *out)
{
    struct cluster_figures gaps;
    int64_t us;
    bool done = cluster_exact(&job->all.timed, first, times, split, &gaps) &&
                (out->median_gap = keep_time(job, &gaps.median)) != NULL &&
                (out->within_gap = keep_time(job, &gaps.within)) != NULL;
    if (done && split->between > 0) {
        /* Ticks reach no farther than half an hour. */
        double between = split->between < UINT64_MAX         ? (double)split->between
                         : decimal_round(&gaps.between, &us) ? (double)us * 1e10
                                                             : (double)INT64_MAX * 1e10;
        struct text text = {0};
        text_hundredths(&text, between / (double)(split->within == 0 ? 1 : split->within));
        done = (out->ratio = keep(job, &text)) != NULL && (out->between_gap = keep_time(job, &gaps.between)) != NULL;
    }
    return done;
}

static struct lt_inspect_clusters *new_clusters(struct job *job)
{
    struct lt_inspect_clusters **one = keep_structs(job, 1, sizeof **one);
    return one == NULL ? NULL : *one;
}

static bool describe(struct job *job, size_t first, const struct cluster_times *times,
                     const struct cluster_split *split, struct lt_inspect_clusters **clusters, bool *fits)
{
    struct cluster_shape shape = cluster_shape(times, split, job->options->num_layers);
    struct lt_inspect_clusters *out = *clusters = new_clusters(job);
    if (out == NULL)
        return false;
    out->runs = split->runs;
    out->in_order = shape.in_order;
    out->other_runs = shape.other_runs;
    out->size_count = shape.count;
    for (unsigned i = 0; i < shape.count; i++)
        out->sizes[i] = (struct lt_inspect_size){shape.segments[i].runs, shape.segments[i].size};
    *fits = shape.fits;
    return times->count < 2 || keep_gaps(job, first, times, split, out);
}

/* Among those that fit, the fewest a layer come first: an anchor runs once. */
static int by_fit(const void *a, const void *b)
{
    const struct lt_inspect_name *x = *(struct lt_inspect_name *const *)a, *y = *(struct lt_inspect_name *const *)b;
    if (x->fits != y->fits)
        return x->fits ? -1 : 1;
    if (x->count != y->count)
        return (x->count < y->count) == x->fits ? -1 : 1;
    size_t len = x->name_len < y->name_len ? x->name_len : y->name_len;
    int order = memcmp(x->name, y->name, len);
    return order != 0 ? order : (x->name_len > y->name_len) - (x->name_len < y->name_len);
}

static bool fill_name(struct job *job, const struct series *series, struct lt_inspect_name *out)
{
    const struct intern_entry *entry = &job->collect.names.entries[series->name];
    struct cluster_times times = times_of(job, series->first, series->count - series->untimed);
    kernels_relate(&job->all.timed, series->first, times.count);
    struct cluster_split split = cluster_split(&times);
    *out = (struct lt_inspect_name){.size = sizeof *out,
                                    .name = arena_copy(job->memory, entry->text, entry->len),
                                    .name_len = entry->len,
                                    .count = series->count,
                                    .streams = series->streams,
                                    .untimed = series->untimed};
    bool fits;
    if (out->name == NULL || !describe(job, series->first, &times, &split, &out->clusters, &fits))
        return false;
    uint64_t layers = job->options->num_layers;
    out->fits = layers > 0 && (fits || series->count % layers == 0);
    return true;
}

/* ---- groups and names -------------------------------------------------------------------------------------- */

/* group_of[]: the findings' group of each group of the trace; only those that hold a match are shown. */
static bool fill_groups(struct job *job, uint32_t *group_of, const uint32_t *hosts)
{
    const struct collect *collect = &job->collect;
    for (uint32_t i = 0; i < job->all.keys.count; i++)
        if (job->all.items[i].count > 0)
            group_of[job->all.items[i].group] = 1;
    for (uint32_t i = 0; i < collect->group_keys.count; i++)
        if (group_of[i] != 0) {
            struct lt_inspect_group *group = job->found->groups[job->found->group_count++];
            group_of[i] = (uint32_t)job->found->group_count;
            group->kernels = collect->groups[i].kernels;
            if (!keep_value(job, collect->groups[i].pid, &group->pid) ||
                !keep_value(job, collect->groups[i].device, &group->device))
                return false;
            /* Which stay empty where no kernel has a usable ts. */
            if (job->options->anchor_regex != NULL && (group->clusters = new_clusters(job)) == NULL)
                return false;
        }
    for (uint32_t i = 0; i < collect->group_keys.count; i++)
        if (hosts[i] != i) {
            job->found->groups[group_of[hosts[i]] - 1]->kernels += collect->groups[i].kernels;
            job->found->groups[group_of[hosts[i]] - 1]->also_without_device = true;
        }
    for (uint32_t i = 0; i < job->all.streams.count; i++) {
        uint32_t key[2];
        memcpy(key, job->all.streams.entries[i].text, sizeof key);
        if (hosts[key[0]] == key[0])
            job->found->groups[group_of[key[0]] - 1]->streams++;
    }
    for (uint32_t i = 0; i < job->all.keys.count; i++)
        if (job->all.items[i].count > 0)
            job->found->groups[group_of[job->all.items[i].group] - 1]->name_count++;
    return true;
}

static bool fill_names(struct job *job, const uint32_t *group_of)
{
    for (size_t i = 0; i < job->found->group_count; i++) {
        struct lt_inspect_group *group = job->found->groups[i];
        group->names = keep_structs(job, group->name_count, sizeof **group->names);
        if (group->names == NULL)
            return false;
        group->name_count = 0;
    }
    size_t first = 0;
    for (uint32_t i = 0; i < job->all.keys.count; i++) {
        struct series *series = &job->all.items[i];
        if (series->count == 0)
            continue;
        struct lt_inspect_group *group = job->found->groups[group_of[series->group] - 1];
        series->first = first;
        first += series->count - series->untimed;
        group->matching += series->count;
        if (!fill_name(job, series, group->names[group->name_count++]))
            return false;
    }
    for (size_t i = 0; i < job->found->group_count; i++)
        qsort(job->found->groups[i]->names, job->found->groups[i]->name_count, sizeof(struct lt_inspect_name *),
              by_fit);
    return true;
}

/* ---- all names of a group together ------------------------------------------------------------------------- */

static bool fill_run(struct job *job, size_t base, size_t at, size_t end, struct lt_inspect_run *run)
{
    struct decimal start = kernels_start(&job->all.timed, base + at);
    *run = (struct lt_inspect_run){
        .size = sizeof *run, .first = at, .kernels = end - at, .start_us = keep_time(job, &start)};
    if (at == 0)
        return run->start_us != NULL;
    struct decimal gap = kernels_gap(&job->all.timed, base + at - 1, base + at);
    run->gap_us = keep_time(job, &gap);
    return run->start_us != NULL && run->gap_us != NULL;
}

static bool fill_runs(struct job *job, struct lt_inspect_group *group, size_t base, size_t count)
{
    bool fits;
    struct cluster_times times = times_of(job, base, count);
    kernels_relate(&job->all.timed, base, count);
    struct cluster_split split = cluster_split(&times);
    group->runs = keep_structs(job, split.runs, sizeof **group->runs);
    if (group->runs == NULL || !describe(job, base, &times, &split, &group->clusters, &fits))
        return false;
    for (size_t at = 0, end; at < count; at = end) {
        end = cluster_end(&times, &split, at);
        if (!fill_run(job, base, at, end, group->runs[group->run_count++]))
            return false;
    }
    return true;
}

static bool fill_span(struct job *job, struct lt_inspect_group *group, size_t base, size_t count)
{
    struct decimal first = kernels_start(&job->all.timed, base),
                   last = kernels_start(&job->all.timed, base + count - 1);
    struct decimal span = kernels_gap(&job->all.timed, base, base + count - 1);
    group->first_us = keep_time(job, &first);
    group->last_us = keep_time(job, &last);
    group->span_us = keep_time(job, &span);
    return group->first_us != NULL && group->last_us != NULL && group->span_us != NULL;
}

static bool fill_together(struct job *job, const uint32_t *group_of)
{
    struct kernels *kernels = &job->all.timed;
    for (size_t i = 0; i < kernels->count; i++)
        kernels->records[i].series = group_of[job->all.items[kernels->records[i].series].group] - 1;
    if (!kernels_sort(kernels))
        return false;
    for (size_t base = 0, end; base < kernels->count; base = end) {
        struct lt_inspect_group *group = job->found->groups[kernels->records[base].series];
        for (end = base; end < kernels->count && kernels->records[end].series == kernels->records[base].series;)
            end++;
        if (!fill_span(job, group, base, end - base) ||
            (job->options->anchor_regex != NULL && !fill_runs(job, group, base, end - base)))
            return false;
    }
    return true;
}

static bool find(struct job *job)
{
    size_t groups = job->collect.group_keys.count;
    uint32_t *group_of = calloc(groups + 1, sizeof *group_of);
    uint32_t *hosts = series_identity(groups);
    job->found->groups = keep_structs(job, groups, sizeof **job->found->groups);
    bool done = group_of != NULL && hosts != NULL && job->found->groups != NULL &&
                series_merge(&job->all, &job->collect, hosts) && kernels_sort(&job->all.timed) &&
                kernels_sort(&job->all.untimed) && series_count_streams(&job->all);
    done = done && fill_groups(job, group_of, hosts) && fill_names(job, group_of) && fill_together(job, group_of);
    free(group_of);
    free(hosts);
    return done;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static enum lt_status open_job(struct job *job)
{
    const struct lt_inspect_options *options = job->options;
    const char *regex = options->anchor_regex;
    if (options->trace == NULL || options->trace[0] == '\0')
        return fail_as(job->error, LT_CLASS_OPTION_MISSING, "no trace; name a file, or - for standard input");
    if (regex != NULL && regex[0] == '\0')
        return fail_as(job->error, LT_CLASS_PATTERN, "%s is empty and would match every name; give a pattern",
                       error_name(job->error, "anchor_regex"));
    const struct listener out = {options->warning, options->callback_ctx};
    if (heard_begin(&job->heard, out, options->fail_on_warning, job->error) != LT_OK)
        return job->error->status;
    if (options->num_layers != 0 && tracks_check_count("num_layers", options->num_layers, 1, job->error) != LT_OK)
        return job->error->status;
    /* Which is what is wanted without one. */
    regex = regex == NULL ? "" : regex;
    job->wanted = (struct lt_track){.anchor_regex = regex, .pid = options->pid, .device = options->device};
    job->words = track_words_of(job->error);
    job->track =
        (struct track){.options = &job->wanted,
                       .words = &job->words,
                       .anchor_pattern = patterns_add(&job->patterns, job->words.anchor_regex, regex, job->error)};
    if (job->track.anchor_pattern == PATTERN_NONE)
        return job->error->status;
    struct reading_options reading = {
        .hash = SOURCE_HASH_NONE,
        .path = options->trace,
        .threads = options->threads,
        .parser = options->parser,
        .event = collect_event,
        .event_ctx = &job->collect,
        .progress = options->progress,
        .progress_ctx = options->callback_ctx,
    };
    if (reading_open(&job->reading, &reading, job->error) != LT_OK)
        return job->error->status;
    job->track.place = strdup(source_name(job->reading.source));
    if (job->track.place == NULL)
        return fail_memory(job->error);
    job->observers[0] = (struct collect_observer){.ctx = &job->track, .group = track_meet_group};
    job->all.track = &job->track;
    job->observers[1] = series_observer(&job->all);
    struct collect_request collect = {
        .trace_name = source_name(job->reading.source),
        .patterns = &job->patterns,
        .observers = job->observers,
        .observer_count = sizeof job->observers / sizeof *job->observers,
    };
    collect_init(&job->collect, &collect, job->error);
    return LT_OK;
}

static enum lt_status look(struct job *job)
{
    if (job->all.keys.count == 0)
        return select_refuse_none(&job->collect, &job->track, job->error);
    const struct listener listener = heard_listener(&job->heard, source_name(job->reading.source));
    message_for_scan_warnings(source_name(job->reading.source), scan_warnings(job->reading.scan), &listener);
    if (heard_end(&job->heard, job->error) != LT_OK)
        return job->error->status;
    job->found->events = job->reading.layout.events;
    job->found->kernels = job->collect.kernels;
    job->found->rule = CLUSTER_RULE;
    return find(job) ? LT_OK : fail_memory(job->error);
}

static enum lt_status inspect(const struct lt_inspect_options *options, struct lt_inspection *found,
                              struct lt_error *error)
{
    found->memory = calloc(1, sizeof(struct arena));
    if (found->memory == NULL)
        return fail_memory(error);
    struct job job = {.options = options, .error = error, .found = found, .memory = found->memory};
    enum lt_status status = open_job(&job);
    if (status == LT_OK)
        status = reading_run(&job.reading, error);
    if (status == LT_OK)
        status = look(&job);
    heard_free(&job.heard);
    series_free(&job.all);
    collect_free(&job.collect);
    reading_close(&job.reading);
    track_free(&job.track);
    patterns_free(&job.patterns);
    return status;
}

enum lt_status lt_inspect(const struct lt_inspect_options *options, struct lt_inspection *inspection,
                          struct lt_error *error)
{
    struct lt_inspect_options own;
    struct lt_inspection found = {.size = sizeof found};
    struct naming naming;
    struct lt_error why;
    if (versioned_begin(&why, &naming, error) != LT_OK)
        return LT_USAGE;
    if (versioned_check(inspection, "lt_inspection", &why) == LT_OK &&
        versioned_take(&own, sizeof own, options, "lt_inspect_options", &why) == LT_OK) {
        naming = (struct naming){own.name, own.callback_ctx};
        inspect(&own, &found, &why);
    }
    versioned_give(inspection, &found, sizeof found);
    return versioned_end(error, &why);
}
