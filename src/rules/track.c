#include "rules/track.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "trace/wanted.h"

const struct track_words track_spec_words = {
    .anchor_regex = "anchor_regex",
    .end_anchor_regex = "end_anchor_regex",
    .landmark_regex = "landmark",
    .within = "within",
    .within_gpu = "within_gpu",
    .pid = "pid",
    .device = "device",
    .num_layers = "num_layers",
    .passes = "passes",
    .anchor_offset = "anchor_offset",
    .skip_partial = "skip_partial",
    .phase = "phase",
};

struct track_words track_words_of(const struct lt_error *error)
{
    return (struct track_words){
        .anchor_regex = error_name(error, "anchor_regex"),
        .end_anchor_regex = error_name(error, "end_anchor_regex"),
        .landmark_regex = error_name(error, "landmarks[].regex"),
        .within = error_name(error, "within"),
        .within_gpu = error_name(error, "within_gpu"),
        .pid = error_name(error, "pid"),
        .device = error_name(error, "device"),
        .num_layers = error_name(error, "num_layers"),
        .passes = error_name(error, "passes"),
        .anchor_offset = error_name(error, "anchor_offset"),
        .skip_partial = error_name(error, "skip_partial"),
        .phase = error_name(error, "phase"),
    };
}

/* ---- anchors, and groups ----------------------------------------------------------------------------------- */

static bool is_wanted(const struct collect *collect, uint32_t value, const char *wanted)
{
    if (wanted == NULL)
        return true;
    if (value == INTERN_NONE)
        return false;
    const struct intern_entry *entry = &collect->values.entries[value];
    return wanted_is(wanted, entry->text, entry->len, entry->tag == VALUE_NUMBER);
}

bool track_meet_group(void *ctx, struct collect *collect, uint32_t group)
{
    struct track *track = ctx;
    const struct group *met = &collect->groups[group];
    if (!array_reserve(&track->groups, &track->group_capacity, group, sizeof *track->groups))
        return false;
    track->groups[group].wanted =
        is_wanted(collect, met->pid, track->options->pid) && is_wanted(collect, met->device, track->options->device);
    return true;
}

bool track_is_anchor(struct track *track, const struct collect_kernel *kernel)
{
    if (!patterns_hit(kernel->matches, track->anchor_pattern))
        return false;
    track->groups[kernel->group].anchors++;
    return track->groups[kernel->group].wanted;
}

static bool add_anchor(void *ctx, struct collect *collect, const struct collect_kernel *kernel)
{
    struct track *track = ctx;
    bool ok = true;
    if (!track_is_anchor(track, kernel) || kernel->ts == NULL)
        return true;
    uint32_t tid = collect_tid_or_none(collect, &kernel->event->tid, &ok);
    if (!ok || !array_grow(&track->anchors, &track->anchor_capacity, track->anchor_count, sizeof *track->anchors))
        return false;
    if (track->within_pattern != PATTERN_NONE) {
        if (!array_grow(&track->launches, &track->launch_capacity, track->anchor_count, sizeof *track->launches))
            return false;
        track->launches[track->anchor_count] = fields_correlation(&collect->fields, &kernel->event->correlation);
    }
    track->anchors[track->anchor_count++] = (struct anchor){.ts = decimal_pack(kernel->ts),
                                                            .ts_scale = kernel->ts->scale,
                                                            .name = kernel->name,
                                                            .tid = tid,
                                                            .group = kernel->group};
    return true;
}

/* ---- terminals --------------------------------------------------------------------------------------------- */

static bool add_terminal(void *ctx, struct collect *collect, const struct collect_kernel *kernel)
{
    struct track *track = ctx;
    if (!patterns_hit(kernel->matches, track->terminal_pattern) || !track->groups[kernel->group].wanted ||
        kernel->ts == NULL)
        return true;
    struct decimal end;
    if (decimal_add(&end, kernel->ts, kernel->dur) != DECIMAL_OK) {
        collect_note_too_long(collect, kernel);
        return true;
    }
    if (!array_grow(&track->terminals, &track->terminal_capacity, track->terminal_count, sizeof *track->terminals))
        return false;
    track->terminals[track->terminal_count++] = (struct terminal){.ts = decimal_pack(kernel->ts),
                                                                  .ts_scale = kernel->ts->scale,
                                                                  .end = decimal_pack(&end),
                                                                  .end_scale = end.scale,
                                                                  .group = kernel->group};
    return true;
}

/* ---- landmarks --------------------------------------------------------------------------------------------- */

static bool add_mark(struct landmark *landmark, const struct collect_kernel *kernel)
{
    const struct decimal *start = kernel->ts;
    struct mark mark = {.group = kernel->group, .ts_scale = start->scale};
    mark.is_long = start->coefficient != (int64_t)start->coefficient;
    if (mark.is_long) {
        if (!array_grow(&landmark->long_times, &landmark->long_capacity, landmark->long_count,
                        sizeof *landmark->long_times))
            return false;
        mark.ts = (int64_t)landmark->long_count;
        landmark->long_times[landmark->long_count++] = decimal_pack(start);
    } else {
        mark.ts = (int64_t)start->coefficient;
    }
    if (!array_grow(&landmark->marks, &landmark->capacity, landmark->count, sizeof *landmark->marks))
        return false;
    landmark->marks[landmark->count++] = mark;
    return true;
}

static bool add_marks(void *ctx, struct collect *collect, const struct collect_kernel *kernel)
{
    struct track *track = ctx;
    (void)collect;
    if (!track->groups[kernel->group].wanted || kernel->ts == NULL)
        return true;
    for (size_t i = 0; i < track->landmark_count; i++)
        if (patterns_hit(kernel->matches, track->landmark_patterns[i]) && !add_mark(&track->landmarks[i], kernel))
            return false;
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

void track_observers(struct track *track, struct collect_observer observers[TRACK_OBSERVERS])
{
    observers[0] = (struct collect_observer){.ctx = track, .group = track_meet_group, .kernel = add_anchor};
    observers[1] = (struct collect_observer){.ctx = track, .kernel = add_terminal};
    observers[2] = (struct collect_observer){.ctx = track, .kernel = add_marks};
}

void track_keep_anchor(struct track *track, size_t *kept, size_t index)
{
    struct anchor anchor = track->anchors[index];
    track->anchors[index] = track->anchors[*kept];
    track->anchors[*kept] = anchor;
    if (track->launches != NULL) {
        uint64_t launch = track->launches[index];
        track->launches[index] = track->launches[*kept];
        track->launches[*kept] = launch;
    }
    ++*kept;
}

void track_leave_outside(struct track *track, size_t kept)
{
    track->outside_count += track->anchor_count - kept;
    track->anchor_count = kept;
}

const struct track_shown *track_show(struct track_shown *shown, const struct track *track, const char *pattern)
{
    printable(shown->place, sizeof shown->place, track->place, strlen(track->place));
    printable(shown->pattern, sizeof shown->pattern, pattern, strlen(pattern));
    return shown;
}

void track_free(struct track *track)
{
    plan_free(&track->plan);
    free(track->place);
    free(track->landmark_patterns);
    free(track->anchors);
    free(track->terminals);
    for (size_t i = 0; track->landmarks != NULL && i < track->landmark_count; i++) {
        free(track->landmarks[i].marks);
        free(track->landmarks[i].long_times);
    }
    free(track->landmarks);
    free(track->launches);
    free(track->groups);
    scopes_free(&track->scopes);
    gpu_scopes_free(&track->gpu_scopes);
    free(track->bad_scopes);
    *track = (struct track){0};
}
