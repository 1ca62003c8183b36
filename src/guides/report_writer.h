/*
 * report_writer.h - the mapping report of accepted plans, as JSON
 */
#ifndef REPORT_WRITER_H
#define REPORT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/heard.h"
#include "guides/guide_writer.h"
#include "json/scan_event.h"

/* Facts of the source and the insertion, for the report. */
struct report_facts {
    uint64_t event_count; /* before */
    const char *sha256;
    bool source_is_gzip;
    const char *crc32;       /* of its uncompressed bytes, when it is gzip */
    const char *source_file; /* base name; NULL: standard input */
    uint64_t source_bytes, insert_offset, insert_bytes;
    const struct heard *heard;     /* what was warned about */
    const struct scan_facts *told; /* which rank, and on which clock, as far as the trace says */
};

/* Emits the mapping report: flat for one track, with an array `tracks` for several. False when `emit` said so or memory
 * is out. */
bool report_write(const struct guide_writer *writer, const struct report_facts *facts, emit_fn *emit, void *emit_ctx);

#endif
