#include "guides/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "rules/first_pass.h"

/* ---- plans ------------------------------------------------------------------------------------------------- */

/* What most refusals of a plan speak of. */
struct plan_words {
    char place[512], where[96], ts[72], limit[72];
};

static bool time_words(char *out, size_t size, const struct decimal *time)
{
    struct text text = {0};
    text_decimal(&text, time);
    text_add(&text, "", 1);
    if (!text.failed)
        snprintf(out, size, "%.64s", text.data);
    bool ok = !text.failed;
    text_free(&text);
    return ok;
}

static enum lt_status refuse_too_few(const struct track *track, const struct plan_words *words, struct lt_error *error)
{
    const struct plan *plan = &track->plan;
    const struct plan_request *request = &plan->request;
    char cadence[128] = "";
    if (request->stride != 1 || request->extras != 0)
        snprintf(cadence, sizeof cadence, " (stride %" PRIu64 ", %" PRIu64 " extra between passes)", request->stride,
                 request->extras);
    if (plan->need == UINT64_MAX)
        return fail_as(error, LT_CLASS_TOO_FEW, "%s: needs more anchors than can be counted; check %s and %s",
                       words->place, track->words->num_layers, track->words->passes);
    return fail_as(error, LT_CLASS_TOO_FEW,
                   "%s: need %" PRIu64 " matching anchors%s from offset %" PRIu64 " on, found %" PRIu64
                   " (%zu in all); check %s, %s and %s",
                   words->place, plan->need, cadence, request->anchor_offset, plan->found, request->anchor_count,
                   track->words->num_layers, track->words->passes, track->words->anchor_offset);
}

static enum lt_status refuse_terminals(const struct track *track, const struct plan_words *words,
                                       struct lt_error *error)
{
    const struct plan *plan = &track->plan;
    char found[32] = "no terminal";
    if (plan->found > 0)
        snprintf(found, sizeof found, "%" PRIu64 " terminals", plan->found);
    return fail_as(error, LT_CLASS_TERMINAL,
                   "%s: %s: %s between its anchor and the next; %s must match exactly one kernel there", words->place,
                   words->where, found, track->words->end_anchor_regex);
}

static enum lt_status refuse_landmark(const struct track *track, const struct plan_words *words, struct lt_error *error)
{
    const struct plan *plan = &track->plan;
    const char *pattern = track->options->landmarks[plan->landmark].regex;
    char shown[256];
    return fail_as(error, LT_CLASS_LANDMARK,
                   "%s: %s: %s '%s' must match %" PRIu64 " kernel%s in its guide, found %" PRIu64
                   "; the anchor, the offset or the landmark is wrong",
                   words->place, words->where, track->words->landmark_regex,
                   printable(shown, sizeof shown, pattern, strlen(pattern)), plan->need, plan->need == 1 ? "" : "s",
                   plan->found);
}

enum lt_status message_for_plan(const struct track *track, struct lt_error *error)
{
    const struct plan *plan = &track->plan;
    struct plan_words words;
    if (!time_words(words.ts, sizeof words.ts, &plan->ts) || !time_words(words.limit, sizeof words.limit, &plan->limit))
        return fail_memory(error);
    printable(words.place, sizeof words.place, track->place, strlen(track->place));
    snprintf(words.where, sizeof words.where, "pass %" PRIu64 ", layer %" PRIu64, plan->pass, plan->layer);
    switch (plan->refusal) {
    case PLAN_TOO_FEW:
        return refuse_too_few(track, &words, error);
    case PLAN_EQUAL_TIMES:
        return fail_as(error, LT_CLASS_EQUAL_TIMES,
                       "%s: anchors are not distinct: the one of %s starts at %s us like the one before it; choose a "
                       "kernel that runs once per layer",
                       words.place, words.where, words.ts);
    case PLAN_NO_TERMINAL:
    case PLAN_MANY_TERMINALS:
        return refuse_terminals(track, &words, error);
    case PLAN_LATE_TERMINAL:
        return fail_as(
            error, LT_CLASS_TERMINAL,
            "%s: %s: its terminal ends at %s us, after the next anchor's start at %s us; choose a terminal that "
            "ends before the next layer",
            words.place, words.where, words.ts, words.limit);
    case PLAN_TIME_RANGE:
        return fail_as(error, LT_CLASS_TIME_RANGE,
                       "%s: %s: the time %s us is beyond what trace viewers can show; correct the trace's clock",
                       words.place, words.where, words.ts);
    case PLAN_LANDMARK:
        return refuse_landmark(track, &words, error);
    case PLAN_CROSSES:
        return fail_as(
            error, LT_CLASS_CROSSES_SCOPES,
            "%s: %s: its anchor at %s us was launched in another scope than the pass's first one; no pass may "
            "cross scopes: check %s and %s",
            words.place, words.where, words.ts, track->words->anchor_offset, track->words->num_layers);
    case PLAN_CROSSES_GPU:
        return fail_as(error, LT_CLASS_CROSSES_SCOPES,
                       "%s: pass %" PRIu64
                       ": no one gpu_user_annotation that %s matches holds all of its anchors, from "
                       "%s to %s us; no pass may cross scopes: check %s and %s",
                       words.place, plan->pass, track->words->within_gpu, words.ts, words.limit,
                       track->words->anchor_offset, track->words->num_layers);
    default:
        return fail_memory(error);
    }
}

/* ---- rules of the first pass ------------------------------------------------------------------------------- */

#define TICK_DIGITS    10
#define SHOWN_SEGMENTS 6

static void add_gap(struct text *text, const char *what, uint64_t ticks)
{
    struct decimal whole = {.coefficient = (__int128)ticks}, us = decimal_shift(&whole, TICK_DIGITS);
    text_puts(text, what);
    text_decimal(text, &us);
    text_puts(text, " us");
}

/* "20 + 2x36": neighbours of one size together. */
static void add_sizes(struct text *text, const struct places *places)
{
    uint64_t at = 0;
    for (unsigned segment = 0; at < places->runs && segment < SHOWN_SEGMENTS; segment++) {
        uint64_t end = at + 1;
        while (end < places->runs && places->sizes[end] == places->sizes[at])
            end++;
        text_puts(text, segment == 0 ? "" : " + ");
        if (end - at > 1) {
            text_u64(text, end - at);
            text_puts(text, "\xc3\x97");
        }
        text_u64(text, places->sizes[at]);
        at = end;
    }
    if (at < places->runs) {
        text_puts(text, " and ");
        text_u64(text, places->runs - at);
        text_puts(text, " more");
    }
}

/* The runs as inspect shows them: "3 runs of 20 + 2x36 anchors (gaps: median ...)". */
static void add_runs(struct text *text, const struct track *track, const struct places *places)
{
    const struct cluster_split *split = &places->split;
    bool scoped = track->options->within != NULL || track->options->within_gpu != NULL;
    text_u64(text, places->runs);
    text_puts(text, places->runs == 1 ? " run of " : " runs of ");
    add_sizes(text, places);
    text_puts(text, " anchors");
    if (scoped) {
        text_puts(text, ", one of each scope");
        return;
    }
    add_gap(text, " (gaps: median ", split->median);
    add_gap(text, ", largest within ", split->within);
    if (split->between > 0) {
        add_gap(text, ", smallest between ", split->between);
        text_puts(text, ", ratio ");
        text_hundredths(text, (double)split->between / (double)(split->within == 0 ? 1 : split->within));
    }
    text_puts(text, ")");
}

/* What stands where in the sentences about places. */
struct places_words {
    char place[512], rule[64], pass[96];
    const char *offset, *layers, *inspect, *runs;
};

static enum lt_status refuse_places(const struct places_words *words, enum places_status status,
                                    const struct places *places, struct lt_error *error)
{
    switch (status) {
    case PLACES_ONE_RUN:
        return fail_as(error, LT_CLASS_RUNS_NOT_CLEAR,
                       "%s: %s: no gap tells where a pass begins: %s; give %s the index of a verified first layer",
                       words->place, words->rule, words->runs, words->offset);
    case PLACES_MINGLED:
        return fail_as(error, LT_CLASS_RUNS_NOT_CLEAR,
                       "%s: %s: anchors of several scopes come in turns, so that scopes are no runs; give %s the index "
                       "of a verified first layer",
                       words->place, words->rule, words->offset);
    case PLACES_NO_RUN:
        return fail_as(error, LT_CLASS_NO_SUCH_RUN, "%s: %s: there is no such run, there are %s; count them with %s",
                       words->place, words->rule, words->runs, words->inspect);
    case PLACES_NOT_WHOLE:
        return fail_as(error, LT_CLASS_RUN_NOT_WHOLE,
                       "%s: %s: run %" PRIu64 " has %" PRIu64 " anchors, which is not a whole number of passes of %s; "
                       "there are %s; choose a whole one, or check %s",
                       words->place, words->rule, places->run, places->size, words->pass, words->runs, words->layers);
    default:
        return fail_as(error, LT_CLASS_RUN_NOT_WHOLE,
                       "%s: %s: no run is a whole number of passes of %s; there are %s; check %s", words->place,
                       words->rule, words->pass, words->runs, words->layers);
    }
}

enum lt_status message_for_places(const struct track *track, enum places_status status, const struct places *places,
                                  struct lt_error *error)
{
    char rule[FIRST_PASS_RULE];
    const struct lt_track *options = track->options;
    struct text text = {0};
    struct places_words words = {.offset = track->words->anchor_offset,
                                 .layers = track->words->num_layers,
                                 .inspect = error_name(error, "lt_inspect()")};
    printable(words.place, sizeof words.place, track->place, strlen(track->place));
    if (options->skip_partial != 0)
        snprintf(words.rule, sizeof words.rule, "%s", track->words->skip_partial);
    else
        snprintf(words.rule, sizeof words.rule, "%s %s", words.offset, first_pass_rule(options, rule));
    int len = snprintf(words.pass, sizeof words.pass, "%" PRIu64 " layers", options->num_layers);
    if (options->anchor_stride != 1 || options->extra_anchors_per_pass != 0)
        snprintf(words.pass + len, sizeof words.pass - (size_t)len, " (stride %" PRIu64 ", %" PRIu64 " extra)",
                 options->anchor_stride, options->extra_anchors_per_pass);
    add_runs(&text, track, places);
    text_add(&text, "", 1);
    words.runs = text.data;
    if (text.failed)
        fail_memory(error);
    else
        refuse_places(&words, status, places, error);
    text_free(&text);
    return error->status;
}

enum lt_status message_for_too_long(const struct track *track, const struct guide_too_long *found,
                                    struct lt_error *error)
{
    char place[512];
    printable(place, sizeof place, track->place, strlen(track->place));
    if (found->what == GUIDE_LONG_PID)
        return fail_as(error, LT_CLASS_GUIDE_TOO_LONG,
                       "%s: the pid of the anchors takes %" PRIu64 " bytes when written again, over %" PRIu64
                       "; give the process a shorter pid",
                       place, found->bytes, found->limit);
    if (found->what == GUIDE_LONG_TIME)
        return fail_as(error, LT_CLASS_TIME_RANGE,
                       "%s: pass %" PRIu64 ", layer %" PRIu64
                       ": its times less the trace's smallest ts have more than 38 digits; correct the trace's clock",
                       place, found->pass, found->layer);
    return fail_as(error, LT_CLASS_GUIDE_TOO_LONG,
                   "%s: pass %" PRIu64 ", layer %" PRIu64 ": its guide would be %" PRIu64 " bytes long, over %" PRIu64
                   ", and could not be verified; choose an anchor with a shorter name",
                   place, found->pass, found->layer, found->bytes, found->limit);
}

/* ---- warnings ---------------------------------------------------------------------------------------------- */

void message_for_same_start(const char *file, const struct plan *plan, const struct listener *listener)
{
    char name[512];
    if (plan->same_start_count > 0)
        warn_of(listener, LT_CLASS_SAME_START, plan->same_start_count, error_nowhere,
                "%s: neighbouring anchors round to the same microsecond (%" PRIu64 ", the first at pass %" PRIu64
                ", layer %" PRIu64 "); their guides will look nested",
                printable(name, sizeof name, file, strlen(file)), plan->same_start_count, plan->same_start_pass,
                plan->same_start_layer);
}

void message_for_negative(const char *file, const struct plan *plan, const struct listener *listener)
{
    char name[512];
    if (plan->negative_count > 0)
        warn_of(listener, LT_CLASS_NEGATIVE_TIMES, plan->negative_count, error_nowhere,
                "%s: %" PRIu64 " of %" PRIu64 " guides start before 0 us, where Perfetto shows nothing; correct the "
                "trace's clock",
                printable(name, sizeof name, file, strlen(file)), plan->negative_count, plan->guide_count);
}

void message_for_mixed_names(const struct track *track, const struct collect *collect, const struct mixed_names *found,
                             const struct listener *listener)
{
    char place[512], first[96], other[96];
    if (found->others == 0)
        return;
    const struct intern_entry *names[] = {&collect->names.entries[found->first], &collect->names.entries[found->other]};
    warn_of(
        listener, LT_CLASS_MIXED_ANCHORS, found->others, error_nowhere,
        "%s: %s matches different kernels: %" PRIu64 " of %" PRIu64 " guides begin at another than the first guide's "
        "'%s', first at pass %" PRIu64 ", layer %" PRIu64 ": '%s'; if one of them runs once per layer, match it alone",
        printable(place, sizeof place, track->place, strlen(track->place)), track->words->anchor_regex, found->others,
        track->plan.guide_count, printable(first, sizeof first, names[0]->text, names[0]->len), found->pass,
        found->layer, printable(other, sizeof other, names[1]->text, names[1]->len));
}

void message_for_misplaced_passes(const char *file, const struct misplaced_passes *found,
                                  const struct listener *listener, const struct lt_error *error)
{
    char name[512], what[512];
    if (found->passes == 0)
        return;
    if (found->run > 0)
        snprintf(what, sizeof what, "is part of a run of %" PRIu64 " anchors that are not whole passes", found->run);
    else
        snprintf(what, sizeof what,
                 "reaches over a gap before its layer %" PRIu64 ": %" PRIu64 ".%03u us, the usual is at most %" PRIu64
                 ".%03u us",
                 found->layer, found->gap_ns / 1000, (unsigned)(found->gap_ns % 1000), found->usual_ns / 1000,
                 (unsigned)(found->usual_ns % 1000));
    warn_of(listener, LT_CLASS_MISPLACED_PASSES, found->passes, error_nowhere,
            "%s: pass %" PRIu64 " %s (%" PRIu64 " %s in doubt); check %s and %s against %s",
            printable(name, sizeof name, file, strlen(file)), found->pass, what, found->passes,
            found->passes == 1 ? "pass is" : "passes are", error_name(error, "anchor_offset"),
            error_name(error, "num_layers"), error_name(error, "lt_inspect()"));
}

void message_for_same_kernels(const char *file, const char *phase, const char *other, const struct listener *listener)
{
    char name[512], first[128], second[128];
    warn_of(listener, LT_CLASS_SAME_KERNELS, 1, error_nowhere,
            "%s: tracks '%s' and '%s' label the very same kernels as two phases; correct the selection of one of them",
            printable(name, sizeof name, file, strlen(file)), printable(first, sizeof first, phase, strlen(phase)),
            printable(second, sizeof second, other, strlen(other)));
}
