/*
 * file_kind.h - what a file is by its name, where many are given at once
 *
 * In a folder of ranks lies more than ranks. What is plainly no trace of one
 * rank is passed over and counted where a folder stood for it, and refused
 * where somebody named it.
 */
#ifndef FILE_KIND_H
#define FILE_KIND_H

#include <stdint.h>

#include "base/text.h"
#include "io/file_list.h"

enum file_kind {
    FILE_TRACE,     /* nothing speaks against it */
    FILE_ANNOTATED, /* *.layers.trace.json, *.layers.json.gz: made by annotate */
    FILE_REPORT,    /* *.layers.json, and whatever else holds ".layers.trace.json" */
    FILE_VIEW,      /* *.view.json */
    FILE_MERGED,    /* merged-*, *merged_trace*: in a folder beside its ranks it would count twice */
    FILE_CAPTURE,   /* *graph_capture* */
    FILE_FRONT_END, /* *.async_llm.*: of a process without a GPU */
    FILE_TWICE,     /* another name of a file that is listed already; never by name */
    FILE_NO_EVENTS, /* no event array; never by name */
    FILE_NO_KERNEL, /* no kernel; never by name */
    FILE_KINDS
};

enum file_kind file_kind_of(const char *path);

/* What a kind is called in JSON: "merged", ... */
const char *file_kind_key(enum file_kind kind);

/* Why such a file is refused, and what to do: a sentence to stand behind "FILE: ". */
const char *file_kind_reason(enum file_kind kind);

/* What a command wants: traces to annotate or inspect, or annotated ones to verify, strip or draw. */
enum files_wanted { FILES_TRACES, FILES_ANNOTATED };

/* What a file is refused for; FILE_TRACE: for nothing. Of annotated ones that were named, only a report is. */
enum file_kind file_kind_refused(const struct file_item *item, enum files_wanted wanted);

/*
 * Takes files out that were found in folders and are not wanted, and adds
 * them to `counts`. Those that were named stay: file_kind_refused() tells of them.
 */
void file_kinds_pass_over(struct file_list *list, enum files_wanted wanted, uint64_t counts[FILE_KINDS]);

/* The counts in words: "2 merged traces, 1 report of layertrack"; nothing for none. */
void file_kinds_text(struct text *text, const uint64_t counts[FILE_KINDS]);

#endif
