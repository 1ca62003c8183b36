/*
 * inject.c - makes the n-th call of one function fail (LD_PRELOAD)
 *
 *   FAULT=write:3:ENOSPC   the third write() fails with that error
 *   FAULT=write:3:short    the third write() takes one byte only
 *   FAULT=write:3:EINTR    and so on
 *   FAULT=flock:3+:ENOLCK  the third one and all behind it
 *   FAULT=link:3:KILL      before the third link() the process is killed (STOP: stopped; then nothing fails)
 *   CALLS=FILE             where to write how many calls of the function there were
 *
 * Calls on standard error and by the loader before main() do not count.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},   {"EDQUOT", EDQUOT}, {"ENOMEM", ENOMEM},
              {"EPERM", EPERM},   {"EEXIST", EEXIST}, {"EACCES", EACCES}, {"EROFS", EROFS},   {"ENOTSUP", ENOTSUP},
              {"EXDEV", EXDEV},   {"EINVAL", EINVAL}, {"EMFILE", EMFILE}, {"EAGAIN", EAGAIN}, {"ENOLCK", ENOLCK}};

static char function[32];
static int errnum; /* 0: a short count */
static long nth;
static _Atomic long calls;
static int signal_number; /* in place of an error; or 0 */
static bool every;        /* "n+": that call and all behind it */

__attribute__((constructor)) static void read_fault(void)
{
    char kind[32], plus = 0;
    const char *fault = getenv("FAULT");
    if (fault == NULL || sscanf(fault, "%31[^:]:%ld%c", function, &nth, &plus) < 2)
        return;
    every = plus == '+';
    const char *last = strrchr(fault, ':');
    snprintf(kind, sizeof kind, "%s", last + 1);
    signal_number = strcmp(kind, "KILL") == 0 ? SIGKILL : strcmp(kind, "STOP") == 0 ? SIGSTOP : 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(kind, errors[i].name) == 0)
            errnum = errors[i].number;
}

__attribute__((destructor)) static void tell_calls(void)
{
    const char *path = getenv("CALLS");
    nth = 0; /* what is called from here on is the injector's own */
    int fd = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    dprintf(fd, "%ld\n", atomic_load(&calls));
    close(fd);
}

static bool hit(const char *name)
{
    if (nth == 0 || strcmp(name, function) != 0)
        return false;
    long call = atomic_fetch_add(&calls, 1) + 1;
    bool is_hit = every ? call >= nth : call == nth;
    if (is_hit && signal_number != 0)
        kill(getpid(), signal_number);
    return is_hit && signal_number == 0;
}

#define NEXT(type, name)                                                                                               \
    static type next;                                                                                                  \
    if (next == NULL) {                                                                                                \
        void *symbol = dlsym(RTLD_NEXT, name);                                                                         \
        memcpy(&next, &symbol, sizeof next);                                                                           \
    }

typedef ssize_t write_fn(int, const void *, size_t);
typedef ssize_t read_fn(int, void *, size_t);
typedef ssize_t pread_fn(int, void *, size_t, off_t);
typedef ssize_t copy_fn(int, off_t *, int, off_t *, size_t, unsigned);
typedef int link_fn(const char *, const char *);
typedef int close_fn(int);
typedef int flock_fn(int, int);
typedef void *malloc_fn(size_t);
typedef void *calloc_fn(size_t, size_t);
typedef void *realloc_fn(void *, size_t);
typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

ssize_t write(int fd, const void *data, size_t len)
{
    NEXT(write_fn *, "write")
    if (fd == STDERR_FILENO || len == 0 || !hit("write"))
        return next(fd, data, len);
    if (errnum == 0)
        return next(fd, data, 1);
    errno = errnum;
    return -1;
}

ssize_t read(int fd, void *data, size_t len)
{
    NEXT(read_fn *, "read")
    if (!hit("read"))
        return next(fd, data, len);
    if (errnum == 0)
        return next(fd, data, len > 0 ? 1 : 0);
    errno = errnum;
    return -1;
}

ssize_t pread(int fd, void *data, size_t len, off_t offset)
{
    NEXT(pread_fn *, "pread")
    if (!hit("pread"))
        return next(fd, data, len, offset);
    if (errnum == 0)
        return next(fd, data, len > 0 ? 1 : 0, offset);
    errno = errnum;
    return -1;
}

ssize_t copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t len, unsigned flags)
{
    NEXT(copy_fn *, "copy_file_range")
    if (!hit("copy_file_range"))
        return next(in, in_offset, out, out_offset, len, flags);
    if (errnum == 0)
        return next(in, in_offset, out, out_offset, 1, flags);
    errno = errnum;
    return -1;
}

int link(const char *from, const char *to)
{
    NEXT(link_fn *, "link")
    if (!hit("link"))
        return next(from, to);
    errno = errnum;
    return -1;
}

int close(int fd)
{
    NEXT(close_fn *, "close")
    if (!hit("close"))
        return next(fd);
    next(fd);
    errno = errnum;
    return -1;
}

int fsync(int fd)
{
    NEXT(close_fn *, "fsync")
    if (!hit("fsync"))
        return next(fd);
    errno = errnum;
    return -1;
}

int flock(int fd, int operation)
{
    NEXT(flock_fn *, "flock")
    if (!hit("flock"))
        return next(fd, operation);
    errno = errnum;
    return -1;
}

int dup(int fd)
{
    NEXT(close_fn *, "dup")
    if (!hit("dup"))
        return next(fd);
    errno = errnum;
    return -1;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    NEXT(create_fn *, "pthread_create")
    if (!hit("pthread_create"))
        return next(thread, attr, start, arg);
    return EAGAIN;
}

/* Allocations: dlsym() may allocate itself, so glibc's own entry points are used where there are some. */
#if defined(__GLIBC__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size)
{
    if (!hit("malloc"))
        return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void *calloc(size_t count, size_t size)
{
    if (!hit("malloc"))
        return __libc_calloc(count, size);
    errno = ENOMEM;
    return NULL;
}

void *realloc(void *old, size_t size)
{
    if (!hit("malloc"))
        return __libc_realloc(old, size);
    errno = ENOMEM;
    return NULL;
}
#endif
