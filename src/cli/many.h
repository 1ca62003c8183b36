/*
 * many.h - one command on many traces: which, what their outputs are called, who works, and what came of it
 */
#ifndef MANY_H
#define MANY_H

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/log_format.h"
#include "jobs/file_kind.h"
#include "rules/ranks.h"

struct many;

/* One trace of many, as the command sees it. */
struct many_task {
    const char *trace;
    const char *output, *report; /* what a dry run would make, too; NULL: the command writes none */
    unsigned threads;
    bool dry_run;
    bool is_look; /* a dry run before anything is written */

    /* What was found: the command fills in what it knows, as_before, too; file, rank (by name) and warnings are there.
     */
    struct rank_result *result;
    struct arena *memory; /* of strings and arrays in the result */

    /* many.c's own. */
    struct many *many;
    size_t index;
};

/* Does one, from one of several threads. What is refused stands in *error. */
typedef enum lt_status many_work_fn(void *ctx, struct many_task *task, struct lt_error *error);

struct many_command {
    const char *name; /* "annotate" */
    const char *done; /* verdict of a trace that is done: "annotated" */
    enum files_wanted wanted;
    const char *ending, *report_ending; /* of outputs (output_names.h); NULL: none are written, or no reports */
    bool may_gzip;
    enum lt_compress compress;
    bool look_first;  /* a dry run on all of them, and a comparison, before anything is written: ... */
    bool same_counts; /* ... all counts must be the same, ... */
    bool by_rule;     /* ... or a rule finds the first pass, and must mean one place in all ranks; ... */
    bool from_end;    /* ... it counts runs from the end */
    bool dry_run;     /* and nothing else */
    many_work_fn *work;
    /* Prints what this command shows of all results; NULL: a table of ranks. */
    bool (*show)(void *ctx, const struct rank_result *results, const size_t *order, size_t count);
    void *ctx;
};

/*
 * Runs it: lists traces, names outputs and makes their folders, works on N at
 * a time, compares the ranks, prints table, notes and summary. One refusal
 * does not stop the others. Returns the exit code: the worst.
 */
int many_run(const struct many_command *command, const struct cli_common *common);

/* A lt_progress_fn, a lt_warning_fn and a lt_found_fn with a struct many_task as context. */
bool many_on_progress(void *task, enum lt_stage stage, uint64_t done, uint64_t total);
void many_on_warning(void *task, const struct lt_warning *warning);
bool many_on_found(void *task, const struct lt_found *found);

/*
 * Whether the command is to write many files, and all that takes is there.
 * LT_OK or, with a message, LT_USAGE. `output` has what -o and --report say.
 */
int many_check_outputs(const struct cli_common *common, const struct cli_output *output);

/* say_entry() from a task. */
void many_say(struct many_task *task, const struct log_entry *entry, const char *sentence);

/* Prints a line on standard output from a task: no other one's gets between. */
void many_print(struct many_task *task, const char *line);

#endif
