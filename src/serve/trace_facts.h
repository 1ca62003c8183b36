/*
 * trace_facts.h - what the page is told about the trace, as JSON
 */
#ifndef SERVE_TRACE_FACTS_H
#define SERVE_TRACE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct trace_facts {
    const char *trace_name; /* without its folder; any bytes */
    uint64_t trace_bytes;   /* as stored */
    bool has_report;
    const char *report_doubt; /* what speaks against it, or NULL */
    const char *ui;           /* address of the Perfetto UI, ends in "/" */
    bool ui_is_local;         /* it is served beside the page */
};

/* The text, to be freed; NULL when memory is out. */
char *trace_facts_json(const struct trace_facts *about);

#endif
