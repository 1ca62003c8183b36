#include "cli/cli.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Where the texts of a page begin; behind a long label they begin further on. */
#define COLUMN      29
#define LONG_COLUMN 39

static void print_option(const struct cli_option *option)
{
    char label[80];
    if (option->label != NULL)
        snprintf(label, sizeof label, "%s", option->label);
    else if (option->id <= UCHAR_MAX)
        snprintf(label, sizeof label, "  -%c, --%s %s", option->id, option->name,
                 option->value == NULL ? "" : option->value);
    else
        snprintf(label, sizeof label, "      --%s %s", option->name, option->value == NULL ? "" : option->value);
    int column = strlen(label) + 2 > COLUMN ? LONG_COLUMN : COLUMN;
    for (const char *line = option->text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        printf("%-*s%.*s\n", column, label, (int)strcspn(line, "\n"), line);
        label[0] = '\0';
    }
}

/* What stands on the page of many traces, and not on each command's. */
static bool is_of_many(const struct cli_option *option)
{
    return option->id == 'j' || option->id == '0' || (option->id >= CLI_OUTPUT_DIR && option->id <= CLI_RESUME);
}

int cli_print_help(const struct cli_command *command)
{
    bool hidden = false, is_for_many = command == &cli_many_topic || command == &cli_report;
    fputs(command->intro, stdout);
    for (const struct cli_option *option = command->options; option->name != NULL; option++) {
        if (is_for_many || !is_of_many(option))
            print_option(option);
        else
            hidden = true;
    }
    if (hidden)
        puts("Many traces at once, folders of ranks: layertrack help many");
    return cli_print(command->outro == NULL ? "" : command->outro);
}

static const struct cli_option many_options[] = {CLI_OUTPUT_DIR_OPTION, CLI_MANY_OPTIONS, CLI_RESUME_OPTION, {0}};

const struct cli_command cli_many_topic = {
    .name = "many",
    .intro = "Usage: layertrack COMMAND [OPTIONS] [OPTIONS OF THE COMMAND] TRACE...\n"
             "Works on many traces: files, and folders, of which each .json and .json.gz file\n"
             "is one, but for what is plainly no trace of a rank. One refusal does not stop\n"
             "the others; at the end ranks are compared, and what differs is said.\n",
    .options = many_options,
    .outro = "  layertrack annotate --spec rank0.layers.json --output-dir labelled traces/\n"
             "  layertrack inspect --anchor-regex rotary traces/\n"
             "  layertrack verify labelled/\n",
};

void cli_list_options(const struct cli_command *command)
{
    for (const struct cli_option *option = command->options; option->name != NULL; option++) {
        char letter[2] = {option->id <= UCHAR_MAX ? (char)option->id : '\0', '\0'};
        printf("%s\t--%s\t%s%s\t%s\n", command->name, option->name, letter[0] == '\0' ? "" : "-", letter,
               option->value == NULL ? "" : option->value);
    }
}
