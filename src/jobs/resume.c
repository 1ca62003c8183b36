#define _POSIX_C_SOURCE 200809L
#include "jobs/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/utf8.h"
#include "base/versioned.h"
#include "io/source.h"
#include "io/temporary.h"
#include "jobs/report_fit.h"

/* How often another process, which is giving files their names, is waited for. */
#define PAUSE_NS ((long)50 * 1000 * 1000)
#define PAUSES   400

/* Progress is told whenever so many bytes were hashed. */
#define PROGRESS_STEP ((uint64_t)2 << 20)

/* How often files may appear, or go, while they are looked at. */
#define ROUNDS 4

enum look { MISSING, AS_BEFORE, AGAIN };

struct resume {
    const struct lt_annotate_options *options;
    struct lt_error *error;
    char *report;
    char name[512]; /* of the output, for people */
    struct tracks tracks;
};

/* ---- the output -------------------------------------------------------------------------------------------- */

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static bool is_to_be_gzip(const struct lt_annotate_options *options)
{
    size_t len = strlen(options->output);
    bool named = len >= 3 && strcmp(options->output + len - 3, ".gz") == 0;
    return options->compress == LT_COMPRESS_GZIP || (options->compress == LT_COMPRESS_BY_NAME && named);
}

/* Whether it is what the report is of, as far as its size tells. */
static enum lt_status check_output(struct resume *resume, const struct report_fit *fit)
{
    const char *path = resume->options->output;
    unsigned char head[2] = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 || fstat(fd, &st) != 0 ? -1 : pread(fd, head, sizeof head, 0);
    int errnum = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return fail_errno(resume->error, path, "already exists and cannot be read", errnum);
    bool gzip = head[0] == 0x1f && head[1] == 0x8b;
    if (n > 0 && gzip != is_to_be_gzip(resume->options))
        return fail_as(resume->error, LT_CLASS_OTHER_SELECTION,
                       "%s: already exists, %scompressed; choose another name or remove it first", resume->name,
                       gzip ? "" : "not ");
    if (n == 0 || (!gzip && (uint64_t)st.st_size != fit->output_size))
        return fail_as(resume->error, LT_CLASS_NO_REPORT,
                       "%s: already exists, and its report is of a file of another size; choose another name or remove "
                       "it first",
                       resume->name);
    return LT_OK;
}

/* ---- the source -------------------------------------------------------------------------------------------- */

static enum lt_status hash_all(struct resume *resume, struct source *source)
{
    const struct lt_annotate_options *options = resume->options;
    const unsigned char *data;
    uint64_t done = 0, told = 0;
    size_t len = 1;
    while (len > 0) {
        if (source_next(source, &data, &len, resume->error) != LT_OK)
            return resume->error->status;
        done += len;
        if (options->progress == NULL || (len > 0 && done - told < PROGRESS_STEP))
            continue;
        told = done;
        if (!options->progress(options->callback_ctx, LT_STAGE_SCAN, done, source_expected_size(source)))
            return fail_cancelled(resume->error, source_name(source));
    }
    return source_check_unchanged(source, resume->error);
}

/* What comes through a pipe is gone then, and *again tells. */
static enum lt_status check_source(struct resume *resume, const struct report_fit *fit, bool *again)
{
    const struct lt_annotate_options *options = resume->options;
    struct source_options request = {.path = options->trace,
                                     .threads = options->threads == 0 ? cpus_usable() : options->threads,
                                     .hash = SOURCE_HASH_STORED,
                                     .as_stored = true};
    struct source *source = source_open(&request, resume->error);
    /* Known from the start of a file only. */
    *again = source != NULL && source_expected_size(source) > 0;
    enum lt_status status = source == NULL ? resume->error->status : hash_all(resume, source);
    if (status == LT_OK && strcmp(source_sha256(source), fit->sha256) != 0)
        status = fail_as(resume->error, LT_CLASS_OTHER_SOURCE,
                         "%s: already exists, made from another source than %s is now; choose another name or remove "
                         "it first",
                         resume->name, source_name(source));
    source_free(source);
    return status;
}

/* ---- what is there ----------------------------------------------------------------------------------------- */

/* Waits until nobody is about to give the files their names. */
static enum lt_status wait_for_others(struct resume *resume)
{
    const struct lt_annotate_options *options = resume->options;
    for (unsigned i = 0; temporary_look(resume->report) == TEMPORARY_IN_USE; i++) {
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        if (i == PAUSES)
            return fail_as(resume->error, LT_CLASS_EXISTS,
                           "%s: is being made by another process, which does not go on; wait for it or end it",
                           resume->name);
        nanosleep(&pause, NULL);
        if (options->progress != NULL && !options->progress(options->callback_ctx, LT_STAGE_SCAN, 0, 0))
            return fail_cancelled(resume->error, resume->name);
    }
    return LT_OK;
}

/* A report without an output, which no living process is about to name. */
static enum lt_status drop_report(struct resume *resume, enum look *look)
{
    enum temporary_left left =
        resume->options->dry_run ? TEMPORARY_REMOVED : temporary_remove(resume->report, resume->options->output);
    *look = left == TEMPORARY_REMOVED ? MISSING : AGAIN;
    char name[512];
    return left != TEMPORARY_UNKNOWN
               ? LT_OK
               : fail_as(resume->error, LT_CLASS_EXISTS,
                         "%s: already exists, and whether another process is about to make its output cannot be told "
                         "without locks; remove it first",
                         printable(name, sizeof name, resume->report, strlen(resume->report)));
}

static enum lt_status look_at_both(struct resume *resume, struct report_fit *fit, enum look *look)
{
    const char *output = resume->options->output;
    bool made = exists(output), again;
    const char *about = made ? output : resume->report;
    printable(resume->name, sizeof resume->name, about, strlen(about));
    enum lt_status status = report_fit_read(fit, resume->report, about, &resume->tracks, resume->error);
    if (status == LT_OK && made)
        status = check_output(resume, fit);
    if (status == LT_OK)
        status = check_source(resume, fit, &again);
    if (status != LT_OK)
        return status;
    if (!made && !again)
        return fail_as(resume->error, LT_CLASS_EXISTS,
                       "%s: already exists, without an output, and what comes through a pipe comes once; remove it "
                       "first",
                       resume->name);
    if (!made)
        return drop_report(resume, look);
    const struct lt_annotate_options *options = resume->options;
    *look = AS_BEFORE;
    return options->found == NULL || options->found(options->callback_ctx, &fit->found)
               ? LT_OK
               : fail_cancelled(resume->error, resume->name);
}

static enum lt_status look_at(struct resume *resume, enum look *look)
{
    const char *output = resume->options->output;
    *look = MISSING;
    printable(resume->name, sizeof resume->name, output, strlen(output));
    if (wait_for_others(resume) != LT_OK)
        return resume->error->status;
    bool reported = exists(resume->report);
    if (!reported && !exists(output))
        return LT_OK;
    if (!reported)
        return fail_as(resume->error, LT_CLASS_NO_REPORT,
                       "%s: already exists, without a report that tells what of; choose another name or remove it "
                       "first",
                       resume->name);
    struct report_fit *fit = calloc(1, sizeof *fit);
    if (fit == NULL)
        return fail_memory(resume->error);
    enum lt_status status = look_at_both(resume, fit, look);
    report_fit_free(fit);
    free(fit);
    return status;
}

static void remove_left(struct resume *resume)
{
    const struct lt_annotate_options *options = resume->options;
    struct temporary_counts counts = {0};
    struct listener listener = {options->warning, options->callback_ctx};
    temporary_remove_all(options->output, &counts);
    temporary_remove_all(resume->report, &counts);
    uint64_t unknown = counts.of[TEMPORARY_UNKNOWN];
    if (unknown > 0)
        warn_of(&listener, LT_CLASS_TEMPORARIES, unknown, error_nowhere,
                "%s: %llu temporary %s of it may be in use, or left of a process that was killed, which cannot be told "
                "there without locks; remove .layertrack-*.tmp when no process is at work",
                resume->name, (unsigned long long)unknown, unknown == 1 ? "file" : "files");
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static enum lt_status annotate(struct resume *resume, struct lt_annotate_result *result)
{
    struct lt_annotate_options options = *resume->options;
    struct lt_error error = {.size = sizeof error};
    if (options.dry_run)
        options.output = options.report = NULL;
    return lt_annotate(&options, result, &error) == LT_OK ? LT_OK : fail_again(resume->error, &error);
}

/* Looks, and does what is missing: more than once when another process was faster. */
static enum lt_status look_and_do(struct resume *resume, bool *as_before, struct lt_annotate_result *result)
{
    for (unsigned round = 1;; round++) {
        enum look look;
        if (look_at(resume, &look) != LT_OK)
            return resume->error->status;
        *as_before = look == AS_BEFORE;
        if (look == AS_BEFORE || (look == MISSING && annotate(resume, result) == LT_OK))
            return LT_OK;
        bool appeared = look == AGAIN || resume->error->class_id == LT_CLASS_EXISTS;
        if (!appeared || round == ROUNDS)
            return resume->error->status != LT_OK
                       ? resume->error->status
                       : fail_as(resume->error, LT_CLASS_EXISTS,
                                 "%s: other processes make it and take it away; let one of them finish", resume->name);
        error_reset(resume->error);
    }
}

static enum lt_status check_options(const struct lt_annotate_options *options, struct lt_error *error)
{
    const char *output = options->output;
    if (output == NULL || output[0] == '\0' || strcmp(output, "-") == 0)
        return fail(error, LT_USAGE, "what is on standard output cannot be resumed; name a file with %s",
                    error_name(error, "output"));
    return LT_OK;
}

static char *report_name(const struct lt_annotate_options *options)
{
    if (options->report != NULL)
        return strdup(options->report);
    char *name = malloc(strlen(options->output) + sizeof ".layers.json");
    return name == NULL ? NULL : strcat(strcpy(name, options->output), ".layers.json");
}

enum lt_status resume_annotate(const struct lt_annotate_options *options, bool *as_before,
                               struct lt_annotate_result *result, struct lt_error *error)
{
    struct naming naming;
    struct lt_error why;
    *as_before = false;
    if (versioned_begin(&why, &naming, error) != LT_OK)
        return LT_USAGE;
    naming = (struct naming){options->name, options->callback_ctx};
    struct resume *resume = calloc(1, sizeof *resume);
    enum lt_status status = resume == NULL ? fail_memory(&why) : check_options(options, &why);
    if (status == LT_OK) {
        resume->options = options;
        resume->error = &why;
        resume->report = report_name(options);
        status = resume->report == NULL ? fail_memory(&why) : tracks_init(&resume->tracks, options, &why);
    }
    if (status == LT_OK && !options->dry_run)
        remove_left(resume);
    if (status == LT_OK)
        look_and_do(resume, as_before, result);
    if (resume != NULL) {
        tracks_free(&resume->tracks);
        free(resume->report);
        free(resume);
    }
    return versioned_end(error, &why);
}
