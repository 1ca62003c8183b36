/*
 * rows.h - the rows of the report, handed to the caller
 */
#ifndef ROWS_H
#define ROWS_H

#include "base/error.h"
#include "guides/guide_writer.h"

/* Tells of each guide of the accepted tracks, one track behind the other. LT_CANCELLED when `row` says so. */
enum lt_status rows_tell(const struct guide_writer *writer, lt_row_fn *row, void *ctx, struct lt_error *error);

#endif
