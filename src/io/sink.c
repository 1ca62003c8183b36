#define _GNU_SOURCE /* copy_file_range, renameat2 */
#include "io/sink.h"
#include "base/utf8.h"
#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One call to the kernel moves at most this much, so that progress is heard of. */
#define COPY_STEP     ((size_t)8 << 20)
#define BUFFER_SIZE   ((size_t)256 << 10)
#define PROGRESS_STEP ((uint64_t)2 << 20) /* of a file; standard output may be slow */

struct sink {
    int fd;
    char *path; /* NULL: standard output */
    char *temporary;
    bool replaces;          /* `path` may be there */
    bool named;             /* the temporary file stands under `path` now */
    uint64_t written, told; /* `told`: when progress was told last */
    int errnum;             /* why it failed; 0: it has not */
    sink_progress_fn *progress;
    void *progress_ctx;
};

static const char *sink_name(const struct sink *sink)
{
    return sink->path != NULL ? sink->path : "standard output";
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* NULL when memory is out. */
static char *folder_of(const char *path)
{
    size_t len = (size_t)(base_name(path) - path);
    return len == 0 ? strdup(".") : strndup(path, len == 1 ? 1 : len - 1);
}

bool sink_same_place(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(base_name(a), base_name(b)) != 0)
        return false;
    char *folders[] = {folder_of(a), folder_of(b)};
    bool same = folders[0] != NULL && folders[1] != NULL && stat(folders[0], &x) == 0 && stat(folders[1], &y) == 0 &&
                x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    free(folders[0]);
    free(folders[1]);
    return same;
}

enum lt_status sink_check_free(const char *path, const char *input, struct lt_error *error)
{
    char name[512];
    struct stat st, in;
    printable(name, sizeof name, path, strlen(path));
    if (path[0] == '\0' || path[strlen(path) - 1] == '/')
        return fail(error, LT_USAGE, "'%s' names no file; give the output a file name", name);
    bool exists = lstat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return fail(error, LT_IO, "%s: is a folder; name a file in it", name);
    if (exists && stat(input, &in) == 0 && in.st_dev == st.st_dev && in.st_ino == st.st_ino)
        return fail_as(error, LT_CLASS_SAME_FILE,
                       "%s: is the input itself, which is never overwritten; choose another name", name);
    if (exists)
        return fail_as(error, LT_CLASS_EXISTS, "%s: already exists%s; choose another name or remove it first", name,
                       S_ISLNK(st.st_mode) ? " (a symbolic link)" : "");
    if (errno != ENOENT)
        return fail_errno(error, path, "cannot be written", errno);
    char *folder = folder_of(path);
    if (folder == NULL)
        return fail_memory(error);
    enum lt_status status = LT_OK;
    /* The temporary file's name may be longer than the file's own. */
    if (strlen(folder) + 1 + sizeof TEMPORARY_NAME > PATH_MAX)
        status = fail_errno(error, path, "cannot be written", ENAMETOOLONG);
    else if (stat(folder, &st) != 0)
        status = fail_errno(error, folder, "this folder cannot be written to", errno);
    else if (!S_ISDIR(st.st_mode))
        status = fail_errno(error, folder, "this folder cannot be written to", ENOTDIR);
    else if (access(folder, W_OK | X_OK) != 0)
        status = fail_errno(error, folder, "this folder cannot be written to", errno);
    free(folder);
    return status;
}

struct sink *sink_open(const char *path, struct lt_error *error)
{
    struct sink *sink = calloc(1, sizeof *sink);
    if (sink == NULL || (path != NULL && (sink->path = strdup(path)) == NULL)) {
        free(sink);
        fail_memory(error);
        return NULL;
    }
    sink->fd = path == NULL ? STDOUT_FILENO : temporary_open(path, &sink->temporary);
    if (sink->fd < 0) {
        fail_errno(error, path, "cannot be written", errno);
        sink_free(sink);
        return NULL;
    }
    return sink;
}

void sink_replace(struct sink *sink)
{
    sink->replaces = true;
}

void sink_on_progress(struct sink *sink, sink_progress_fn *fn, void *ctx)
{
    sink->progress = fn;
    sink->progress_ctx = ctx;
}

/* No bytes: progress is told in any case. */
static bool wrote(struct sink *sink, size_t bytes)
{
    sink->written += bytes;
    if (bytes > 0 && sink->path != NULL && sink->written - sink->told < PROGRESS_STEP)
        return true;
    sink->told = sink->written;
    if (sink->progress != NULL && !sink->progress(sink->progress_ctx, sink->written)) {
        sink->errnum = ECANCELED;
        return false;
    }
    return true;
}

bool sink_write(struct sink *sink, const void *data, size_t len)
{
    const char *at = data;
    while (len > 0 && sink->errnum == 0) {
        ssize_t n = write(sink->fd, at, len < COPY_STEP ? len : COPY_STEP);
        if (n < 0 && errno == EINTR) {
            wrote(sink, 0); /* a signal may be a wish to stop */
            continue;
        }
        if (n <= 0) {
            sink->errnum = n < 0 ? errno : EIO;
            break;
        }
        at += n;
        len -= (size_t)n;
        wrote(sink, (size_t)n);
    }
    return sink->errnum == 0;
}

#if defined(__linux__)
/*
 * Copies in the kernel as far as it can. Returns false when nothing more can
 * be copied this way: the rest goes through a buffer, where trouble that is
 * real shows again.
 */
static bool copy_in_kernel(struct sink *sink, int fd, uint64_t *offset, uint64_t *len)
{
    while (*len > 0 && sink->errnum == 0) {
        off_t from = (off_t)*offset;
        ssize_t n = copy_file_range(fd, &from, sink->fd, NULL, *len < COPY_STEP ? (size_t)*len : COPY_STEP, 0);
        if (n < 0 && errno == EINTR) {
            wrote(sink, 0);
            continue;
        }
        if (n <= 0)
            return false;
        *offset += (uint64_t)n;
        *len -= (uint64_t)n;
        wrote(sink, (size_t)n);
    }
    return true;
}
#endif

static bool copy_through_buffer(struct sink *sink, int fd, uint64_t offset, uint64_t len, bool *short_read)
{
    char *buffer = malloc(BUFFER_SIZE);
    if (buffer == NULL)
        sink->errnum = ENOMEM;
    while (len > 0 && sink->errnum == 0) {
        ssize_t n = pread(fd, buffer, len < BUFFER_SIZE ? (size_t)len : BUFFER_SIZE, (off_t)offset);
        if (n < 0 && errno == EINTR) {
            wrote(sink, 0);
            continue;
        }
        if (n <= 0) {
            *short_read = true;
            sink->errnum = n < 0 ? errno : EIO;
            break;
        }
        sink_write(sink, buffer, (size_t)n);
        offset += (uint64_t)n;
        len -= (uint64_t)n;
    }
    free(buffer);
    return sink->errnum == 0;
}

bool sink_copy(struct sink *sink, int fd, uint64_t offset, uint64_t len, bool *short_read)
{
    *short_read = false;
#if defined(__linux__)
    if (copy_in_kernel(sink, fd, &offset, &len))
        return sink->errnum == 0;
#endif
    return copy_through_buffer(sink, fd, offset, len, short_read);
}

uint64_t sink_written(const struct sink *sink)
{
    return sink->written;
}

enum lt_status sink_error(const struct sink *sink, struct lt_error *error)
{
    if (sink->errnum == 0)
        return LT_OK;
    if (sink->errnum == ECANCELED)
        return fail_cancelled(error, sink_name(sink));
    return fail_write(error, sink_name(sink), sink->errnum);
}

static bool output_write(void *ctx, const void *data, size_t len)
{
    return sink_write(ctx, data, len);
}

static bool output_copy(void *ctx, int fd, uint64_t offset, uint64_t len, bool *short_read)
{
    return sink_copy(ctx, fd, offset, len, short_read);
}

static enum lt_status output_error(void *ctx, struct lt_error *error)
{
    return sink_error(ctx, error);
}

struct output sink_output(struct sink *sink)
{
    return (struct output){output_write, output_copy, output_error, sink};
}

/* Gives the temporary file its name, unless that exists and is not to be replaced. 0 or an errno value. */
static int give_name(struct sink *sink)
{
    if (sink->replaces)
        return rename(sink->temporary, sink->path) == 0 ? 0 : errno;
    if (link(sink->temporary, sink->path) == 0) {
        unlink(sink->temporary);
        return 0;
    }
    if (errno == EEXIST)
        return EEXIST;
        /* Not every file system has hard links; there a rename that does not replace will do. */
#if defined(__linux__) && defined(RENAME_NOREPLACE)
    if (renameat2(AT_FDCWD, sink->temporary, AT_FDCWD, sink->path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno == EEXIST)
        return EEXIST;
#elif defined(__APPLE__) && defined(RENAME_EXCL)
    if (renamex_np(sink->temporary, sink->path, RENAME_EXCL) == 0)
        return 0;
    if (errno == EEXIST)
        return EEXIST;
#endif
    /* Last resort: take the name with an empty file of our own, then rename over that. */
    int fd = open(sink->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    (void)temporary_lock(fd);
    int errnum = rename(sink->temporary, sink->path) == 0 ? 0 : errno;
    if (errnum != 0)
        unlink(sink->path);
    close(fd);
    return errnum;
}

/* Until it is on the disk; some file systems cannot tell. */
static bool synchronise(int fd)
{
    while (fsync(fd) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == EROFS || errno == ENOTSUP || errno == ENOSYS;
    return true;
}

/* The same of the names in a file's folder, if that may be read. 0 or an errno value. */
static int synchronise_folder(const char *path)
{
    char *folder = folder_of(path);
    if (folder == NULL)
        return ENOMEM;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int errnum = fd < 0 || synchronise(fd) ? 0 : errno;
    free(folder);
    if (fd >= 0)
        close(fd);
    return errnum;
}

static enum lt_status close_all(struct sink **sinks, size_t count, struct lt_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct sink *sink = sinks[i];
        if (sink == NULL)
            continue;
        /* A full disk or a lost server may show only now, and signals may have come meanwhile. */
        if (sink->errnum == 0 && sink->path != NULL && !synchronise(sink->fd))
            sink->errnum = errno;
        if (sink->errnum == 0 && sink->path != NULL)
            wrote(sink, 0);
        /* Standard output stays open for its owner, a file for its lock: until it has its name. */
        int fd = dup(sink->fd);
        if (sink->errnum == 0 && (fd < 0 || close(fd) != 0) && errno != EINTR)
            sink->errnum = errno;
        if (sink->errnum != 0)
            return sink_error(sink, error);
    }
    return LT_OK;
}

static void take_names_back(struct sink **sinks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sinks[i] != NULL && sinks[i]->named) {
            unlink(sinks[i]->path);
            sinks[i]->named = false;
        }
}

enum lt_status sink_commit(struct sink **sinks, size_t count, struct lt_error *error)
{
    enum lt_status status = close_all(sinks, count, error);
    if (status != LT_OK)
        return status;
    sigset_t held, before;
    sigfillset(&held);
    pthread_sigmask(SIG_SETMASK, &held, &before);
    for (size_t i = 0; i < count && status == LT_OK; i++) {
        struct sink *sink = sinks[i];
        if (sink == NULL || sink->path == NULL)
            continue;
        int errnum = give_name(sink);
        sink->named = errnum == 0;
        if (errnum == 0)
            errnum = synchronise_folder(sink->path);
        if (errnum == 0)
            continue;
        take_names_back(sinks, count);
        char name[512];
        printable(name, sizeof name, sink->path, strlen(sink->path));
        status = errnum == EEXIST ? fail_as(error, LT_CLASS_EXISTS,
                                            "%s: appeared meanwhile and was left alone; choose another name", name)
                                  : fail_errno(error, sink->path, "cannot be given its name", errnum);
    }
    /* From here on the files are the caller's: sink_free() must not remove them. */
    for (size_t i = 0; i < count && status == LT_OK; i++)
        if (sinks[i] != NULL && sinks[i]->named) {
            free(sinks[i]->temporary);
            sinks[i]->temporary = NULL;
        }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

void sink_free(struct sink *sink)
{
    if (sink == NULL)
        return;
    if (sink->temporary != NULL && !sink->named)
        unlink(sink->temporary);
    if (sink->path != NULL && sink->fd >= 0)
        close(sink->fd);
    free(sink->temporary);
    free(sink->path);
    free(sink);
}
