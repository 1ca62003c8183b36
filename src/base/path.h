/*
 * path.h - paths as text: nothing is asked of a file system
 */
#ifndef PATH_H
#define PATH_H

#include "base/text.h"

/*
 * Appends where `path` leads from the absolute folder `cwd`, as /a/b/c:
 * without . and empty parts, `..` going back one name (links are not
 * followed). The root is "".
 */
void path_add_absolute(struct text *out, const char *cwd, const char *path);

/* What is left of an absolute path below a folder, both as path_add_absolute() makes them; NULL: it is not below. */
const char *path_below(const char *path, const char *folder);

#endif
