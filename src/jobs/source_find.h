/*
 * source_find.h - the source of an annotated trace, in a folder of many
 */
#ifndef SOURCE_FIND_H
#define SOURCE_FIND_H

#include "base/error.h"

/*
 * Looks in `folder` and the folders below it for the file that the report
 * beside `trace` names. Of several of that name the one whose SHA-256 is the
 * report's is taken. *path is the caller's to free. LT_IO where there is no
 * report, it tells no name, or no such file is there.
 */
enum lt_status source_find(const char *folder, const char *trace, char **path, struct lt_error *error);

#endif
