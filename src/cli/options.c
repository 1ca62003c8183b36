#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/say.h"

/* A longer sentence is cut. */
#define USAGE_LENGTH 2048

int cli_usage(const char *format, ...)
{
    struct lt_error error = {0};
    va_list args;
    va_start(args, format);
    fail_list(&error, LT_CLASS_OPTION, format, args);
    va_end(args);
    error.message[USAGE_LENGTH - 1] = '\0';
    say_error(&error, NULL);
    return LT_USAGE;
}

int cli_fail(const struct lt_error *error)
{
    say_error(error, NULL);
    return error->status > LT_IO ? LT_IO : (int)error->status;
}

bool cli_log_format(const char *value)
{
    bool known = say_format(value);
    if (!known)
        cli_usage("--log-format '%s' is none of text, json, github", value);
    return known;
}

bool cli_number(const char *option, const char *text, uint64_t *out)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[digits] != '\0') {
        cli_usage("%s '%s' is not a whole number (digits, nothing else)", option, text);
        return false;
    }
    if (digits > 18) {
        cli_usage("%s '%s' is beyond 2^53", option, text);
        return false;
    }
    *out = strtoull(text, NULL, 10);
    return true;
}

bool cli_small(const char *option, const char *text, unsigned most, unsigned *out)
{
    uint64_t number;
    if (!cli_number(option, text, &number))
        return false;
    if (number < 1 || number > most) {
        cli_usage("%s must be a whole number from 1 to %u", option, most);
        return false;
    }
    *out = (unsigned)number;
    return true;
}

size_t cli_common_start(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] != '\0' && a[same] == b[same])
        same++;
    return same;
}

/* The option that has the longest beginning in common with `name`, when that says anything. */
static const char *resembling(const char *name, const struct option *longs)
{
    const char *best = NULL;
    size_t most = 2;
    for (const struct option *option = longs; option->name != NULL; option++) {
        size_t same = cli_common_start(name, option->name);
        if (same > most) {
            most = same;
            best = option->name;
        }
    }
    return best;
}

/* A long option that getopt_long() does not take: one that is none, is several, or has a value that it should not. */
static void refuse_long(const char *argument, const struct option *longs, const char *command)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
    const struct option *matches[2] = {NULL, NULL};
    size_t count = 0;
    for (const struct option *option = longs; option->name != NULL; option++) {
        if (strncmp(option->name, name, strlen(name)) != 0)
            continue;
        if (count < 2)
            matches[count] = option;
        count++;
    }
    const char *like = resembling(name, longs);
    bool turned = count > 1 && strcmp(matches[0]->name, matches[1]->name) > 0;
    if (count > 1)
        cli_usage("'%s' is ambiguous: --%s or --%s; see layertrack help %s", argument, matches[turned]->name,
                  matches[!turned]->name, command);
    else if (count == 1)
        cli_usage("--%s takes no value; see layertrack help %s", matches[0]->name, command);
    else if (like != NULL)
        cli_usage("unknown option '%s'; did you mean --%s? See layertrack help %s", argument, like, command);
    else
        cli_usage("unknown option '%s'; see layertrack help %s", argument, command);
}

void cli_getopt(struct cli_getopt *getopt, const struct cli_option *options)
{
    char *at = getopt->shorts;
    size_t count = 0;
    *at++ = ':';
    for (const struct cli_option *option = options; option->name != NULL && count < CLI_MAX_OPTIONS; option++) {
        int has_value = option->value == NULL     ? no_argument
                        : option->value[0] == '[' ? optional_argument
                                                  : required_argument;
        getopt->longs[count++] = (struct option){option->name, has_value, NULL, option->id};
        if (option->id > UCHAR_MAX)
            continue;
        *at++ = (char)option->id;
        if (option->value != NULL)
            *at++ = ':';
    }
    *at = '\0';
    getopt->longs[count] = (struct option){0};
}

/* What other programs have to overwrite files. */
static bool is_force(const char *argument, bool is_short, const struct option *longs)
{
    if (is_short ? optopt != 'f' : strcmp(argument, "--force") != 0 && strcmp(argument, "--overwrite") != 0)
        return false;
    while (longs->name != NULL && strcmp(longs->name, "output") != 0)
        longs++;
    return longs->name != NULL;
}

int cli_next_option(int argc, char **argv, const struct cli_getopt *getopt)
{
    const struct option *longs = getopt->longs;
    opterr = 0;
    int option = getopt_long(argc, argv, getopt->shorts, longs, NULL);
    if (option != '?' && option != ':')
        return option;
    const char *argument = argv[optind - 1], *command = argv[0];
    /* optopt is 0 or a long option's number unless a short option is at fault. */
    bool is_short = optopt != 0 && optopt < 256 && strncmp(argument, "--", 2) != 0;
    char short_option[] = {'-', (char)optopt, '\0'};
    if (option == ':')
        cli_usage("%s needs a value; see layertrack help %s", is_short ? short_option : argument, command);
    else if (is_force(argument, is_short, longs))
        cli_usage("there is no %s: nothing that exists is ever replaced; remove the output and its report first, or "
                  "choose another name with -o",
                  is_short ? short_option : argument);
    else if (is_short)
        cli_usage("unknown option '%s'; see layertrack help %s", short_option, command);
    else
        refuse_long(argument, longs, command);
    return '?';
}

bool cli_default_input(const char **trace)
{
    if (*trace == NULL && isatty(STDIN_FILENO)) {
        cli_usage("no trace; name a file or pipe one in");
        return false;
    }
    if (*trace == NULL)
        *trace = "-";
    say_trace(*trace);
    return true;
}

bool cli_default_output(const char **output)
{
    if (*output == NULL && isatty(STDOUT_FILENO)) {
        cli_usage("no output; name one with -o or pipe it on");
        return false;
    }
    if (*output == NULL)
        *output = "-";
    return true;
}

int cli_end_output(void)
{
    /* What failed before fails again: it is still in the buffer. */
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return LT_OK;
    struct lt_error error = {0};
    fail_write(&error, "standard output", errno == 0 ? EIO : errno);
    return cli_fail(&error);
}

int cli_print(const char *page)
{
    fputs(page, stdout);
    return cli_end_output();
}
