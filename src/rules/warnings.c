#include "rules/warnings.h"

#include <stdlib.h>

#include "trace/cluster.h"

#define NS_DIGITS 3

/* Whole nanoseconds from one time to a later one; what is too far away for 64 bits is as far as it gets. */
static uint64_t nanoseconds(const struct decimal *from, const struct decimal *to)
{
    struct decimal difference;
    (void)decimal_subtract(&difference, to, from);
    __int128 ns = decimal_floor(&difference, NS_DIGITS);
    return ns > INT64_MAX ? (uint64_t)INT64_MAX : (uint64_t)ns;
}

static struct decimal start_of(const struct plan *plan, size_t index)
{
    const struct anchor *anchor = &plan->request.anchors[plan->anchor_order[index]];
    return decimal_unpack(anchor->ts, anchor->ts_scale);
}

static uint64_t *all_starts(const struct plan *plan)
{
    size_t count = plan->request.anchor_count;
    uint64_t *starts = malloc(count * sizeof *starts);
    struct decimal first = start_of(plan, 0);
    for (size_t i = 0; i < count && starts != NULL; i++) {
        struct decimal start = start_of(plan, i);
        starts[i] = nanoseconds(&first, &start);
        if (i > 0 && starts[i] < starts[i - 1])
            starts[i] = starts[i - 1]; /* one was rounded further than the other */
    }
    return starts;
}

struct look {
    const struct plan_request *request;
    const uint64_t *starts;
    struct cluster_split split;
    size_t run_begin, run_end; /* the run that holds the current pass's first anchor */
};

static bool begins_run(const struct look *look, uint64_t index)
{
    return index == 0 || index >= look->request->anchor_count ||
           look->starts[index] - look->starts[index - 1] >= look->split.between;
}

static void note(struct misplaced_passes *found, uint64_t pass)
{
    if (found->passes++ == 0)
        found->pass = pass;
}

/* A run may hold several passes, and the first and last run of a capture may be cut. */
static bool divides_run(const struct look *look, uint64_t first, uint64_t layers, uint64_t unit)
{
    uint64_t before = first - look->run_begin, from_here = look->run_end - first;
    bool front = look->run_begin == 0 || before % unit == 0;
    bool back = look->run_end == look->request->anchor_count || from_here % unit == 0 || from_here % unit == layers;
    return front && back;
}

static void look_at_pass(struct look *look, uint64_t pass, struct misplaced_passes *found)
{
    const struct plan_request *request = look->request;
    struct cluster_times times = {look->starts, sizeof *look->starts, request->anchor_count};
    uint64_t stride = request->stride == 0 ? 1 : request->stride;
    uint64_t layers = request->num_layers * stride, unit = layers + request->extras;
    uint64_t first = request->anchor_offset + pass * unit, end = first + layers;
    while (look->run_end <= first) {
        look->run_begin = look->run_end;
        look->run_end = cluster_end(&times, &look->split, look->run_begin);
    }
    if (end <= look->run_end) {
        if (divides_run(look, first, layers, unit))
            return;
        note(found, pass);
        if (found->passes == 1)
            found->run = look->run_end - look->run_begin;
        return;
    }
    /* The pass may take its extras along or not. */
    bool ends = false;
    for (uint64_t behind = end; behind <= end + request->extras && !ends; behind++)
        ends = begins_run(look, behind);
    if (begins_run(look, first) && ends)
        return;
    note(found, pass);
    if (found->passes > 1)
        return;
    found->layer = request->first_layer + (look->run_end - first) / stride;
    found->gap_ns = look->starts[look->run_end] - look->starts[look->run_end - 1];
    found->usual_ns = look->split.within;
}

void warnings_mixed_names(const struct plan *plan, struct mixed_names *found)
{
    struct guide guide;
    *found = (struct mixed_names){0};
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        plan_guide(plan, i, &guide);
        if (i == 0)
            found->first = guide.anchor->name;
        if (guide.anchor->name == found->first || found->others++ > 0)
            continue;
        found->other = guide.anchor->name;
        found->pass = guide.pass_index;
        found->layer = guide.layer_id;
    }
}

bool warnings_misplaced_passes(const struct plan *plan, struct misplaced_passes *found)
{
    const struct plan_request *request = &plan->request;
    *found = (struct misplaced_passes){0};
    uint64_t *starts = all_starts(plan);
    if (starts == NULL)
        return false;
    struct cluster_times times = {starts, sizeof *starts, request->anchor_count};
    struct look look = {.request = request, .starts = starts, .split = cluster_split(&times)};
    for (uint64_t pass = 0; pass < request->passes && look.split.runs > 1; pass++)
        look_at_pass(&look, pass, found);
    free(starts);
    return true;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

uint64_t warnings_hash(const struct plan *plan)
{
    uint64_t hash = plan->guide_count;
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        struct guide guide;
        plan_guide(plan, i, &guide);
        hash = mix(hash, (uint64_t)guide.guide_start);
        hash = mix(hash, (uint64_t)guide.anchor->name << 32 | guide.anchor->tid);
        hash = mix(hash, guide.anchor->group);
    }
    return hash;
}

bool warnings_same_kernels(const struct plan *a, const struct plan *b)
{
    if (a->guide_count != b->guide_count)
        return false;
    for (uint64_t i = 0; i < a->guide_count; i++) {
        struct guide x, y;
        plan_guide(a, i, &x);
        plan_guide(b, i, &y);
        if (x.anchor->name != y.anchor->name || x.anchor->tid != y.anchor->tid || x.anchor->group != y.anchor->group ||
            decimal_compare(&x.start, &y.start) != 0)
            return false;
    }
    return true;
}
