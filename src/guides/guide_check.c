#include "guides/guide_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "guides/guide_writer.h"
#include "json/json_text.h"

/* ---- values ------------------------------------------------------------------------------------------------ */

/* A field as a member; a string is decoded into the arena. False when memory is out. */
static bool as_member(struct arena *arena, const struct scan_value *value, struct member *member)
{
    *member = (struct member){.key = "", .text = value->text == NULL ? "" : value->text, .len = value->len};
    member->kind = value->kind == SCAN_NUMBER   ? JSON_NUMBER
                   : value->kind == SCAN_STRING ? JSON_STRING
                   : value->kind == SCAN_NESTED ? JSON_NESTED
                                                : JSON_WORD;
    if (!value->escaped)
        return true;
    char *out = arena_take(arena, value->len + 1);
    if (out == NULL)
        return false;
    member->len = json_unescape(out, value->text, value->len);
    member->text = out;
    return true;
}

static bool is(const struct scan_value *value, const char *text)
{
    char out[64];
    if (value->kind != SCAN_STRING || value->len > sizeof out)
        return false;
    size_t len = value->escaped ? json_unescape(out, value->text, value->len) : value->len;
    return len == strlen(text) && memcmp(value->escaped ? out : value->text, text, len) == 0;
}

/* A whole number of microseconds, as far from 0 as a guide may lie. */
static bool whole(const struct scan_value *value, int64_t *out)
{
    struct member member = {.key = "", .text = value->text, .len = value->len, .kind = JSON_NUMBER};
    return value->kind == SCAN_NUMBER && member_whole(&member, out) && *out >= -PLAN_LAST_TIME &&
           *out <= PLAN_LAST_TIME;
}

/* A whole number is known by its plain digits, however it is spelled. False when memory is out. */
static bool plain_number(struct arena *arena, struct member *member)
{
    char digits[24];
    int64_t number;
    if (!member_whole(member, &number))
        return true;
    member->len = (size_t)snprintf(digits, sizeof digits, "%" PRId64, number);
    return (member->text = arena_copy(arena, digits, member->len + 1)) != NULL;
}

static const char *shown(char *out, size_t size, const struct member *member)
{
    if (member == NULL)
        return "missing";
    return member->kind == JSON_NESTED ? "an object or array" : printable(out, size, member->text, member->len);
}

/* A report has U+FFFD for each byte that is not UTF-8 in a pid, the trace the bytes themselves. *failed: no memory. */
static bool same_pid(const struct member *here, const struct member *reported, bool *failed)
{
    if (member_equal(here, reported) || here->kind != JSON_STRING || reported->kind != JSON_STRING ||
        utf8_valid(here->text, here->len))
        return member_equal(here, reported);
    struct text written = {0}, wanted = {0};
    text_json(&written, here->text, here->len);
    text_json(&wanted, reported->text, reported->len);
    *failed |= written.failed || wanted.failed;
    bool same = !*failed && written.len == wanted.len && memcmp(written.data, wanted.data, written.len) == 0;
    text_free(&written);
    text_free(&wanted);
    return same;
}

/* ---- tracks ------------------------------------------------------------------------------------------------ */

enum lt_status guide_check_init(struct guide_check *check, struct reading *reading, struct report *report,
                                struct findings *findings, struct lt_error *error)
{
    static const struct member missing = {.key = "", .text = "", .kind = JSON_NESTED};
    *check = (struct guide_check){.reading = reading, .report = report, .findings = findings, .error = error};
    for (size_t i = 0; report != NULL && i < report->track_count; i++) {
        const struct members *members = report_members(check->report, i);
        const struct member *pid = members_find(members, "pid"), *tid = members_find(members, "guide_tid");
        const struct member *phase = members_find(members, "phase");
        check->tracks[i] = (struct checked_track){.pid = pid == NULL ? missing : *pid,
                                                  .tid = tid == NULL ? missing : *tid,
                                                  .phase = phase == NULL ? "" : phase->text,
                                                  .last_end = INT64_MIN};
        check->track_count = i + 1;
        /* What is wrong is told when the guides are known. */
        check->tracks[i].differs = !report_check_init(&check->tracks[i].counts, report, i, &(struct findings){0});
        check->tracks[i].counts.findings = findings;
        if (!plain_number(&check->kept, &check->tracks[i].tid))
            return fail_memory(error);
    }
    return LT_OK;
}

/* Most events end here: guides' tids are long and known by their plain digits, and mostly written so; 1e6 and 1000000.0
 * are one of them. */
static bool may_be_tid(const struct scan_value *here, const struct member *tid)
{
    if (here->len == 0)
        return tid->len == 0;
    if (here->len == tid->len && memcmp(here->text, tid->text, tid->len) == 0)
        return true;
    return here->escaped ||
           (here->kind == SCAN_NUMBER && here->len >= 3 &&
            (memchr(here->text, '.', here->len) != NULL || memchr(here->text, 'e', here->len) != NULL ||
             memchr(here->text, 'E', here->len) != NULL));
}

/* The track on whose pid and tid an event lies; NULL: on none. */
static struct checked_track *track_of(struct guide_check *check, const struct scan_event *event, bool *failed)
{
    for (size_t i = 0; i < check->track_count; i++) {
        struct checked_track *track = &check->tracks[i];
        struct member pid, tid;
        if (!may_be_tid(&event->tid, &track->tid))
            continue;
        if (!as_member(&check->passing, &event->pid, &pid) || !as_member(&check->passing, &event->tid, &tid)) {
            *failed = true;
            return NULL;
        }
        if (member_equal(&tid, &track->tid) &&
            (check->report == NULL ? member_equal(&pid, &track->pid) : same_pid(&pid, &track->pid, failed)))
            return track;
    }
    return NULL;
}

static bool keep(struct guide_check *check, struct member *member)
{
    const char *copy = arena_copy(&check->kept, member->text, member->len);
    member->text = copy;
    return copy != NULL;
}

/* Without a report tracks are known by their guides. NULL when there is no more room, or memory. */
static struct checked_track *new_track(struct guide_check *check, const struct scan_event *event)
{
    if (check->track_count == REPORT_MAX_TRACKS)
        return NULL;
    struct checked_track *track = &check->tracks[check->track_count];
    *track = (struct checked_track){.last_end = INT64_MIN};
    if (!as_member(&check->passing, &event->pid, &track->pid) ||
        !as_member(&check->passing, &event->tid, &track->tid) || !plain_number(&check->passing, &track->tid) ||
        !keep(check, &track->pid) || !keep(check, &track->tid))
        return NULL;
    check->track_count++;
    return track;
}

/* ---- one guide --------------------------------------------------------------------------------------------- */

/* What a difference is about. */
struct guide_place {
    struct guide_check *check;
    const struct scan_event *event;
    struct checked_track *track;
};

static void differs(const struct guide_place *at, const char *what, const char *here, const char *there)
{
    if (at->track != NULL)
        at->track->differs = true;
    finding(at->check->findings, LT_FINDING_DIFFERS,
            "guide %" PRIu64 " (event %" PRIu64 ", byte %" PRIu64 "): %s is %s, the report says %s",
            at->check->guides - 1, at->event->index, at->event->offset, what, here, there);
}

static void structure(const struct guide_place *at, const char *what)
{
    if (at->track != NULL)
        at->track->differs = true;
    finding(at->check->findings, LT_FINDING_DIFFERS, "guide %" PRIu64 " (event %" PRIu64 ", byte %" PRIu64 "): %s",
            at->check->guides - 1, at->event->index, at->event->offset, what);
}

static void check_member(const struct guide_place *at, const char *key, size_t len, const struct member *reported)
{
    char name[64], what[80], here[160], there[160];
    const struct member *member = NULL;
    for (size_t i = 0; i < at->check->args.count && member == NULL; i++)
        if (member_has_key(&at->check->args.items[i], key, len))
            member = &at->check->args.items[i];
    if (reported != NULL && member != NULL && member_equal(member, reported))
        return;
    snprintf(what, sizeof what, "args.%s", printable(name, sizeof name, key, len));
    differs(at, what, shown(here, sizeof here, member), shown(there, sizeof there, reported));
}

static void check_field(const struct guide_place *at, const char *what, const struct scan_value *value,
                        enum json_kind kind, const char *expected, bool *failed)
{
    char here[160];
    struct member member, wanted = {.key = "", .text = expected, .len = strlen(expected), .kind = kind};
    if (!as_member(&at->check->passing, value, &member))
        *failed = true;
    else if (!member_equal(&member, &wanted))
        differs(at, what, shown(here, sizeof here, &member), expected);
}

static bool row_time(const struct member *member, int64_t *out)
{
    return member_whole(member, out) && *out >= -PLAN_LAST_TIME && *out <= PLAN_LAST_TIME;
}

/* The guide's own name and times, which follow from the row. */
static void check_fields(const struct guide_place *at, const struct members *row, bool *failed)
{
    char name[32], dur[32];
    const struct member *layer = members_find(row, "layer_id"), *start = members_find(row, "guide_start_us"),
                        *end = members_find(row, "guide_end_us");
    uint64_t number;
    int64_t from, to;
    if (!member_count(layer, &number) || !row_time(start, &from) || !row_time(end, &to)) {
        structure(at, "layer_id, guide_start_us and guide_end_us of its row in the report are not all whole numbers up "
                      "to 2^53");
        return;
    }
    snprintf(name, sizeof name, "L%" PRIu64, number);
    snprintf(dur, sizeof dur, "%" PRId64, to - from);
    check_field(at, "name", &at->event->name, JSON_STRING, name, failed);
    check_field(at, "ts", &at->event->ts, JSON_NUMBER, start->text, failed);
    check_field(at, "dur", &at->event->dur, JSON_NUMBER, dur, failed);
}

/* What each guide has besides its row, and what is said of all of a track or report. */
static const char *const common_args[] = {"phase", "evidence", "notice"};
#define COMMON_ARGS (sizeof common_args / sizeof *common_args)

static const struct member *common_arg(const struct guide_check *check, size_t track, size_t number)
{
    /* The notice is the report's. */
    return members_find(number < 2 ? report_members(check->report, track) : &check->report->members,
                        common_args[number]);
}

static bool is_among(const struct member *member, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (member_has_key(member, keys[i], strlen(keys[i])))
            return true;
    return false;
}

/* The first member whose key annotate does not write; NULL: there is none. */
static const struct member *foreign_key(const struct members *members, const char *const *keys, size_t count,
                                        bool of_row)
{
    for (size_t i = 0; i < members->count; i++)
        if (!is_among(&members->items[i], keys, count) && !(of_row && report_check_is_key(&members->items[i])))
            return &members->items[i];
    return NULL;
}

static void check_keys(const struct guide_place *at)
{
    static const char *const keys[] = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "args"};
    char what[128], name[64];
    const struct guide_check *check = at->check;
    const struct member *own = foreign_key(&check->keys, keys, sizeof keys / sizeof *keys, false);
    const struct member *arg = foreign_key(&check->args, common_args, COMMON_ARGS, true);
    if (check->keys.twice)
        structure(at, "has a key twice");
    if (check->args.twice)
        structure(at, "has a key of its args twice");
    if (own == NULL && arg == NULL)
        return;
    const struct member *shown_key = own != NULL ? own : arg;
    snprintf(what, sizeof what, "has the key %s%s, which is no guide's", own != NULL ? "" : "args.",
             printable(name, sizeof name, shown_key->key, shown_key->key_len));
    structure(at, what);
}

/* Reads the keys of the event and its args. False when memory is out; *too_long: they were not read. */
static bool read_event(struct guide_check *check, const struct scan_event *event, bool *too_long)
{
    size_t len;
    const char *text = reading_text(check->reading, event, &len);
    members_free(&check->args);
    members_free(&check->keys);
    *too_long = text == NULL && len > READING_MAX_TEXT;
    return *too_long || (text != NULL && members_read(&check->args, &check->keys, text, len, "args"));
}

static bool check_row(const struct guide_place *at, size_t track, const struct members *row)
{
    struct guide_check *check = at->check;
    bool failed = false, too_long;
    if (!read_event(check, at->event, &too_long))
        return false;
    if (!report_check_row(&check->tracks[track].counts, row))
        check->tracks[track].differs = true;
    if (too_long) {
        structure(at, "is too long to be one");
        return true;
    }
    check_keys(at);
    if (at->track != &check->tracks[track])
        differs(at, "its process or tid", "another", shown((char[64]){0}, 64, &check->tracks[track].tid));
    check_fields(at, row, &failed);
    for (size_t i = 0; i < row->count; i++)
        check_member(at, row->items[i].key, row->items[i].key_len, &row->items[i]);
    for (size_t i = 0; i < COMMON_ARGS; i++)
        check_member(at, common_args[i], strlen(common_args[i]), common_arg(check, track, i));
    return !failed;
}

static void check_structure(const struct guide_place *at)
{
    int64_t start, dur;
    if (!is(&at->event->ph, "X"))
        structure(at, "ph is not \"X\"");
    if (!whole(&at->event->ts, &start) || !whole(&at->event->dur, &dur) || dur < 0) {
        structure(at, "ts and dur are not both whole microseconds from 0 up");
        return;
    }
    if (at->track == NULL)
        return;
    if (start < at->track->last_end)
        structure(at, "begins before the one before it ends");
    at->track->last_end = start + dur;
}

static bool take_guide(struct guide_check *check, const struct scan_event *event)
{
    bool failed = false;
    struct guide_place at = {.check = check, .event = event, .track = track_of(check, event, &failed)};
    check->guides++;
    if (at.track == NULL && check->report == NULL && !failed && (at.track = new_track(check, event)) == NULL) {
        check->too_many_tracks |= check->track_count == REPORT_MAX_TRACKS;
        failed = check->track_count < REPORT_MAX_TRACKS;
    }
    if (failed)
        return false;
    if (at.track != NULL)
        at.track->guides++;
    check_structure(&at);
    if (check->report == NULL)
        return true;
    size_t track;
    const struct members *row;
    if (report_next(check->report, &track, &row, check->error) != LT_OK)
        return false;
    if (row == NULL)
        structure(&at, "is not in the report");
    return row == NULL || check_row(&at, track, row);
}

/* ---- all events -------------------------------------------------------------------------------------------- */

/* What is neither a guide nor the name or place of a track has no business on its tid. */
static bool is_stranger(const struct scan_event *event)
{
    return !is(&event->ph, "M") || (!is(&event->name, "thread_name") && !is(&event->name, "thread_sort_index"));
}

static void find_stranger(struct guide_check *check, const struct scan_event *event, struct checked_track *track)
{
    track->differs = true;
    finding(check->findings, LT_FINDING_DIFFERS,
            "event %" PRIu64 " (byte %" PRIu64 ") is no guide and lies on the guides' tid", event->index,
            event->offset);
}

/* A track has one name and one place. */
static void count_other(struct checked_track *track, const struct scan_event *event)
{
    *(is(&event->name, "thread_name") ? &track->names : &track->sort_indexes) += 1;
}

/* The name and the place of a track, as the report has them. */
static bool take_other(struct guide_check *check, const struct scan_event *event, struct checked_track *track)
{
    static const char *const keys[] = {"ph", "name", "pid", "tid", "args"};
    bool name = is(&event->name, "thread_name"), too_long = false;
    if (!is_stranger(event) && !read_event(check, event, &too_long))
        return false;
    if (is_stranger(event) || too_long) {
        find_stranger(check, event, track);
        return true;
    }
    if (check->keys.twice || check->args.twice || check->args.count > 1 ||
        foreign_key(&check->keys, keys, sizeof keys / sizeof *keys, false) != NULL) {
        track->differs = true;
        finding(check->findings, LT_FINDING_DIFFERS,
                "event %" PRIu64 ": the track's %s has more keys than annotate writes", event->index,
                name ? "name" : "sort index");
    }
    char index[32], here[160], there[160];
    size_t number = (size_t)(track - check->tracks);
    snprintf(index, sizeof index, "%d", (int)number - GUIDE_SORT_BELOW);
    struct member sorted = {.key = "", .text = index, .len = strlen(index), .kind = JSON_NUMBER};
    const struct member *expected = name ? members_find(report_members(check->report, number), "track_name") : &sorted;
    const struct member *found = members_find(&check->args, name ? "name" : "sort_index");
    count_other(track, event);
    if (found != NULL && expected != NULL && member_equal(found, expected))
        return true;
    track->differs = true;
    finding(check->findings, LT_FINDING_DIFFERS, "event %" PRIu64 ": the track's %s is %s, not %s", event->index,
            name ? "name" : "sort index", shown(here, sizeof here, found), shown(there, sizeof there, expected));
    return true;
}

static bool done(struct guide_check *check, bool failed)
{
    arena_free(&check->passing);
    if (failed)
        fail_memory(check->error);
    return !failed;
}

bool guide_check_event(struct guide_check *check, const struct scan_event *event)
{
    bool failed = false;
    unsigned guide;
    if (!event->is_object)
        return true;
    if (!fields_kinds(&check->fields, event, EVENT_GUIDE, &guide))
        return done(check, true);
    if (guide != 0) {
        failed = !take_guide(check, event);
    } else if (check->report != NULL) {
        struct checked_track *track = track_of(check, event, &failed);
        failed = failed || (track != NULL && !take_other(check, event, track));
    }
    return done(check, failed);
}

bool guide_check_others(struct guide_check *check, const struct scan_event *event)
{
    bool failed = false;
    unsigned guide;
    if (!fields_kinds(&check->fields, event, EVENT_GUIDE, &guide))
        return done(check, true);
    if (!event->is_object || guide != 0)
        return true;
    struct checked_track *track = track_of(check, event, &failed);
    if (track != NULL && is_stranger(event))
        find_stranger(check, event, track);
    else if (track != NULL)
        count_other(track, event);
    return done(check, failed);
}

static void tell_track(struct guide_check *check, const struct checked_track *track)
{
    char tid[64], phase[160];
    if (track->guides == 0 || track->differs)
        return;
    shown(tid, sizeof tid, &track->tid);
    if (check->report == NULL)
        finding(check->findings, LT_FINDING_OK, "%" PRIu64 " guides on tid %s: flat, whole microseconds", track->guides,
                tid);
    else
        finding(check->findings, LT_FINDING_OK,
                "%" PRIu64 " guides on tid %s (%s): flat, whole microseconds, as the report says", track->guides, tid,
                printable(phase, sizeof phase, track->phase, strlen(track->phase)));
}

static void check_names(struct guide_check *check, struct checked_track *track, size_t number)
{
    if (check->report != NULL && check->guides > 0 && (track->names == 0 || track->sort_indexes == 0)) {
        track->differs = true;
        finding(check->findings, LT_FINDING_DIFFERS, "track %zu has no name or no sort index", number);
    }
    if (track->names > 1 || track->sort_indexes > 1) {
        track->differs = true;
        finding(check->findings, LT_FINDING_DIFFERS,
                "track %zu is named %" PRIu64 " times and sorted %" PRIu64 " times, not once each", number,
                track->names, track->sort_indexes);
    }
}

enum lt_status guide_check_end(struct guide_check *check)
{
    uint64_t missing = 0;
    size_t number;
    const struct members *row = NULL;
    while (check->report != NULL && report_next(check->report, &number, &row, check->error) == LT_OK && row != NULL) {
        check->tracks[number].differs |= !report_check_row(&check->tracks[number].counts, row);
        missing++;
    }
    if (check->error->status != LT_OK)
        return check->error->status;
    for (size_t i = 0; check->report != NULL && i < check->track_count; i++)
        report_check_init(&check->tracks[i].counts, check->report, i, check->findings);
    if (check->report != NULL)
        report_check_whole(check->report, check->findings);
    if (check->guides == 0)
        finding(check->findings, LT_FINDING_DIFFERS, "there are no guides");
    if (missing > 0)
        finding(check->findings, LT_FINDING_DIFFERS, "%" PRIu64 " guides of the report are missing", missing);
    for (size_t i = 0; i < check->track_count; i++) {
        struct checked_track *track = &check->tracks[i];
        check_names(check, track, i);
        tell_track(check, track);
    }
    if (check->too_many_tracks)
        finding(check->findings, LT_FINDING_OPEN, "whether all guides are flat: they lie on more than %d tids",
                REPORT_MAX_TRACKS);
    if (check->report == NULL)
        finding(check->findings, LT_FINDING_OPEN, "whether the guides are the right ones: there is no report");
    return LT_OK;
}

void guide_check_free(struct guide_check *check)
{
    members_free(&check->args);
    members_free(&check->keys);
    fields_free(&check->fields);
    arena_free(&check->kept);
    arena_free(&check->passing);
}
