#define _POSIX_C_SOURCE 200809L
#include "cli/say.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

#define OPTION "--log-format"

/* The longest message of the library and what printable() makes of it. */
#define SENTENCE 4096
#define SHOWN    (4 * SENTENCE)

static struct {
    struct log log;
    char cwd[PATH_MAX];
    const char *trace;   /* or NULL */
    const char *decided; /* class of the worst error, or NULL */
    uint64_t worst;      /* its weight */
    struct log_result result;
    bool has_result;
} said;

static void choose(enum log_format format)
{
    bool has_cwd = getcwd(said.cwd, sizeof said.cwd) != NULL;
    log_start(&said.log, format, said.cwd, has_cwd ? getenv("GITHUB_WORKSPACE") : NULL);
}

bool say_format(const char *name)
{
    enum log_format format;
    if (!log_format_parse(&format, name))
        return false;
    if (format != said.log.format)
        choose(format);
    return true;
}

void say_start(int argc, char **argv)
{
    choose(LOG_TEXT);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], OPTION "=", strlen(OPTION "=")) == 0)
            say_format(argv[i] + strlen(OPTION "="));
        else if (strcmp(argv[i], OPTION) == 0 && i + 1 < argc)
            say_format(argv[i + 1]);
    }
}

bool say_to_people(void)
{
    return said.log.format == LOG_TEXT;
}

bool say_is_annotated(void)
{
    return said.log.format == LOG_GITHUB;
}

void say_trace(const char *path)
{
    said.trace = path;
    said.result.traces++;
}

/* Needs no memory: this may be what there is to say. */
static void print_text(FILE *out, const char *before, const char *sentence)
{
    char shown[SHOWN];
    fprintf(out, "%s%s\n", before, printable(shown, sizeof shown, sentence, strlen(sentence)));
}

static void print_as_text(const struct log_entry *entry, const char *sentence)
{
    static const char *const before[LOG_LEVELS] = {"layertrack: ", "layertrack: warning: ", "layertrack: "};
    print_text(stderr, before[entry->level], sentence);
}

static void print_as_log(const struct log_entry *entry, const char *sentence)
{
    struct text line = {0};
    if (!log_add(&said.log, entry, &line))
        print_as_text(entry, sentence);
    else if (line.len > 0)
        fwrite(line.data, 1, line.len, stderr);
    text_free(&line);
}

void say_class(const char *class, uint64_t weight)
{
    if (said.decided != NULL && weight <= said.worst)
        return;
    said.decided = class;
    said.worst = weight;
}

void say_entry(const struct log_entry *entry, const char *sentence)
{
    said.result.warnings += entry->level == LOG_WARNING;
    if (entry->level == LOG_ERROR)
        say_class(entry->class, entry->weight);
    if (say_to_people())
        print_as_text(entry, sentence);
    else
        print_as_log(entry, sentence);
}

void say_error(const struct lt_error *error, const char *path)
{
    struct log_entry entry = log_entry_of_error(error, path == NULL ? said.trace : path);
    say_entry(&entry, error->message);
}

void say_warning(const struct lt_warning *warning, const char *path)
{
    struct log_entry entry = log_entry_of_warning(warning, path == NULL ? said.trace : path);
    say_entry(&entry, warning->message);
}

void say_line(FILE *out, const char *format, ...)
{
    char line[SENTENCE];
    if (!say_to_people())
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    print_text(out, "", line);
}

uint64_t say_warnings(void)
{
    return said.result.warnings;
}

void say_result(const struct log_result *result)
{
    uint64_t warnings = said.result.warnings;
    said.result = *result;
    said.result.warnings = warnings;
    said.has_result = true;
}

int say_end(int exit_code)
{
    struct log_result *result = &said.result;
    struct text rest = {0};
    if (!said.has_result && exit_code == LT_OK)
        result->done = result->traces;
    else if (!said.has_result)
        result->refused = result->traces;
    result->exit_code = exit_code;
    result->class = exit_code == LT_OK ? NULL : said.decided;
    if (log_end(&said.log, result, &rest) && rest.len > 0)
        fwrite(rest.data, 1, rest.len, stderr);
    text_free(&rest);
    return exit_code;
}
