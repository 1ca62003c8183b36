#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

/* Takes what all commands take. False when the option is none of them, or its value wrong (*ok). */
static bool take_common(struct cli_common *common, int option, const char *value, bool *ok)
{
    switch (option) {
    case CLI_TRACE:
        *ok = common->trace == NULL;
        if (!*ok)
            cli_usage("one trace at a time: --trace '%s' is one too many", value);
        common->trace = value;
        return *ok;
    case CLI_STRICT:
        common->parser = LT_PARSER_STRICT;
        return true;
    case 'q':
        common->quiet = true;
        common->mode = PROGRESS_NEVER;
        return true;
    case CLI_PROGRESS:
        return *ok = progress_parse(&common->mode, value);
    case CLI_THREADS:
        return *ok = cli_small("--threads", value, 64, &common->threads);
    case 'h':
        common->help = true;
        return true;
    default:
        return false;
    }
}

bool cli_take_all(struct cli_common *common, const char **second, int argc, char **argv,
                  const struct cli_option *options, cli_take_fn *take, void *command)
{
    int option;
    struct cli_getopt getopt;
    cli_getopt(&getopt, options);
    while ((option = cli_next_option(argc, argv, &getopt)) != -1) {
        bool ok = true;
        if (!take_common(common, option, optarg, &ok) && (!ok || !take(command, option, optarg)))
            return false;
    }
    for (; optind < argc; optind++) {
        const char **to = common->trace == NULL ? &common->trace : second != NULL && *second == NULL ? second : NULL;
        if (to == NULL) {
            cli_usage("%s: '%s' is one too many", second == NULL ? "one trace at a time" : "one trace and one source",
                      argv[optind]);
            return false;
        }
        *to = argv[optind];
    }
    return true;
}

bool cli_take_output(struct cli_output *output, int option, const char *value)
{
    unsigned level;
    switch (option) {
    case 'o':
        output->output = value;
        return true;
    case CLI_REPORT:
        output->report = value;
        return true;
    case 'z':
        output->compress = LT_COMPRESS_GZIP;
        return true;
    case CLI_NO_GZIP:
        output->compress = LT_COMPRESS_PLAIN;
        return true;
    case CLI_LEVEL:
        if (!cli_small("--level", value, 9, &level))
            return false;
        output->level = (int)level;
        return true;
    default:
        return false;
    }
}

bool cli_check_output(struct cli_output *output)
{
    if (!cli_default_output(&output->output))
        return false;
    if (strcmp(output->output, "-") != 0 || output->compress != LT_COMPRESS_GZIP || !isatty(STDOUT_FILENO))
        return true;
    cli_usage("compressed data is not written to a terminal; name a file with -o");
    return false;
}
