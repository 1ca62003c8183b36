/* The traces of a command: rows of arguments over one folder as it may look after a first run. */
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before cmocka, whose fail() is a macro. */
#include "jobs/trace_list.h"

#include <cmocka.h>

static const char *const files[] = {
    "t/rank0.json",
    "t/rank1.json.gz",
    "t/rank0.layers.trace.json",
    "t/rank0.layers.trace.json.layers.json",
    "t/rank1.layers.trace.json.gz",
    "t/rank1.layers.trace.json.gz.layers.json",
    "t/merged-1.trace.json.gz",
    "t/rank0_graph_capture_1.json",
    "t/host.async_llm.1.pt.trace.json.gz",
    "t/notes.md",
    "m/merged-1.json",
    "m/merged-2.json",
};

static char folder[] = "/tmp/layertrack-traces-XXXXXX";

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int prepare(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("t", 0700) != 0 || mkdir("m", 0700) != 0)
        return -1;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(files[i], files[i]);
    put("list", "t/rank1.json.gz\n");
    put("nothing", "\n\n");
    return symlink("rank0.json", "t/latest.json");
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

static int clean(void **state)
{
    (void)state;
    return nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
}

struct row {
    const char *name;
    enum files_wanted wanted;
    const char *arguments[5];
    const char *files_from;
    const char *expected;    /* paths, each with a blank before; "!" before a refused one. Or what the message holds */
    const char *passed_over; /* in words; NULL: LT_USAGE */
};

static const struct row rows[] = {
    {"a folder of ranks",
     FILES_TRACES,
     {"t"},
     NULL,
     " t/rank0.json t/rank1.json.gz",
     "2 annotated traces, 2 reports of layertrack, 1 merged trace, 1 capture of a graph, 1 trace of a front end, "
     "1 second name of a file"},
    {"its annotated traces",
     FILES_ANNOTATED,
     {"t"},
     NULL,
     " t/rank0.layers.trace.json t/rank1.layers.trace.json.gz",
     "3 traces without guides, 2 reports of layertrack, 1 merged trace, 1 capture of a graph, 1 trace of a front end"},
    {"what a shell makes of a star",
     FILES_TRACES,
     {"t/rank0.json", "t/rank0.layers.trace.json", "t/rank0.layers.trace.json.layers.json", "t/merged-1.trace.json.gz"},
     NULL,
     " t/rank0.json !t/rank0.layers.trace.json !t/rank0.layers.trace.json.layers.json !t/merged-1.trace.json.gz",
     ""},
    {"an annotated trace of any name", FILES_ANNOTATED, {"t/rank0.json"}, NULL, " t/rank0.json", ""},
    {"a report that is to be verified",
     FILES_ANNOTATED,
     {"t/rank0.layers.trace.json.layers.json"},
     NULL,
     " !t/rank0.layers.trace.json.layers.json",
     ""},
    {"a list", FILES_TRACES, {NULL}, "list", " t/rank1.json.gz", ""},
    {"a list and arguments", FILES_TRACES, {"t/rank0.json"}, "list", " t/rank0.json t/rank1.json.gz", ""},
    {"a file in both", FILES_TRACES, {"t/rank1.json.gz"}, "list", "'t/rank1.json.gz' is given twice", NULL},
    {"only merges", FILES_TRACES, {"m"}, NULL, "no trace is left: passed over 2 merged traces; name a trace", NULL},
    {"nothing annotated yet", FILES_ANNOTATED, {"m"}, NULL, "no trace is left", NULL},
    {"nothing", FILES_TRACES, {NULL}, NULL, "no trace; name files or folders", NULL},
    {"nothing in a list", FILES_TRACES, {NULL}, "nothing", "the list of names is empty", NULL},
    {"standard input for both", FILES_TRACES, {"-"}, "-", "standard input cannot be a trace and the list", NULL},
};

static void row(void **state)
{
    const struct row *row = *state;
    struct trace_list_request request = {row->arguments, 0, row->files_from, '\n', row->wanted};
    struct trace_list list;
    struct lt_error error = {0};
    struct text shown = {0}, kinds = {0};
    while (row->arguments[request.count] != NULL)
        request.count++;
    enum lt_status status = trace_list_make(&list, &request, &error);
    for (size_t i = 0; i < list.files.count; i++) {
        text_puts(&shown, file_kind_refused(&list.files.items[i], row->wanted) == FILE_TRACE ? " " : " !");
        text_puts(&shown, list.files.items[i].path);
    }
    file_kinds_text(&kinds, list.passed_over);
    text_add(&shown, "", 1);
    text_add(&kinds, "", 1);
    trace_list_free(&list);
    if (row->passed_over == NULL) {
        assert_int_equal(status, LT_USAGE);
        assert_non_null(strstr(error.message, row->expected));
    } else {
        assert_string_equal(error.message, "");
        assert_string_equal(shown.data, row->expected);
        assert_string_equal(kinds.data, row->passed_over);
    }
    text_free(&shown);
    text_free(&kinds);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    return cmocka_run_group_tests(tests, prepare, clean);
}
