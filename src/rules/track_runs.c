#include "rules/track_runs.h"

#include <stdlib.h>

#include "base/sort.h"

/* Streams run ahead of each other, but not by so many passes. */
#define INSTANCES_BACK 64

struct gpu_instances {
    const struct gpu_scopes *scopes;
    uint32_t *of_own, *of_any;   /* the instance of each slice, from 1; 0: not met yet */
    const struct scope **firsts; /* [count] the slice by which each instance was met */
    uint32_t count;
};

/* The slice's instance: that of an earlier slice of the same scope on another stream, or a new one. */
static uint32_t instance_of(struct gpu_instances *instances, const struct scope *scope)
{
    const struct gpu_scopes *scopes = instances->scopes;
    bool is_own = scope >= scopes->own.items && scope < scopes->own.items + scopes->own.count;
    uint32_t *known =
        is_own ? &instances->of_own[scope - scopes->own.items] : &instances->of_any[scope - scopes->any.items];
    uint32_t last = instances->count < INSTANCES_BACK ? 0 : instances->count - INSTANCES_BACK;
    for (uint32_t i = instances->count; i > last && *known == 0; i--)
        if (gpu_scopes_agree(instances->firsts[i - 1], scope))
            *known = i;
    if (*known == 0) {
        instances->firsts[instances->count++] = scope;
        *known = instances->count;
    }
    return *known;
}

static bool anchors_in_order(void *ctx, uint32_t a, uint32_t b)
{
    const struct anchor *anchors = ctx;
    struct decimal x = decimal_unpack(anchors[a].ts, anchors[a].ts_scale);
    struct decimal y = decimal_unpack(anchors[b].ts, anchors[b].ts_scale);
    return decimal_compare(&x, &y) <= 0;
}

/* Puts the GPU scope's instance of each anchor into the lower half of its number. */
static bool add_gpu_instances(const struct track *track, uint64_t *out)
{
    const struct gpu_scopes *scopes = &track->gpu_scopes;
    struct gpu_instances instances = {
        .scopes = scopes,
        .of_own = calloc(scopes->own.count + 1, sizeof *instances.of_own),
        .of_any = calloc(scopes->any.count + 1, sizeof *instances.of_any),
        .firsts = calloc(scopes->own.count + scopes->any.count + 1, sizeof *instances.firsts),
    };
    uint32_t *order = sort_indices(track->anchor_count, anchors_in_order, track->anchors);
    bool done = order != NULL && instances.of_own != NULL && instances.of_any != NULL && instances.firsts != NULL;
    for (size_t i = 0; i < track->anchor_count && done; i++) {
        const struct anchor *anchor = &track->anchors[order[i]];
        struct decimal ts = decimal_unpack(anchor->ts, anchor->ts_scale);
        const struct scope *scope = gpu_scopes_at(scopes, anchor->tid, &ts, &ts);
        out[order[i]] = out[order[i]] << 32 | (scope == NULL ? 0 : instance_of(&instances, scope));
    }
    free(order);
    free(instances.of_own);
    free(instances.of_any);
    free(instances.firsts);
    return done;
}

bool track_runs(const struct track *track, struct places_request *request, uint64_t **instances)
{
    const struct lt_track *options = track->options;
    *instances = NULL;
    *request = (struct places_request){
        .anchors = track->anchors,
        .count = track->anchor_count,
        .num_layers = options->num_layers,
        .stride = options->anchor_stride,
        .extras = options->extra_anchors_per_pass,
    };
    if (options->within == NULL && options->within_gpu == NULL)
        return true;
    *instances = calloc(track->anchor_count + 1, sizeof **instances);
    if (*instances == NULL)
        return false;
    for (size_t i = 0; i < track->anchor_count && options->within != NULL; i++)
        (*instances)[i] = track->launches[i];
    request->instances = *instances;
    return options->within_gpu == NULL || add_gpu_instances(track, *instances);
}
