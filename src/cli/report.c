#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "jobs/report_table.h"

enum option_id {
    OPT_FORMAT = 256,
    OPT_ALIGN,
};

static const struct cli_option option_table[] = {
    CLI_OUTPUT_OPTION("- is standard output, the default"),
    {"format", OPT_FORMAT, "FORMAT", "tsv, csv or json (default: by the output's\nname, else tsv)", NULL},
    {"align", OPT_ALIGN, "layer", "ranks side by side: a row for each layer, and of\neach rank start and skew", NULL},
    {"files-from", CLI_FILES_FROM, "FILE", "more reports: a name per line; - is standard input", NULL},
    {"null", '0', NULL, "names in FILE end in a NUL", NULL},
    CLI_LOG_OPTION(CLI_LOG_TEXT),
    {"quiet", 'q', NULL, "no progress", NULL},
    {"help", 'h', NULL, CLI_HELP_TEXT, NULL},
    {0},
};

struct command {
    struct report_table_request request;
    struct progress progress;
    bool has_format, quiet, help;
};

static const char *const formats[] = {[TABLE_TSV] = "tsv", [TABLE_CSV] = "csv", [TABLE_JSON] = "json"};
#define FORMATS (sizeof formats / sizeof *formats)

static bool take_format(struct command *command, const char *value)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(value, formats[i]) == 0) {
            command->request.format = (enum table_format)i;
            return command->has_format = true;
        }
    cli_usage("--format '%s' is none of tsv, csv and json", value);
    return false;
}

/* Takes one option; false, with a message, when its value is wrong. */
static bool take(struct command *command, int option, const char *value)
{
    struct report_table_request *request = &command->request;
    switch (option) {
    case 'o':
        request->output = value;
        return true;
    case OPT_FORMAT:
        return take_format(command, value);
    case OPT_ALIGN:
        request->align = strcmp(value, "layer") == 0;
        if (!request->align)
            cli_usage("--align '%s' is not known; ranks are laid side by side by layer", value);
        return request->align;
    case CLI_FILES_FROM:
        request->reports.files_from = value;
        return true;
    case '0':
        request->reports.separator = '\0';
        return true;
    case CLI_LOG_FORMAT:
        return cli_log_format(value);
    case 'q':
        command->quiet = true;
        return true;
    case 'h':
        command->help = true;
        return true;
    default:
        return false;
    }
}

/* The format that the output's name ends in. */
static void format_by_name(struct command *command)
{
    const char *dot = strrchr(command->request.output, '.');
    for (size_t i = 0; i < FORMATS && dot != NULL && !command->has_format; i++)
        if (strcmp(dot + 1, formats[i]) == 0)
            command->request.format = (enum table_format)i;
}

static bool take_all(struct command *command, int argc, char **argv)
{
    int option;
    struct cli_getopt getopt;
    cli_getopt(&getopt, option_table);
    while ((option = cli_next_option(argc, argv, &getopt)) != -1)
        if (!take(command, option, optarg))
            return false;
    command->request.reports.arguments = (const char *const *)(argv + optind);
    command->request.reports.count = (size_t)(argc - optind);
    format_by_name(command);
    return true;
}

static int run(int argc, char **argv)
{
    struct command command = {
        .request = {.reports = {.separator = '\n', .progress = cli_on_progress, .progress_ctx = &command.progress},
                    .output = "-",
                    .listener = {cli_on_warning, &command.progress}}};
    if (!take_all(&command, argc, argv))
        return LT_USAGE;
    if (command.help)
        return cli_print_help(&cli_report);
    struct naming naming = {cli_name, NULL};
    struct lt_error error = {.size = sizeof error, .own = &naming};
    progress_start(&command.progress, command.quiet ? PROGRESS_NEVER : PROGRESS_AUTO);
    enum lt_status status = report_table_write(&command.request, &error);
    progress_clear(&command.progress);
    return status == LT_OK ? LT_OK : cli_fail(&error);
}

const struct cli_command cli_report = {
    .name = "report",
    .run = run,
    .intro = "Usage: layertrack report REPORT... [-o FILE] [OPTIONS]\n"
             "Makes one table of the reports that annotate has written: a row for each guide,\n"
             "or with --align ranks side by side. A folder stands for its *.layers.json.\n",
    .options = option_table,
};
