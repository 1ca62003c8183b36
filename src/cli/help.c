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

int cli_print_help(const struct cli_command *command)
{
    fputs(command->intro, stdout);
    for (const struct cli_option *option = command->options; option->name != NULL; option++)
        print_option(option);
    return cli_print(command->outro == NULL ? "" : command->outro);
}

void cli_list_options(const struct cli_command *command)
{
    for (const struct cli_option *option = command->options; option->name != NULL; option++) {
        char letter[2] = {option->id <= UCHAR_MAX ? (char)option->id : '\0', '\0'};
        printf("%s\t--%s\t%s%s\t%s\n", command->name, option->name, letter[0] == '\0' ? "" : "-", letter,
               option->value == NULL ? "" : option->value);
    }
}
