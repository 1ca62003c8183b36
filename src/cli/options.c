#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_usage(const char *format, ...)
{
    va_list args;
    fputs("layertrack: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return LT_USAGE;
}

int cli_fail(const struct lt_error *error)
{
    fprintf(stderr, "layertrack: %s\n", error->message);
    return (int)error->status;
}

bool cli_number(const char *option, const char *text, uint64_t *out)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || text[digits] != '\0') {
        cli_usage("%s '%s' is not a whole number from 0 to 999999999999999999", option, text);
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

int cli_option(int argc, char **argv, const char *shorts, const struct option *longs)
{
    opterr = 0;
    int option = getopt_long(argc, argv, shorts, longs, NULL);
    if (option != '?' && option != ':')
        return option;
    char short_option[] = {'-', (char)optopt, '\0'};
    /* optopt is 0 or a long option's number unless a short option is at fault. */
    const char *name = optopt > 0 && optopt < 256 && argv[optind - 1][1] != '-' ? short_option : argv[optind - 1];
    cli_usage(option == ':' ? "%s needs a value; see layertrack help %s"
                            : "unknown, ambiguous or misused option '%s'; see layertrack help %s",
              name, cli_find(argv[0]) == NULL ? "annotate" : argv[0]);
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

int cli_print(const char *page)
{
    if (fputs(page, stdout) < 0 || fflush(stdout) != 0) {
        fprintf(stderr, "layertrack: standard output cannot be written\n");
        return LT_IO;
    }
    return LT_OK;
}
