#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const char help[] = "Usage: layertrack verify [ANNOTATED [SOURCE]] [OPTIONS]\n"
                           "Checks guides against the report, and every other byte against SOURCE or the\n"
                           "report's hash. Prints a line for each finding (ok, differs, open: not provable\n"
                           "from what there is); the exit code is 1 when something differs.\n"
                           "      --trace PATH           annotated trace; - is standard input (the default,\n"
                           "                             where that is no terminal)\n"
                           "      --source PATH          what it was made from, plain or gzip\n"
                           "      --report PATH          default: ANNOTATED.layers.json, where that exists\n"
                           "      --complete             exit code 1, too, when something stays open\n"
                           "      --strict               refuse what is not strict JSON\n"
                           "      --threads N            default: number of cores\n"
                           "      --progress WHEN        auto, always or never\n"
                           "  -q, --quiet                print nothing\n"
                           "  -h, --help                 this page\n";

enum option_id {
    OPT_SOURCE = 256,
    OPT_REPORT,
    OPT_COMPLETE,
};

static const struct option long_options[] = {
    {"source", required_argument, NULL, OPT_SOURCE},
    {"report", required_argument, NULL, OPT_REPORT},
    {"complete", no_argument, NULL, OPT_COMPLETE},
    CLI_COMMON_OPTIONS,
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
        .options = {.progress = cli_on_progress, .warning = cli_on_warning, .finding = on_finding},
        .common.mode = PROGRESS_AUTO,
    };
    command.options.callback_ctx = &command.progress;
    command.options.finding_ctx = &command;
    if (!cli_take_all(&command.common, &command.options.source, argc, argv, ":qh", long_options, take, &command))
        return LT_USAGE;
    if (command.common.help)
        return cli_print(help);
    if (!cli_default_input(&command.common.trace))
        return LT_USAGE;
    command.options.trace = command.common.trace;
    command.options.parser = command.common.parser;
    command.options.threads = command.common.threads;
    struct lt_error error = {0};
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

const struct cli_command cli_verify = {"verify", run, help};
