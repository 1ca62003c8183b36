/*
 * output_names.h - what many outputs in one folder are called
 *
 * Pure: names in, names out; no file is asked for. Paths are taken as they
 * are written: `..` goes back one name, links are not followed.
 */
#ifndef OUTPUT_NAMES_H
#define OUTPUT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct output_request {
    const char *folder;        /* in which all outputs are to be (--output-dir) */
    const char *cwd;           /* absolute: where paths that are not begin */
    const char *ending;        /* of an output's name, e.g. ".layers.trace.json" */
    const char *report_ending; /* of a report's, behind its output's; NULL: there is none */
    bool may_gzip;             /* outputs are compressed: by `compress`, */
    enum lt_compress compress; /* which by name means: when the source's name ends in .gz */
};

struct output_name {
    const char *output; /* folder/below */
    const char *below;  /* the same without the folder: its own folders are to be made */
    const char *report; /* or NULL */
};

struct output_names {
    struct output_name *items; /* [count], one for each source in its order */
    size_t count;
    struct arena arena;
};

/*
 * Names for `count` >= 1 sources. Of a source's name .gz is taken off, then
 * .pt.trace.json, .layers.trace.json, .layers.json, .trace.json or .json, and
 * the ending put on, with .gz where it is compressed. Folders below the one
 * that all sources have in common are kept, because names repeat
 * (rank0/trace.json, rank1/trace.json): nothing leaves `folder`.
 *
 * LT_USAGE when two outputs or reports would be one file, one of them would
 * be a source, or a folder in which another one is; and for standard input,
 * which has no name. Names are compared byte by byte. After any result
 * output_names_free() may be called.
 */
enum lt_status output_names_make(struct output_names *names, const char *const *sources, size_t count,
                                 const struct output_request *request, struct lt_error *error);
void output_names_free(struct output_names *names);

#endif
