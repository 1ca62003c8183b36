/*
 * file_stamp.h - whether a file is still what it was when it was opened
 */
#ifndef FILE_STAMP_H
#define FILE_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Fills *opened. Two changes within one tick of the file system's clock show
 * the same time: the tick in which the file was changed last is let pass
 * before that is relied on. False with errno set.
 */
bool file_stamp_open(int fd, struct stat *opened);

/*
 * By size and times: whoever writes to a file can set the time of writing
 * back (cp -p, rsync), but not that of change. The latter also moves when a
 * name of the file comes or goes, which changes none of its bytes: a file that
 * another one has replaced is still the one that was opened.
 */
bool file_stamp_is(const struct stat *opened, const struct stat *now);

#endif
