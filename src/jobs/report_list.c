#include "jobs/report_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define ENDING ".layers.json"

static const char *const endings[] = {ENDING, NULL};

/* ---- which files ------------------------------------------------------------------------------------------- */

static bool is_report_of(const char *report, const char *trace)
{
    size_t len = strlen(trace);
    return strncmp(report, trace, len) == 0 && strcmp(report + len, ENDING) == 0;
}

/* Files of folders are sorted: what begins with a name stands behind it. */
static bool has_report_beside(const struct file_list *files, size_t index)
{
    const char *path = files->items[index].path;
    for (size_t i = index + 1; i < files->count && strncmp(files->items[i].path, path, strlen(path)) == 0; i++)
        if (is_report_of(files->items[i].path, path))
            return true;
    return false;
}

static void pass_over_traces(struct file_list *files)
{
    size_t left = 0;
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].named || !has_report_beside(files, i))
            files->items[left++] = files->items[i];
    files->count = left;
}

static enum lt_status find_files(struct report_list *list, const struct report_list_request *request,
                                 struct lt_error *error)
{
    uint64_t dropped;
    enum lt_status status = LT_OK;
    for (size_t i = 0; i < request->count && status == LT_OK; i++)
        status = file_list_add(&list->files, request->arguments[i], error);
    if (status == LT_OK && request->files_from != NULL)
        status = file_list_read(&list->files, request->files_from, request->separator, error);
    if (status != LT_OK)
        return status;
    pass_over_traces(&list->files);
    if (list->files.count == 0)
        return fail_as(error, LT_CLASS_OPTION_MISSING, "no report; name some, or folders that hold *" ENDING);
    for (size_t i = 0; i < list->files.count; i++)
        if (strcmp(list->files.items[i].path, "-") == 0)
            return fail(error, LT_USAGE, "a report is read more than once and cannot be standard input; name a file");
    return file_list_unite(&list->files, &dropped, error);
}

/* ---- what each one tells ----------------------------------------------------------------------------------- */

/* rank3, TP1_PP0 or the path. NULL when memory is out. */
static const char *name_of(struct report_list *list, const struct report_item *item)
{
    char label[RANK_TEXT_SIZE], name[RANK_TEXT_SIZE + sizeof "rank"];
    if (rank_text(&item->rank, label)[0] == '\0')
        return item->path;
    snprintf(name, sizeof name, "%s%s", item->rank.number == RANK_NONE ? "" : "rank", label);
    for (char *at = name; *at != '\0'; at++)
        if (*at == ' ')
            *at = '_';
    return arena_string(&list->arena, name, strlen(name));
}

static bool begin_tracks(struct report_list *list, struct report_item *item, const struct report *report)
{
    item->track_count = report->track_count;
    item->tracks = calloc(item->track_count, sizeof *item->tracks);
    if (item->tracks == NULL)
        return false;
    for (size_t i = 0; i < item->track_count; i++) {
        const struct members *members = report_members(report, i);
        const struct member *phase = members_find(members, "phase");
        struct report_track_facts *track = &item->tracks[i];
        track->phase = arena_string(&list->arena, phase->text, phase->len);
        track->result = (struct rank_result){
            .file = item->path,
            .rank = item->rank,
            .has_base = item->clock != REPORT_CLOCK_UNKNOWN,
            .base_ns = item->base_ns,
            .verdict = "",
        };
        track->result.counted = member_count(members_find(members, "matching_anchor_count"), &track->result.anchors);
        member_count(members_find(members, "anchor_offset"), &track->result.offset);
        member_count(members_find(members, "passes"), &track->result.passes);
        if (track->phase == NULL)
            return false;
    }
    return true;
}

/* A checked row: its times are decimals. */
static bool take_row(struct report_list *list, struct report_item *item, size_t track, const struct members *row)
{
    struct rank_result *result = &item->tracks[track].result;
    const struct member *name = members_find(row, "anchor_name"), *start = members_find(row, "start_us"),
                        *end = members_find(row, "end_us");
    item->rows++;
    decimal_parse(&result->last_us, end->text, end->len);
    if (result->accepted)
        return true;
    result->accepted = true;
    decimal_parse(&result->first_us, start->text, start->len);
    result->anchor_name = arena_string(&list->arena, name->text, name->len);
    return result->anchor_name != NULL;
}

static enum lt_status look(struct report_list *list, struct report_item *item, struct lt_error *error)
{
    struct report_rows rows;
    enum lt_status status = report_rows_open(&rows, item->path, error);
    if (status == LT_OK) {
        item->rank = report_rank(&rows.report, item->path);
        item->clock = report_clock(&rows.report, &item->base_ns);
        item->name = name_of(list, item);
        if (item->name == NULL || !begin_tracks(list, item, &rows.report))
            status = fail_memory(error);
    }
    const struct members *row = NULL;
    size_t track;
    while (status == LT_OK && (status = report_rows_next(&rows, &track, &row, error)) == LT_OK && row != NULL)
        if (!take_row(list, item, track, row))
            status = fail_memory(error);
    report_rows_close(&rows);
    return status;
}

static enum lt_status look_at_all(struct report_list *list, const struct report_list_request *request,
                                  struct lt_error *error)
{
    uint64_t total = 0, done = 0;
    for (size_t i = 0; i < list->files.count; i++)
        total += list->files.items[i].size;
    for (size_t i = 0; i < list->files.count; i++) {
        const struct file_item *file = &list->files.items[i];
        struct report_item *item = &list->items[list->count++];
        *item = (struct report_item){.path = file->path, .device = file->device, .inode = file->inode};
        enum lt_status status = look(list, item, error);
        done += file->size;
        if (status == LT_OK && request->progress != NULL &&
            !request->progress(request->progress_ctx, LT_STAGE_SCAN, done, total))
            status = fail_cancelled(error, file->path);
        if (status != LT_OK)
            return status;
    }
    return LT_OK;
}

/* ---- in order ---------------------------------------------------------------------------------------------- */

static enum lt_status sort(struct report_list *list, struct lt_error *error)
{
    struct rank_result *results = calloc(list->count, sizeof *results);
    struct report_item *sorted = calloc(list->count, sizeof *sorted);
    for (size_t i = 0; i < list->count && results != NULL; i++)
        results[i] = (struct rank_result){.file = list->items[i].path, .rank = list->items[i].rank};
    size_t *order = results == NULL ? NULL : ranks_order(results, list->count);
    bool ok = order != NULL && sorted != NULL;
    for (size_t i = 0; i < list->count && ok; i++)
        sorted[i] = list->items[order[i]];
    if (ok)
        memcpy(list->items, sorted, list->count * sizeof *sorted);
    free(results);
    free(sorted);
    free(order);
    return ok ? LT_OK : fail_memory(error);
}

enum lt_status report_list_make(struct report_list *list, const struct report_list_request *request,
                                struct lt_error *error)
{
    *list = (struct report_list){.files = {.endings = endings}};
    enum lt_status status = find_files(list, request, error);
    if (status != LT_OK)
        return status;
    list->items = calloc(list->files.count, sizeof *list->items);
    if (list->items == NULL)
        return fail_memory(error);
    status = look_at_all(list, request, error);
    return status == LT_OK ? sort(list, error) : status;
}

void report_list_free(struct report_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].tracks);
    free(list->items);
    file_list_free(&list->files);
    arena_free(&list->arena);
}
