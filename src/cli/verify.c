#include "base/line.h"
#include "cli/cli.h"
#include "cli/many.h"
#include "jobs/source_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/junit.h"
#include "cli/rank_keep.h"
#include "cli/say.h"
#include "cli/step_summary.h"

enum option_id {
    OPT_SOURCE = 256,
    OPT_REPORT,
    OPT_COMPLETE,
    OPT_SOURCE_DIR,
    OPT_REPORT_FORMAT,
};

static const struct cli_option option_table[] = {
    CLI_TRACE_OPTION("annotated trace; - is standard input (the default,\nwhere that is no terminal)"),
    {"source", OPT_SOURCE, "PATH", "what it was made from, plain or gzip", NULL},
    {"report", OPT_REPORT, "PATH", "default: ANNOTATED.layers.json, where that exists", NULL},
    {"complete", OPT_COMPLETE, NULL, "exit code 1, too, when something stays open", NULL},
    {"source-dir", OPT_SOURCE_DIR, "DIR", "of many: the folder that their sources are in", NULL},
    {"report-format", OPT_REPORT_FORMAT, "FORM", "findings as text (default) or junit (XML)", NULL},
    CLI_MANY_OPTIONS,
    CLI_FAIL_OPTION,
    CLI_SHARED_OPTIONS("auto, always or never", CLI_LOG_TEXT, "print nothing", CLI_HELP_TEXT),
};

struct command {
    struct lt_verify_options options;
    struct cli_common common;
    struct cli_many many;
    const char *source_dir;
    struct progress progress;
    bool source_named; /* by its option */
    bool complete;     /* asked for, */
    bool open;         /* and something is not */
    bool has_page;     /* there is a page of a job, for: */
    struct step_row row;
    bool is_junit; /* findings are told as XML */
    struct junit junit;
};

/* Takes one option; false, with a message, when its value is wrong. */
static bool take(void *ctx, int option, char *value)
{
    struct command *command = ctx;
    struct lt_verify_options *options = &command->options;
    switch (option) {
    case OPT_SOURCE:
        options->source = value;
        command->source_named = true;
        return true;
    case OPT_REPORT:
        options->report = value;
        return true;
    case OPT_COMPLETE:
        command->complete = true;
        return true;
    case OPT_REPORT_FORMAT:
        command->is_junit = strcmp(value, "junit") == 0;
        if (!command->is_junit && strcmp(value, "text") != 0)
            cli_usage("--report-format '%s' is neither text nor junit", value);
        return command->is_junit || strcmp(value, "text") == 0;
    case OPT_SOURCE_DIR:
        command->source_dir = value;
        command->many.is_asked = true;
        return true;
    default:
        return false;
    }
}

static const char *const kinds[] = {
    [LT_FINDING_OK] = "ok", [LT_FINDING_DIFFERS] = "differs", [LT_FINDING_OPEN] = "open"};

/* What a log calls them: of a difference the word of the library's error. */
static const char *const kind_classes[] = {
    [LT_FINDING_OK] = "ok", [LT_FINDING_DIFFERS] = "different", [LT_FINDING_OPEN] = "open"};

static uint64_t weight_of(enum lt_finding kind)
{
    return kind == LT_FINDING_DIFFERS ? 2 : kind == LT_FINDING_OPEN;
}

/* Whether the exit code comes of it. */
static bool is_refused(const struct command *command, enum lt_finding kind)
{
    return kind == LT_FINDING_DIFFERS || (kind == LT_FINDING_OPEN && command->complete);
}

/* A finding as an entry of a log. */
static struct log_entry entry_of(const struct command *command, const char *trace, enum lt_finding kind,
                                 const char *sentence)
{
    return (struct log_entry){
        .level = is_refused(command, kind) ? LOG_ERROR : LOG_NOTICE,
        .class = kind_classes[kind],
        .path = strcmp(trace, "-") == 0 ? NULL : trace,
        .event = LT_NONE,
        .offset = LT_NONE,
        .line = LT_NONE,
        .message = sentence,
        .weight = weight_of(kind),
    };
}

/* What is as it should be needs no annotation of GitHub's. */
static bool is_logged(enum lt_finding kind)
{
    return !say_to_people() && !(kind == LT_FINDING_OK && say_is_annotated());
}

/* For the page of a job: the first difference, or the first of what is open. */
static void keep_finding(struct command *command, enum lt_finding kind, const char *sentence)
{
    struct rank_result *result = &command->row.result;
    bool is_first = result->message == NULL;
    bool is_worse = kind == LT_FINDING_DIFFERS && result->class != kind_classes[kind];
    if (!command->has_page || !(is_first || is_worse))
        return;
    result->class = kind_classes[kind];
    result->message = rank_keep_text(&command->row.memory, sentence);
}

static void on_finding(void *ctx, enum lt_finding kind, const char *sentence)
{
    struct command *command = ctx;
    progress_clear(&command->progress);
    command->open |= kind == LT_FINDING_OPEN;
    if (is_refused(command, kind)) {
        say_class(kind_classes[kind], weight_of(kind));
        keep_finding(command, kind, sentence);
    }
    if (command->is_junit)
        junit_finding(&command->junit, kind, sentence);
    if (command->common.quiet)
        return;
    if (!command->is_junit)
        say_line(stdout, "%s: %s", kinds[kind], sentence);
    if (!is_logged(kind))
        return;
    struct log_entry entry = entry_of(command, command->options.trace, kind, sentence);
    say_entry(&entry, sentence);
}

/* ---- many --------------------------------------------------------------------------------------------------- */

/* What is found of one trace of many. */
struct one {
    const struct command *command;
    struct many_task *task;
    char *open; /* the first sentence of what is; or NULL */
    struct junit junit;
};

static void print_finding(const struct one *one, enum lt_finding kind, const char *sentence)
{
    struct text line = {0}, shown = {0};
    text_puts(&line, one->task->trace);
    text_puts(&line, kind == LT_FINDING_OPEN ? ": open: " : ": differs: ");
    text_puts(&line, sentence);
    line_add(&shown, line.data, line.len);
    text_add(&shown, "\n", 2);
    if (!shown.failed)
        many_print(one->task, shown.data);
    text_free(&shown);
    text_free(&line);
}

static void on_one_finding(void *ctx, enum lt_finding kind, const char *sentence)
{
    struct one *one = ctx;
    if (kind == LT_FINDING_OPEN && one->open == NULL)
        one->open = arena_string(one->task->memory, sentence, strlen(sentence));
    if (one->command->is_junit)
        junit_finding(&one->junit, kind, sentence);
    if (kind == LT_FINDING_OK || one->command->common.quiet)
        return;
    if (is_logged(kind)) {
        struct log_entry entry = entry_of(one->command, one->task->trace, kind, sentence);
        many_say(one->task, &entry, sentence);
    } else if (!one->command->is_junit) {
        print_finding(one, kind, sentence);
    }
}

/* The suite, and behind its NUL the same in short. NULL when memory is out. */
static const char *keep_suite(const struct one *one)
{
    struct text suites = {0};
    junit_suite(&one->junit, NULL, NULL, false, &suites);
    text_add(&suites, "", 1);
    junit_suite(&one->junit, NULL, NULL, true, &suites);
    text_add(&suites, "", 1);
    const char *kept = suites.failed ? NULL : arena_copy(one->task->memory, suites.data, suites.len);
    text_free(&suites);
    return kept;
}

static enum lt_status verify_one(void *ctx, struct many_task *task, struct lt_error *error)
{
    const struct command *command = ctx;
    struct lt_verify_options options = command->options;
    struct one one = {.command = command, .task = task};
    char *source = NULL;
    options.trace = task->trace;
    options.threads = task->threads;
    options.finding = on_one_finding;
    options.finding_ctx = &one;
    options.progress = many_on_progress;
    options.warning = many_on_warning;
    options.callback_ctx = task;
    junit_start(&one.junit, task->trace, &task->result->rank, command->complete);
    enum lt_status status =
        command->source_dir == NULL ? LT_OK : source_find(command->source_dir, task->trace, &source, error);
    options.source = source;
    if (status == LT_OK)
        status = lt_verify(&options, error);
    free(source);
    if (command->is_junit && (status == LT_OK || status == LT_DIFFERENT)) {
        task->result->own = keep_suite(&one);
        if (task->result->own == NULL) {
            error_reset(error);
            status = fail_memory(error);
        }
    }
    junit_free(&one.junit);
    if (status == LT_OK && one.open != NULL && command->complete)
        status = fail(error, LT_DIFFERENT, "%s", one.open);
    return status;
}

/* A trace that could not be verified has no suite yet. */
static bool add_suite(const struct command *command, const struct rank_result *result, struct text *out)
{
    struct junit junit;
    const char *kept = result->own;
    if (kept != NULL) {
        size_t len = strlen(kept);
        text_puts(out, out->len + len <= JUNIT_MOST ? kept : kept + len + 1);
        return !out->failed;
    }
    junit_start(&junit, result->file, &result->rank, command->complete);
    bool made = junit_suite(&junit, result->class, result->message, true, out);
    junit_free(&junit);
    return made;
}

static bool show_junit(void *ctx, const struct rank_result *results, const size_t *order, size_t count)
{
    struct text all = {0};
    text_puts(&all, junit_head);
    for (size_t i = 0; i < count; i++)
        add_suite(ctx, &results[order[i]], &all);
    text_puts(&all, junit_tail);
    if (!all.failed)
        fwrite(all.data, 1, all.len, stdout);
    bool made = !all.failed;
    text_free(&all);
    return made;
}

/* Two that layertrack made are two to verify, and not one and its source. */
static bool are_outputs(struct command *command)
{
    const char *second = command->options.source, *first = command->common.trace;
    if (first == NULL || second == NULL || command->source_named || file_kind_of(first) != FILE_ANNOTATED ||
        file_kind_of(second) != FILE_ANNOTATED)
        return false;
    command->common.trace = NULL;
    command->options.source = NULL;
    return true;
}

static int verify_many(struct command *command)
{
    const struct many_command many = {.name = "verify",
                                      .done = "verified",
                                      .wanted = FILES_ANNOTATED,
                                      .work = verify_one,
                                      .show = command->is_junit ? show_junit : NULL,
                                      .ctx = command};
    if (command->options.report != NULL)
        return cli_usage("--report names one file; of many traces each has its own beside it");
    if (command->options.source != NULL)
        return cli_usage("--source names one file; of many traces the sources are found in --source-dir");
    if (command->is_junit && command->many.summary != NULL && strcmp(command->many.summary, "-") == 0)
        return cli_usage("--summary - and --report-format junit both print to standard output; name a file for one");
    return many_run(&many, &command->common);
}

/* ---- one ---------------------------------------------------------------------------------------------------- */

/* Prints what was found, or why it could not be; LT_NO_MEMORY, with *error, when there is no room for it. */
static enum lt_status print_junit(const struct command *command, enum lt_status status, struct lt_error *error)
{
    struct text all = {0};
    bool is_error = status != LT_OK && status != LT_DIFFERENT;
    text_puts(&all, junit_head);
    junit_suite(&command->junit, is_error ? lt_class_word(error->class_id) : NULL, error->what, false, &all);
    text_puts(&all, junit_tail);
    if (!all.failed) {
        fwrite(all.data, 1, all.len, stdout);
    } else if (!is_error) {
        error_reset(error);
        status = fail_memory(error);
    }
    text_free(&all);
    return status;
}

/* The exit code; a message when it is of trouble. */
static int run_job(struct command *command, struct lt_error *error)
{
    progress_start(&command->progress, command->common.mode);
    enum lt_status status = lt_verify(&command->options, error);
    progress_clear(&command->progress);
    if (command->is_junit)
        status = print_junit(command, status, error);
    int code = cli_end_output();
    if (code != LT_OK)
        return code;
    if (status != LT_OK && status != LT_DIFFERENT)
        return cli_fail(error);
    return status == LT_OK && command->complete && command->open ? LT_DIFFERENT : (int)status;
}

static int verify_trace(struct command *command)
{
    struct lt_error error = {.size = sizeof error};
    command->has_page = step_summary_wanted();
    if (command->has_page)
        step_summary_of(&command->row, command->options.trace);
    struct rank rank = rank_keep_by_name(command->options.trace);
    bool is_input = strcmp(command->options.trace, "-") == 0;
    junit_start(&command->junit, is_input ? "standard input" : command->options.trace, &rank, command->complete);
    int code = run_job(command, &error);
    junit_free(&command->junit);
    const char *verdict = error.status == LT_DIFFERENT ? "differs" : command->open ? "open" : "verified";
    if (command->has_page)
        step_summary_end(&command->row, "verify", verdict, code, &error);
    return code;
}

static int run(int argc, char **argv)
{
    struct command command = {
        .options = {.size = sizeof command.options,
                    .progress = cli_on_progress,
                    .name = cli_name,
                    .warning = cli_on_warning,
                    .finding = on_finding},
        .common = {.mode = PROGRESS_AUTO, .many = &command.many},
    };
    command.options.callback_ctx = &command.progress;
    command.options.finding_ctx = &command;
    if (!cli_take_all(&command.common, &command.options.source, argc, argv, option_table, take, &command))
        return LT_USAGE;
    if (command.common.help)
        return cli_print_help(&cli_verify);
    command.options.parser = command.common.parser;
    command.options.threads = command.common.threads;
    command.options.fail_on_warning = command.common.fail_on_warning;
    if (command.many.is_asked || are_outputs(&command))
        return verify_many(&command);
    if (!cli_default_input(&command.common.trace))
        return LT_USAGE;
    command.options.trace = command.common.trace;
    return verify_trace(&command);
}

const struct cli_command cli_verify = {
    .name = "verify",
    .run = run,
    .intro = "Usage: layertrack verify [ANNOTATED [SOURCE]] [OPTIONS]\n"
             "Checks guides against the report, and every other byte against SOURCE or the\n"
             "report's hash. Prints a line for each finding (ok, differs, open: not provable\n"
             "from what there is); the exit code is 1 when something differs.\n",
    .options = option_table,
};
