/*
 * file.h - a file that is served as it is stored
 *
 * It is read in blocks at given places, and after each block it is checked to
 * be the file that was opened: same size, same times of writing and of change
 * (so another owner, mode or own name is a change, too; that another file took
 * its name is none). Bytes are sent only after that check, so what a browser
 * gets whole is what the file was at one moment; a change ends the transfer.
 * sendfile() would put bytes on the wire that nobody can check any more, and
 * is not faster here: both fill a loopback connection at some 1.4 GB/s.
 */
#ifndef SERVE_FILE_H
#define SERVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "layertrack.h"

struct served_file {
    int fd; /* -1: there is none */
    struct stat opened;
};

/* Opens a regular file. On failure *error says why and file->fd is -1. */
enum lt_status file_open(struct served_file *file, const char *path, struct lt_error *error);

/* Takes an open descriptor over. False, with nothing taken, when it is not of a regular file. */
bool file_take(struct served_file *file, int fd);

/*
 * Opens a file below the folder `folder`, whose path passed access_names(),
 * name by name without following symbolic links. False, with an errno, when
 * there is none: ENOENT, ENOTDIR or ELOOP, or when it cannot be opened.
 */
bool file_open_below(struct served_file *file, int folder, const char *path);

bool file_unchanged(const struct served_file *file);

/* Up to `size` bytes from `offset` on. -1: end of file, an error, or the file has changed. */
ssize_t file_read(const struct served_file *file, void *buffer, size_t size, uint64_t offset);

void file_close(struct served_file *file);

#endif
