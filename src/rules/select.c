#include "rules/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "trace/suggest.h"
#include "trace/wanted.h"

/* How many of a kind a message lists. */
#define LISTED 8

/* What a value is called in a message: 7, "7", or that there is none. */
static void add_value(struct text *text, const struct collect *collect, uint32_t value)
{
    char shown[128];
    if (value == INTERN_NONE) {
        text_puts(text, "none");
        return;
    }
    const struct intern_entry *entry = &collect->values.entries[value];
    const char *quote = entry->tag == VALUE_STRING ? "\"" : "";
    text_puts(text, quote);
    text_puts(text, entry->tag == VALUE_OTHER && entry->len == 0
                        ? "an object or array"
                        : printable(shown, sizeof shown, entry->text, entry->len));
    text_puts(text, quote);
}

struct tally {
    uint32_t value;
    uint64_t anchors;
};

static int by_count(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    if (x->anchors != y->anchors)
        return x->anchors < y->anchors ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

enum among { AMONG_ALL, AMONG_PROCESS /* that --pid names */, AMONG_WANTED };

static bool is_of_process(const struct collect *collect, const struct track *track, const struct group *group)
{
    const struct intern_entry *entry = group->pid == INTERN_NONE ? NULL : &collect->values.entries[group->pid];
    return track->options->pid == NULL ||
           (entry != NULL && wanted_is(track->options->pid, entry->text, entry->len, entry->tag == VALUE_NUMBER));
}

/* The processes (or devices) that matching kernels lie in, the fullest first. NULL when memory is out. */
static struct tally *tally_up(const struct collect *collect, const struct track *track, bool of_device,
                              enum among among, size_t *count)
{
    struct tally *tallies = calloc(collect->group_keys.count + 1, sizeof *tallies);
    struct intern seen = {0};
    *count = 0;
    for (uint32_t i = 0; tallies != NULL && i < collect->group_keys.count; i++) {
        const struct group *group = &collect->groups[i];
        const struct track_group *mine = &track->groups[i];
        if (mine->anchors == 0 || (among == AMONG_WANTED && !mine->wanted) ||
            (among == AMONG_PROCESS && !is_of_process(collect, track, group)))
            continue;
        uint32_t value = of_device ? group->device : group->pid;
        uint32_t at = intern(&seen, 't', (const char *)&value, sizeof value, NULL);
        if (at == INTERN_NONE) {
            free(tallies);
            tallies = NULL;
            break;
        }
        tallies[at].value = value;
        tallies[at].anchors += mine->anchors;
        *count = seen.count;
    }
    intern_free(&seen);
    if (tallies != NULL)
        qsort(tallies, *count, sizeof *tallies, by_count);
    return tallies;
}

static void add_tallies(struct text *text, const struct collect *collect, const struct tally *tallies, size_t count)
{
    for (size_t i = 0; i < count && i < LISTED; i++) {
        text_puts(text, i == 0 ? "" : ", ");
        add_value(text, collect, tallies[i].value);
        text_puts(text, " (");
        text_u64(text, tallies[i].anchors);
        text_puts(text, ")");
    }
    if (count > LISTED) {
        text_puts(text, " and ");
        text_u64(text, count - LISTED);
        text_puts(text, " more");
    }
}

/* A message that is put together: what is wrong, and what to do from `hint` on. */
struct sentence {
    struct text text;
    size_t hint;
    struct error_place place;
};

static struct sentence begin_sentence(void)
{
    return (struct sentence){.place = error_nowhere};
}

static enum lt_status refuse(const char *place, enum lt_class class_id, struct sentence *sentence,
                             struct lt_error *error)
{
    char file[512];
    struct text *text = &sentence->text;
    text_add(text, "", 1);
    enum lt_status status = text->failed ? fail_memory(error)
                                         : fail_at(error, class_id, sentence->place, "%s: %.*s; %s",
                                                   printable(file, sizeof file, place, strlen(place)),
                                                   (int)sentence->hint, text->data, text->data + sentence->hint);
    text_free(text);
    return status;
}

static enum lt_status refuse_no_match(const struct collect *collect, const struct track *track, struct lt_error *error)
{
    const char *pattern = track->options->anchor_regex;
    struct sentence sentence = begin_sentence();
    struct text *text = &sentence.text;
    char shown[256];
    if (collect->kernels == 0) {
        text_puts(text, "no kernel in this trace (no event with ph \"X\" and category kernel)");
        sentence.hint = text->len;
        text_puts(text, "record it with the GPU activity switched on");
        return refuse(collect->request.trace_name, LT_CLASS_NO_KERNELS, &sentence, error);
    }
    text_puts(text, track->words->anchor_regex);
    text_puts(text, " '");
    text_puts(text, printable(shown, sizeof shown, pattern, strlen(pattern)));
    text_puts(text, "' matches none of ");
    text_u64(text, collect->kernels);
    text_puts(text, " kernels");
    sentence.hint = text->len;
    text_puts(text, "nearest names: ");
    uint32_t names[3];
    size_t count = suggest_names(collect, pattern, names, 3);
    for (size_t i = 0; i < count; i++) {
        const struct intern_entry *name = &collect->names.entries[names[i]];
        text_puts(text, i == 0 ? "'" : ", '");
        text_puts(text, printable(shown, 81, name->text, name->len));
        text_puts(text, "' (");
        text_u64(text, collect->kernel_names[names[i]].count);
        text_puts(text, ")");
    }
    return refuse(track->place, LT_CLASS_NO_MATCH, &sentence, error);
}

/* Matching kernels exist, but none where --pid and --device say. */
static enum lt_status refuse_not_there(const struct collect *collect, const struct track *track, struct lt_error *error)
{
    const struct lt_track *request = track->options;
    bool of_device = false;
    struct sentence sentence = begin_sentence();
    struct text *text = &sentence.text;
    char shown[128];
    for (uint32_t i = 0; i < collect->group_keys.count; i++)
        of_device |= track->groups[i].anchors > 0 && is_of_process(collect, track, &collect->groups[i]);
    const char *option = of_device ? track->words->device : track->words->pid,
               *wanted = of_device ? request->device : request->pid;
    size_t count;
    struct tally *tallies = tally_up(collect, track, of_device, of_device ? AMONG_PROCESS : AMONG_ALL, &count);
    if (tallies == NULL)
        return fail_memory(error);
    text_puts(text, "no matching kernel with ");
    text_puts(text, option);
    text_puts(text, " '");
    text_puts(text, printable(shown, sizeof shown, wanted, strlen(wanted)));
    text_puts(text, "'");
    sentence.hint = text->len;
    text_puts(text, of_device ? "matching kernels lie on devices " : "matching kernels lie in processes ");
    add_tallies(text, collect, tallies, count);
    free(tallies);
    return refuse(track->place, LT_CLASS_NOT_THERE, &sentence, error);
}

static enum lt_status refuse_several(const struct collect *collect, const struct track *track, bool of_device,
                                     const struct tally *tallies, size_t count, struct lt_error *error)
{
    struct sentence sentence = begin_sentence();
    struct text *text = &sentence.text;
    const char *option = of_device ? track->words->device : track->words->pid;
    const char *wanted = of_device ? track->options->device : track->options->pid;
    text_puts(text, "matching kernels lie ");
    text_puts(text, of_device ? "on several devices: " : "in several processes: ");
    add_tallies(text, collect, tallies, count);
    sentence.hint = text->len;
    if (wanted == NULL) {
        text_puts(text, "choose one with ");
        text_puts(text, option);
    } else {
        char shown[128];
        text_puts(text, printable(shown, sizeof shown, wanted, strlen(wanted)));
        text_puts(text, " is a number and a string of theirs, which read alike but differ as JSON: no option can tell "
                        "them apart, unless the number's digits are other ones");
    }
    return refuse(track->place, LT_CLASS_AMBIGUOUS, &sentence, error);
}

static enum lt_status refuse_bad_kernel(const struct track *track, const struct bad_kernel *bad, struct lt_error *error)
{
    static const char *const kinds[] = {[SCAN_ABSENT] = "is missing", [SCAN_NULL] = "is null",
                                        [SCAN_FALSE] = "is false",    [SCAN_TRUE] = "is true",
                                        [SCAN_NUMBER] = "is",         [SCAN_STRING] = "is the string",
                                        [SCAN_NONFINITE] = "is",      [SCAN_NESTED] = "is not a number"};
    bool shown = bad->kind == SCAN_NUMBER || bad->kind == SCAN_STRING || bad->kind == SCAN_NONFINITE;
    struct sentence sentence = begin_sentence();
    struct text *text = &sentence.text;
    sentence.place = (struct error_place){.event = bad->event, .offset = bad->offset};
    text_puts(text, "kernel at event ");
    text_u64(text, bad->event);
    text_puts(text, ", offset ");
    text_u64(text, bad->offset);
    text_puts(text, bad->in_dur ? ": dur " : ": ts ");
    text_puts(text, kinds[bad->kind]);
    if (shown) {
        text_puts(text, bad->kind == SCAN_STRING ? " \"" : " ");
        text_puts(text, bad->text);
        text_puts(text, bad->kind == SCAN_STRING ? "\"" : "");
    }
    sentence.hint = text->len;
    if (bad->too_long)
        text_puts(text, bad->in_dur
                            ? "of kernels that a pattern matches the dur, and of terminals ts + dur, may have 38 digits"
                            : "of kernels that a pattern matches the ts may have 38 digits");
    else
        text_puts(text, bad->in_dur ? "every kernel of the chosen process needs a finite dur of at least 0"
                                    : "every kernel of the chosen process needs a finite ts");
    return refuse(track->place, LT_CLASS_BAD_KERNEL, &sentence, error);
}

/*
 * Whether a group's kernels are among the chosen ones: those on the anchors'
 * device; where anchors name no device, or only some do, kernels without one
 * are meant too.
 */
static bool is_chosen(const struct collect *collect, const struct track *track, uint32_t id)
{
    const struct selection *selection = &track->selection;
    const struct group *group = &collect->groups[id];
    return track->groups[id].wanted && group->pid == selection->pid &&
           (selection->device == INTERN_NONE || group->device == selection->device ||
            (group->device == INTERN_NONE && selection->also_without));
}

/* [0] and [1] are two devices, and one value here. */
static enum lt_status check_device(const struct collect *collect, const struct track *track, struct lt_error *error)
{
    char file[512];
    const struct group *first = NULL;
    bool nested = collect_is_nested(collect, track->selection.device);
    for (uint32_t i = 0; nested && first == NULL && i < collect->group_keys.count; i++)
        if (is_chosen(collect, track, i) && collect->groups[i].device == track->selection.device)
            first = &collect->groups[i];
    return first == NULL
               ? LT_OK
               : fail_at(error, LT_CLASS_BAD_KERNEL,
                         (struct error_place){.event = first->event, .offset = first->offset},
                         "%s: kernel at event %" PRIu64 ", offset %" PRIu64
                         ": args.device is an object or array, which does not tell devices apart; give each "
                         "GPU a number or a string, or none",
                         printable(file, sizeof file, track->place, strlen(track->place)), first->event, first->offset);
}

static enum lt_status check_kernels(const struct collect *collect, const struct track *track, struct lt_error *error)
{
    const struct bad_kernel *first = NULL;
    for (uint32_t i = 0; i < collect->group_keys.count; i++) {
        const struct bad_kernel *bad = &collect->groups[i].bad;
        if (is_chosen(collect, track, i) && bad->found && (first == NULL || bad->event < first->event))
            first = bad;
    }
    return first == NULL ? LT_OK : refuse_bad_kernel(track, first, error);
}

static void keep_chosen(const struct collect *collect, struct track *track)
{
    size_t kept = 0;
    for (size_t i = 0; i < track->anchor_count; i++) {
        if (!is_chosen(collect, track, track->anchors[i].group))
            continue;
        if (track->launches != NULL)
            track->launches[kept] = track->launches[i];
        track->anchors[kept++] = track->anchors[i];
    }
    track->anchor_count = kept;
    kept = 0;
    for (size_t i = 0; i < track->terminal_count; i++)
        if (is_chosen(collect, track, track->terminals[i].group))
            track->terminals[kept++] = track->terminals[i];
    track->terminal_count = kept;
    for (size_t k = 0; k < track->landmark_count; k++) {
        struct landmark *landmark = &track->landmarks[k];
        kept = 0;
        for (size_t i = 0; i < landmark->count; i++)
            if (is_chosen(collect, track, landmark->marks[i].group))
                landmark->marks[kept++] = landmark->marks[i];
        landmark->count = kept;
    }
}

/* The one value that matching kernels have; several or none are refused. */
static enum lt_status only_value(const struct collect *collect, const struct track *track, bool of_device,
                                 uint32_t *value, bool *also_without, struct lt_error *error)
{
    size_t count, first = 0;
    struct tally *tallies = tally_up(collect, track, of_device, AMONG_WANTED, &count);
    if (tallies == NULL)
        return fail_memory(error);
    /* A kernel that names no device lies on no other one. */
    size_t values = count;
    for (size_t i = 0; of_device && i < count; i++)
        if (tallies[i].value == INTERN_NONE)
            values--;
        else
            first = i;
    enum lt_status status = LT_OK;
    if (values > 1)
        status = refuse_several(collect, track, of_device, tallies, count, error);
    else
        *value = values == 1 ? tallies[first].value : INTERN_NONE;
    *also_without = values < count;
    free(tallies);
    return status;
}

/* The first tid from 1000000 up that neither the process nor another track of the job uses. */
static enum lt_status choose_tid(struct collect *collect, const struct tracks *tracks, struct track *track,
                                 struct lt_error *error)
{
    char place[512];
    struct selection *selection = &track->selection;
    for (const struct track *other = tracks->items; other != track; other++)
        if (!tidset_add(&collect->tids, selection->pid, (int64_t)other->selection.guide_tid))
            return fail_memory(error);
    selection->guide_tid = tidset_first_free(&collect->tids, selection->pid);
    if (selection->guide_tid != 0)
        return LT_OK;
    return fail_as(error, LT_CLASS_NO_TID, "%s: the process uses every tid from %u to %u; no track can be added",
                   printable(place, sizeof place, track->place, strlen(track->place)), TIDSET_FIRST,
                   TIDSET_FIRST + TIDSET_TIDS - 1);
}

/* Tracks of one process are told apart by their phases. */
static enum lt_status check_phase(const struct collect *collect, const struct tracks *tracks, const struct track *track,
                                  struct lt_error *error)
{
    char file[512], phase[128];
    const char *name = collect->request.trace_name;
    for (const struct track *other = tracks->items; other != track; other++)
        if (other->selection.pid == track->selection.pid && strcmp(other->options->phase, track->options->phase) == 0)
            return fail_as(error, LT_CLASS_SAME_PHASE,
                           "%s: two tracks of one process have the phase '%s' and would look alike; give each its own",
                           printable(file, sizeof file, name, strlen(name)),
                           printable(phase, sizeof phase, track->options->phase, strlen(track->options->phase)));
    return LT_OK;
}

enum lt_status select_group(struct collect *collect, struct tracks *tracks, size_t index, struct lt_error *error)
{
    char file[512];
    struct track *track = &tracks->items[index];
    struct selection *selection = &track->selection;
    const char *name = collect->request.trace_name;
    *selection = (struct selection){.pid = INTERN_NONE, .device = INTERN_NONE};
    if (collect->has_guide)
        return fail_at(error, LT_CLASS_ANNOTATED,
                       (struct error_place){.event = collect->guide_event, .offset = collect->guide_offset},
                       "%s: already annotated: event %" PRIu64 ", offset %" PRIu64
                       " is a guide; start from the trace as it was recorded",
                       printable(file, sizeof file, name, strlen(name)), collect->guide_event, collect->guide_offset);
    uint64_t matching = 0, wanted = 0;
    for (uint32_t i = 0; i < collect->group_keys.count; i++) {
        matching += track->groups[i].anchors;
        wanted += track->groups[i].wanted ? track->groups[i].anchors : 0;
    }
    if (matching == 0)
        return refuse_no_match(collect, track, error);
    if (wanted == 0)
        return refuse_not_there(collect, track, error);
    enum lt_status status = only_value(collect, track, false, &selection->pid, &selection->also_without, error);
    if (status == LT_OK)
        status = only_value(collect, track, true, &selection->device, &selection->also_without, error);
    if (status != LT_OK)
        return status;
    char tag = selection->pid == INTERN_NONE ? VALUE_OTHER : collect->values.entries[selection->pid].tag;
    if (tag == VALUE_OTHER)
        return fail_as(error, LT_CLASS_BAD_KERNEL,
                       "%s: matching kernels have no pid that is a number or a string of whole characters, so no track "
                       "can stand beside "
                       "them; choose others",
                       printable(file, sizeof file, track->place, strlen(track->place)));
    if ((status = check_device(collect, track, error)) == LT_OK)
        status = check_kernels(collect, track, error);
    if (status == LT_OK)
        status = check_phase(collect, tracks, track, error);
    if (status != LT_OK)
        return status;
    keep_chosen(collect, track);
    return choose_tid(collect, tracks, track, error);
}

enum lt_status select_refuse_none(const struct collect *collect, const struct track *track, struct lt_error *error)
{
    uint64_t matching = 0;
    for (uint32_t i = 0; i < collect->group_keys.count; i++)
        matching += track->groups[i].anchors;
    return matching == 0 ? refuse_no_match(collect, track, error) : refuse_not_there(collect, track, error);
}
