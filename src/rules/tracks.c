#include "rules/tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/versioned.h"

/* Counts beyond this lose digits where JSON numbers are doubles. */
#define MAX_COUNT ((uint64_t)1 << 53)

/* ---- checks ------------------------------------------------------------------------------------------------ */

static enum lt_status check_text(const char *member, const char *text, size_t most, struct lt_error *error)
{
    const char *option = error_name(error, member);
    if (text != NULL && !utf8_valid(text, strlen(text)))
        return fail(error, LT_USAGE, "%s is not UTF-8; write it in UTF-8", option);
    if (text == NULL || utf8_is_blank(text, strlen(text)))
        return fail_as(error, LT_CLASS_OPTION_MISSING, "%s is required and must not be blank", option);
    if (strlen(text) > most)
        return fail(error, LT_USAGE, "%s is longer than %zu bytes; shorten it", option, most);
    return LT_OK;
}

enum lt_status tracks_check_count(const char *member, uint64_t count, uint64_t least, struct lt_error *error)
{
    if (count < least || count > MAX_COUNT)
        return fail(error, LT_USAGE, "%s must be a whole number from %u to 2^53", error_name(error, member),
                    (unsigned)least);
    return LT_OK;
}

/* Puts the landmarks into `own`. */
static enum lt_status take_landmarks(struct lt_track *track, struct lt_landmark *own, struct lt_error *error)
{
    if (track->landmark_count > LT_MAX_LANDMARKS)
        return fail(error, LT_USAGE, "more than %d landmarks; take fewer", LT_MAX_LANDMARKS);
    if (versioned_take_all(own, sizeof *own, track->landmark_count, track->landmarks, "lt_landmark", error) != LT_OK)
        return error->status;
    track->landmarks = own;
    for (size_t i = 0; i < track->landmark_count; i++) {
        own[i].count = own[i].count == 0 ? 1 : own[i].count == LT_NONE ? 0 : own[i].count;
        if (tracks_check_count("landmarks[].count", own[i].count, 0, error) != LT_OK)
            return error->status;
    }
    return LT_OK;
}

/* One rule, or a number. */
static enum lt_status check_rule(const struct lt_track *track, struct lt_error *error)
{
    if (track->skip_partial > 1)
        return fail(error, LT_USAGE, "%s must be 0 or 1", error_name(error, "skip_partial"));
    if (track->skip_partial != 0 && (track->anchor_offset != 0 || track->anchor_run != 0))
        return fail(error, LT_USAGE, "%s and %s cannot be used together; both say where the first pass begins",
                    error_name(error, "skip_partial"),
                    error_name(error, track->anchor_run != 0 ? "anchor_run" : "anchor_offset"));
    if (track->anchor_run != 0 && track->anchor_offset != 0)
        return fail(error, LT_USAGE, "%s and %s cannot be used together; both say where the first pass begins",
                    error_name(error, "anchor_run"), error_name(error, "anchor_offset"));
    return LT_OK;
}

/* What a spec's reader has seen to already, but for the landmarks. */
static enum lt_status check_track(const struct lt_track *track, struct lt_error *error)
{
    if (track->anchor_regex == NULL)
        return fail_as(error, LT_CLASS_OPTION_MISSING, "%s is required", error_name(error, "anchor_regex"));
    enum lt_status status = tracks_check_count("num_layers", track->num_layers, 1, error);
    if (status == LT_OK)
        status = track->passes == LT_ALL ? LT_OK : tracks_check_count("passes", track->passes, 1, error);
    if (status == LT_OK)
        status = check_rule(track, error);
    if (status == LT_OK)
        status = tracks_check_count("anchor_offset", track->anchor_offset, 0, error);
    if (status == LT_OK)
        status = tracks_check_count("first_layer", track->first_layer, 0, error);
    if (status == LT_OK)
        status = tracks_check_count("anchor_stride", track->anchor_stride, 1, error);
    if (status == LT_OK)
        status = tracks_check_count("extra_anchors_per_pass", track->extra_anchors_per_pass, 0, error);
    if (status == LT_OK)
        status = check_text("phase", track->phase, LT_MAX_PHASE, error);
    if (status == LT_OK)
        status = check_text("evidence", track->evidence, LT_MAX_EVIDENCE, error);
    return status;
}

static enum lt_status take_tracks(struct tracks *tracks, const struct lt_annotate_options *options,
                                  struct lt_error *error)
{
    size_t count = options->track_count;
    tracks->given = calloc(count, sizeof *tracks->given);
    tracks->landmarks = calloc(count * LT_MAX_LANDMARKS, sizeof *tracks->landmarks);
    if (tracks->given == NULL || tracks->landmarks == NULL)
        return fail_memory(error);
    struct lt_track *given = tracks->given;
    if (versioned_take_all(given, sizeof *given, count, options->tracks, "lt_track", error) != LT_OK)
        return error->status;
    for (size_t i = 0; i < count; i++) {
        given[i].passes += given[i].passes == 0;
        given[i].anchor_stride += given[i].anchor_stride == 0;
        if (check_track(&given[i], error) != LT_OK ||
            take_landmarks(&given[i], &tracks->landmarks[i * LT_MAX_LANDMARKS], error) != LT_OK)
            return error->status;
    }
    return LT_OK;
}

/* ---- patterns ---------------------------------------------------------------------------------------------- */

/* What a message calls a pattern: its option, or its place in the spec. NULL when memory is out. */
static const char *pattern_name(struct tracks *tracks, const char *spec, size_t index, const char *word)
{
    char file[512], name[640];
    if (spec == NULL)
        return word;
    printable(file, sizeof file, spec, strlen(spec));
    int len = tracks->spec.flat ? snprintf(name, sizeof name, "%s: %s", file, word)
                                : snprintf(name, sizeof name, "%s: tracks[%zu].%s", file, index, word);
    return arena_copy(&tracks->texts, name, (size_t)len + 1);
}

struct compiling {
    struct tracks *tracks;
    const char *spec;
    size_t index;
    struct lt_error *error;
};

/* Adds a pattern that may be absent. False with the error set. */
static bool add(struct compiling *compiling, struct patterns *patterns, const char *word, const char *pattern,
                uint32_t *number)
{
    *number = PATTERN_NONE;
    if (pattern == NULL)
        return true;
    const char *name = pattern_name(compiling->tracks, compiling->spec, compiling->index, word);
    if (name == NULL) {
        fail_memory(compiling->error);
        return false;
    }
    /* Most likely a shell's variable that was not set. */
    if (pattern[0] == '\0') {
        fail_as(compiling->error, LT_CLASS_PATTERN, "%s is empty and would match every name; give a pattern", name);
        return false;
    }
    *number = patterns_add(patterns, name, pattern, compiling->error);
    return *number != PATTERN_NONE;
}

static bool add_landmarks(struct compiling *compiling, struct track *track)
{
    const struct lt_track *options = track->options;
    if (options->landmark_count == 0)
        return true;
    track->landmarks = calloc(options->landmark_count, sizeof *track->landmarks);
    track->landmark_patterns = calloc(options->landmark_count, sizeof *track->landmark_patterns);
    if (track->landmarks == NULL || track->landmark_patterns == NULL) {
        fail_memory(compiling->error);
        return false;
    }
    track->landmark_count = options->landmark_count;
    for (size_t i = 0; i < options->landmark_count; i++) {
        char word[64];
        snprintf(word, sizeof word, "landmarks[%zu].regex", i);
        const char *name = compiling->spec != NULL ? word : track->words->landmark_regex;
        track->landmarks[i].wanted = options->landmarks[i].count;
        if (!add(compiling, &compiling->tracks->patterns, name, options->landmarks[i].regex,
                 &track->landmark_patterns[i]))
            return false;
    }
    return true;
}

static bool add_patterns(struct compiling *compiling, struct track *track)
{
    struct tracks *tracks = compiling->tracks;
    const struct lt_track *options = track->options;
    const struct track_words *words = track->words;
    return add(compiling, &tracks->patterns, words->anchor_regex, options->anchor_regex, &track->anchor_pattern) &&
           add(compiling, &tracks->patterns, words->end_anchor_regex, options->end_anchor_regex,
               &track->terminal_pattern) &&
           add(compiling, &tracks->scope_patterns, words->within, options->within, &track->within_pattern) &&
           add(compiling, &tracks->scope_patterns, words->within_gpu, options->within_gpu,
               &track->within_gpu_pattern) &&
           add_landmarks(compiling, track);
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

/* What the caller says of all tracks counts more than what each says. */
static void set_identity(struct lt_track *tracks, size_t count, const struct lt_annotate_options *options)
{
    for (size_t i = 0; i < count; i++) {
        if (options->pid != NULL)
            tracks[i].pid = options->pid;
        if (options->device != NULL)
            tracks[i].device = options->device;
    }
}

/* A spec's keys; pid and device are better said beside a report, which passes its own over. */
static struct track_words words_for(const struct tracks *tracks, const struct lt_annotate_options *options,
                                    const struct lt_error *error)
{
    struct track_words callers = track_words_of(error), words = track_spec_words;
    if (options->spec == NULL)
        return callers;
    if (tracks->spec.is_report || options->pid != NULL)
        words.pid = callers.pid;
    if (tracks->spec.is_report || options->device != NULL)
        words.device = callers.device;
    return words;
}

static enum lt_status choose(struct tracks *tracks, const struct lt_annotate_options *options, struct lt_track **from,
                             struct lt_error *error)
{
    if (options->spec != NULL) {
        if (options->track_count > 0)
            return fail(error, LT_USAGE, "%s takes the place of the options of a track; give one or the other",
                        error_name(error, "spec"));
        enum lt_status status = spec_read(&tracks->spec, options->spec, error);
        *from = tracks->spec.tracks;
        tracks->count = tracks->spec.count;
        return status;
    }
    if (options->track_count == 0 || options->track_count > LT_MAX_TRACKS)
        return fail_as(error, LT_CLASS_OPTION_MISSING, "a job needs 1 to %d tracks", LT_MAX_TRACKS);
    enum lt_status status = take_tracks(tracks, options, error);
    *from = tracks->given;
    tracks->count = options->track_count;
    return status;
}

enum lt_status tracks_init(struct tracks *tracks, const struct lt_annotate_options *options, struct lt_error *error)
{
    struct lt_track *from = NULL;
    *tracks = (struct tracks){0};
    enum lt_status status = choose(tracks, options, &from, error);
    size_t count = tracks->count;
    tracks->count = 0;
    if (status != LT_OK)
        return status;
    tracks->items = calloc(count, sizeof *tracks->items);
    if (tracks->items == NULL)
        return fail_memory(error);
    tracks->count = count;
    tracks->words = words_for(tracks, options, error);
    set_identity(from, count, options);
    struct compiling compiling = {.tracks = tracks, .spec = options->spec, .error = error};
    for (size_t i = 0; i < count; i++) {
        compiling.index = i;
        tracks->items[i].options = &from[i];
        tracks->items[i].words = &tracks->words;
        if (!add_patterns(&compiling, &tracks->items[i]))
            return error->status;
    }
    return LT_OK;
}

enum lt_status tracks_name(struct tracks *tracks, const char *trace, struct lt_error *error)
{
    for (size_t i = 0; i < tracks->count; i++) {
        const char *phase = tracks->items[i].options->phase;
        size_t size = strlen(trace) + strlen(phase) + sizeof ": track ''";
        char *place = malloc(size);
        if (place == NULL)
            return fail_memory(error);
        if (tracks->count == 1)
            strcpy(place, trace);
        else
            snprintf(place, size, "%s: track '%s'", trace, phase);
        tracks->items[i].place = place;
    }
    return LT_OK;
}

size_t tracks_observers(struct tracks *tracks, struct collect_observer observers[TRACKS_OBSERVERS])
{
    size_t count = 0;
    for (size_t i = 0; i < tracks->count; i++, count += TRACK_OBSERVERS)
        track_observers(&tracks->items[i], &observers[count]);
    tracks->within =
        (struct within){.patterns = &tracks->scope_patterns, .tracks = tracks->items, .track_count = tracks->count};
    observers[count++] = within_observer(&tracks->within);
    return count;
}

void tracks_free(struct tracks *tracks)
{
    for (size_t i = 0; i < tracks->count; i++)
        track_free(&tracks->items[i]);
    free(tracks->items);
    within_free(&tracks->within);
    patterns_free(&tracks->patterns);
    patterns_free(&tracks->scope_patterns);
    spec_free(&tracks->spec);
    free(tracks->given);
    free(tracks->landmarks);
    arena_free(&tracks->texts);
    *tracks = (struct tracks){0};
}
