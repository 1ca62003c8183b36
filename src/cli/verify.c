#include "cli.h"

#include <stdio.h>
#include <string.h>

static const char help[] = "Usage: layertrack verify ANNOTATED [SOURCE] [OPTIONS]\n"
                           "Checks guides against the report, and every other byte against SOURCE or the\n"
                           "report's hash. Prints a line for each finding (ok, differs, open: not provable\n"
                           "from what there is); the exit code is 1 when something differs.\n"
                           "      --trace PATH           annotated trace; - is standard input\n"
                           "      --source PATH          what it was made from, plain or gzip\n"
                           "      --report PATH          default: ANNOTATED.layers.json, where that exists\n"
                           "      --strict               refuse what is not strict JSON\n"
                           "      --threads N            default: number of cores\n"
                           "      --progress WHEN        auto, always or never\n"
                           "  -q, --quiet                print nothing\n"
                           "  -h, --help                 this page\n";

enum option_id { OPT_TRACE = 256, OPT_SOURCE, OPT_REPORT, OPT_STRICT, OPT_PROGRESS, OPT_THREADS };

static const struct option long_options[] = {
    {"trace", required_argument, NULL, OPT_TRACE},
    {"source", required_argument, NULL, OPT_SOURCE},
    {"report", required_argument, NULL, OPT_REPORT},
    {"strict", no_argument, NULL, OPT_STRICT},
    {"quiet", no_argument, NULL, 'q'},
    {"progress", required_argument, NULL, OPT_PROGRESS},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct command {
    struct lt_verify_options options;
    enum progress_mode mode;
    struct progress progress;
    bool help, quiet;
};

/* Takes one option; false, with a message, when its value is wrong. */
static bool take(struct command *command, int option, const char *value)
{
    struct lt_verify_options *options = &command->options;
    switch (option) {
    case OPT_TRACE:
        options->trace = value;
        return true;
    case OPT_SOURCE:
        options->source = value;
        return true;
    case OPT_REPORT:
        options->report = value;
        return true;
    case OPT_STRICT:
        options->parser = LT_PARSER_STRICT;
        return true;
    case 'q':
        command->quiet = true;
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
    while ((option = cli_option(argc, argv, ":qh", long_options)) != -1)
        if (!take(command, option, optarg))
            return false;
    struct lt_verify_options *options = &command->options;
    for (; optind < argc; optind++) {
        const char **to = options->trace == NULL ? &options->trace : options->source == NULL ? &options->source : NULL;
        if (to == NULL) {
            cli_usage("one trace and one source: '%s' is one too many", argv[optind]);
            return false;
        }
        *to = argv[optind];
    }
    return command->help || cli_default_input(&options->trace);
}

static void on_finding(void *ctx, enum lt_finding kind, const char *sentence)
{
    static const char *const kinds[] = {
        [LT_FINDING_OK] = "ok", [LT_FINDING_DIFFERS] = "differs", [LT_FINDING_OPEN] = "open"};
    struct command *command = ctx;
    progress_clear(&command->progress);
    if (!command->quiet)
        printf("%s: %s\n", kinds[kind], sentence);
}

static int run(int argc, char **argv)
{
    struct command command = {
        .options = {.progress = cli_on_progress, .warning = cli_on_warning, .finding = on_finding},
        .mode = PROGRESS_AUTO,
    };
    command.options.callback_ctx = &command.progress;
    command.options.finding_ctx = &command;
    if (!take_all(&command, argc, argv))
        return LT_USAGE;
    if (command.help)
        return cli_print(help);
    struct lt_error error = {0};
    progress_start(&command.progress, command.mode);
    enum lt_status status = lt_verify(&command.options, &error);
    progress_clear(&command.progress);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "layertrack: standard output cannot be written\n");
        return LT_IO;
    }
    if (status != LT_OK && status != LT_DIFFERENT)
        return cli_fail(&error);
    return (int)status;
}

const struct cli_command cli_verify = {"verify", run, help};
