/*
 * spec.h - tracks from a JSON file: written by hand, or an earlier report
 *
 * Either {"tracks": [{...}, ...]} or the one track's keys straight away. A
 * track has the keys of the report. What a report states is taken, and what it
 * says of results is passed over: of a report those are pid and device too,
 * so that it is the spec of other ranks. Anything else is an error that
 * names its path.
 */
#ifndef SPEC_H
#define SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

struct spec {
    struct lt_track tracks[LT_MAX_TRACKS];        /* [count] */
    struct lt_landmark *landmarks[LT_MAX_TRACKS]; /* [count]: what each track's landmarks point at */
    size_t count;
    bool flat;      /* the keys of its one track stand at the top */
    bool is_report; /* it has source_sha256 */
    struct arena texts;
};

/*
 * Reads a file as a stream: what is passed over takes no memory. LT_USAGE
 * when it is not a spec, LT_IO when it cannot be read. After a failure too
 * spec_free() must be called.
 */
enum lt_status spec_read(struct spec *spec, const char *path, struct lt_error *error);

void spec_free(struct spec *spec);

#endif
