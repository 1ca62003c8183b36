#include "guides/report_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/utf8.h"

/* In microseconds since 1970. */
#define EARLIEST INT64_C(1000000000000000)
#define LATEST   INT64_C(3000000000000000)

static void on_finding(void *ctx, enum lt_finding kind, const char *sentence)
{
    struct report_rows *rows = ctx;
    if (kind == LT_FINDING_DIFFERS && rows->why[0] == '\0')
        snprintf(rows->why, sizeof rows->why, "%s", sentence);
}

static enum lt_status refuse(const struct report_rows *rows, const char *why, struct lt_error *error)
{
    char name[512];
    return fail_as(error, LT_CLASS_NOT_A_REPORT, "%s: %s; make the report again, or name another",
                   printable(name, sizeof name, rows->path, strlen(rows->path)), why);
}

static bool has_text(const struct members *members, const char *key)
{
    const struct member *member = members_find(members, key);
    return member != NULL && member->kind == JSON_STRING;
}

enum lt_status report_rows_open(struct report_rows *rows, const char *path, struct lt_error *error)
{
    bool exists;
    *rows = (struct report_rows){.path = path, .findings = {.say = on_finding, .ctx = rows}};
    enum lt_status status = report_open(&rows->report, path, "", &exists, error);
    if (status != LT_OK)
        return status;
    if (!report_check_whole(&rows->report, &rows->findings))
        return refuse(rows, rows->why, error);
    for (size_t i = 0; i < rows->report.track_count; i++) {
        const struct members *members = report_members(&rows->report, i);
        uint64_t tid;
        if (!has_text(members, "phase") || !member_count(members_find(members, "guide_tid"), &tid))
            return refuse(rows, "a track has no phase or no guide_tid", error);
        if (!report_check_init(&rows->check, &rows->report, i, &rows->findings))
            return refuse(rows, rows->why, error);
    }
    return LT_OK;
}

enum lt_status report_rows_next(struct report_rows *rows, size_t *track, const struct members **row,
                                struct lt_error *error)
{
    if (report_next(&rows->report, track, row, error) != LT_OK)
        return error->status;
    if (*row == NULL)
        return LT_OK;
    char name[512];
    if (*track >= rows->report.track_count)
        return fail_as(error, LT_CLASS_SOURCE_CHANGED, "%s: changed while it was read; wait until it is complete",
                       printable(name, sizeof name, rows->path, strlen(rows->path)));
    for (; rows->tracks <= *track; rows->tracks++)
        report_check_init(&rows->check, &rows->report, rows->tracks, &rows->findings);
    if (!report_check_row(&rows->check, *row))
        return refuse(rows, rows->why, error);
    const char *const texts[] = {"anchor_name", "boundary_kind"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!has_text(*row, texts[i]))
            return refuse(rows, "a row's anchor_name or boundary_kind is no text", error);
    return LT_OK;
}

void report_rows_close(struct report_rows *rows)
{
    report_close(&rows->report);
}

static int64_t number_or_none(const struct report *report, const char *key)
{
    uint64_t number;
    return member_count(members_find(&report->members, key), &number) && number <= INT32_MAX ? (int64_t)number
                                                                                             : RANK_NONE;
}

struct rank report_rank(const struct report *report, const char *path)
{
    char text[RANK_TEXT_SIZE];
    struct rank rank = rank_of_path(path);
    const char *source = report_text(report, "source_file");
    if (rank_text(&rank, text)[0] == '\0' && source != NULL)
        rank = rank_of_path(source);
    return rank_with_content(rank, number_or_none(report, "rank"), number_or_none(report, "world_size"));
}

enum report_clock report_clock(const struct report *report, int64_t *base_ns)
{
    const struct member *origin = members_find(&report->members, "trace_origin_us");
    struct decimal first, base, since;
    const struct member *told = members_find(&report->members, "base_time_ns");
    if (told != NULL && told->kind == JSON_WORD)
        told = NULL;
    *base_ns = 0;
    if (told != NULL && !member_whole(told, base_ns))
        return REPORT_CLOCK_UNKNOWN;
    if (origin == NULL || origin->kind != JSON_NUMBER)
        return REPORT_CLOCK_UNKNOWN;
    /* What has too many digits is cut behind the point, which does not matter here. */
    enum decimal_status status = decimal_parse(&first, origin->text, origin->len);
    if (status != DECIMAL_OK && status != DECIMAL_TOO_LONG)
        return REPORT_CLOCK_UNKNOWN;
    base = decimal_from_int(*base_ns);
    base = decimal_shift(&base, 3);
    decimal_add(&since, &first, &base);
    __int128 us = decimal_floor(&since, 0);
    if (us < EARLIEST || us >= LATEST)
        return REPORT_CLOCK_UNKNOWN;
    return told != NULL ? REPORT_CLOCK_TOLD : REPORT_CLOCK_SINCE;
}
