#include "rules/launches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum launch_answer { CALL_MISSING, CALL_OUTSIDE, CALL_UNCLEAR, CALL_INSIDE };

/* ---- the second reading ------------------------------------------------------------------------------------ */

enum lt_status launches_begin(struct launches *launches, struct collect *collect, struct track *tracks, size_t count,
                              struct lt_error *error)
{
    *launches = (struct launches){.collect = collect};
    launches->asked = calloc(count, sizeof *launches->asked);
    if (launches->asked == NULL)
        return fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        if (tracks[i].within_pattern == PATTERN_NONE)
            continue;
        struct launches_asked *asked = &launches->asked[launches->count++];
        asked->track = &tracks[i];
        if (!correlation_init(&asked->calls, tracks[i].launches, tracks[i].anchor_count))
            return fail_memory(error);
    }
    return LT_OK;
}

void launches_end(struct launches *launches)
{
    for (size_t i = 0; i < launches->count; i++)
        correlation_free(&launches->asked[i].calls);
    free(launches->asked);
    *launches = (struct launches){0};
}

static bool note_call(struct collect *collect, const struct track *track, uint32_t *answer,
                      const struct scan_event *event)
{
    bool ok = true;
    struct decimal start, end;
    uint32_t pid = collect_value_or_none(collect, &event->pid, &ok);
    uint32_t tid = collect_tid_or_none(collect, &event->tid, &ok);
    enum decimal_status status = fields_span(&collect->fields, event, &start, &end);
    if (!ok || status == DECIMAL_NO_MEMORY)
        return false;
    if (status == DECIMAL_TOO_LONG)
        return fail_at(collect->error, LT_CLASS_NO_LAUNCH,
                       (struct error_place){.event = event->index, .offset = event->offset},
                       "%s: runtime call at event %" PRIu64 ", offset %" PRIu64
                       ", which launched an anchor, has a ts, dur or end of more than 38 digits, and cannot be placed "
                       "in a scope",
                       collect->request.trace_name, event->index, event->offset) == LT_OK;
    /* A call without a place in time is none that could be found. */
    if (status != DECIMAL_OK)
        return true;
    uint32_t scope = scopes_holding(&track->scopes, pid, tid, &start, &end);
    uint32_t found = scope == SCOPE_NONE ? CALL_OUTSIDE : CALL_INSIDE + scope;
    if (*answer == CALL_MISSING)
        *answer = found;
    else if (*answer != found)
        *answer = CALL_UNCLEAR;
    return true;
}

static bool take_call(struct launches *launches, const struct scan_event *event)
{
    struct fields *fields = &launches->collect->fields;
    unsigned kinds;
    bool complete;
    if (event->correlation.kind == SCAN_ABSENT)
        return true;
    if (!fields_kinds(fields, event, EVENT_CALL, &kinds))
        return false;
    if (kinds == 0)
        return true;
    if (!fields_complete(fields, event, &complete))
        return false;
    uint64_t key = complete ? fields_correlation(fields, &event->correlation) : CORRELATION_NONE;
    for (size_t i = 0; i < launches->count && key != CORRELATION_NONE; i++) {
        struct launches_asked *asked = &launches->asked[i];
        uint32_t *answer = correlation_find(&asked->calls, key);
        if (answer != NULL && !note_call(launches->collect, asked->track, answer, event))
            return false;
    }
    return true;
}

bool launches_event(void *ctx, const struct scan_event *event)
{
    struct launches *launches = ctx;
    struct collect *collect = launches->collect;
    bool taken = !event->is_object || take_call(launches, event);
    if (!taken && collect->error->status == LT_OK)
        fail_memory(collect->error);
    return taken;
}

/* ---- behind the second reading ----------------------------------------------------------------------------- */

/* What was found for the anchors of one track. */
struct outcome {
    uint64_t missing;
    size_t first_missing, first_unclear; /* anchors, when there are such */
    bool unclear;
    uint64_t missing_key, unclear_key;
    size_t kept;
};

static void sort_out(const struct launches_asked *asked, struct outcome *outcome)
{
    struct track *track = asked->track;
    for (size_t i = 0; i < track->anchor_count; i++) {
        uint64_t key = track->launches[i];
        uint32_t answer = *correlation_find(&asked->calls, key);
        if (answer == CALL_MISSING && outcome->missing++ == 0) {
            outcome->first_missing = i;
            outcome->missing_key = key;
        } else if (answer == CALL_UNCLEAR && !outcome->unclear) {
            outcome->unclear = true;
            outcome->first_unclear = i;
            outcome->unclear_key = key;
        }
        track->launches[i] = answer >= CALL_INSIDE ? answer - CALL_INSIDE : SCOPE_NONE;
        outcome->kept += answer >= CALL_INSIDE;
    }
}

static enum lt_status refuse_call(const struct track *track, const struct outcome *outcome, struct lt_error *error)
{
    char time[DECIMAL_SIZE];
    struct track_shown shown;
    const struct anchor *anchor =
        &track->anchors[outcome->missing > 0 ? outcome->first_missing : outcome->first_unclear];
    struct decimal ts = decimal_unpack(anchor->ts, anchor->ts_scale);
    decimal_print(&ts, time);
    track_show(&shown, track, track->options->within);
    if (outcome->missing == 0)
        return fail_as(error, LT_CLASS_NO_LAUNCH,
                       "%s: calls in different scopes carry the correlation %" PRIu64
                       " of the anchor at %s us, so %s cannot tell where it was launched; annotate each rank's own "
                       "trace",
                       shown.place, outcome->unclear_key, time, track->words->within);
    if (outcome->missing_key == CORRELATION_NONE)
        return fail_as(error, LT_CLASS_NO_LAUNCH,
                       "%s: the launch of %" PRIu64
                       " of %zu matching anchors is missing: the one at %s us has no args.correlation that is a whole "
                       "number; select with "
                       "%s alone",
                       shown.place, outcome->missing, track->anchor_count, time, track->words->within_gpu);
    return fail_as(error, LT_CLASS_NO_LAUNCH,
                   "%s: the launch of %" PRIu64
                   " of %zu matching anchors is missing: no runtime call carries the correlation %" PRIu64
                   " of the one at %s us; record CPU and GPU activity together, or select with %s alone",
                   shown.place, outcome->missing, track->anchor_count, outcome->missing_key, time,
                   track->words->within_gpu);
}

static enum lt_status apply(const struct launches_asked *asked, struct lt_error *error)
{
    struct track *track = asked->track;
    struct outcome outcome = {0};
    struct track_shown shown;
    sort_out(asked, &outcome);
    if (outcome.missing > 0 || outcome.unclear)
        return refuse_call(track, &outcome, error);
    if (outcome.kept == 0) {
        track_show(&shown, track, track->options->within);
        return fail_as(error, LT_CLASS_NO_SCOPE,
                       "%s: none of %zu matching anchors was launched inside a scope that %s '%s' matches (%zu such); "
                       "name the scope they are launched in",
                       shown.place, track->anchor_count, track->words->within, shown.pattern, track->scopes.count);
    }
    size_t kept = 0;
    for (size_t i = 0; i < track->anchor_count; i++)
        if (track->launches[i] != SCOPE_NONE)
            track_keep_anchor(track, &kept, i);
    track_leave_outside(track, kept);
    return LT_OK;
}

enum lt_status launches_apply(const struct launches *launches, struct lt_error *error)
{
    enum lt_status status = LT_OK;
    for (size_t i = 0; i < launches->count && status == LT_OK; i++)
        status = apply(&launches->asked[i], error);
    return status;
}
