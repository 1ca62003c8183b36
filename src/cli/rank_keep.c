#define _POSIX_C_SOURCE 200809L
#include "cli/rank_keep.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

struct rank rank_keep_by_name(const char *trace)
{
    char cwd[PATH_MAX];
    struct text path = {0};
    if (strcmp(trace, "-") != 0)
        path_add_absolute(&path, getcwd(cwd, sizeof cwd) == NULL ? "" : cwd, trace);
    text_add(&path, "", 1);
    struct rank rank = rank_of_path(path.failed ? "" : path.data);
    text_free(&path);
    return rank;
}

static const char *keep(struct arena *memory, const char *text, size_t len)
{
    char *copy = text == NULL ? NULL : arena_take(memory, len + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

const char *rank_keep_text(struct arena *memory, const char *text)
{
    return keep(memory, text, text == NULL ? 0 : strlen(text));
}

const uint64_t *rank_keep_runs(struct arena *memory, const uint64_t *runs, size_t count)
{
    char *room = arena_take(memory, (count + 2) * sizeof *runs);
    if (room == NULL)
        return NULL;
    uint64_t *copy = (uint64_t *)(void *)(room + (sizeof *runs - (uintptr_t)room % sizeof *runs) % sizeof *runs);
    for (size_t i = 0; i < count; i++)
        copy[i] = runs[i];
    return copy;
}

static bool take_time(struct decimal *time, const char *text)
{
    return text != NULL && decimal_parse(time, text, strlen(text)) == DECIMAL_OK;
}

/* Ranks are compared by their first track. */
static void keep_track(struct rank_result *result, struct arena *memory, const struct lt_found_track *track,
                       bool accepted)
{
    result->pid = rank_keep_text(memory, track->pid);
    result->device = rank_keep_text(memory, track->device);
    result->counted = track->anchors != LT_NONE;
    result->anchors = track->anchors;
    result->runs = track->runs == NULL ? NULL : rank_keep_runs(memory, track->runs, track->run_count);
    result->run_count = result->runs == NULL ? 0 : track->run_count;
    result->anchor_name = keep(memory, track->anchor_name, track->anchor_name_len);
    result->accepted =
        accepted && take_time(&result->first_us, track->first_us) && take_time(&result->last_us, track->last_us);
    result->offset = track->anchor_offset;
    result->passes = track->passes;
}

void rank_keep_found(struct rank_result *result, struct arena *memory, const struct lt_found *found)
{
    result->rank = rank_with_content(result->rank, found->rank, found->world_size);
    result->has_base = found->has_base_time;
    result->base_ns = found->base_time_ns;
    if (found->track_count > 0)
        keep_track(result, memory, found->tracks[0], found->accepted);
}
