#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"annotate", cli_annotate}};

int main(int argc, char **argv)
{
    /* A reader that went away is an error that is told, not a silent end. */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        cli_usage("no command; see layertrack --help");
        return LT_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return cli_help(NULL);
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        printf("layertrack %s\n", lt_version());
        return fflush(stdout) == 0 ? LT_OK : LT_IO;
    }
    if (strcmp(first, "help") == 0) {
        if (argc > 3)
            return cli_usage("help takes one command");
        return cli_help(argc == 3 ? argv[2] : NULL);
    }
    /* The command line of the original helper: options straight away. */
    if (first[0] == '-' && first[1] != '\0')
        return cli_annotate(argc, argv);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(first, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return cli_usage("unknown command '%s'; to annotate a file: layertrack annotate FILE ...", first);
}
