#define _POSIX_C_SOURCE 200809L
#include "serve/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"
#include "io/file_stamp.h"

bool file_take(struct served_file *file, int fd)
{
    struct stat now;
    file->fd = -1;
    if (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode) || !file_stamp_open(fd, &file->opened))
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

bool file_unchanged(const struct served_file *file)
{
    struct stat now;
    return fstat(file->fd, &now) == 0 && file_stamp_is(&file->opened, &now);
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
