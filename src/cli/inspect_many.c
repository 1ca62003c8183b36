#include "cli/inspect_many.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/line.h"
#include "cli/columns.h"

struct command {
    const struct lt_inspect_options *options;
    bool json;
    uint64_t top;
};

/* What the table shows of one trace besides its result. */
struct found {
    uint64_t kernels, names;
    const char *sizes;                                     /* "20x40" */
    const char *median, *within, *between, *ratio, *first; /* or NULL */
};

/* ---- one ---------------------------------------------------------------------------------------------------- */

/* What tells most: the process and device with most that match. */
static const struct lt_inspect_group *largest(const struct lt_inspection *inspection)
{
    const struct lt_inspect_group *group = NULL;
    for (size_t i = 0; i < inspection->group_count; i++)
        if (group == NULL || inspection->groups[i]->matching > group->matching)
            group = inspection->groups[i];
    return group;
}

static const char *keep(struct arena *memory, const char *text)
{
    return text == NULL ? NULL : arena_copy(memory, text, strlen(text) + 1);
}

/* 20x40 + 12; of unequal ones how many there are. NULL when memory is out. */
static const char *sizes_of(struct arena *memory, const struct lt_inspect_clusters *clusters)
{
    char text[128] = "";
    size_t used = 0;
    if (!clusters->in_order)
        snprintf(text, sizeof text, "%" PRIu64 " unequal", clusters->runs);
    for (unsigned i = 0; clusters->in_order && i < clusters->size_count && used < sizeof text; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, clusters->sizes[i].runs == 1 ? "%s%" PRIu64 : "%s%" PRIu64 "x%" PRIu64,
            i == 0 ? "" : " + ", clusters->sizes[i].runs == 1 ? clusters->sizes[i].kernels : clusters->sizes[i].runs,
            clusters->sizes[i].kernels);
    return keep(memory, text);
}

static bool keep_runs(struct arena *memory, const struct lt_inspect_group *group, struct rank_result *result)
{
    uint64_t *runs = (uint64_t *)(void *)arena_take(memory, (group->run_count + 2) * sizeof *runs);
    if (runs == NULL)
        return false;
    runs = (uint64_t *)(void *)((char *)runs + (8 - (uintptr_t)runs % 8) % 8);
    for (size_t i = 0; i < group->run_count; i++)
        runs[i] = group->runs[i]->kernels;
    result->runs = runs;
    result->run_count = group->run_count;
    return true;
}

static bool fill(struct many_task *task, const struct lt_inspection *inspection, bool by_anchor)
{
    struct rank_result *result = task->result;
    const struct lt_inspect_group *group = largest(inspection);
    char *room = arena_take(task->memory, sizeof(struct found) + 16);
    if (room == NULL)
        return false;
    struct found *found = (struct found *)(void *)(room + (16 - (uintptr_t)room % 16) % 16);
    *found = (struct found){.kernels = inspection->kernels};
    result->own = found;
    if (group == NULL)
        return true;
    result->pid = keep(task->memory, group->pid);
    result->device = keep(task->memory, group->device);
    found->names = group->name_count;
    found->first = keep(task->memory, group->first_us);
    if (!by_anchor)
        return true;
    result->counted = true;
    result->anchors = group->matching;
    if (group->name_count > 0) {
        const struct lt_inspect_name *name = group->names[0];
        char *copy = arena_take(task->memory, name->name_len + 1);
        if (copy == NULL)
            return false;
        memcpy(copy, name->name, name->name_len);
        copy[name->name_len] = '\0';
        result->anchor_name = copy;
    }
    found->sizes = sizes_of(task->memory, group->clusters);
    found->median = keep(task->memory, group->clusters->median_gap);
    found->within = keep(task->memory, group->clusters->within_gap);
    found->between = keep(task->memory, group->clusters->between_gap);
    found->ratio = keep(task->memory, group->clusters->ratio);
    return found->sizes != NULL && keep_runs(task->memory, group, result);
}

static bool emit(void *ctx, const void *data, size_t len)
{
    text_add(ctx, data, len);
    return true;
}

/* {"file": ..., "rank": ..., "inspection": {...}} */
static bool print_json(const struct command *command, struct many_task *task, const struct lt_inspection *inspection)
{
    struct text text = {0};
    char number[24] = "null";
    if (task->result->rank.number != RANK_NONE)
        snprintf(number, sizeof number, "%" PRId64, task->result->rank.number);
    struct text file = {0};
    text_json(&file, task->trace, strlen(task->trace));
    text_puts(&text, "{\"file\": ");
    line_add_json(&text, file.data, file.len);
    text.failed = text.failed || file.failed;
    text_free(&file);
    text_puts(&text, ", \"rank\": ");
    text_puts(&text, number);
    text_puts(&text, ", \"inspection\": ");
    bool made = lt_inspection_json(inspection, command->options, command->top, emit, &text);
    text_puts(&text, "}\n");
    text_add(&text, "", 1);
    made = made && !text.failed;
    if (made)
        many_print(task, text.data);
    text_free(&text);
    return made;
}

static enum lt_status inspect_one(void *ctx, struct many_task *task, struct lt_error *error)
{
    const struct command *command = ctx;
    struct lt_inspect_options options = *command->options;
    struct lt_inspection inspection = {.size = sizeof inspection};
    options.trace = task->trace;
    options.threads = task->threads;
    options.progress = many_on_progress;
    options.warning = many_on_warning;
    options.callback_ctx = task;
    enum lt_status status = lt_inspect(&options, &inspection, error);
    if (status == LT_OK && (!fill(task, &inspection, options.anchor_regex != NULL) ||
                            (command->json && !print_json(command, task, &inspection))))
        status = fail_memory(error);
    lt_inspection_free(&inspection);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

enum { RANK, PID, DEVICE, KERNELS, NAMES, MATCHING, RUNS, MEDIAN, WITHIN, BETWEEN, RATIO, FIRST, VERDICT, COLUMNS };

static const char *const heads[COLUMNS] = {"rank",   "pid",    "device",  "kernels", "names",      "matching", "runs",
                                           "median", "within", "between", "ratio",   "first (us)", "verdict"};

#define CELL 64

static void print_count(char *cell, uint64_t count)
{
    snprintf(cell, CELL, "%" PRIu64, count);
}

/* A name in its cell; what does not fit is cut. */
static void print_text(char *cell, const char *text)
{
    struct text safe = {0};
    line_add(&safe, text == NULL || text[0] == '\0' ? "-" : text, text == NULL || text[0] == '\0' ? 1 : strlen(text));
    text_add(&safe, "", 1);
    snprintf(cell, CELL, "%.*s", CELL - 1, safe.failed ? "?" : safe.data);
    text_free(&safe);
}

static void fill_cells(char (*cells)[CELL], const struct rank_result *result)
{
    const struct found none = {0}, *found = result->own == NULL ? &none : result->own;
    char rank[RANK_TEXT_SIZE];
    for (size_t i = 0; i < COLUMNS; i++)
        strcpy(cells[i], "-");
    print_text(cells[RANK], rank_text(&result->rank, rank));
    print_text(cells[VERDICT], result->class != NULL ? result->class : result->verdict);
    if (result->own == NULL)
        return;
    print_text(cells[PID], result->pid);
    print_text(cells[DEVICE], result->device);
    print_count(cells[KERNELS], found->kernels);
    print_count(cells[NAMES], found->names);
    if (result->counted)
        print_count(cells[MATCHING], result->anchors);
    print_text(cells[RUNS], found->sizes);
    print_text(cells[MEDIAN], found->median);
    print_text(cells[WITHIN], found->within);
    print_text(cells[BETWEEN], found->between);
    print_text(cells[RATIO], found->ratio);
    print_text(cells[FIRST], found->first);
}

static void print_line(char (*cells)[CELL], const size_t *widths, bool by_anchor)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (!by_anchor && i >= MATCHING && i <= RATIO)
            continue;
        (i == RUNS || i == VERDICT || i == RANK ? columns_left : columns_right)(cells[i], widths[i]);
        fputs("  ", stdout);
    }
}

static bool show(void *ctx, const struct rank_result *results, const size_t *order, size_t count)
{
    const struct command *command = ctx;
    char cells[COLUMNS][CELL];
    size_t widths[COLUMNS];
    bool by_anchor = command->options->anchor_regex != NULL;
    if (command->json)
        return true;
    for (size_t i = 0; i < COLUMNS; i++)
        widths[i] = strlen(heads[i]);
    for (size_t i = 0; i < count; i++) {
        fill_cells(cells, &results[i]);
        for (size_t j = 0; j < COLUMNS; j++)
            widths[j] = columns_width(cells[j]) > widths[j] ? columns_width(cells[j]) : widths[j];
    }
    for (size_t i = 0; i < COLUMNS; i++)
        strcpy(cells[i], heads[i]);
    print_line(cells, widths, by_anchor);
    puts("file");
    for (size_t i = 0; i < count; i++) {
        struct text file = {0};
        fill_cells(cells, &results[order[i]]);
        print_line(cells, widths, by_anchor);
        line_add(&file, results[order[i]].file, strlen(results[order[i]].file));
        text_add(&file, "\n", 1);
        fwrite(file.data, 1, file.len, stdout);
        text_free(&file);
    }
    return true;
}

int inspect_many(const struct lt_inspect_options *options, const struct cli_common *common, bool json, uint64_t top)
{
    struct command command = {.options = options, .json = json, .top = top};
    const struct many_command many = {
        .name = "inspect", .done = "ok", .wanted = FILES_TRACES, .work = inspect_one, .show = show, .ctx = &command};
    return many_run(&many, common);
}
