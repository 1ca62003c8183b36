#include "rules/places.h"

#include <stdlib.h>

#include "base/array.h"
#include "trace/kernels.h"

/* Anchors from the first of a pass to the first of the next; 0 when that is beyond 64 bits. */
static uint64_t period(const struct places_request *request)
{
    uint64_t stride = request->stride == 0 ? 1 : request->stride, size;
    if (__builtin_mul_overflow(request->num_layers, stride, &size) ||
        __builtin_add_overflow(size, request->extras, &size))
        return 0;
    return size;
}

uint64_t places_passes(const struct places_request *request, uint64_t offset, uint64_t *left_over)
{
    uint64_t size = period(request), from = offset < request->count ? request->count - offset : 0;
    uint64_t passes = size == 0 ? 0 : from / size;
    if (size > 0 && from % size >= size - request->extras)
        passes++;
    *left_over = passes > 0 && passes * size > from ? 0 : from - passes * size;
    return passes;
}

bool places_is_whole(const struct places_request *request, uint64_t size)
{
    struct places_request alone = *request;
    uint64_t left_over;
    alone.count = size;
    return places_passes(&alone, 0, &left_over) > 0 && left_over == 0;
}

static bool add_run(struct places *places, size_t *capacity, uint64_t size)
{
    if (!array_grow(&places->sizes, capacity, places->runs, sizeof *places->sizes))
        return false;
    places->sizes[places->runs++] = size;
    return true;
}

/* ---- runs -------------------------------------------------------------------------------------------------- */

static enum places_status runs_by_gap(struct places *places, const struct kernels *kernels)
{
    size_t capacity = 0;
    struct cluster_times times = {
        .first = &kernels->records[0].ticks, .stride = sizeof *kernels->records, .count = kernels->count};
    places->split = cluster_split(&times);
    for (size_t at = 0, end; at < times.count; at = end) {
        end = cluster_end(&times, &places->split, at);
        if (!add_run(places, &capacity, end - at))
            return PLACES_NO_MEMORY;
    }
    return PLACES_FINE;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Anchors of two instances in turns (two threads that launch at once) are no runs. */
static enum places_status runs_by_instance(struct places *places, const struct kernels *kernels,
                                           const uint64_t *instances)
{
    size_t capacity = 0, met = 0, met_capacity = 0;
    uint64_t *all = NULL;
    enum places_status status = PLACES_FINE;
    for (size_t at = 0, end; at < kernels->count && status == PLACES_FINE; at = end) {
        uint64_t instance = instances[kernels_stream(kernels, at)];
        for (end = at + 1; end < kernels->count && instances[kernels_stream(kernels, end)] == instance;)
            end++;
        if (!add_run(places, &capacity, end - at) || !array_grow(&all, &met_capacity, met, sizeof *all))
            status = PLACES_NO_MEMORY;
        else
            all[met++] = instance;
    }
    if (status == PLACES_FINE && met > 0)
        qsort(all, met, sizeof *all, by_number);
    for (size_t i = 1; i < met && status == PLACES_FINE; i++)
        if (all[i] == all[i - 1])
            status = PLACES_MINGLED;
    free(all);
    return status;
}

enum places_status places_runs(struct places *places, const struct places_request *request)
{
    struct kernels kernels = {0};
    *places = (struct places){.status = PLACES_NO_MEMORY};
    bool kept = request->count < KERNELS_ODD;
    for (size_t i = 0; i < request->count && kept; i++) {
        struct decimal start = decimal_unpack(request->anchors[i].ts, request->anchors[i].ts_scale);
        kept = kernels_add(&kernels, &start, 0, (uint32_t)i);
    }
    if (kept && kernels_sort(&kernels)) {
        kernels_relate(&kernels, 0, kernels.count);
        places->status = request->instances == NULL ? runs_by_gap(places, &kernels)
                                                    : runs_by_instance(places, &kernels, request->instances);
    }
    kernels_free(&kernels);
    return places->status;
}

/* ---- the one that is meant --------------------------------------------------------------------------------- */

static enum places_status take(struct places *places, uint64_t run)
{
    places->run = run;
    places->size = places->sizes[run - 1];
    places->offset = 0;
    for (uint64_t i = 0; i + 1 < run; i++)
        places->offset += places->sizes[i];
    return PLACES_FINE;
}

/*
 * A run without the extras behind its last pass is whole where they are a run
 * of their own, or the trace ends: else layers may be missing at its front instead.
 */
static bool run_is_whole(const struct places *places, const struct places_request *request, uint64_t run)
{
    uint64_t size = places->sizes[run - 1];
    if (!places_is_whole(request, size))
        return false;
    return size % period(request) == 0 || run == places->runs || places->sizes[run] == request->extras;
}

static enum places_status choose(struct places *places, const struct places_request *request)
{
    if (places->runs < 2 && request->instances == NULL)
        return PLACES_ONE_RUN;
    if (request->run == 0) {
        for (uint64_t i = 1; i <= places->runs; i++)
            if (run_is_whole(places, request, i))
                return take(places, i);
        return PLACES_NONE_WHOLE;
    }
    /* -INT64_MIN is no int64_t. */
    uint64_t back = request->run < 0 ? -(uint64_t)request->run : 0;
    uint64_t run = request->run > 0 ? (uint64_t)request->run : back <= places->runs ? places->runs + 1 - back : 0;
    if (run == 0 || run > places->runs)
        return PLACES_NO_RUN;
    take(places, run);
    return run_is_whole(places, request, run) ? PLACES_FINE : PLACES_NOT_WHOLE;
}

enum places_status places_find(struct places *places, const struct places_request *request)
{
    if (places_runs(places, request) == PLACES_FINE)
        places->status = choose(places, request);
    return places->status;
}

void places_free(struct places *places)
{
    free(places->sizes);
    *places = (struct places){0};
}
