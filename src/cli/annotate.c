#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "Usage: layertrack annotate [TRACE] [-o OUTPUT] OPTIONS\n"
                           "      --trace PATH           the trace; - is standard input (default when piped)\n"
                           "  -o, --output PATH          - is standard output; a name in .gz is compressed\n"
                           "      --report PATH          mapping report (default: OUTPUT.layers.json)\n"
                           "      --anchor-regex RE      kernel that runs once per layer (required)\n"
                           "      --num-layers N         anchors per pass (required)\n"
                           "      --anchor-offset K      index of a verified first layer's anchor (required)\n"
                           "      --phase TEXT           what is labelled, e.g. decode (required)\n"
                           "      --evidence TEXT        why the anchor is right (required)\n"
                           "      --passes P             complete passes to label (default: 1)\n"
                           "      --first-layer F        number of the first label (default: 0)\n"
                           "      --pid PID              choose among GPU processes\n"
                           "      --device DEV           choose among devices (args.device)\n"
                           "      --end-anchor-regex RE  kernel that ends a layer; closes each pass\n"
                           "  -z, --gzip / --no-gzip     compress or not, whatever the name says\n"
                           "      --level 1..9           gzip level (default: 6)\n"
                           "      --strict               refuse what is not strict JSON\n"
                           "      --threads N            default: number of cores\n"
                           "      --progress WHEN        auto, always or never; -q is never\n"
                           "  -h, --help                 this page\n";

enum option_id {
    OPT_TRACE = 256,
    OPT_REPORT,
    OPT_ANCHOR_REGEX,
    OPT_NUM_LAYERS,
    OPT_ANCHOR_OFFSET,
    OPT_PASSES,
    OPT_FIRST_LAYER,
    OPT_PHASE,
    OPT_EVIDENCE,
    OPT_PID,
    OPT_DEVICE,
    OPT_END_ANCHOR_REGEX,
    OPT_NO_GZIP,
    OPT_LEVEL,
    OPT_STRICT,
    OPT_PROGRESS,
    OPT_THREADS,
};

static const struct option long_options[] = {
    {"trace", required_argument, NULL, OPT_TRACE},
    {"output", required_argument, NULL, 'o'},
    {"report", required_argument, NULL, OPT_REPORT},
    {"anchor-regex", required_argument, NULL, OPT_ANCHOR_REGEX},
    {"num-layers", required_argument, NULL, OPT_NUM_LAYERS},
    {"anchor-offset", required_argument, NULL, OPT_ANCHOR_OFFSET},
    {"passes", required_argument, NULL, OPT_PASSES},
    {"first-layer", required_argument, NULL, OPT_FIRST_LAYER},
    {"phase", required_argument, NULL, OPT_PHASE},
    {"evidence", required_argument, NULL, OPT_EVIDENCE},
    {"pid", required_argument, NULL, OPT_PID},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"end-anchor-regex", required_argument, NULL, OPT_END_ANCHOR_REGEX},
    {"gzip", no_argument, NULL, 'z'},
    {"no-gzip", no_argument, NULL, OPT_NO_GZIP},
    {"level", required_argument, NULL, OPT_LEVEL},
    {"strict", no_argument, NULL, OPT_STRICT},
    {"quiet", no_argument, NULL, 'q'},
    {"progress", required_argument, NULL, OPT_PROGRESS},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct command {
    struct lt_annotate_options options;
    enum progress_mode mode;
    struct progress progress;
    bool has_num_layers, has_offset, help;
};

/* Takes one option; false, with a message, when its value is wrong. */
static bool take(struct command *command, int option, const char *value)
{
    struct lt_annotate_options *options = &command->options;
    unsigned small;
    switch (option) {
    case OPT_TRACE:
        options->trace = value;
        return true;
    case 'o':
        options->output = value;
        return true;
    case OPT_REPORT:
        options->report = value;
        return true;
    case OPT_ANCHOR_REGEX:
        options->anchor_regex = value;
        return true;
    case OPT_NUM_LAYERS:
        command->has_num_layers = true;
        return cli_number("--num-layers", value, &options->num_layers);
    case OPT_ANCHOR_OFFSET:
        command->has_offset = true;
        return cli_number("--anchor-offset", value, &options->anchor_offset);
    case OPT_PASSES:
        return cli_number("--passes", value, &options->passes);
    case OPT_FIRST_LAYER:
        return cli_number("--first-layer", value, &options->first_layer);
    case OPT_PHASE:
        options->phase = value;
        return true;
    case OPT_EVIDENCE:
        options->evidence = value;
        return true;
    case OPT_PID:
        options->pid = value;
        return true;
    case OPT_DEVICE:
        options->device = value;
        return true;
    case OPT_END_ANCHOR_REGEX:
        options->end_anchor_regex = value;
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
    case OPT_STRICT:
        options->parser = LT_PARSER_STRICT;
        return true;
    case 'q':
        command->mode = PROGRESS_NEVER;
        return true;
    case OPT_PROGRESS:
        return progress_parse(&command->mode, value);
    case OPT_THREADS:
        return cli_small("--threads", value, 64, &options->threads);
    case 'h':
        command->help = true;
        return true;
    default:
        return false;
    }
}

static bool take_all(struct command *command, int argc, char **argv)
{
    int option;
    while ((option = cli_option(argc, argv, ":o:zqh", long_options)) != -1)
        if (!take(command, option, optarg))
            return false;
    for (; optind < argc; optind++) {
        if (command->options.trace != NULL) {
            cli_usage("one trace at a time: '%s' is one too many", argv[optind]);
            return false;
        }
        command->options.trace = argv[optind];
    }
    return true;
}

static bool check_required(const struct command *command)
{
    const struct lt_annotate_options *options = &command->options;
    const struct {
        bool given;
        const char *name;
    } required[] = {{options->anchor_regex != NULL, " --anchor-regex"},
                    {command->has_num_layers, " --num-layers"},
                    {command->has_offset, " --anchor-offset"},
                    {options->phase != NULL, " --phase"},
                    {options->evidence != NULL, " --evidence"}};
    char missing[128] = "";
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!required[i].given)
            strcat(missing, required[i].name);
    if (missing[0] != '\0')
        cli_usage("required:%s; see layertrack help annotate", missing);
    return missing[0] == '\0';
}

/* Standard input and output where nothing is named and nobody sits at a terminal. */
static bool choose_streams(struct lt_annotate_options *options)
{
    if (!cli_default_input(&options->trace) || !cli_default_output(&options->output))
        return false;
    if (strcmp(options->output, "-") == 0 && options->compress == LT_COMPRESS_GZIP && isatty(STDOUT_FILENO)) {
        cli_usage("compressed data is not written to a terminal; name a file with -o");
        return false;
    }
    return true;
}

static void summarize(const struct command *command, const struct lt_annotate_result *result)
{
    if (command->mode == PROGRESS_NEVER || !isatty(STDERR_FILENO))
        return;
    const struct lt_annotate_options *options = &command->options;
    fprintf(stderr, "%llu guides L%llu..L%llu in %llu %s, from %llu matching anchors among %llu events",
            (unsigned long long)result->guides, (unsigned long long)options->first_layer,
            (unsigned long long)(options->first_layer + options->num_layers - 1), (unsigned long long)options->passes,
            options->passes == 1 ? "pass" : "passes", (unsigned long long)result->anchors,
            (unsigned long long)result->events);
    if (strcmp(options->output, "-") != 0)
        fprintf(stderr, ": %s", options->output);
    fputc('\n', stderr);
}

static int run(int argc, char **argv)
{
    struct command command = {
        .options = {.passes = 1, .progress = cli_on_progress, .warning = cli_on_warning},
        .mode = PROGRESS_AUTO,
    };
    command.options.callback_ctx = &command.progress;
    if (!take_all(&command, argc, argv))
        return LT_USAGE;
    if (command.help)
        return cli_print(help);
    if (!check_required(&command) || !choose_streams(&command.options))
        return LT_USAGE;
    struct lt_annotate_result result;
    struct lt_error error = {0};
    progress_start(&command.progress, command.mode);
    enum lt_status status = lt_annotate(&command.options, &result, &error);
    progress_clear(&command.progress);
    if (status != LT_OK) {
        int code = cli_fail(&error);
        interrupt_finish();
        return code;
    }
    summarize(&command, &result);
    return LT_OK;
}

const struct cli_command cli_annotate = {"annotate", run, help};
