#include "rules/first_pass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/track_runs.h"

#define MOST_DIGITS 18

bool first_pass_parse_run(const char *text, size_t len, int64_t *run)
{
    static const char start[] = "run:";
    size_t at = sizeof start - 1;
    if (len <= at || memcmp(text, start, at) != 0)
        return false;
    bool from_end = text[at] == '-';
    at += from_end;
    if (at == len || len - at > MOST_DIGITS)
        return false;
    int64_t number = 0;
    for (; at < len; at++) {
        if (text[at] < '0' || text[at] > '9')
            return false;
        number = number * 10 + (text[at] - '0');
    }
    *run = from_end ? -number : number;
    return number != 0;
}

const char *first_pass_rule(const struct lt_track *track, char out[FIRST_PASS_RULE])
{
    if (track->skip_partial != 0)
        return strcpy(out, "skip-partial");
    if (track->anchor_run == 0)
        return NULL;
    snprintf(out, FIRST_PASS_RULE, "run:%" PRId64, track->anchor_run);
    return out;
}

/* By the rule, and all passes where they are asked for. */
static enum places_status apply(struct track *track, struct places *places, const struct places_request *request)
{
    const struct lt_track *options = track->options;
    if (options->anchor_run != 0 || options->skip_partial != 0) {
        enum places_status status = places_find(places, request);
        if (status != PLACES_FINE)
            return status;
        track->first.anchor_offset = places->offset;
        track->first.run = places->run;
    }
    if (options->passes == LT_ALL) {
        uint64_t passes = places_passes(request, track->first.anchor_offset, &track->first.left_over);
        track->first.passes = passes + (passes == 0);
    }
    return PLACES_FINE;
}

enum places_status first_pass_find(struct track *track, struct places *places)
{
    const struct lt_track *options = track->options;
    *places = (struct places){0};
    track->first = (struct track_place){.anchor_offset = options->anchor_offset, .passes = options->passes};
    if (options->anchor_run == 0 && options->skip_partial == 0 && options->passes != LT_ALL)
        return PLACES_FINE;
    struct places_request request;
    uint64_t *instances;
    enum places_status status = PLACES_NO_MEMORY;
    if (track_runs(track, &request, &instances)) {
        request.run = options->anchor_run;
        status = apply(track, places, &request);
    }
    free(instances);
    return status;
}
