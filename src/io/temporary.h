/*
 * temporary.h - a file that is to get its name later, and what killed processes left of such
 *
 * It stands in the folder of its name-to-be as .layertrack-xxxxxxxx.tmp, of
 * which the first four letters are told by that name. Whoever writes it holds
 * a lock (flock) on it for as long as the descriptor, or a duplicate, is open;
 * a killed process holds none. Locks that a file system does not have are no
 * error here: then nobody can tell, and nothing is removed.
 */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stdbool.h>
#include <stdint.h>

/* Room for the name without its folder, and its NUL. */
#define TEMPORARY_NAME ".layertrack-xxxxxxxx.tmp"

/*
 * Makes a new file for `path` and locks it. Returns its descriptor and the
 * name, the caller's to free; or -1 with errno, and NULL.
 */
int temporary_open(const char *path, char **name);

/* Locks an open file if that is possible at once. False with errno: EWOULDBLOCK, or no locks here. */
bool temporary_lock(int fd);

enum temporary_left {
    TEMPORARY_GONE,    /* there is no such file, or none that could be removed safely */
    TEMPORARY_REMOVED, /* nobody held it */
    TEMPORARY_IN_USE,  /* somebody does */
    TEMPORARY_UNKNOWN  /* locks are not supported there, or it may not be opened for writing */
};

/*
 * Removes a file, under whatever name, on which nobody holds a lock; holds one
 * meanwhile. With `unless`, only where nothing is of that name.
 */
enum temporary_left temporary_remove(const char *path, const char *unless);

/* Whether somebody holds a lock on it: as above, and TEMPORARY_REMOVED means that it could have been. */
enum temporary_left temporary_look(const char *path);

/* Counts by enum temporary_left. */
struct temporary_counts {
    uint64_t of[TEMPORARY_UNKNOWN + 1];
};

/* Removes what was left of `path` in its folder, and adds to the counts. A folder that cannot be read has none. */
void temporary_remove_all(const char *path, struct temporary_counts *counts);

#endif
