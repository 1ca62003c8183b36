#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "error.h"

#if defined(__APPLE__)
#define ST_MTIM st_mtimespec
#define ST_CTIM st_ctimespec
#else
#define ST_MTIM st_mtim
#define ST_CTIM st_ctim
#endif

/*
 * Two changes within one tick of the file system's clock show the same time.
 * Let the tick in which the file was changed last pass before relying on it.
 */
static void let_settle(const struct stat *opened)
{
    struct timespec now, pause = {0, 20000000};
    clock_gettime(CLOCK_REALTIME, &now);
    double age =
        difftime(now.tv_sec, opened->ST_CTIM.tv_sec) + (double)(now.tv_nsec - opened->ST_CTIM.tv_nsec) / 1000000000;
    if (age >= 0 && age < 0.02)
        nanosleep(&pause, NULL);
}

bool file_take(struct served_file *file, int fd)
{
    struct stat now;
    file->fd = -1;
    if (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode))
        return false;
    let_settle(&now);
    if (fstat(fd, &file->opened) != 0)
        return false;
    file->fd = fd;
    return true;
}

enum lt_status file_open(struct served_file *file, const char *path, struct lt_error *error)
{
    char name[512];
    file->fd = -1;
    /* Not to wait for a writer, should it be a pipe. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_errno(error, path, "cannot be opened", errno);
    if (file_take(file, fd))
        return LT_OK;
    close(fd);
    return fail(error, LT_TRACE, "%s: is not a regular file; save it to one first, it is read more than once",
                printable(name, sizeof name, path, strlen(path)));
}

bool file_open_below(struct served_file *file, int folder, const char *path)
{
    char name[NAME_MAX + 1];
    int at = folder;
    file->fd = -1;
    for (;;) {
        size_t len = strcspn(path, "/");
        bool last = path[len] == '\0';
        int next = -1;
        if (len <= NAME_MAX) {
            memcpy(name, path, len);
            name[len] = '\0';
            next = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (last ? 0 : O_DIRECTORY));
        }
        int problem = len > NAME_MAX ? ENAMETOOLONG : errno;
        if (at != folder)
            close(at);
        errno = problem;
        if (next < 0)
            return false;
        if (last) {
            if (file_take(file, next))
                return true;
            close(next);
            errno = ENOENT;
            return false;
        }
        at = next;
        path += len + 1;
    }
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool file_unchanged(const struct served_file *file)
{
    const struct stat *opened = &file->opened;
    struct stat now;
    if (fstat(file->fd, &now) != 0 || now.st_size != opened->st_size || !same_time(now.ST_MTIM, opened->ST_MTIM))
        return false;
    /*
     * The time of writing can be put back, that of change cannot. But the
     * latter also moves with the number of names, and a file that another one
     * has replaced is still the one that was opened.
     */
    return same_time(now.ST_CTIM, opened->ST_CTIM) || now.st_nlink != opened->st_nlink;
}

ssize_t file_read(const struct served_file *file, void *buffer, size_t size, uint64_t offset)
{
    ssize_t got;
    do {
        got = pread(file->fd, buffer, size, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    return got > 0 && file_unchanged(file) ? got : -1;
}

void file_close(struct served_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}
