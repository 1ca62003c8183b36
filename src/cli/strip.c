#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "Usage: layertrack strip [ANNOTATED] [-o OUTPUT] [OPTIONS]\n"
                           "Takes the guides out again: what annotate read comes back to the byte.\n"
                           "      --trace PATH           annotated trace; - is standard input\n"
                           "  -o, --output PATH          - is standard output; a name in .gz is compressed\n"
                           "      --report PATH          default: ANNOTATED.layers.json, where that exists\n"
                           "  -z, --gzip / --no-gzip     compress or not, whatever the name says\n"
                           "      --level 1..9           gzip level (default: 6)\n"
                           "      --strict               refuse what is not strict JSON\n"
                           "      --threads N            default: number of cores\n"
                           "      --progress WHEN        auto, always or never; -q is never\n"
                           "  -h, --help                 this page\n";

enum option_id {
    OPT_REPORT = 256,
    OPT_NO_GZIP,
    OPT_LEVEL,
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"report", required_argument, NULL, OPT_REPORT},
    {"gzip", no_argument, NULL, 'z'},
    {"no-gzip", no_argument, NULL, OPT_NO_GZIP},
    {"level", required_argument, NULL, OPT_LEVEL},
    CLI_COMMON_OPTIONS,
};

struct command {
    struct lt_strip_options options;
    struct cli_common common;
    struct progress progress;
};

/* Takes one option; false, with a message, when its value is wrong. */
static bool take(void *ctx, int option, char *value)
{
    struct command *command = ctx;
    struct lt_strip_options *options = &command->options;
    unsigned small;
    switch (option) {
    case 'o':
        options->output = value;
        return true;
    case OPT_REPORT:
        options->report = value;
        return true;
    case 'z':
        options->compress = LT_COMPRESS_GZIP;
        return true;
    case OPT_NO_GZIP:
        options->compress = LT_COMPRESS_PLAIN;
        return true;
    case OPT_LEVEL:
        if (!cli_small("--level", value, 9, &small))
            return false;
        options->level = (int)small;
        return true;
    default:
        return false;
    }
}

static bool choose_streams(struct lt_strip_options *options)
{
    if (!cli_default_input(&options->trace) || !cli_default_output(&options->output))
        return false;
    if (strcmp(options->output, "-") == 0 && options->compress == LT_COMPRESS_GZIP && isatty(STDOUT_FILENO)) {
        cli_usage("compressed data is not written to a terminal; name a file with -o");
        return false;
    }
    return true;
}

static int run(int argc, char **argv)
{
    struct command command = {
        .options = {.progress = cli_on_progress, .warning = cli_on_warning},
        .common.mode = PROGRESS_AUTO,
    };
    command.options.callback_ctx = &command.progress;
    if (!cli_take_all(&command.common, NULL, argc, argv, ":o:zqh", long_options, take, &command))
        return LT_USAGE;
    if (command.common.help)
        return cli_print(help);
    command.options.trace = command.common.trace;
    command.options.parser = command.common.parser;
    command.options.threads = command.common.threads;
    if (!choose_streams(&command.options))
        return LT_USAGE;
    struct lt_strip_result result;
    struct lt_error error = {0};
    progress_start(&command.progress, command.common.mode);
    enum lt_status status = lt_strip(&command.options, &result, &error);
    progress_clear(&command.progress);
    if (status != LT_OK) {
        int code = cli_fail(&error);
        interrupt_finish();
        return code;
    }
    if (command.common.mode != PROGRESS_NEVER && isatty(STDERR_FILENO))
        fprintf(stderr, "%llu guides taken out\n", (unsigned long long)result.guides);
    return LT_OK;
}

const struct cli_command cli_strip = {"strip", run, help};
