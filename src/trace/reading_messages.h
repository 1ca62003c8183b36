/*
 * reading_messages.h - sentences for a trace that cannot be read, and for text that is not strict JSON
 *
 * Every sentence is "FILE: what; what to do" and says where: byte offset,
 * line, event index and a short excerpt made safe to print.
 */
#ifndef READING_MESSAGES_H
#define READING_MESSAGES_H

#include "base/error.h"
#include "io/source.h"
#include "json/scan.h"

/* Fills *error (LT_TRACE) from a refused scan. Reads the source again up to the place. */
enum lt_status message_for_scan(struct source *source, const struct scan_problem *problem, struct lt_error *error);

/* Fills *error (LT_TRACE) for a gzip file that was cut: how far the scan had come. */
enum lt_status message_for_cut_gzip(struct source *source, const struct scan_problem *problem, struct lt_error *error);

/* Tells of each kind of warning that was counted. */
void message_for_scan_warnings(const char *file, const struct scan_warnings *warnings, const struct listener *listener);

#endif
