#include "rules/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static uint32_t series_of(struct series_set *set, uint32_t name, uint32_t group)
{
    const uint32_t key[2] = {group, name};
    int is_new;
    uint32_t id = intern(&set->keys, 'k', (const char *)key, sizeof key, &is_new);
    if (id == INTERN_NONE || !is_new)
        return id;
    if (!array_grow(&set->items, &set->capacity, id, sizeof *set->items))
        return INTERN_NONE;
    set->items[id] = (struct series){.group = group, .name = name};
    return id;
}

static bool take_kernel(void *ctx, struct collect *collect, const struct collect_kernel *kernel)
{
    struct series_set *set = ctx;
    bool ok = true;
    if (!track_is_anchor(set->track, kernel))
        return true;
    const struct decimal *ts = kernel->ts;
    uint32_t stream[2] = {kernel->group, collect_tid_or_none(collect, &kernel->event->tid, &ok)};
    if (!ok)
        return false;
    uint32_t series = series_of(set, kernel->name, kernel->group);
    uint32_t stream_id = intern(&set->streams, 's', (const char *)stream, sizeof stream, NULL);
    if (series == INTERN_NONE || stream_id >= KERNELS_ODD)
        return false;
    set->items[series].count++;
    set->items[series].untimed += ts == NULL;
    struct decimal none = decimal_from_int(0);
    return ts == NULL ? kernels_add(&set->untimed, &none, series, stream_id)
                      : kernels_add(&set->timed, ts, series, stream_id);
}

struct collect_observer series_observer(struct series_set *set)
{
    return (struct collect_observer){.ctx = set, .kernel = take_kernel};
}

void series_free(struct series_set *set)
{
    kernels_free(&set->timed);
    kernels_free(&set->untimed);
    intern_free(&set->keys);
    intern_free(&set->streams);
    free(set->items);
    *set = (struct series_set){0};
}

/* ---- streams ----------------------------------------------------------------------------------------------- */

/* Counts the distinct streams of one series among sorted kernels; `seen` has an element per stream. */
static void count_streams(struct series *series, uint32_t id, const struct kernels *kernels, size_t *at, uint32_t *seen)
{
    for (; *at < kernels->count && kernels->records[*at].series == id; ++*at) {
        uint32_t stream = kernels_stream(kernels, *at);
        series->streams += seen[stream] != id + 1;
        seen[stream] = id + 1;
    }
}

bool series_count_streams(struct series_set *set)
{
    size_t timed = 0, untimed = 0;
    uint32_t *seen = calloc((size_t)set->streams.count + 1, sizeof *seen);
    for (uint32_t i = 0; i < set->keys.count && seen != NULL; i++) {
        count_streams(&set->items[i], i, &set->timed, &timed, seen);
        count_streams(&set->items[i], i, &set->untimed, &untimed, seen);
    }
    bool done = seen != NULL;
    free(seen);
    return done;
}

/* ---- kernels without a device ------------------------------------------------------------------------------ */

/* The one group of the same process with a device; a device of its own, or several, take no others in. */
static uint32_t host_of(const struct collect *collect, const bool *matching, uint32_t guest)
{
    uint32_t host = INTERN_NONE;
    for (uint32_t i = 0; i < collect->group_keys.count; i++) {
        if (!matching[i] || i == guest || collect->groups[i].pid != collect->groups[guest].pid)
            continue;
        if (host != INTERN_NONE)
            return INTERN_NONE;
        host = i;
    }
    return host;
}

/* Moves one group's series and streams into another's. False when memory is out. */
static bool move_group(struct series_set *set, uint32_t guest, uint32_t host, uint32_t *series_of_old,
                       uint32_t *stream_of_old)
{
    for (uint32_t i = 0, count = set->keys.count; i < count; i++) {
        if (set->items[i].group != guest)
            continue;
        uint32_t to = series_of(set, set->items[i].name, host);
        if (to == INTERN_NONE)
            return false;
        series_of_old[i] = to;
        set->items[to].count += set->items[i].count;
        set->items[to].untimed += set->items[i].untimed;
        set->items[i].count = set->items[i].untimed = 0;
    }
    for (uint32_t i = 0, count = set->streams.count; i < count; i++) {
        uint32_t key[2];
        memcpy(key, set->streams.entries[i].text, sizeof key);
        if (key[0] != guest)
            continue;
        key[0] = host;
        stream_of_old[i] = intern(&set->streams, 's', (const char *)key, sizeof key, NULL);
        if (stream_of_old[i] == INTERN_NONE)
            return false;
    }
    return true;
}

static void move_kernels(struct kernels *kernels, const uint32_t *series, const uint32_t *streams)
{
    for (size_t i = 0; i < kernels->count; i++) {
        kernels->records[i].series = series[kernels->records[i].series];
        kernels_set_stream(kernels, i, streams[kernels_stream(kernels, i)]);
    }
}

uint32_t *series_identity(size_t count)
{
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers != NULL && i < count; i++)
        numbers[i] = (uint32_t)i;
    return numbers;
}

bool series_merge(struct series_set *set, const struct collect *collect, uint32_t *hosts)
{
    uint32_t count = collect->group_keys.count;
    bool *matching = calloc(count + 1, sizeof *matching), moved = false, done = matching != NULL;
    uint32_t *series = series_identity(set->keys.count), *streams = series_identity(set->streams.count);
    done = done && series != NULL && streams != NULL;
    for (uint32_t i = 0; done && i < set->keys.count; i++)
        matching[set->items[i].group] = true;
    for (uint32_t i = 0; done && i < count; i++) {
        if (!matching[i] || collect->groups[i].device != INTERN_NONE)
            continue;
        uint32_t host = host_of(collect, matching, i);
        if (host == INTERN_NONE)
            continue;
        hosts[i] = host;
        moved = true;
        done = move_group(set, i, host, series, streams);
    }
    if (done && moved) {
        move_kernels(&set->timed, series, streams);
        move_kernels(&set->untimed, series, streams);
    }
    free(matching);
    free(series);
    free(streams);
    return done;
}
