#include "cli/cli.h"
#include "cli/many.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
    OPT_PASS = 256,
    OPT_LAYERS,
    OPT_TRACK,
    OPT_DEVICE,
    OPT_STREAMS,
    OPT_WIDTH,
};

static const struct cli_option option_table[] = {
    CLI_TRACE_OPTION("annotated trace; - is standard input"),
    CLI_OUTPUT_OPTION("- is standard output (default when piped)"),
    {"pass", OPT_PASS, "K", "pass to draw, counted from 0 (default: 0)", NULL},
    {"layers", OPT_LAYERS, "A-B", "only layers A to B of it, or one layer A", NULL},
    {"track", OPT_TRACK, "PHASE", "choose among several tracks, by phase or tid", NULL},
    {"device", OPT_DEVICE, "DEV", "streams of this device (default: the anchors')", NULL},
    {"streams", OPT_STREAMS, "N", "rows for the N busiest streams (default: 16)", NULL},
    {"width", OPT_WIDTH, "PX", "400 to 4000 (default: 1200)", NULL},
    CLI_OUTPUT_DIR_OPTION,
    CLI_MANY_OPTIONS,
    CLI_SHARED_OPTIONS(CLI_PROGRESS_TEXT, CLI_LOG_TEXT, NULL, CLI_HELP_TEXT),
};

struct command {
    struct lt_render_options options;
    struct cli_common common;
    struct cli_many many;
    struct progress progress;
};

/* "A-B" or "A", with or without an L before the numbers. */
static bool take_layers(struct lt_render_options *options, const char *value)
{
    const char *at = value;
    uint64_t numbers[2] = {0};
    for (int i = 0; i < 2; i++) {
        at += *at == 'L';
        size_t digits = strspn(at, "0123456789");
        if (digits == 0 || digits > 18) {
            at = "?";
            break;
        }
        numbers[i] = strtoull(at, NULL, 10);
        at += digits;
        if (i == 0 && *at == '\0')
            numbers[++i] = numbers[0];
        else if (i == 0 && *at != '-')
            break;
        else if (i == 0)
            at++;
    }
    if (*at != '\0') {
        cli_usage("--layers '%s' is neither one layer (17) nor a range of layers (17-20)", value);
        return false;
    }
    options->some_layers = true;
    options->first_layer = numbers[0];
    options->last_layer = numbers[1];
    return true;
}

/* Takes one option; false, with a message, when its value is wrong. */
static bool take(void *ctx, int option, char *value)
{
    struct command *command = ctx;
    struct lt_render_options *options = &command->options;
    switch (option) {
    case 'o':
        options->output = value;
        return true;
    case OPT_PASS:
        return cli_number("--pass", value, &options->pass);
    case OPT_LAYERS:
        return take_layers(options, value);
    case OPT_TRACK:
        options->track = value;
        return true;
    case OPT_DEVICE:
        options->device = value;
        return true;
    case OPT_STREAMS:
        return cli_small("--streams", value, 4096, &options->streams);
    case OPT_WIDTH:
        return cli_small("--width", value, UINT16_MAX, &options->width);
    default:
        return false;
    }
}

/* One trace of many. */
static enum lt_status render_one(void *ctx, struct many_task *task, struct lt_error *error)
{
    const struct command *command = ctx;
    struct lt_render_options options = command->options;
    options.trace = task->trace;
    options.output = task->output;
    options.threads = task->threads;
    options.progress = many_on_progress;
    options.callback_ctx = task;
    return lt_render(&options, error);
}

static int render_many(struct command *command)
{
    const struct many_command many = {.name = "render",
                                      .done = "drawn",
                                      .wanted = FILES_ANNOTATED,
                                      .ending = ".svg",
                                      .compress = LT_COMPRESS_PLAIN,
                                      .work = render_one,
                                      .ctx = command};
    int code = many_check_outputs(&command->common, &(struct cli_output){.output = command->options.output});
    return code != LT_OK ? code : many_run(&many, &command->common);
}

static int run(int argc, char **argv)
{
    struct command command = {
        .options = {.size = sizeof command.options, .progress = cli_on_progress, .name = cli_name},
        .common = {.mode = PROGRESS_AUTO, .many = &command.many}};
    command.options.callback_ctx = &command.progress;
    if (!cli_take_all(&command.common, NULL, argc, argv, option_table, take, &command))
        return LT_USAGE;
    if (command.common.help)
        return cli_print_help(&cli_render);
    command.options.trace = command.common.trace;
    command.options.parser = command.common.parser;
    command.options.threads = command.common.threads;
    if (command.many.is_asked)
        return render_many(&command);
    if (!cli_default_input(&command.options.trace) || !cli_default_output(&command.options.output))
        return LT_USAGE;
    struct lt_error error = {.size = sizeof error};
    progress_start(&command.progress, command.common.mode);
    enum lt_status status = lt_render(&command.options, &error);
    progress_clear(&command.progress);
    return status == LT_OK ? LT_OK : cli_fail(&error);
}

const struct cli_command cli_render = {
    .name = "render",
    .run = run,
    .intro = "Usage: layertrack render [ANNOTATED] [-o FILE.svg] OPTIONS\n"
             "Draws guides and kernels of one pass: a picture for a report or a pull request.\n",
    .outro = "Kernels narrower than a pixel are merged. The same trace gives the same bytes.\n",
    .options = option_table,
};
