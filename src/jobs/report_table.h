/*
 * report_table.h - the rows of many ranks' reports as one table
 *
 * No part of the public interface: a program that annotates has the rows from
 * lt_annotate() as data, and one that does not reads the report's JSON.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/table.h"
#include "jobs/report_list.h"

struct report_table_request {
    struct report_list_request reports;
    const char *output; /* path, or "-" */
    enum table_format format;
    bool align; /* ranks side by side; else one row for each guide */
    struct listener listener;
};

/*
 * Makes the table: one row for each guide, rank by rank (report_list.h), in
 * the order of the reports; or report_align.h's. All reports are checked
 * before anything is written. A file appears whole or not at all, never over
 * something that exists.
 *
 * Memory: report_list_make()'s, and some 30 KiB; with `align` 70 KiB for each
 * report, which are then all open at once.
 */
enum lt_status report_table_write(const struct report_table_request *request, struct lt_error *error);

#endif
