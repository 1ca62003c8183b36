/*
 * scan_yajl.h - what the two files of the strict scanner share
 */
#ifndef SCAN_YAJL_H
#define SCAN_YAJL_H

#include "json/scan_parser.h"
#include "json/yajl_memory.h"

#include <yajl/yajl_parse.h>

enum partial { PARTIAL_NONE, PARTIAL_STRING, PARTIAL_NUMBER, PARTIAL_WORD };

/* Where a string's escape stands: between escapes, behind the backslash, or this many hexadecimal digits missing. */
enum { ESCAPE_NONE, ESCAPE_HEX1, ESCAPE_HEX2, ESCAPE_HEX3, ESCAPE_HEX4, ESCAPE_SLASH };

struct text {
    char *bytes;
    size_t size;
};

struct strict {
    struct scan scan;
    yajl_handle yajl;
    struct yajl_memory memory;
    enum scan_status result; /* why a callback cancelled */
    bool closed;             /* the document is complete */

    /* The piece that yajl has now. */
    const unsigned char *piece;
    uint64_t piece_offset;
    bool seen;   /* a token was complete in it ... */
    size_t last; /* ... and the last one ended here */

    /* The token that straddles the piece's start. */
    enum partial partial;
    uint64_t partial_start;
    unsigned escape;
    bool keep_back; /* the rest of it is not for yajl */

    /* UTF-8: how many continuation bytes are missing, and the next one's range. */
    unsigned utf8_more;
    unsigned char utf8_low;
    unsigned char utf8_high;

    /* Where in the trace. */
    size_t depth;
    size_t array_depth; /* that of the event array, 0 outside of it */
    bool had_array;
    bool events_key;       /* the last key at depth 1 was traceEvents */
    enum scan_field field; /* the event's last key */
    bool in_args;
    enum scan_field args_field;
    bool in_info;        /* in the object distributedInfo */
    enum scan_fact fact; /* that the last key beside the array leads to */

    struct scan_event current;
    struct text texts[FIELDS];
};

static inline size_t strict_consumed(const struct strict *y)
{
    return yajl_get_bytes_consumed(y->yajl);
}

static inline uint64_t strict_end(const struct strict *y)
{
    return y->piece_offset + strict_consumed(y);
}

/* The opening quote of the string whose closing quote is the last byte that yajl took. */
uint64_t strict_string_start(const struct strict *y);

/* Says in our words, and at the offending byte, what yajl does not like. */
enum scan_status strict_syntax_error(struct strict *y);

#endif
