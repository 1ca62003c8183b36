#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

enum option_id {
    OPT_SOURCE = 256,
    OPT_REPORT,
    OPT_COMPLETE,
};

static const struct cli_option option_table[] = {
    CLI_TRACE_OPTION("annotated trace; - is standard input (the default,\nwhere that is no terminal)"),
    {"source", OPT_SOURCE, "PATH", "what it was made from, plain or gzip", NULL},
    {"report", OPT_REPORT, "PATH", "default: ANNOTATED.layers.json, where that exists", NULL},
    {"complete", OPT_COMPLETE, NULL, "exit code 1, too, when something stays open", NULL},
    CLI_SHARED_OPTIONS("auto, always or never", "print nothing", CLI_HELP_TEXT),
};

struct command {
    struct lt_verify_options options;
    struct cli_common common;
    struct progress progress;
    bool complete; /* asked for, */
    bool open;     /* and something is not */
};

/* Takes one option; false, with a message, when its value is wrong. */
static bool take(void *ctx, int option, char *value)
{
    struct command *command = ctx;
    struct lt_verify_options *options = &command->options;
    switch (option) {
    case OPT_SOURCE:
        options->source = value;
        return true;
    case OPT_REPORT:
        options->report = value;
        return true;
    case OPT_COMPLETE:
        command->complete = true;
        return true;
    default:
        return false;
    }
}

static void on_finding(void *ctx, enum lt_finding kind, const char *sentence)
{
    static const char *const kinds[] = {
        [LT_FINDING_OK] = "ok", [LT_FINDING_DIFFERS] = "differs", [LT_FINDING_OPEN] = "open"};
    struct command *command = ctx;
    progress_clear(&command->progress);
    command->open |= kind == LT_FINDING_OPEN;
    if (!command->common.quiet)
        printf("%s: %s\n", kinds[kind], sentence);
}

static int run(int argc, char **argv)
{
    struct command command = {
        .options = {.size = sizeof command.options,
                    .progress = cli_on_progress,
                    .name = cli_name,
                    .warning = cli_on_warning,
                    .finding = on_finding},
        .common.mode = PROGRESS_AUTO,
    };
    command.options.callback_ctx = &command.progress;
    command.options.finding_ctx = &command;
    if (!cli_take_all(&command.common, &command.options.source, argc, argv, option_table, take, &command))
        return LT_USAGE;
    if (command.common.help)
        return cli_print_help(&cli_verify);
    if (!cli_default_input(&command.common.trace))
        return LT_USAGE;
    command.options.trace = command.common.trace;
    command.options.parser = command.common.parser;
    command.options.threads = command.common.threads;
    struct lt_error error = {.size = sizeof error};
    progress_start(&command.progress, command.common.mode);
    enum lt_status status = lt_verify(&command.options, &error);
    progress_clear(&command.progress);
    int code = cli_end_output();
    if (code != LT_OK)
        return code;
    if (status != LT_OK && status != LT_DIFFERENT)
        return cli_fail(&error);
    return status == LT_OK && command.complete && command.open ? LT_DIFFERENT : (int)status;
}

const struct cli_command cli_verify = {
    .name = "verify",
    .run = run,
    .intro = "Usage: layertrack verify [ANNOTATED [SOURCE]] [OPTIONS]\n"
             "Checks guides against the report, and every other byte against SOURCE or the\n"
             "report's hash. Prints a line for each finding (ok, differs, open: not provable\n"
             "from what there is); the exit code is 1 when something differs.\n",
    .options = option_table,
};
