/*
 * fuzz_reports.c - whatever a report or a spec holds, both readings of it agree
 *
 * The input is put into a file and read as a spec and as a report. What must
 * hold:
 *
 * - a spec that is read again gives the same tracks, or the same error;
 * - its tracks, written as a spec, are those tracks again;
 * - of a report the rows come that were counted, track by track, and
 *   nothing behind them; what the first reading accepted the second does,
 *   save for the keys of rows, which the first does not look at;
 * - of a report that agrees with itself the rows come in the order of passes
 *   and layers, with times that are decimals, or it is refused;
 * - what is both has as many tracks by either, with the same phases.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "guides/report_rows.h"
#include "rules/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[4096];

static void remove_file(void)
{
    unlink(path);
}

static void stop(const char *what, const char *detail)
{
    fprintf(stderr, "WRONG: %s: %s\n", what, detail);
    abort();
}

static void write_file(const void *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(path, sizeof path, "%s/reports-XXXXXX", folder == NULL ? "/tmp" : folder);
        fd = mkstemp(path);
        atexit(remove_file);
    }
    if (ftruncate(fd, 0) != 0 || (size > 0 && pwrite(fd, data, size, 0) != (ssize_t)size))
        stop("the file", path);
}

/* ---- specs ------------------------------------------------------------------------------------------------- */

static void put_text(struct text *out, const char *key, const char *value)
{
    text_puts(out, ",\n \"");
    text_puts(out, key);
    text_puts(out, "\": ");
    if (value == NULL)
        text_puts(out, "null");
    else
        text_json(out, value, strlen(value));
}

static void put_count(struct text *out, const char *key, uint64_t value)
{
    text_puts(out, ",\n \"");
    text_puts(out, key);
    text_puts(out, "\": ");
    text_u64(out, value);
}

static void put_track(struct text *out, const struct lt_track *track)
{
    text_puts(out, "{\"num_layers\": ");
    text_u64(out, track->num_layers);
    put_text(out, "phase", track->phase);
    put_text(out, "evidence", track->evidence);
    put_text(out, "anchor_regex", track->anchor_regex);
    put_text(out, "end_anchor_regex", track->end_anchor_regex);
    put_text(out, "pid", track->pid);
    put_text(out, "device", track->device);
    put_text(out, "within", track->within);
    put_text(out, "within_gpu", track->within_gpu);
    put_count(out, "anchor_offset", track->anchor_offset);
    put_count(out, "passes", track->passes);
    put_count(out, "first_layer", track->first_layer);
    put_count(out, "anchor_stride", track->anchor_stride);
    put_count(out, "extra_anchors_per_pass", track->extra_anchors_per_pass);
    text_puts(out, ",\n \"landmarks\": [");
    for (size_t i = 0; i < track->landmark_count; i++) {
        text_puts(out, i == 0 ? "{\"count\": " : ", {\"count\": ");
        text_u64(out, track->landmarks[i].count);
        put_text(out, "regex", track->landmarks[i].regex);
        text_puts(out, "}");
    }
    text_puts(out, "]}");
}

/* The file's tracks as a spec of one spelling, or what is wrong with it. */
static enum lt_status read_spec(struct text *out, struct spec *spec)
{
    struct lt_error error = {0};
    enum lt_status status = spec_read(spec, path, &error);
    if (status != error.status || (status == LT_OK) != (error.message[0] == '\0'))
        stop("a spec's status", error.message);
    text_puts(out, status == LT_OK ? "{\"tracks\": [" : error.message);
    for (size_t i = 0; i < spec->count && status == LT_OK; i++) {
        text_puts(out, i == 0 ? "" : ", ");
        put_track(out, &spec->tracks[i]);
    }
    text_puts(out, status == LT_OK ? "]}\n" : "");
    text_add(out, "", 1);
    if (out->failed)
        abort();
    return status;
}

/* Whether the file is a spec; *spec is filled if so. */
static bool check_spec(struct spec *spec)
{
    struct text first = {0}, second = {0};
    struct spec again;
    enum lt_status status = read_spec(&first, spec);
    if (read_spec(&second, &again) != status || strcmp(first.data, second.data) != 0)
        stop("a spec read twice", second.data);
    spec_free(&again);
    text_free(&second);
    if (status == LT_OK) {
        struct text third = {0};
        write_file(first.data, first.len - 1);
        if (read_spec(&third, &again) != LT_OK || strcmp(first.data, third.data) != 0)
            stop("a spec written and read", third.data);
        spec_free(&again);
        text_free(&third);
    }
    text_free(&first);
    return status == LT_OK;
}

/* ---- reports ----------------------------------------------------------------------------------------------- */

static void check_rows(struct report *report, struct lt_error *error)
{
    uint64_t rows[REPORT_MAX_TRACKS] = {0};
    const struct members *row;
    size_t track = 0, before = 0;
    for (;;) {
        if (report_next(report, &track, &row, error) != LT_OK) {
            if (strstr(error->message, "the same key twice") == NULL && strstr(error->message, "1024 keys") == NULL)
                stop("the second reading", error->message);
            return;
        }
        if (row == NULL)
            break;
        if (track >= report->track_count || track < before)
            stop("a row's track", path);
        rows[track]++;
        before = track;
        for (size_t i = 0; i < row->count; i++)
            if (strlen(row->items[i].key) == row->items[i].key_len && members_find(row, row->items[i].key) == NULL)
                stop("a row's key", row->items[i].key);
    }
    for (size_t i = 0; i < report->track_count; i++)
        if (rows[i] != report->tracks[i].rows)
            stop("rows counted and given", path);
    if (report_next(report, &track, &row, error) != LT_OK || row != NULL)
        stop("behind the last row", error->message);
}

/* Where a row stands among those of its report. */
struct place {
    uint64_t track, pass, layer;
};

static bool is_behind(struct place a, struct place b)
{
    if (a.track != b.track)
        return a.track > b.track;
    return a.pass != b.pass ? a.pass > b.pass : a.layer > b.layer;
}

static void check_row(const struct members *row)
{
    static const char *const times[] = {"start_us", "end_us"};
    for (size_t i = 0; i < 2; i++) {
        struct decimal time;
        const struct member *member = members_find(row, times[i]);
        if (member == NULL || member->kind != JSON_NUMBER ||
            decimal_parse(&time, member->text, member->len) != DECIMAL_OK)
            stop("a checked row's time", times[i]);
    }
}

static void check_checked_rows(void)
{
    struct lt_error error = {0};
    struct report_rows rows;
    const struct members *row = NULL;
    struct place before = {0}, at = {0};
    size_t track;
    uint64_t count = 0, expected = 0;
    enum lt_status status = report_rows_open(&rows, path, &error);
    while (status == LT_OK && (status = report_rows_next(&rows, &track, &row, &error)) == LT_OK && row != NULL) {
        check_row(row);
        at.track = track;
        if (!member_count(members_find(row, "pass_index"), &at.pass) ||
            !member_count(members_find(row, "layer_id"), &at.layer) || (count++ > 0 && !is_behind(at, before)))
            stop("a checked row's place", path);
        before = at;
    }
    for (size_t i = 0; i < rows.report.track_count && status == LT_OK; i++)
        expected += rows.report.tracks[i].rows;
    if ((status != LT_OK && status != LT_TRACE) || (status == LT_OK && count != expected))
        stop("checked rows", error.message);
    int64_t base;
    struct rank rank = report_rank(&rows.report, path);
    if (rank.number > INT32_MAX || rank.number < RANK_NONE)
        stop("a report's rank", path);
    if (report_clock(&rows.report, &base) == REPORT_CLOCK_SINCE && base != 0)
        stop("a clock since 1970", path);
    report_rows_close(&rows);
}

static void check_both(const struct report *report, const struct spec *spec)
{
    if (report->track_count != spec->count)
        stop("tracks of a report and spec", path);
    for (size_t i = 0; i < spec->count; i++) {
        const struct member *phase = members_find(report_members(report, i), "phase");
        if (phase == NULL || strcmp(phase->text, spec->tracks[i].phase) != 0)
            stop("phases of a report and spec", spec->tracks[i].phase);
    }
}

static bool check_report(struct report *report)
{
    struct lt_error error = {0};
    bool exists;
    enum lt_status status = report_open(report, path, NULL, &exists, &error);
    if (status != error.status || !exists || (status != LT_OK && status != LT_TRACE))
        stop("a report's status", error.message);
    if (status == LT_OK)
        check_rows(report, &error);
    return status == LT_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report report;
    struct spec spec;
    write_file(data, size);
    check_checked_rows();
    bool is_report = check_report(&report), is_spec = check_spec(&spec);
    if (is_report && is_spec)
        check_both(&report, &spec);
    report_close(&report);
    spec_free(&spec);
    return 0;
}
