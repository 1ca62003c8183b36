/*
 * scan_parser.h - the interface that both parsers (scan_fast.c, scan_yajl.c) implement, and what they share
 */
#ifndef SCAN_PARSER_H
#define SCAN_PARSER_H

#include "json/scan_event.h"

/* The state that both parsers share; a parser's own struct starts with it. */
struct scan {
    const struct scan_ops *ops;
    scan_event_fn *event;
    void *ctx;
    struct scan_problem problem; /* a parser keeps events, last_end and in_event up to date at the end of a feed */
    struct scan_warnings warnings;
    struct scan_layout layout;
    bool array_closed; /* layout.insert_offset is known */

    /* Used by scan.c alone. */
    enum scan_status status; /* of the last call; anything but SCAN_OK is final */
    uint64_t taken;          /* bytes taken so far */
    unsigned bom;            /* how many bytes of a byte order mark were seen */
    bool begun;              /* the `{` or `[` was seen: everything from there on goes to the parser */
};

/*
 * A parser is given the document from its first `{` or `[` (`layout.bare`
 * tells which; white space before it is never fed), with the offset of data[0]. What
 * follows the document it gives to scan_after().
 */
struct scan_ops {
    enum scan_status (*feed)(struct scan *scan, const unsigned char *data, size_t len, uint64_t offset);
    enum scan_status (*finish)(struct scan *scan, uint64_t total);
    void (*free)(struct scan *scan);
};

struct scan *scan_yajl_new(void);
struct scan *scan_fast_new(void);

/* Notes the problem (not its in_event, event and key) and returns SCAN_REFUSED. */
enum scan_status scan_refuse(struct scan *scan, enum scan_refusal what, uint64_t offset, const char *detail);

void scan_warn(struct scan *scan, enum scan_warning kind, uint64_t offset);

/* Bytes behind the document: white space, or SCAN_TRAILING. */
enum scan_status scan_after(struct scan *scan, const unsigned char *data, size_t len, uint64_t offset);

static inline bool scan_is_space(unsigned char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

#endif
