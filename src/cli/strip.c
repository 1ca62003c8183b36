#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/many.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/say.h"

static const struct cli_option option_table[] = {
    CLI_TRACE_OPTION("annotated trace; - is standard input"),
    CLI_OUTPUT_OPTIONS("default: ANNOTATED.layers.json, where that exists"),
    CLI_FAIL_OPTION,
    CLI_GZIP_OPTIONS,
    CLI_OUTPUT_DIR_OPTION,
    CLI_MANY_OPTIONS,
    CLI_SHARED_OPTIONS(CLI_PROGRESS_TEXT, CLI_LOG_TEXT, NULL, CLI_HELP_TEXT),
};

struct command {
    struct lt_strip_options options;
    struct cli_common common;
    struct cli_many many;
    struct cli_output output;
    struct progress progress;
};

static bool take(void *ctx, int option, char *value)
{
    struct command *command = ctx;
    return cli_take_output(&command->output, option, value);
}

/* One trace of many. */
static enum lt_status strip_one(void *ctx, struct many_task *task, struct lt_error *error)
{
    const struct command *command = ctx;
    struct lt_strip_options options = command->options;
    options.trace = task->trace;
    options.output = task->output;
    options.threads = task->threads;
    options.progress = many_on_progress;
    options.warning = many_on_warning;
    options.callback_ctx = task;
    return lt_strip(&options, NULL, error);
}

static int strip_many(struct command *command)
{
    const struct many_command many = {.name = "strip",
                                      .done = "stripped",
                                      .wanted = FILES_ANNOTATED,
                                      .ending = ".trace.json",
                                      .may_gzip = true,
                                      .compress = command->output.compress,
                                      .work = strip_one,
                                      .ctx = command};
    int code = many_check_outputs(&command->common, &command->output);
    return code != LT_OK ? code : many_run(&many, &command->common);
}

static int run(int argc, char **argv)
{
    struct command command = {
        .options = {.size = sizeof command.options,
                    .progress = cli_on_progress,
                    .name = cli_name,
                    .warning = cli_on_warning},
        .common = {.mode = PROGRESS_AUTO, .many = &command.many},
    };
    command.options.callback_ctx = &command.progress;
    if (!cli_take_all(&command.common, NULL, argc, argv, option_table, take, &command))
        return LT_USAGE;
    if (command.common.help)
        return cli_print_help(&cli_strip);
    command.options.trace = command.common.trace;
    command.options.parser = command.common.parser;
    command.options.threads = command.common.threads;
    command.options.fail_on_warning = command.common.fail_on_warning;
    command.options.compress = command.output.compress;
    command.options.level = command.output.level;
    if (command.many.is_asked)
        return strip_many(&command);
    if (!cli_default_input(&command.options.trace) || !cli_check_output(&command.output))
        return LT_USAGE;
    command.options.output = command.output.output;
    command.options.report = command.output.report;
    struct lt_strip_result result = {.size = sizeof result};
    struct lt_error error = {.size = sizeof error};
    progress_start(&command.progress, command.common.mode);
    enum lt_status status = lt_strip(&command.options, &result, &error);
    progress_clear(&command.progress);
    if (status != LT_OK)
        return cli_fail(&error);
    if (command.common.mode != PROGRESS_NEVER && isatty(STDERR_FILENO))
        say_line(stderr, "%llu guides taken out", (unsigned long long)result.guides);
    return LT_OK;
}

const struct cli_command cli_strip = {
    .name = "strip",
    .run = run,
    .intro = "Usage: layertrack strip [ANNOTATED] [-o OUTPUT] [OPTIONS]\n"
             "Takes the guides out again: what annotate read comes back to the byte.\n",
    .options = option_table,
};
