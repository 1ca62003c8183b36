#include "guides/found.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "rules/first_pass.h"
#include "rules/track_runs.h"

/* A pid or device as text. False when memory is out. */
static bool keep_value(struct arena *arena, const struct collect *collect, uint32_t value, const char **out)
{
    if (value == INTERN_NONE)
        return true;
    const struct intern_entry *entry = &collect->values.entries[value];
    *out = arena_string(arena, entry->text, entry->len);
    return *out != NULL;
}

static bool keep_time(struct arena *arena, const struct decimal *time, const char **out)
{
    char digits[DECIMAL_SIZE];
    *out = arena_string(arena, digits, decimal_print(time, digits));
    return *out != NULL;
}

static bool fill_runs(const struct track *track, struct places *places, struct lt_found_track *out)
{
    struct places_request request;
    uint64_t *instances;
    bool done = track_runs(track, &request, &instances) && places_runs(places, &request) != PLACES_NO_MEMORY;
    free(instances);
    out->runs = done && places->status == PLACES_FINE ? places->sizes : NULL;
    out->run_count = out->runs == NULL ? 0 : places->runs;
    return done;
}

static bool fill_plan(struct arena *arena, const struct collect *collect, const struct track *track,
                      struct lt_found_track *out)
{
    char rule[FIRST_PASS_RULE];
    const struct plan *plan = &track->plan;
    struct guide first, last;
    plan_guide(plan, 0, &first);
    plan_guide(plan, plan->guide_count - 1, &last);
    const struct intern_entry *name = &collect->names.entries[first.anchor->name];
    out->anchor_name = name->text;
    out->anchor_name_len = name->len;
    out->anchor_offset = plan->request.anchor_offset;
    out->passes = plan->request.passes;
    out->run = track->first.run == 0 ? LT_NONE : track->first.run;
    out->left_over = track->options->passes == LT_ALL ? track->first.left_over : LT_NONE;
    if (first_pass_rule(track->options, rule) != NULL &&
        (out->anchor_offset_rule = arena_string(arena, rule, strlen(rule))) == NULL)
        return false;
    return keep_time(arena, &first.start, &out->first_us) && keep_time(arena, &last.end, &out->last_us);
}

/* How many kernels match, whatever their process is. */
static uint64_t all_anchors(const struct collect *collect, const struct track *track)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < collect->group_keys.count; i++)
        all += track->groups[i].anchors;
    return all;
}

static bool fill_track(const struct found_request *request, struct arena *arena, const struct track *track,
                       struct places *places, struct lt_found_track *out)
{
    const struct collect *collect = request->collect;
    *out = (struct lt_found_track){.size = sizeof *out, .phase = track->options->phase};
    out->anchors = out->anchor_offset = out->passes = out->run = out->left_over = LT_NONE;
    if (!request->chosen) {
        /* None at all is known, too. */
        if (all_anchors(collect, track) == 0)
            out->anchors = 0;
        return true;
    }
    out->anchors = track->anchor_count;
    return keep_value(arena, collect, track->selection.pid, &out->pid) &&
           keep_value(arena, collect, track->selection.device, &out->device) && fill_runs(track, places, out) &&
           (!request->accepted || fill_plan(arena, collect, track, out));
}

/* A number that the trace tells, or -1. */
static int64_t fact(const struct scan_facts *facts, enum scan_fact which)
{
    return facts->known[which] && facts->value[which] <= INT64_MAX ? (int64_t)facts->value[which] : -1;
}

enum found_answer found_tell(const struct found_request *request, lt_found_fn *fn, void *ctx)
{
    size_t count = request->tracks->count;
    struct arena arena = {0};
    struct places *places = calloc(count, sizeof *places);
    struct lt_found_track *tracks = calloc(count, sizeof *tracks);
    const struct lt_found_track **pointers = calloc(count, sizeof *pointers);
    bool done = places != NULL && tracks != NULL && pointers != NULL;
    for (size_t i = 0; i < count && done; i++) {
        pointers[i] = &tracks[i];
        done = fill_track(request, &arena, &request->tracks->items[i], &places[i], &tracks[i]);
    }
    const struct lt_found found = {
        .size = sizeof found,
        .accepted = request->accepted,
        .has_base_time = fact(request->facts, FACT_BASE_TIME) >= 0,
        .base_time_ns = fact(request->facts, FACT_BASE_TIME),
        .rank = fact(request->facts, FACT_RANK),
        .world_size = fact(request->facts, FACT_WORLD_SIZE),
        .warnings = request->warnings,
        .tracks = pointers,
        .track_count = count,
    };
    enum found_answer answer = !done ? FOUND_NO_MEMORY : fn(ctx, &found) ? FOUND_GO_ON : FOUND_CANCEL;
    for (size_t i = 0; i < count && places != NULL; i++)
        places_free(&places[i]);
    free(places);
    free(tracks);
    free(pointers);
    arena_free(&arena);
    return answer;
}
