#define _POSIX_C_SOURCE 200809L
#include "cli/many.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/many_results.h"
#include "cli/rank_keep.h"
#include "cli/say.h"
#include "io/sink.h"
#include "io/temporary.h"
#include "jobs/folder.h"
#include "jobs/output_names.h"
#include "jobs/summary.h"
#include "jobs/trace_list.h"
#include "rules/ranks_place.h"

/* How messages call options. */
static const struct naming naming = {.name = cli_name};

enum state { WAITING, DONE, REFUSED, PASSED_OVER };

/* All of a command on many traces. */
struct many {
    const struct many_command *command;
    const struct cli_common *common;
    struct lt_error error;
    struct trace_list list;
    struct output_names names; /* [list.files.count], when files are written */
    char *cwd;
    bool looking;   /* this is the round before anything is written */
    char why[2048]; /* all of them are refused after it */

    /* [list.files.count] */
    struct rank_result *results;
    enum state *states;
    struct arena *memory;
    uint64_t *read; /* bytes that the progress bar counts, of `twice` */

    pthread_mutex_t lock; /* of what is printed, and of: */
    struct progress progress;
    uint64_t read_all, twice;
};

/* ---- messages ----------------------------------------------------------------------------------------------- */

bool many_on_progress(void *ctx, enum lt_stage stage, uint64_t done, uint64_t total)
{
    struct many_task *task = ctx;
    struct many *many = task->many;
    uint64_t size = many->list.files.items[task->index].size;
    uint64_t part = total == 0 ? 0 : done >= total ? size : (uint64_t)((double)done / (double)total * (double)size);
    uint64_t at = stage == LT_STAGE_SCAN ? part : size + part;
    pthread_mutex_lock(&many->lock);
    if (at > many->read[task->index]) {
        many->read_all += at - many->read[task->index];
        many->read[task->index] = at;
    }
    progress_tell(&many->progress, LT_STAGE_SCAN, many->read_all, many->twice);
    pthread_mutex_unlock(&many->lock);
    return !interrupt_seen();
}

void many_on_warning(void *ctx, const struct lt_warning *warning)
{
    struct many_task *task = ctx;
    struct many *many = task->many;
    pthread_mutex_lock(&many->lock);
    /* A look has told of them. */
    if (many->looking || !many->command->look_first) {
        progress_clear(&many->progress);
        say_warning(warning, task->trace);
    }
    pthread_mutex_unlock(&many->lock);
    task->result->warnings++;
}

bool many_on_found(void *ctx, const struct lt_found *found)
{
    struct many_task *task = ctx;
    rank_keep_found(task->result, task->memory, found);
    return !interrupt_seen();
}

void many_print(struct many_task *task, const char *line)
{
    struct many *many = task->many;
    pthread_mutex_lock(&many->lock);
    progress_clear(&many->progress);
    fputs(line, stdout);
    pthread_mutex_unlock(&many->lock);
}

void many_say(struct many_task *task, const struct log_entry *entry, const char *sentence)
{
    struct many *many = task->many;
    pthread_mutex_lock(&many->lock);
    progress_clear(&many->progress);
    say_entry(entry, sentence);
    pthread_mutex_unlock(&many->lock);
}

/* A difference was told when it was found. */
static void say_difference(struct many *many, const struct lt_error *error)
{
    pthread_mutex_lock(&many->lock);
    say_class(lt_class_word(error->class_id), LT_DIFFERENT);
    pthread_mutex_unlock(&many->lock);
}

/* About a trace, or about all of them: NULL. The exit code. */
static int say(struct many *many, const struct lt_error *error, const char *trace)
{
    pthread_mutex_lock(&many->lock);
    progress_clear(&many->progress);
    say_error(error, trace);
    pthread_mutex_unlock(&many->lock);
    return error->status > LT_IO ? LT_IO : (int)error->status;
}

int many_check_outputs(const struct cli_common *common, const struct cli_output *output)
{
    if (common->many->output_dir == NULL)
        return cli_usage("many traces, or a folder of them, need --output-dir; outputs are named after their traces");
    if (output->output != NULL || output->report != NULL)
        return cli_usage("%s names one file, and --output-dir a folder for many; give one of them",
                         output->output != NULL ? "-o" : "--report");
    return LT_OK;
}

/* ---- which, and what outputs are called --------------------------------------------------------------------- */

static enum lt_status list_traces(struct many *many)
{
    const struct cli_many *options = many->common->many;
    size_t count = 0;
    const char **arguments = calloc((size_t)options->operand_count + 2, sizeof *arguments);
    if (arguments == NULL)
        return fail_memory(&many->error);
    if (many->common->trace != NULL)
        arguments[count++] = many->common->trace;
    for (int i = 0; i < options->operand_count; i++)
        arguments[count++] = options->operands[i];
    struct trace_list_request request = {.arguments = arguments,
                                         .count = count,
                                         .files_from = options->files_from,
                                         .separator = options->by_nul ? '\0' : '\n',
                                         .wanted = many->command->wanted};
    enum lt_status status = trace_list_make(&many->list, &request, &many->error);
    free(arguments);
    return status;
}

/* Makes the folders of `path` below the first `from` bytes. 0 or an errno value. */
static int make_folders(char *path, size_t from)
{
    for (char *at = path + from; *at != '\0'; at++) {
        if (*at != '/' || at == path)
            continue;
        *at = '\0';
        int errnum = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
        *at = '/';
        if (errnum != 0)
            return errnum;
    }
    return 0;
}

static enum lt_status make_output_folders(struct many *many)
{
    for (size_t i = 0; i < many->names.count; i++) {
        char *path = strdup(many->names.items[i].output);
        int errnum = path == NULL ? ENOMEM : make_folders(path, 0);
        free(path);
        if (errnum != 0)
            return fail_errno(&many->error, many->names.items[i].output, "its folder cannot be made", errnum);
    }
    return LT_OK;
}

static enum lt_status name_outputs(struct many *many)
{
    const struct many_command *command = many->command;
    const struct file_list *files = &many->list.files;
    if (command->ending == NULL)
        return LT_OK;
    const char **sources = calloc(files->count, sizeof *sources);
    if (sources == NULL)
        return fail_memory(&many->error);
    for (size_t i = 0; i < files->count; i++)
        sources[i] = files->items[i].path;
    struct output_request request = {.folder = many->common->many->output_dir,
                                     .cwd = many->cwd,
                                     .ending = command->ending,
                                     .report_ending = command->report_ending,
                                     .may_gzip = command->may_gzip,
                                     .compress = command->compress};
    enum lt_status status = output_names_make(&many->names, sources, files->count, &request, &many->error);
    free(sources);
    return status;
}

/* ---- one of them -------------------------------------------------------------------------------------------- */

static void keep_refusal(struct many *many, size_t index, enum lt_status status, const struct lt_error *error)
{
    struct rank_result *result = &many->results[index];
    const char *message = error->file[0] == '\0' ? error->message : error->message + strlen(error->file) + 2;
    result->class = lt_class_word(error->class_id);
    result->message = arena_copy(&many->memory[index], message, strlen(message) + 1);
    result->exit_code = status > LT_IO ? LT_IO : (int)status;
    result->verdict = status == LT_DIFFERENT ? "differs" : "refused";
    result->output = NULL;
    many->states[index] = REFUSED;
}

/* Found in a folder, and no trace of a rank. */
static bool passes_over(struct many *many, size_t index, const struct lt_error *error)
{
    if (many->list.files.items[index].named)
        return false;
    if (error->class_id != LT_CLASS_NO_EVENTS && error->class_id != LT_CLASS_NO_KERNELS)
        return false;
    pthread_mutex_lock(&many->lock);
    many->list.passed_over[error->class_id == LT_CLASS_NO_EVENTS ? FILE_NO_EVENTS : FILE_NO_KERNEL]++;
    pthread_mutex_unlock(&many->lock);
    many->states[index] = PASSED_OVER;
    return true;
}

/* Why a file that was named is no trace, before it is opened. */
static enum lt_status refuse_file(const struct many *many, const struct file_item *item, struct lt_error *error)
{
    char name[512];
    enum file_kind kind = file_kind_refused(item, many->command->wanted);
    if (item->errnum != 0)
        return fail_errno(error, item->path, "cannot be read", item->errnum);
    return kind == FILE_TRACE
               ? LT_OK
               : fail(error, LT_TRACE, "%s: %s", printable(name, sizeof name, item->path, strlen(item->path)),
                      file_kind_reason(kind));
}

static unsigned jobs_of(const struct many *many)
{
    unsigned jobs = many->common->many->jobs == 0 ? cpus_usable() : many->common->many->jobs;
    return jobs < many->list.files.count ? jobs : (unsigned)many->list.files.count;
}

/* Each job's share of the processors. */
static unsigned threads_of(const struct many *many)
{
    unsigned share = cpus_usable() / jobs_of(many);
    return many->common->threads != 0 ? many->common->threads : share == 0 ? 1 : share;
}

static void work(void *ctx, size_t index)
{
    struct many *many = ctx;
    const struct file_item *item = &many->list.files.items[index];
    const struct output_name *name = many->names.count == 0 ? NULL : &many->names.items[index];
    bool dry = many->looking || many->command->dry_run;
    struct lt_error error = {.size = sizeof error, .own = &naming};
    struct many_task task = {.trace = item->path,
                             .output = name == NULL ? NULL : name->output,
                             .report = name == NULL ? NULL : name->report,
                             .threads = threads_of(many),
                             .dry_run = dry,
                             .is_look = many->looking,
                             .result = &many->results[index],
                             .memory = &many->memory[index],
                             .many = many,
                             .index = index};
    if (many->states[index] != WAITING)
        return;
    enum lt_status status = refuse_file(many, item, &error);
    if (status == LT_OK)
        status = many->command->work(many->command->ctx, &task, &error);
    if (status == LT_CANCELLED && interrupt_seen())
        return;
    if (status == LT_OK) {
        bool as_before = task.result->as_before;
        task.result->output = dry && !as_before ? NULL : task.output;
        task.result->verdict = as_before ? "as before" : many->looking ? "not written" : many->command->done;
        many->states[index] = many->looking && !as_before ? WAITING : DONE;
        return;
    }
    if (passes_over(many, index, &error))
        return;
    keep_refusal(many, index, status, &error);
    if (status == LT_DIFFERENT)
        say_difference(many, &error);
    else
        say(many, &error, item->path);
}

static bool stopped(void *ctx)
{
    (void)ctx;
    return interrupt_seen();
}

/* One round on all that wait. */
static enum lt_status go_round(struct many *many)
{
    size_t count = many->list.files.count;
    uint64_t *sizes = calloc(count, sizeof *sizes);
    many->read_all = many->twice = 0;
    for (size_t i = 0; i < count && sizes != NULL; i++) {
        sizes[i] = many->list.files.items[i].size;
        many->read[i] = 0;
        many->twice += sizes[i] * (many->command->ending != NULL && !many->looking ? 2 : 1);
    }
    struct folder folder = {
        .sizes = sizes, .count = count, .workers = jobs_of(many), .work = work, .stopped = stopped, .ctx = many};
    progress_start(&many->progress, many->common->mode);
    many->progress.doing = many->looking ? "looking" : "working";
    bool done = sizes != NULL && folder_run(&folder);
    progress_clear(&many->progress);
    free(sizes);
    return done ? LT_OK : fail_memory(&many->error);
}

/* ---- what came of it ---------------------------------------------------------------------------------------- */

/* Those that count, without what was passed over; in their order. NULL when memory is out. */
static struct rank_result *counted(const struct many *many, size_t *count)
{
    struct rank_result *results = calloc(many->list.files.count + 1, sizeof *results);
    *count = 0;
    for (size_t i = 0; i < many->list.files.count && results != NULL; i++)
        if (many->states[i] != PASSED_OVER)
            results[(*count)++] = many->results[i];
    return results;
}

/* Why nothing is written after a look; NULL: nothing speaks against it. */
static const char *refuse_look(const struct many *many, const struct ranks_comparison *comparison,
                               const struct rank_result *results, size_t count, char *out, size_t size)
{
    if (many->command->same_counts && !ranks_same_counts(comparison))
        return "ranks differ in counts, see above, so that nothing was written; leave out those that differ, or "
               "label them by themselves";
    if (!many->command->by_rule)
        return NULL;
    char one[512], other[512];
    struct ranks_places places = ranks_place(results, count, many->command->from_end);
    if (places.place == RANKS_SAME_PLACE)
        return NULL;
    const char *files[] = {results[places.one].file, results[places.other].file};
    printable(one, sizeof one, files[0], strlen(files[0]));
    printable(other, sizeof other, files[1], strlen(files[1]));
    if (places.place == RANKS_OTHER_START)
        snprintf(out, size,
                 "one rule means different places, so that nothing was written: the first pass of %s begins %.3f ms "
                 "%s that of %s; %sgive those that differ offsets of their own",
                 other, fabs((double)places.apart_ns) / 1e6, places.apart_ns < 0 ? "before" : "after", one,
                 many->command->from_end ? "" : "count runs from the end (run:-K), or ");
    else
        snprintf(out, size,
                 "one rule may mean different places, so that nothing was written: the runs of %s and %s differ, and "
                 "no clock tells which is which; give those that differ offsets of their own",
                 one, other);
    return out;
}

/* Compares what a look has found. */
static enum lt_status compare_look(struct many *many, const char **refusal)
{
    struct ranks_comparison comparison = {0};
    size_t count;
    struct rank_result *results = counted(many, &count);
    bool compared = results != NULL && ranks_compare(&comparison, results, count);
    *refusal = compared ? refuse_look(many, &comparison, results, count, many->why, sizeof many->why) : NULL;
    ranks_comparison_free(&comparison);
    free(results);
    return compared ? LT_OK : fail_memory(&many->error);
}

/* ---- all of it ---------------------------------------------------------------------------------------------- */

/* Its name is free, or what an earlier run left there may go. */
static enum lt_status make_way_for_summary(struct many *many)
{
    const struct cli_many *options = many->common->many;
    if (options->summary == NULL || strcmp(options->summary, "-") == 0)
        return LT_OK;
    struct temporary_counts counts = {0};
    if (options->resume)
        temporary_remove_all(options->summary, &counts);
    if (options->resume && summary_is_ours(options->summary))
        return LT_OK;
    return sink_check_free(options->summary, "", &many->error);
}

static enum lt_status get_ready(struct many *many)
{
    many->cwd = getcwd(NULL, 0);
    if (many->cwd == NULL)
        return fail_errno(&many->error, ".", "this folder cannot be told", errno);
    if (list_traces(many) != LT_OK || name_outputs(many) != LT_OK)
        return many->error.status;
    size_t count = many->list.files.count;
    many->results = calloc(count, sizeof *many->results);
    many->states = calloc(count, sizeof *many->states);
    many->memory = calloc(count, sizeof *many->memory);
    many->read = calloc(count, sizeof *many->read);
    if (many->results == NULL || many->states == NULL || many->memory == NULL || many->read == NULL)
        return fail_memory(&many->error);
    for (size_t i = 0; i < count; i++) {
        struct text path = {0};
        path_add_absolute(&path, many->cwd, many->list.files.items[i].path);
        text_add(&path, "", 1);
        if (path.failed)
            return fail_memory(&many->error);
        many->results[i] = (struct rank_result){
            .file = many->list.files.items[i].path, .rank = rank_of_path(path.data), .verdict = "not done"};
        text_free(&path);
    }
    if (make_way_for_summary(many) != LT_OK)
        return many->error.status;
    return LT_OK;
}

/* What was counted in the look is counted again. */
static void forget_look(struct many *many)
{
    for (size_t i = 0; i < many->list.files.count; i++)
        if (many->states[i] == WAITING)
            many->results[i].warnings = 0;
}

/* Compares the ranks and shows what came of all. The exit code. */
static int finish(struct many *many, const char *refusal)
{
    size_t count;
    struct rank_result *results = counted(many, &count);
    struct many_results all = {.name = many->command->name,
                               .results = results,
                               .count = count,
                               .passed_over = many->list.passed_over,
                               .show = many->command->show,
                               .show_ctx = many->command->ctx,
                               .summary_path = many->common->many->summary,
                               .replaces = many->common->many->resume,
                               .quiet = many->common->quiet,
                               .refusal = refusal};
    int code = LT_OK;
    enum lt_status status = results == NULL ? fail_memory(&many->error) : many_results_show(&all, &code, &many->error);
    if (status != LT_OK)
        code = say(many, &many->error, NULL);
    free(results);
    return code;
}

static int run(struct many *many)
{
    const char *refusal = NULL;
    enum lt_status status = get_ready(many);
    interrupt_catch();
    if (status == LT_OK && many->command->look_first) {
        many->looking = true;
        status = go_round(many);
        if (status == LT_OK && !interrupt_seen())
            status = compare_look(many, &refusal);
        many->looking = false;
        forget_look(many);
    }
    if (status == LT_OK && refusal == NULL && !many->command->dry_run)
        status = make_output_folders(many);
    if (status == LT_OK && refusal == NULL && !interrupt_seen())
        status = go_round(many);
    if (interrupt_seen()) {
        fail_cancelled(&many->error,
                       many->common->many->output_dir == NULL ? "the traces" : many->common->many->output_dir);
        return say(many, &many->error, NULL);
    }
    return status == LT_OK ? finish(many, refusal) : say(many, &many->error, NULL);
}

int many_run(const struct many_command *command, const struct cli_common *common)
{
    struct many *many = calloc(1, sizeof *many);
    struct lt_error error = {.size = sizeof error};
    if (many == NULL || pthread_mutex_init(&many->lock, NULL) != 0) {
        free(many);
        fail_memory(&error);
        return cli_fail(&error);
    }
    many->command = command;
    many->common = common;
    many->error = error;
    many->error.own = &naming;
    int code = run(many);
    for (size_t i = 0; many->memory != NULL && i < many->list.files.count; i++)
        arena_free(&many->memory[i]);
    free(many->memory);
    free(many->results);
    free(many->states);
    free(many->read);
    free(many->cwd);
    output_names_free(&many->names);
    trace_list_free(&many->list);
    pthread_mutex_destroy(&many->lock);
    free(many);
    return code;
}
