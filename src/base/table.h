/*
 * table.h - rows of cells, as tab-separated values, CSV or JSON
 *
 * TSV and CSV: one comment line that begins with #, a line of column names, a
 * line for each row. A line break is never in a cell. In cells of text a
 * backslash is \\, and \xNN stands for each byte of what would break or
 * reorder a line, is not UTF-8, or would be a command to a build's log
 * (base/line), for a quote in TSV, and for the first character of what a
 * spreadsheet would compute: = + - @, also in their full width. So a cell can
 * be read back to the byte, and nothing that somebody called a kernel runs.
 * CSV is quoted by RFC 4180, save that lines end in LF.
 *
 * JSON: the rows are objects in an array, one a line, with the columns' names
 * as keys; an empty cell is null.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum table_format { TABLE_TSV, TABLE_CSV, TABLE_JSON };

/* Set to zero, and the first part; it does not own that. */
struct table {
    enum table_format format;
    struct text *out;           /* `failed` tells whether memory was out */
    const char *const *columns; /* [column_count] names, NUL-terminated */
    size_t column_count;

    size_t column; /* of the next cell */
    uint64_t rows;
    struct text cell, line; /* used again for each cell */
};

/* The comment, one line of printable text, and the columns' names. JSON: nothing; the caller has opened an array. */
void table_head(struct table *table, const char *comment);

/* The next cell of the row. What has a spelling already (a JSON number) is copied. */
void table_text(struct table *table, const char *text, size_t len);
void table_spelled(struct table *table, const char *text, size_t len);
void table_u64(struct table *table, uint64_t number);
void table_empty(struct table *table);

/* Ends a row: as many cells as there are columns. */
void table_end_row(struct table *table);

void table_free(struct table *table);

#endif
