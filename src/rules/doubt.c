#include "rules/doubt.h"

#include <stdlib.h>

#include "trace/cluster.h"

#define NS_DIGITS 3

/* Whole nanoseconds from one time to a later one; what is too far away for 64 bits is as far as it gets. */
static bool nanoseconds(const struct decimal *from, const struct decimal *to, uint64_t *out)
{
    struct arena arena = {0};
    struct decimal difference;
    enum decimal_status status = decimal_subtract(&difference, to, from, &arena);
    bool is_text = status == DECIMAL_OK && difference.scale == DECIMAL_TEXT;
    __int128 ns = status != DECIMAL_OK ? INT64_MAX : difference.coefficient;
    int64_t us;
    if (is_text) /* a microsecond is near enough */
        ns = decimal_round(&difference, &us) ? (__int128)us * 1000 : INT64_MAX;
    for (unsigned scale = difference.scale; !is_text && scale > NS_DIGITS; scale--)
        ns /= 10;
    for (unsigned scale = difference.scale; !is_text && scale < NS_DIGITS && ns < INT64_MAX; scale++)
        ns *= 10;
    *out = ns > INT64_MAX ? (uint64_t)INT64_MAX : (uint64_t)ns;
    arena_free(&arena);
    return status == DECIMAL_OK;
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
        if (!nanoseconds(&first, &start, &starts[i])) {
            free(starts);
            starts = NULL;
        } else if (i > 0 && starts[i] < starts[i - 1]) {
            starts[i] = starts[i - 1]; /* one was rounded further than the other */
        }
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

static void note(struct doubt *doubt, uint64_t pass)
{
    if (doubt->passes++ == 0)
        doubt->pass = pass;
}

/* A run may hold several passes, and the first and last run of a capture may be cut. */
static bool divides_run(const struct look *look, uint64_t first, uint64_t layers, uint64_t unit)
{
    uint64_t before = first - look->run_begin, from_here = look->run_end - first;
    bool front = look->run_begin == 0 || before % unit == 0;
    bool back = look->run_end == look->request->anchor_count || from_here % unit == 0 || from_here % unit == layers;
    return front && back;
}

static void look_at_pass(struct look *look, uint64_t pass, struct doubt *doubt)
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
        note(doubt, pass);
        if (doubt->passes == 1)
            doubt->run = look->run_end - look->run_begin;
        return;
    }
    /* The pass may take its extras along or not. */
    bool ends = false;
    for (uint64_t behind = end; behind <= end + request->extras && !ends; behind++)
        ends = begins_run(look, behind);
    if (begins_run(look, first) && ends)
        return;
    note(doubt, pass);
    if (doubt->passes > 1)
        return;
    doubt->layer = request->first_layer + (look->run_end - first) / stride;
    doubt->gap_ns = look->starts[look->run_end] - look->starts[look->run_end - 1];
    doubt->usual_ns = look->split.within;
}

void doubt_names_find(const struct plan *plan, struct doubt_names *doubt)
{
    struct guide guide;
    *doubt = (struct doubt_names){0};
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        plan_guide(plan, i, &guide);
        if (i == 0)
            doubt->first = guide.anchor->name;
        if (guide.anchor->name == doubt->first || doubt->others++ > 0)
            continue;
        doubt->other = guide.anchor->name;
        doubt->pass = guide.pass_index;
        doubt->layer = guide.layer_id;
    }
}

bool doubt_find(const struct plan *plan, struct doubt *doubt)
{
    const struct plan_request *request = &plan->request;
    *doubt = (struct doubt){0};
    uint64_t *starts = all_starts(plan);
    if (starts == NULL)
        return false;
    struct cluster_times times = {starts, sizeof *starts, request->anchor_count};
    struct look look = {.request = request, .starts = starts, .split = cluster_split(&times)};
    for (uint64_t pass = 0; pass < request->passes && look.split.runs > 1; pass++)
        look_at_pass(&look, pass, doubt);
    free(starts);
    return true;
}
