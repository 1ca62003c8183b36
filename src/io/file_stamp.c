#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "io/file_stamp.h"

#include <time.h>

#if defined(__APPLE__)
#define ST_MTIM st_mtimespec
#define ST_CTIM st_ctimespec
#else
#define ST_MTIM st_mtim
#define ST_CTIM st_ctim
#endif

#define TICK_SECONDS 0.02

bool file_stamp_open(int fd, struct stat *opened)
{
    struct timespec now, pause = {0, (long)(TICK_SECONDS * 1e9)};
    if (fstat(fd, opened) != 0)
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    double age = difftime(now.tv_sec, opened->ST_CTIM.tv_sec) + (double)(now.tv_nsec - opened->ST_CTIM.tv_nsec) / 1e9;
    if (age <= -TICK_SECONDS || age >= TICK_SECONDS)
        return true;
    nanosleep(&pause, NULL);
    return fstat(fd, opened) == 0;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool file_stamp_is(const struct stat *opened, const struct stat *now)
{
    return now->st_size == opened->st_size && same_time(&now->ST_MTIM, &opened->ST_MTIM) &&
           (same_time(&now->ST_CTIM, &opened->ST_CTIM) || now->st_nlink != opened->st_nlink);
}
