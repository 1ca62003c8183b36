#define _POSIX_C_SOURCE 200809L
#include "jobs/report_table.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/line.h"
#include "base/utf8.h"
#include "guides/guide_writer.h"
#include "io/sink.h"
#include "jobs/report_align.h"

/* One job, from reports to the file. */
struct job {
    const struct report_table_request *request;
    struct lt_error *error;
    struct report_list list;
    struct align align;
    bool to_stdout;
    struct sink *sink;
    struct text out;
    struct table table;
    uint64_t written;
};

static enum lt_status check_output(struct job *job)
{
    const char *output = job->request->output;
    size_t len = strlen(output);
    if (len >= 3 && strcasecmp(output + len - 3, ".gz") == 0)
        return fail(job->error, LT_USAGE, "a table is not compressed; give the output a name that does not end in .gz");
    job->to_stdout = strcmp(output, "-") == 0;
    return job->to_stdout ? LT_OK : sink_check_free(output, "", job->error);
}

/* Rows that are added to a report would be read as a part of it. */
static enum lt_status check_standard_output(const struct job *job)
{
    struct stat st;
    char name[512];
    if (!job->to_stdout || fstat(STDOUT_FILENO, &st) != 0)
        return LT_OK;
    for (size_t i = 0; i < job->list.count; i++) {
        const struct report_item *item = &job->list.items[i];
        if (item->device == st.st_dev && item->inode == st.st_ino)
            return fail_as(job->error, LT_CLASS_SAME_FILE, "%s: is also standard output; write to another file",
                           printable(name, sizeof name, item->path, strlen(item->path)));
    }
    return LT_OK;
}

/* ---- one row for each guide -------------------------------------------------------------------------------- */

/* A row's own members, in their columns, each under the key of the report. */
static const char *const own[] = {"pass_index",        "layer_id",        "anchor_index",   "anchor_tid",
                                  "start_us",          "end_us",          "guide_start_us", "guide_end_us",
                                  "start_relative_ms", "end_relative_ms", "boundary_kind"};

/* Names are last: readers that take a # for the start of a comment lose nothing else. */
static const char *const columns[] = {
    "rank",          "rank_label",     "phase",        "guide_tid",         "label",
    "pass_index",    "layer_id",       "anchor_index", "anchor_tid",        "start_us",
    "end_us",        "guide_start_us", "guide_end_us", "start_relative_ms", "end_relative_ms",
    "boundary_kind", "base_time_ns",   "file",         "anchor_name"};

static void put(struct table *table, const struct member *member)
{
    if (member != NULL && member->kind == JSON_STRING)
        table_text(table, member->text, member->len);
    else if (member != NULL && member->kind == JSON_NUMBER)
        table_spelled(table, member->text, member->len);
    else
        table_empty(table);
}

static void put_rank(struct table *table, const struct rank *rank)
{
    char label[RANK_TEXT_SIZE];
    if (rank->number == RANK_NONE)
        table_empty(table);
    else
        table_u64(table, (uint64_t)rank->number);
    rank_label(rank, label);
    if (label[0] == '\0')
        table_empty(table);
    else
        table_text(table, label, strlen(label));
}

static void put_row(struct job *job, const struct report_item *item, const struct report *report, size_t track,
                    const struct members *row)
{
    struct table *table = &job->table;
    const struct members *members = report_members(report, track);
    const struct member *layer = members_find(row, "layer_id");
    char label[2 + DECIMAL_SIZE] = "L";
    uint64_t number = 0;
    put_rank(table, &item->rank);
    put(table, members_find(members, "phase"));
    put(table, members_find(members, "guide_tid"));
    member_count(layer, &number);
    struct decimal whole = decimal_from_int((int64_t)number);
    table_text(table, label, 1 + decimal_print(&whole, label + 1));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        put(table, members_find(row, own[i]));
    put(table, members_find(&report->members, "base_time_ns"));
    table_text(table, item->path, strlen(item->path));
    put(table, members_find(row, "anchor_name"));
    table_end_row(table);
}

static enum lt_status write_report(struct job *job, const struct report_item *item)
{
    struct report_rows rows;
    enum lt_status status = report_rows_open(&rows, item->path, job->error);
    const struct members *row = NULL;
    size_t track;
    while (status == LT_OK && !job->out.failed &&
           (status = report_rows_next(&rows, &track, &row, job->error)) == LT_OK && row != NULL)
        put_row(job, item, &rows.report, track, row);
    report_rows_close(&rows);
    return status;
}

static enum lt_status write_rows(struct job *job)
{
    enum lt_status status = LT_OK;
    for (size_t i = 0; i < job->list.count && status == LT_OK; i++)
        status = write_report(job, &job->list.items[i]);
    return status;
}

/* ---- around the rows --------------------------------------------------------------------------------------- */

static void add_json_string(struct text *out, const char *key, const char *string)
{
    struct text json = {0};
    text_key_string(&json, key, string);
    if (json.len > 0)
        line_add_json(out, json.data, json.len);
    out->failed = out->failed || json.failed;
    text_free(&json);
}

static void add_json_number(struct text *out, const char *key, bool known, int64_t number)
{
    text_key(out, key);
    if (known)
        text_i64(out, number);
    else
        text_puts(out, "null");
}

static void add_json_ranks(struct text *out, const struct report_list *list)
{
    static const char *const clocks[] = {[REPORT_CLOCK_UNKNOWN] = NULL,
                                         [REPORT_CLOCK_TOLD] = "baseTimeNanoseconds",
                                         [REPORT_CLOCK_SINCE] = "since 1970"};
    char label[RANK_TEXT_SIZE];
    text_puts(out, "  \"ranks\": [");
    for (size_t i = 0; i < list->count; i++) {
        const struct report_item *item = &list->items[i];
        text_puts(out, i > 0 ? ",\n    {" : "\n    {");
        add_json_string(out, "name", item->name);
        text_puts(out, ", ");
        add_json_string(out, "file", item->path);
        text_puts(out, ", ");
        add_json_number(out, "rank", item->rank.number != RANK_NONE, item->rank.number);
        text_puts(out, ", ");
        add_json_string(out, "rank_label", rank_label(&item->rank, label)[0] == '\0' ? NULL : label);
        text_puts(out, ", ");
        add_json_number(out, "world_size", item->rank.world_size != RANK_NONE, item->rank.world_size);
        text_puts(out, ", ");
        add_json_string(out, "clock", clocks[item->clock]);
        text_puts(out, ", ");
        add_json_number(out, "base_time_ns", item->clock == REPORT_CLOCK_TOLD, item->base_ns);
        text_puts(out, ", ");
        text_key_u64(out, "rows", item->rows);
        text_puts(out, "}");
    }
    text_puts(out, "\n  ],\n");
}

static void begin(struct job *job)
{
    struct text *out = &job->out;
    if (job->request->format == TABLE_JSON) {
        text_puts(out, "{\n  \"schema_version\": 1,\n  ");
        text_key_string(out, "notice", guide_notice);
        text_puts(out, ",\n  ");
        text_key_string(out, "tool_version", lt_version());
        text_puts(out, ",\n  ");
        text_key_string(out, "align", job->request->align ? "layer" : NULL);
        text_puts(out, ",\n");
        add_json_ranks(out, &job->list);
        text_puts(out, "  \"rows\": [");
        return;
    }
    struct text comment = {0};
    text_puts(&comment, "layertrack ");
    text_puts(&comment, lt_version());
    text_puts(&comment, ": ");
    text_puts(&comment, guide_notice);
    if (job->request->align)
        align_comment(&job->align, &comment);
    text_add(&comment, "", 1);
    if (!comment.failed)
        table_head(&job->table, comment.data);
    out->failed = out->failed || comment.failed;
    text_free(&comment);
}

static void end(struct job *job)
{
    if (job->request->format == TABLE_JSON)
        text_puts(&job->out, job->table.rows == 0 ? "]\n}\n" : "\n  ]\n}\n");
}

/* ---- the file ---------------------------------------------------------------------------------------------- */

static bool tell_written(const struct job *job)
{
    const struct report_list_request *request = &job->request->reports;
    return request->progress == NULL || request->progress(request->progress_ctx, LT_STAGE_WRITE, job->written, 0);
}

static bool write_piece(void *ctx, const void *data, size_t len)
{
    struct job *job = ctx;
    job->written += len;
    if (sink_write(job->sink, data, len) && tell_written(job))
        return true;
    if (sink_error(job->sink, job->error) == LT_OK)
        fail_cancelled(job->error, job->request->output);
    return false;
}

static enum lt_status write_table(struct job *job)
{
    /* Whoever must clean up after an interruption hears of it before there is anything to clean up. */
    if (!tell_written(job))
        return fail_cancelled(job->error, job->request->output);
    job->sink = sink_open(job->to_stdout ? NULL : job->request->output, job->error);
    if (job->sink == NULL)
        return job->error->status;
    job->out = (struct text){.emit = write_piece, .ctx = job};
    begin(job);
    enum lt_status status = job->request->align ? align_write(&job->align, &job->table, job->error) : write_rows(job);
    if (status != LT_OK)
        return status;
    end(job);
    if (!text_flush(&job->out))
        return job->error->status != LT_OK ? job->error->status : fail_memory(job->error);
    return sink_commit(&job->sink, 1, job->error);
}

static enum lt_status run(struct job *job)
{
    const struct report_table_request *request = job->request;
    enum lt_status status = check_output(job);
    if (status == LT_OK)
        status = report_list_make(&job->list, &request->reports, job->error);
    if (status == LT_OK)
        status = check_standard_output(job);
    if (status != LT_OK)
        return status;
    job->table = (struct table){.format = request->format, .out = &job->out, .columns = columns};
    job->table.column_count = sizeof columns / sizeof *columns;
    if (request->align) {
        status = align_begin(&job->align, &job->list, &request->listener, job->error);
        job->table.columns = job->align.columns;
        job->table.column_count = job->align.column_count;
    }
    return status == LT_OK ? write_table(job) : status;
}

enum lt_status report_table_write(const struct report_table_request *request, struct lt_error *error)
{
    struct job job = {.request = request, .error = error};
    enum lt_status status = run(&job);
    align_end(&job.align);
    table_free(&job.table);
    text_free(&job.out);
    sink_free(job.sink);
    report_list_free(&job.list);
    return status;
}
