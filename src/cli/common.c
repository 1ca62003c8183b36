#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/say.h"

#define MOST_JOBS 256

/* Takes what commands on many traces take. Each of these options asks for them. */
static bool take_many(struct cli_many *many, int option, const char *value, bool *ok)
{
    switch (option) {
    case CLI_OUTPUT_DIR:
        many->output_dir = value;
        break;
    case CLI_FILES_FROM:
        many->files_from = value;
        break;
    case '0':
        many->by_nul = true;
        break;
    case CLI_SUMMARY:
        many->summary = value;
        break;
    case CLI_SAME_COUNTS:
        many->same_counts = true;
        break;
    case CLI_RESUME:
        /* Of one trace, too. */
        many->resume = true;
        return true;
    case 'j':
        *ok = cli_small("-j", value, MOST_JOBS, &many->jobs);
        break;
    default:
        return false;
    }
    many->is_asked = true;
    return *ok;
}

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
    case CLI_FAIL_ON_WARNING:
        common->fail_on_warning = value == NULL ? "" : value;
        return true;
    case 'q':
        common->quiet = true;
        common->mode = PROGRESS_NEVER;
        return true;
    case CLI_PROGRESS:
        return *ok = progress_parse(&common->mode, value);
    case CLI_LOG_FORMAT:
        return *ok = cli_log_format(value);
    case CLI_THREADS:
        return *ok = cli_small("--threads", value, 64, &common->threads);
    case 'h':
        common->help = true;
        return true;
    default:
        return common->many != NULL && take_many(common->many, option, value, ok);
    }
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether operands are many traces: too many for one, or one of them is a folder. */
static bool are_many(const struct cli_common *common, int most)
{
    const struct cli_many *many = common->many;
    bool folder = common->trace != NULL && is_folder(common->trace);
    for (int i = 0; i < many->operand_count; i++)
        folder |= is_folder(many->operands[i]);
    return many->is_asked || folder || many->operand_count > most;
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
    if (common->many != NULL) {
        common->many->operands = argv + optind;
        common->many->operand_count = argc - optind;
        common->many->is_asked = are_many(common, second == NULL ? 1 : 2);
        if (common->many->is_asked)
            return true;
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
