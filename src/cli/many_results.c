#include "cli/many_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/say.h"
#include "cli/step_summary.h"
#include "cli/summary_text.h"
#include "io/sink.h"
#include "jobs/ranks_messages.h"

static int worst(const struct rank_result *results, size_t count)
{
    int code = LT_OK;
    for (size_t i = 0; i < count; i++)
        code = results[i].exit_code > code ? results[i].exit_code : code;
    return code;
}

static enum lt_status write_summary(const struct many_results *all, const struct summary *summary,
                                    struct lt_error *error)
{
    struct text text = {0};
    if (all->summary_path == NULL)
        return LT_OK;
    const char *path = strcmp(all->summary_path, "-") == 0 ? NULL : all->summary_path;
    struct sink *sink = summary_json(summary, &text) ? sink_open(path, error) : NULL;
    if (sink != NULL && path != NULL && all->replaces && summary_is_ours(path))
        sink_replace(sink);
    enum lt_status status = sink != NULL ? LT_OK : error->status != LT_OK ? error->status : fail_memory(error);
    if (status == LT_OK)
        status = sink_write(sink, text.data, text.len) ? sink_commit(&sink, 1, error) : sink_error(sink, error);
    sink_free(sink);
    text_free(&text);
    return status;
}

/*
 * Warnings about ranks that differ, notices of the rest: these are on the page of a GitHub job, and no annotations.
 * False when memory is out.
 */
static bool say_notes(const struct summary *summary)
{
    struct text note = {0};
    size_t findings = summary->comparison->finding_count;
    for (size_t i = 0; i < summary_note_count(summary); i++) {
        summary_note(&note, summary, i);
        text_add(&note, "", 1);
        if (note.failed || note.len == 1)
            continue;
        bool differs = i < findings;
        if (!differs && say_is_annotated())
            continue;
        say_entry(&(struct log_entry){.level = differs ? LOG_WARNING : LOG_NOTICE,
                                      .class = differs ? ranks_what_name(summary->comparison->findings[i].what) : NULL,
                                      .event = LT_NONE,
                                      .offset = LT_NONE,
                                      .line = LT_NONE,
                                      .message = note.data},
                  note.data);
    }
    bool made = !note.failed;
    text_free(&note);
    return made;
}

static bool print_table(const struct many_results *all, const struct summary *summary)
{
    struct text table = {0};
    bool made = true;
    if (all->summary_path != NULL && strcmp(all->summary_path, "-") == 0)
        return true;
    if (all->show != NULL) {
        size_t *order = ranks_order(all->results, all->count);
        made = order != NULL && all->show(all->show_ctx, all->results, order, all->count);
        free(order);
    } else if (!all->quiet && say_to_people()) {
        made = summary_table(summary, &table);
    }
    if (made && table.len > 0)
        fwrite(table.data, 1, table.len, stdout);
    text_free(&table);
    fflush(stdout);
    return made;
}

static void tell_result(const struct summary *summary)
{
    struct log_result result = {.exit_code = summary->exit_code, .traces = summary->count};
    result.refused = summary_refused(summary);
    result.resumed = summary_resumed(summary);
    result.done = result.traces - result.refused - result.resumed;
    for (size_t i = 0; i < FILE_KINDS; i++)
        result.passed_over += summary->passed_over[i];
    say_result(&result);
}

static enum lt_status show(const struct many_results *all, const struct summary *summary, struct lt_error *error)
{
    if (!print_table(all, summary) || !say_notes(summary))
        return fail_memory(error);
    if (write_summary(all, summary, error) != LT_OK)
        return error->status;
    step_summary_add(summary);
    tell_result(summary);
    if (cli_end_output() != LT_OK)
        return LT_IO;
    if (all->refusal != NULL)
        return fail(error, LT_SELECTION, "%s", all->refusal);
    return all->count > 0 ? LT_OK : fail(error, LT_TRACE, "no file of those in the folders is a trace; name one");
}

enum lt_status many_results_show(const struct many_results *all, int *exit_code, struct lt_error *error)
{
    struct ranks_comparison comparison = {0};
    struct summary summary = {.command = all->name,
                              .results = all->results,
                              .count = all->count,
                              .comparison = &comparison,
                              .passed_over = all->passed_over,
                              .exit_code = all->refusal != NULL ? LT_SELECTION : worst(all->results, all->count)};
    *exit_code = summary.exit_code;
    enum lt_status status =
        ranks_compare(&comparison, all->results, all->count) ? show(all, &summary, error) : fail_memory(error);
    ranks_comparison_free(&comparison);
    return status;
}
