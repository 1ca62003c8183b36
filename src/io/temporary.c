#define _DEFAULT_SOURCE /* flock */
#include "io/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BEFORE ".layertrack-"
#define BEHIND ".tmp"
#define TAG    4 /* letters of the name-to-be; as many are random */
#define TRIES  1000

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

/* Appends four letters. */
static void add_letters(char *out, uint64_t number)
{
    for (int i = 0; i < TAG; i++, number /= sizeof letters - 1)
        *out++ = letters[number % (sizeof letters - 1)];
    *out = '\0';
}

static size_t folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* What the temporaries of `path` begin with: a run removes its own names' only (FNV-1a). */
static void print_start(const char *path, char out[sizeof TEMPORARY_NAME])
{
    uint64_t hash = 14695981039346656037u;
    for (const char *at = path + folder_len(path); *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    strcpy(out, BEFORE);
    add_letters(out + strlen(BEFORE), hash >> 16);
}

bool temporary_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Whether a file still stands under that name. */
static bool stands_at(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* Makes it and takes its lock. -1 with errno; EEXIST: another name will do. */
static int try_open(const char *name)
{
    /* O_RDWR: a file system may want to read back what it clones into. */
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    bool locked = temporary_lock(fd);
    /* Before it was locked it looked as if it had been left, and may be gone. */
    if ((locked && stands_at(fd, name)) || (!locked && errno != EWOULDBLOCK))
        return fd;
    if (stands_at(fd, name))
        unlink(name);
    close(fd);
    errno = EEXIST;
    return -1;
}

int temporary_open(const char *path, char **name)
{
    char start[sizeof TEMPORARY_NAME], random[TAG + 1];
    size_t folder = folder_len(path), size = folder + sizeof TEMPORARY_NAME;
    print_start(path, start);
    *name = malloc(size);
    for (unsigned i = 0; *name != NULL && i < TRIES; i++) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t seed = (uint64_t)now.tv_nsec ^ ((uint64_t)getpid() << 30) ^ ((uint64_t)(uintptr_t)*name << 7);
        seed = (seed + i) * 6364136223846793005u + 1442695040888963407u;
        add_letters(random, seed >> 33);
        snprintf(*name, size, "%.*s%s%s" BEHIND, (int)folder, path, start, random);
        int fd = try_open(*name);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    int errnum = *name == NULL ? ENOMEM : errno;
    free(*name);
    *name = NULL;
    errno = errnum;
    return -1;
}

/* ---- what was left ----------------------------------------------------------------------------------------- */

/* Opens and locks. What is not to be touched has no descriptor then (-1). */
static enum temporary_left lock_path(const char *path, int *out)
{
    struct stat st;
    *out = -1;
    /* For writing, since NFS has no exclusive lock on anything else. */
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ELOOP ? TEMPORARY_GONE : TEMPORARY_UNKNOWN;
    enum temporary_left left = TEMPORARY_REMOVED;
    if (!temporary_lock(fd))
        left = errno == EWOULDBLOCK ? TEMPORARY_IN_USE : TEMPORARY_UNKNOWN;
    else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !stands_at(fd, path))
        left = TEMPORARY_GONE;
    if (left == TEMPORARY_REMOVED)
        *out = fd;
    else
        close(fd);
    return left;
}

enum temporary_left temporary_look(const char *path)
{
    int fd;
    enum temporary_left left = lock_path(path, &fd);
    if (fd >= 0)
        close(fd);
    return left;
}

enum temporary_left temporary_remove(const char *path, const char *unless)
{
    int fd;
    struct stat st;
    enum temporary_left left = lock_path(path, &fd);
    if (fd < 0)
        return left;
    bool may = unless == NULL || (lstat(unless, &st) != 0 && errno == ENOENT);
    left = may && unlink(path) == 0 ? TEMPORARY_REMOVED : TEMPORARY_GONE;
    close(fd);
    return left;
}

static bool is_of(const char *name, const char *start)
{
    size_t len = strlen(start);
    return strlen(name) == sizeof TEMPORARY_NAME - 1 && strncmp(name, start, len) == 0 &&
           strspn(name + len, letters) == TAG && strcmp(name + len + TAG, BEHIND) == 0;
}

void temporary_remove_all(const char *path, struct temporary_counts *counts)
{
    char start[sizeof TEMPORARY_NAME];
    size_t folder = folder_len(path), size = folder + sizeof TEMPORARY_NAME;
    char *name = malloc(size + 1);
    if (name == NULL)
        return;
    print_start(path, start);
    snprintf(name, size + 1, "%.*s", (int)(folder == 0 ? 1 : folder), folder == 0 ? "." : path);
    DIR *dir = opendir(name);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        if (!is_of(entry->d_name, start))
            continue;
        snprintf(name, size, "%.*s%s", (int)folder, path, entry->d_name);
        counts->of[temporary_remove(name, NULL)]++;
    }
    if (dir != NULL)
        closedir(dir);
    free(name);
}
