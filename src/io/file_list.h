/*
 * file_list.h - the files that arguments, folders and lists stand for
 *
 * Names are bytes: nothing in them means anything but '/', and in a list its separator.
 */
#ifndef FILE_LIST_H
#define FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"

struct file_item {
    const char *path; /* as it was given, or folder/name. "-" is standard input */
    uint64_t size;    /* of a regular file, else 0 */
    dev_t device;
    ino_t inode;
    int errnum;      /* why nothing is known of it (ENOENT, ...), or 0 */
    bool named;      /* given by name; false: found in a folder */
    bool is_regular; /* no pipe, no device */
    bool is_link;    /* a symbolic link, found in a folder */
};

/* Set to zero, and `endings` to what files in folders end in (a NULL behind the last). */
struct file_list {
    const char *const *endings;
    struct file_item *items; /* [count], in the order in which they were given */
    size_t count, capacity;
    struct arena arena; /* the paths */
};

/*
 * Adds a file, or those of a folder: its regular files (and symbolic links to
 * some) with one of `endings`, not hidden ones, not those of folders in it,
 * sorted by name, byte by byte. A file that is not there is an item with its
 * `errnum`; a folder that cannot be read, or has no such file, or a name that
 * is empty or has PATH_MAX bytes or more, is a failure: LT_IO, LT_USAGE.
 */
enum lt_status file_list_add(struct file_list *list, const char *path, struct lt_error *error);

/*
 * Adds what is named in the file `path` ("-": standard input), one name
 * before each `separator`, '\n' or '\0'; the last one may lack it. Empty names
 * are passed over; with '\n' a '\r' before it is no part of the name, and a
 * NUL is refused. "-" in it is a file of that name. Failures tell the line (or
 * the number of the name): LT_IO, LT_USAGE.
 */
enum lt_status file_list_read(struct file_list *list, const char *path, char separator, struct lt_error *error);

/*
 * Takes out files that are in the list already, under whatever path: of those
 * in folders the named one stays, else the first that is no link, else the
 * first. *dropped is how many went. Two that were named are refused: LT_USAGE.
 */
enum lt_status file_list_unite(struct file_list *list, uint64_t *dropped, struct lt_error *error);

void file_list_free(struct file_list *list);

#endif
