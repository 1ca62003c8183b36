#include "jobs/report_fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "guides/report_check.h"
#include "guides/report_reader.h"
#include "trace/wanted.h"

#define MEMBER(name)                                                                                                   \
    {                                                                                                                  \
#name, offsetof(struct lt_track, name)                                                                         \
    }

/* What a report states, but for landmarks. */
static const struct {
    const char *name;
    size_t offset;
} texts[] = {MEMBER(phase),  MEMBER(evidence),  MEMBER(anchor_regex), MEMBER(end_anchor_regex),
             MEMBER(within), MEMBER(within_gpu)},
  numbers[] = {MEMBER(num_layers), MEMBER(anchor_offset), MEMBER(anchor_run),    MEMBER(skip_partial),
               MEMBER(passes),     MEMBER(first_layer),   MEMBER(anchor_stride), MEMBER(extra_anchors_per_pass)};

_Static_assert(sizeof(int64_t) == sizeof(uint64_t), "anchor_run is compared as the others are");

/* ---- what is stated ---------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_landmarks(const struct lt_track *a, const struct lt_track *b)
{
    bool same = a->landmark_count == b->landmark_count;
    for (size_t i = 0; i < a->landmark_count && same; i++)
        same =
            same_text(a->landmarks[i].regex, b->landmarks[i].regex) && a->landmarks[i].count == b->landmarks[i].count;
    return same;
}

/* The first member in which two tracks differ, or NULL. */
static const char *stated_otherwise(const struct lt_track *a, const struct lt_track *b)
{
    const char *const left = (const char *)a, *const right = (const char *)b;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *one, *other;
        memcpy(&one, left + texts[i].offset, sizeof one);
        memcpy(&other, right + texts[i].offset, sizeof other);
        if (!same_text(one, other))
            return texts[i].name;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (memcmp(left + numbers[i].offset, right + numbers[i].offset, sizeof(uint64_t)) != 0)
            return numbers[i].name;
    return same_landmarks(a, b) ? NULL : "landmarks[].regex";
}

/* Whether what was found is what was asked for, if anything was. */
static bool is_asked(const char *wanted, const struct member *found)
{
    return wanted == NULL || (found != NULL && (found->kind == JSON_STRING || found->kind == JSON_NUMBER) &&
                              wanted_is(wanted, found->text, found->len, found->kind == JSON_NUMBER));
}

/* The first member in which the report is of other tracks, or NULL. */
static const char *differs_in(const struct report *report, const struct spec *stated, const struct tracks *asked)
{
    if (stated->count != asked->count || report->track_count != asked->count)
        return "tracks";
    for (size_t i = 0; i < asked->count; i++) {
        const struct lt_track *track = asked->items[i].options;
        const char *member = stated_otherwise(track, &stated->tracks[i]);
        const struct members *members = report_members(report, i);
        if (member == NULL && !is_asked(track->pid, members_find(members, "pid")))
            member = "pid";
        if (member == NULL && !is_asked(track->device, members_find(members, "device")))
            member = "device";
        if (member != NULL)
            return member;
    }
    return NULL;
}

/* ---- what was found ---------------------------------------------------------------------------------------- */

static bool keep(struct report_fit *fit, const struct members *members, const char *key, const char **out, size_t *len)
{
    const struct member *member = members_find(members, key);
    if (member == NULL || (member->kind != JSON_STRING && member->kind != JSON_NUMBER))
        return true;
    *out = arena_string(&fit->texts, member->text, member->len);
    if (len != NULL)
        *len = member->len;
    return *out != NULL;
}

/* False when memory is out. */
static bool keep_track(struct report_fit *fit, const struct members *members, size_t i)
{
    struct lt_found_track *track = &fit->tracks[i];
    *track = (struct lt_found_track){.size = sizeof *track, .run = LT_NONE, .left_over = LT_NONE};
    fit->pointers[i] = track;
    member_count(members_find(members, "matching_anchor_count"), &track->anchors);
    member_count(members_find(members, "anchor_offset"), &track->anchor_offset);
    member_count(members_find(members, "passes"), &track->passes);
    return keep(fit, members, "phase", &track->phase, NULL) && keep(fit, members, "pid", &track->pid, NULL) &&
           keep(fit, members, "device", &track->device, NULL) &&
           keep(fit, members, "anchor_offset_rule", &track->anchor_offset_rule, NULL);
}

/* The first row of a track has its first label's start, the last one the last label's end. */
static bool keep_row(struct report_fit *fit, size_t i, const struct members *row, bool last)
{
    struct lt_found_track *track = &fit->tracks[i];
    if (track->first_us == NULL && (!keep(fit, row, "start_us", &track->first_us, NULL) ||
                                    !keep(fit, row, "anchor_name", &track->anchor_name, &track->anchor_name_len)))
        return false;
    return !last || keep(fit, row, "end_us", &track->last_us, NULL);
}

static int64_t number_at_top(const struct report *report, const char *key)
{
    int64_t number;
    const struct member *member = members_find(&report->members, key);
    return member != NULL && member_whole(member, &number) && number >= 0 ? number : -1;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

struct fitting {
    struct report_fit *fit;
    struct report report;
    struct report_check checks[LT_MAX_TRACKS];
    struct findings findings;
    struct lt_error error; /* of the report as a file */
};

static enum lt_status read_rows(struct fitting *fitting)
{
    struct report *report = &fitting->report;
    for (size_t i = 0; i < report->track_count; i++)
        report_check_init(&fitting->checks[i], report, i, &fitting->findings);
    report_check_whole(report, &fitting->findings);
    for (;;) {
        const struct members *row;
        size_t track;
        if (report_next(report, &track, &row, &fitting->error) != LT_OK || row == NULL)
            return fitting->error.status;
        report_check_row(&fitting->checks[track], row);
        if (!keep_row(fitting->fit, track, row, fitting->checks[track].rows == report->tracks[track].rows))
            return fail_memory(&fitting->error);
    }
}

static enum lt_status keep_facts(struct fitting *fitting)
{
    struct report_fit *fit = fitting->fit;
    struct report *report = &fitting->report;
    uint64_t source = 0, inserted = 0;
    const char *sha256 = report_text(report, "source_sha256");
    if (report_count(report, "source_bytes", &source, &fitting->error) != LT_OK ||
        report_count(report, "insert_bytes", &inserted, &fitting->error) != LT_OK)
        return fitting->error.status;
    fit->output_size = source + inserted;
    if (sha256 == NULL || strlen(sha256) != sizeof fit->sha256 - 1)
        fitting->findings.differences++;
    else
        memcpy(fit->sha256, sha256, sizeof fit->sha256);
    for (size_t i = 0; i < report->track_count; i++)
        if (!keep_track(fit, report_members(report, i), i))
            return fail_memory(&fitting->error);
    fit->found = (struct lt_found){
        .size = sizeof fit->found,
        .accepted = true,
        .has_base_time = number_at_top(report, "base_time_ns") >= 0,
        .base_time_ns = number_at_top(report, "base_time_ns"),
        .rank = number_at_top(report, "rank"),
        .world_size = number_at_top(report, "world_size"),
        .tracks = fit->pointers,
        .track_count = report->track_count,
    };
    return read_rows(fitting);
}

static enum lt_status compare(struct fitting *fitting, const char *path, const char *output,
                              const struct tracks *tracks, struct lt_error *error)
{
    char name[512];
    bool exists;
    struct spec stated = {0};
    printable(name, sizeof name, output, strlen(output));
    enum lt_status status = report_open(&fitting->report, path, NULL, &exists, &fitting->error);
    if (status == LT_OK)
        status = spec_read(&stated, path, &fitting->error);
    const char *member = status != LT_OK ? NULL : differs_in(&fitting->report, &stated, tracks);
    spec_free(&stated);
    if (member != NULL)
        return fail_as(error, LT_CLASS_OTHER_SELECTION,
                       "%s: already exists, of another selection (%s is not the same); choose another name or remove "
                       "it first",
                       name, error_name(error, member));
    if (status == LT_OK)
        status = keep_facts(fitting);
    if (status == LT_NO_MEMORY || status == LT_IO)
        return fail_again(error, &fitting->error);
    if (status != LT_OK)
        return fail_as(error, LT_CLASS_NO_REPORT,
                       "%s: already exists, and its report is none (%s); choose another name or remove it first", name,
                       fitting->error.what);
    if (fitting->findings.differences > 0)
        return fail_as(error, LT_CLASS_NO_REPORT,
                       "%s: already exists, and its report does not agree with itself; choose another name or remove "
                       "it first",
                       name);
    return LT_OK;
}

enum lt_status report_fit_read(struct report_fit *fit, const char *path, const char *output,
                               const struct tracks *tracks, struct lt_error *error)
{
    *fit = (struct report_fit){0};
    struct fitting *fitting = calloc(1, sizeof *fitting);
    if (fitting == NULL)
        return fail_memory(error);
    fitting->fit = fit;
    fitting->error = (struct lt_error){.size = sizeof fitting->error, .own = error->own};
    error_reset(&fitting->error);
    enum lt_status status = compare(fitting, path, output, tracks, error);
    report_close(&fitting->report);
    free(fitting);
    return status;
}

void report_fit_free(struct report_fit *fit)
{
    arena_free(&fit->texts);
}
