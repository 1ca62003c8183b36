#define _POSIX_C_SOURCE 200809L
#include "cli/step_summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/rank_keep.h"
#include "cli/say.h"
#include "cli/summary_text.h"

#define VARIABLE "GITHUB_STEP_SUMMARY"

/* Less is no page. */
#define LEAST ((size_t)4096)

static const char *file(void)
{
    const char *path = getenv(VARIABLE);
    return path == NULL || path[0] == '\0' ? NULL : path;
}

bool step_summary_wanted(void)
{
    return file() != NULL;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

static void warn(const struct lt_error *error)
{
    say_warning(&(struct lt_warning){.size = sizeof(struct lt_warning),
                                     .class_id = error->class_id,
                                     .count = 1,
                                     .event = LT_NONE,
                                     .offset = LT_NONE,
                                     .message = error->message,
                                     .file = error->file,
                                     .what = error->what,
                                     .hint = error->hint},
                NULL);
}

/* How much may still be appended; 0, with *error, when that is no page. */
static size_t room_behind(int fd, const char *path, struct lt_error *error)
{
    struct stat st;
    char name[512];
    if (fstat(fd, &st) != 0) {
        fail_errno(error, path, "cannot be read", errno);
        return 0;
    }
    uint64_t size = (uint64_t)st.st_size;
    if (size + LEAST <= SUMMARY_MARKDOWN_MOST)
        return SUMMARY_MARKDOWN_MOST - (size_t)size;
    fail(error, LT_IO, "%s: holds %llu of 1048576 bytes already, so that nothing was added",
         printable(name, sizeof name, path, strlen(path)), (unsigned long long)size);
    return 0;
}

static enum lt_status write_all(int fd, const struct text *page, const char *path, struct lt_error *error)
{
    for (size_t done = 0; done < page->len;) {
        ssize_t count = write(fd, page->data + done, page->len - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return fail_write(error, path, count == 0 ? EIO : errno);
        done += (size_t)count;
    }
    return LT_OK;
}

static enum lt_status append(int fd, const char *path, const struct summary *summary, struct lt_error *error)
{
    size_t room = room_behind(fd, path, error);
    if (room == 0)
        return error->status;
    struct text page = {0};
    /* Behind what ends within a line, too. */
    bool behind = room < SUMMARY_MARKDOWN_MOST;
    text_puts(&page, behind ? "\n\n" : "");
    bool made = summary_markdown(summary, room - page.len, &page);
    enum lt_status status = made ? write_all(fd, &page, path, error) : fail_memory(error);
    text_free(&page);
    return status;
}

void step_summary_add(const struct summary *summary)
{
    const char *path = file();
    struct lt_error error = {0};
    if (path == NULL)
        return;
    /* A pipe that nobody reads must not hold up the job. */
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    enum lt_status status =
        fd < 0 ? fail_errno(&error, path, "cannot be written", errno) : append(fd, path, summary, &error);
    if (fd >= 0 && close(fd) != 0 && status == LT_OK)
        status = fail_write(&error, path, errno);
    if (status != LT_OK)
        warn(&error);
}

/* ---- one trace ---------------------------------------------------------------------------------------------- */

void step_summary_of(struct step_row *row, const char *trace)
{
    row->result.file = strcmp(trace, "-") == 0 ? "standard input" : trace;
    row->result.rank = rank_keep_by_name(trace);
}

void step_summary_end(struct step_row *row, const char *command, const char *verdict, int code,
                      const struct lt_error *error)
{
    static const uint64_t passed_over[FILE_KINDS];
    struct ranks_comparison comparison = {0};
    struct rank_result *result = &row->result;
    result->warnings = say_warnings();
    result->verdict = code > LT_DIFFERENT ? "refused" : verdict;
    result->exit_code = code;
    if (error->status != LT_OK && result->message == NULL) {
        result->class = lt_class_word(error->class_id);
        result->message = error->file[0] == '\0' ? error->message : error->message + strlen(error->file) + 2;
    }
    /* How many others there are is no news of one trace. */
    result->rank.world_size = RANK_NONE;
    if (ranks_compare(&comparison, result, 1))
        step_summary_add(&(struct summary){.command = command,
                                           .results = result,
                                           .count = 1,
                                           .comparison = &comparison,
                                           .passed_over = passed_over,
                                           .exit_code = code});
    ranks_comparison_free(&comparison);
    arena_free(&row->memory);
}
