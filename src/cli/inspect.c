#include "base/error.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/inspect_many.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE    ((size_t)100) /* columns, where there is no wider terminal */
#define LEAST   ((size_t)24)  /* columns of a name, however wide the others are */
#define TOP     30
#define CELL    64
#define COLUMNS 8

enum option_id {
    OPT_ANCHOR_REGEX = 256,
    OPT_NUM_LAYERS,
    OPT_PID,
    OPT_DEVICE,
    OPT_TOP,
    OPT_WIDE,
    OPT_JSON,
};

static const struct cli_option option_table[] = {
    CLI_TRACE_OPTION("the trace; - is standard input (default when piped)"),
    {"anchor-regex", OPT_ANCHOR_REGEX, "RE",
     "only kernels that match, and each run of them with\nits number and the first index, either of them "
     "an\n--anchor-offset to check",
     NULL},
    {"num-layers", OPT_NUM_LAYERS, "N", "names that fit N come first", NULL},
    {"pid", OPT_PID, "PID", "only this process", NULL},
    {"device", OPT_DEVICE, "DEV", "only this device (args.device)", NULL},
    {"top", OPT_TOP, "N", "how many names (default: 30, and all that fit\nN layers)", NULL},
    {"wide", OPT_WIDE, NULL, "names whole, however long", NULL},
    {"json", OPT_JSON, NULL, "for programs; see the manual", NULL},
    CLI_MANY_OPTIONS,
    CLI_FAIL_OPTION,
    CLI_SHARED_OPTIONS(CLI_PROGRESS_TEXT, CLI_LOG_TEXT, NULL, CLI_HELP_TEXT),
};

struct command {
    struct lt_inspect_options options;
    struct cli_common common;
    struct cli_many many;
    struct progress progress;
    uint64_t top; /* 0: as the default is */
    size_t line;
    bool wide, json;
};

/* ---- options ----------------------------------------------------------------------------------------------- */

/* A count that is not 0, which the message `least` says. */
static bool take_count(const char *option, const char *value, const char *least, uint64_t *out)
{
    if (!cli_number(option, value, out))
        return false;
    if (*out == 0)
        cli_usage("%s must be %s", option, least);
    return *out != 0;
}

static bool take(void *ctx, int option, char *value)
{
    struct command *command = ctx;
    struct lt_inspect_options *options = &command->options;
    switch (option) {
    case OPT_ANCHOR_REGEX:
        options->anchor_regex = value;
        return true;
    case OPT_NUM_LAYERS:
        return take_count("--num-layers", value, "a whole number from 1 to 2^53", &options->num_layers);
    case OPT_PID:
        options->pid = value;
        return true;
    case OPT_DEVICE:
        options->device = value;
        return true;
    case OPT_TOP:
        return take_count("--top", value, "at least 1", &command->top);
    case OPT_WIDE:
        command->wide = true;
        return true;
    case OPT_JSON:
        command->json = true;
        return true;
    default:
        return false;
    }
}

/* ---- cells ------------------------------------------------------------------------------------------------- */

/* Three digits are enough to compare gaps by eye; the exact ones are in the JSON. */
static void print_gap(char *cell, const char *gap)
{
    double us = gap == NULL ? 0 : strtod(gap, NULL);
    double shown = us < 1e3 ? us : us < 1e6 ? us / 1e3 : us / 1e6;
    const char *unit = us < 1e3 ? "µs" : us < 1e6 ? "ms" : "s";
    if (gap == NULL)
        strcpy(cell, "-");
    else
        snprintf(cell, CELL, "%.*f%s", shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0, shown, unit);
}

/* 20×40, or 10 + 24; where many differ the sizes that hold most, and how many runs are others. */
static void print_sizes(char *cell, const struct lt_inspect_clusters *clusters)
{
    size_t used = 0;
    cell[0] = '\0';
    for (unsigned i = 0; i < clusters->size_count && used < CELL; i++) {
        const struct lt_inspect_size *size = &clusters->sizes[i];
        const char *between = i == 0 ? "" : clusters->in_order ? " + " : ", ";
        /* In order 3×1 and 1 + 1 + 1 are the same; the shorter is shown. */
        int len = size->runs > 1
                      ? snprintf(cell + used, CELL - used, "%s%" PRIu64 "×%" PRIu64, between, size->runs, size->kernels)
                      : snprintf(cell + used, CELL - used, "%s%" PRIu64, between, size->kernels);
        used += (size_t)len;
        if (columns_width(cell) > 22 && i + 1 < clusters->size_count) {
            snprintf(cell, CELL, "%" PRIu64 " unequal runs", clusters->runs);
            return;
        }
    }
    if (clusters->other_runs > 0 && used < CELL)
        snprintf(cell + used, CELL - used, ", %" PRIu64 " others", clusters->other_runs);
    if (clusters->size_count == 0)
        strcpy(cell, "-");
}

static void print_clusters(char (*cells)[CELL], const struct lt_inspect_clusters *clusters)
{
    print_sizes(cells[0], clusters);
    print_gap(cells[1], clusters->median_gap);
    print_gap(cells[2], clusters->within_gap);
    print_gap(cells[3], clusters->between_gap);
    snprintf(cells[4], CELL, "%.20s", clusters->ratio == NULL ? "-" : clusters->ratio);
}

static void print_count(char *cell, uint64_t count)
{
    snprintf(cell, CELL, "%" PRIu64, count);
}

static void fill_row(char (*cells)[CELL], const struct lt_inspect_name *name, uint64_t layers)
{
    print_count(cells[0], name->count);
    print_count(cells[1], name->streams);
    cells[2][0] = '\0';
    if (layers > 0 && name->count % layers == 0)
        print_count(cells[2], name->count / layers);
    else if (layers > 0)
        snprintf(cells[2], CELL, "%" PRIu64 " r %" PRIu64, name->count / layers, name->count % layers);
    print_clusters(cells + 3, name->clusters);
}

/* ---- table ------------------------------------------------------------------------------------------------- */

static void widen(size_t *widths, char (*cells)[CELL])
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns_width(cells[i]) > widths[i])
            widths[i] = columns_width(cells[i]);
}

/* Prints the columns but the name; returns how many columns of the screen they took. */
static size_t print_row(const size_t *widths, char (*cells)[CELL])
{
    size_t used = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        if (widths[i] == 0)
            continue;
        (i == 3 ? columns_left : columns_right)(cells[i], widths[i]);
        fputs("  ", stdout);
        used += widths[i] + 2;
    }
    return used;
}

/* Those that fit are what was asked for; of the others some are enough. */
static size_t shown_names(const struct command *command, const struct lt_inspect_group *group)
{
    size_t most = command->top == 0 ? TOP : command->top;
    for (size_t i = most; command->top == 0 && i < group->name_count && group->names[i]->fits; i++)
        most++;
    return group->name_count < most ? group->name_count : most;
}

static void print_names(const struct command *command, const struct lt_inspect_group *group)
{
    uint64_t layers = command->options.num_layers;
    char head[COLUMNS][CELL] = {"count", "streams", "", "runs", "median", "within", "between", "ratio"};
    char cells[COLUMNS][CELL];
    size_t widths[COLUMNS] = {0}, count = shown_names(command, group), shortened = 0;
    if (layers > 0)
        snprintf(head[2], CELL, "/%" PRIu64, layers);
    widen(widths, head);
    for (size_t i = 0; i < count; i++) {
        fill_row(cells, group->names[i], layers);
        widen(widths, cells);
    }
    print_row(widths, head);
    fputs("name\n", stdout);
    for (size_t i = 0; i < count; i++) {
        fill_row(cells, group->names[i], layers);
        size_t used = print_row(widths, cells);
        size_t room = command->wide ? SIZE_MAX : used + LEAST < command->line ? command->line - used : LEAST;
        shortened += columns_name(group->names[i]->name, group->names[i]->name_len, room);
        if (group->names[i]->untimed > 0)
            printf("\n    %" PRIu64 " of them without a usable ts, in no run", group->names[i]->untimed);
        fputc('\n', stdout);
    }
    if (count < group->name_count)
        printf("%zu more %s left out; see --top\n", group->name_count - count,
               group->name_count - count == 1 ? "name" : "names");
    if (shortened > 0)
        printf("%zu %s shortened; see --wide\n", shortened, shortened == 1 ? "name is" : "names are");
}

static void print_together(const struct lt_inspect_group *group)
{
    char cells[5][CELL], gap[CELL];
    print_clusters(cells, group->clusters);
    printf("\nall %" PRIu64 " matching kernels together: %s\ngaps: median %s, largest within %s", group->matching,
           cells[0], cells[1], cells[2]);
    if (group->clusters->between_gap != NULL)
        printf(", smallest between %s, ratio %s", cells[3], cells[4]);
    printf("\n%5s  %12s  %8s  %24s  %s\n", "run", "first index", "size", "start in µs", " gap before");
    for (size_t i = 0; i < group->run_count; i++) {
        print_gap(gap, group->runs[i]->gap_us);
        printf("%5zu  %12" PRIu64 "  %8" PRIu64 "  %24s  ", i + 1, group->runs[i]->first, group->runs[i]->kernels,
               group->runs[i]->start_us);
        columns_right(gap, 11);
        fputc('\n', stdout);
    }
}

static void print_group(const struct command *command, const struct lt_inspect_group *group)
{
    char span[CELL];
    fputs("pid ", stdout);
    columns_name(group->pid == NULL ? "none" : group->pid, strlen(group->pid == NULL ? "none" : group->pid), 30);
    fputs(", device ", stdout);
    columns_name(group->device == NULL ? "none" : group->device, strlen(group->device == NULL ? "none" : group->device),
                 30);
    if (group->also_without_device)
        fputs(" or none", stdout);
    printf(": %" PRIu64 " kernels", group->kernels);
    if (command->options.anchor_regex != NULL)
        printf(", %" PRIu64 " matching", group->matching);
    printf(", %zu %s, %" PRIu64 " %s\n", group->name_count, group->name_count == 1 ? "name" : "names", group->streams,
           group->streams == 1 ? "stream" : "streams");
    print_gap(span, group->span_us);
    if (group->first_us != NULL)
        printf("starts from %s to %s µs (%s)\n", group->first_us, group->last_us, span);
    fputc('\n', stdout);
    print_names(command, group);
    if (command->options.anchor_regex != NULL)
        print_together(group);
    fputc('\n', stdout);
}

/* Words of a long sentence on lines of the screen's width. */
static void print_rule(const char *rule, size_t line)
{
    size_t used = columns_width("rule:");
    fputs("rule:", stdout);
    for (const char *word = rule; *word != '\0';) {
        size_t len = strcspn(word, " ");
        if (used + 1 + len > line) {
            fputs("\n     ", stdout);
            used = 5;
        }
        printf(" %.*s", (int)len, word);
        used += 1 + len;
        word += len + strspn(word + len, " ");
    }
    fputs("\nThis is evidence. It does not say which kernel is the first layer's.\n", stdout);
}

static bool write_out(void *ctx, const void *data, size_t len)
{
    (void)ctx;
    return fwrite(data, 1, len, stdout) == len;
}

static int show(const struct command *command, const struct lt_inspection *inspection)
{
    bool done = true;
    if (command->json)
        done = lt_inspection_json(inspection, &command->options, command->top == 0 ? UINT64_MAX : command->top,
                                  write_out, NULL);
    for (size_t i = 0; !command->json && i < inspection->group_count; i++)
        print_group(command, inspection->groups[i]);
    if (!command->json)
        print_rule(inspection->rule, command->line);
    int code = cli_end_output();
    struct lt_error error = {0};
    if (code == LT_OK && !done && fail_memory(&error) != LT_OK)
        code = cli_fail(&error);
    return code;
}

static int run(int argc, char **argv)
{
    struct command command = {.options = {.size = sizeof command.options,
                                          .progress = cli_on_progress,
                                          .name = cli_name,
                                          .warning = cli_on_warning},
                              .common = {.mode = PROGRESS_AUTO, .many = &command.many}};
    command.options.callback_ctx = &command.progress;
    if (!cli_take_all(&command.common, NULL, argc, argv, option_table, take, &command))
        return LT_USAGE;
    if (command.common.help)
        return cli_print_help(&cli_inspect);
    command.options.trace = command.common.trace;
    command.options.parser = command.common.parser;
    command.options.threads = command.common.threads;
    command.options.fail_on_warning = command.common.fail_on_warning;
    if (command.many.is_asked)
        return inspect_many(&command.options, &command.common, command.json,
                            command.top == 0 ? UINT64_MAX : command.top);
    if (!cli_default_input(&command.options.trace))
        return LT_USAGE;
    command.line = columns_of_terminal(LINE);
    struct lt_inspection inspection = {.size = sizeof inspection};
    struct lt_error error = {.size = sizeof error};
    progress_start(&command.progress, command.common.mode);
    enum lt_status status = lt_inspect(&command.options, &inspection, &error);
    progress_clear(&command.progress);
    int code = status == LT_OK ? show(&command, &inspection) : cli_fail(&error);
    lt_inspection_free(&inspection);
    return code;
}

const struct cli_command cli_inspect = {
    .name = "inspect",
    .run = run,
    .intro = "Usage: layertrack inspect [TRACE] [OPTIONS]\n"
             "Shows kernel names, how often they run and how they cluster in time. It shows\n"
             "evidence for an anchor; which one is layer 0 it does not know.\n",
    .options = option_table,
};
