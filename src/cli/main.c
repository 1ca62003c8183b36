#define _XOPEN_SOURCE 700 /* SIGXFSZ */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/say.h"

static const char general[] = "layertrack adds a track of layer guides (L0, L1, ...) to a PyTorch GPU trace.\n"
                              "\n"
                              "Usage: layertrack annotate [TRACE] [-o OUTPUT] OPTIONS  add guides\n"
                              "       layertrack inspect [TRACE] [OPTIONS]             find an anchor\n"
                              "       layertrack verify [ANNOTATED [SOURCE]]           prove guides and bytes\n"
                              "       layertrack strip [ANNOTATED] [-o OUTPUT]         take them out again\n"
                              "       layertrack render [ANNOTATED] [-o FILE.svg]      draw a pass as a picture\n"
                              "       layertrack report REPORT... [-o FILE.csv]        guides as a table\n"
                              "       layertrack serve TRACE [OPTIONS]                 look at it in a browser\n"
                              "       layertrack help [COMMAND | many]                 show a command's options\n"
                              "       layertrack --version\n"
                              "\n"
                              "With an option as the first argument the command is annotate. TRACE and OUTPUT\n"
                              "are plain or gzip, - or nothing is standard input and output. Example:\n"
                              "  layertrack annotate rank0.json.gz -o rank0.layers.json.gz \\\n"
                              "    --anchor-regex rotary_embedding --num-layers 36 --anchor-offset 0 \\\n"
                              "    --phase decode --evidence 'one rotary embedding per layer, see model.py'\n"
                              "\n"
                              "Exit codes: 0 done, 1 difference found, 2 wrong usage, 3 trace not usable,\n"
                              "4 selection refused, 5 input/output trouble. Manual: man layertrack\n";

static const struct cli_command *const commands[] = {&cli_annotate, &cli_inspect, &cli_verify, &cli_strip,
                                                     &cli_render,   &cli_report,  &cli_serve};

static const struct cli_command *find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

/* A command is told from its first two letters. */
static int refuse_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (cli_common_start(name, commands[i]->name) >= 2)
            return cli_usage("unknown command '%s'; did you mean %s? See layertrack --help", name, commands[i]->name);
    return cli_usage("unknown command '%s'; to annotate a file: layertrack annotate FILE ...; see layertrack --help",
                     name);
}

/* For completions, and for whoever compares the manual. */
static int list_options(void)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        cli_list_options(commands[i]);
    return cli_end_output();
}

static int help(const char *name)
{
    if (name != NULL && strcmp(name, "--list-options") == 0)
        return list_options();
    const struct cli_command *command = name == NULL                             ? NULL
                                        : strcmp(name, cli_many_topic.name) == 0 ? &cli_many_topic
                                                                                 : find(name);
    if (name != NULL && command == NULL)
        return refuse_command(name);
    return command == NULL ? cli_print(general) : cli_print_help(command);
}

/*
 * A descriptor that is closed would be given to the next file that is opened,
 * and what is meant for standard output would go there. This one cannot be
 * read (or written), which is the error that a closed one is.
 */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1)
            return;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        cli_usage("no command; see layertrack --help");
        return LT_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return help(NULL);
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        printf("layertrack %s\n", lt_version());
        return cli_end_output();
    }
    if (strcmp(first, "help") == 0) {
        if (argc > 3)
            return cli_usage("help takes one command");
        return help(argc == 3 ? argv[2] : NULL);
    }
    /* The command line of the original helper: options straight away. */
    if (first[0] == '-' && first[1] != '\0') {
        static char name[] = "annotate";
        argv[0] = name;
        return cli_annotate.run(argc, argv);
    }
    const struct cli_command *command = find(first);
    if (command != NULL)
        return command->run(argc - 1, argv + 1);
    return refuse_command(first);
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    /* A reader that went away is an error that is told, not a silent end. */
    signal(SIGPIPE, SIG_IGN);
    /* The same holds for the limit on a file's size. */
    signal(SIGXFSZ, SIG_IGN);
    say_start(argc, argv);
    int code = say_end(run(argc, argv));
    if (code != LT_OK)
        interrupt_finish();
    return code;
}
