#include "rules/track.h"

#include <stdlib.h>

#include "base/array.h"

const struct track_words track_option_words = {
    .anchor_regex = "--anchor-regex",
    .end_anchor_regex = "--end-anchor-regex",
    .landmark_regex = "--landmark-regex",
    .within = "--within",
    .within_gpu = "--within-gpu",
    .pid = "--pid",
    .device = "--device",
    .num_layers = "--num-layers",
    .passes = "--passes",
    .anchor_offset = "--anchor-offset",
    .phase = "--phase",
};

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
    .phase = "phase",
};

bool track_keep_time(struct decimal *time, struct arena *arena)
{
    if (time->scale != DECIMAL_TEXT)
        return true;
    const char *text = arena_copy(arena, time->text, time->len);
    if (text == NULL)
        return false;
    time->text = text;
    return true;
}

static bool add_anchor(struct track *track, const struct track_kernel *kernel, struct arena *times)
{
    struct decimal start = *kernel->ts;
    if (!track_keep_time(&start, times) ||
        !array_grow(&track->anchors, &track->anchor_capacity, track->anchor_count, sizeof *track->anchors))
        return false;
    if (track->within_pattern != PATTERN_NONE) {
        if (!array_grow(&track->launches, &track->launch_capacity, track->anchor_count, sizeof *track->launches))
            return false;
        track->launches[track->anchor_count] = kernel->correlation;
    }
    track->anchors[track->anchor_count++] = (struct anchor){.ts = decimal_pack(&start),
                                                            .ts_scale = start.scale,
                                                            .name = kernel->name,
                                                            .tid = kernel->tid,
                                                            .group = kernel->group};
    return true;
}

static bool add_terminal(struct track *track, const struct track_kernel *kernel, struct arena *times)
{
    struct decimal start = *kernel->ts, end;
    if (!track_keep_time(&start, times) || decimal_add(&end, kernel->ts, kernel->dur, times) != DECIMAL_OK ||
        !array_grow(&track->terminals, &track->terminal_capacity, track->terminal_count, sizeof *track->terminals))
        return false;
    track->terminals[track->terminal_count++] = (struct terminal){.ts = decimal_pack(&start),
                                                                  .ts_scale = start.scale,
                                                                  .end = decimal_pack(&end),
                                                                  .end_scale = end.scale,
                                                                  .group = kernel->group};
    return true;
}

static bool add_mark(struct landmark *landmark, const struct track_kernel *kernel, struct arena *times)
{
    struct decimal start = *kernel->ts;
    struct mark mark = {.group = kernel->group, .ts_scale = start.scale};
    mark.is_long = start.scale == DECIMAL_TEXT || start.coefficient != (int64_t)start.coefficient;
    if (mark.is_long) {
        if (!track_keep_time(&start, times) || !array_grow(&landmark->long_times, &landmark->long_capacity,
                                                           landmark->long_count, sizeof *landmark->long_times))
            return false;
        mark.ts = (int64_t)landmark->long_count;
        landmark->long_times[landmark->long_count++] = decimal_pack(&start);
    } else {
        mark.ts = (int64_t)start.coefficient;
    }
    if (!array_grow(&landmark->marks, &landmark->capacity, landmark->count, sizeof *landmark->marks))
        return false;
    landmark->marks[landmark->count++] = mark;
    return true;
}

bool track_add_kernel(struct track *track, const struct track_kernel *kernel, struct arena *times)
{
    if (patterns_hit(kernel->matches, track->anchor_pattern) && !add_anchor(track, kernel, times))
        return false;
    if (patterns_hit(kernel->matches, track->terminal_pattern) && !add_terminal(track, kernel, times))
        return false;
    for (size_t i = 0; i < track->landmark_count; i++)
        if (patterns_hit(kernel->matches, track->landmark_patterns[i]) &&
            !add_mark(&track->landmarks[i], kernel, times))
            return false;
    return true;
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
