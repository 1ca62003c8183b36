/*
 * found.h - what was found in a trace, handed to the caller
 */
#ifndef FOUND_H
#define FOUND_H

#include "guides/guide_writer.h"
#include "json/scan.h"

struct found_request {
    const struct collect *collect;
    const struct tracks *tracks;
    const struct scan_facts *facts;
    bool chosen;   /* each track's anchors are: process, device, scopes, launches */
    bool accepted; /* the plans are made, too */
    uint64_t warnings;
};

enum found_answer { FOUND_GO_ON, FOUND_CANCEL, FOUND_NO_MEMORY };

enum found_answer found_tell(const struct found_request *request, lt_found_fn *fn, void *ctx);

#endif
