/* Names of many outputs: rows of sources, and what becomes of them in the folder `out`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, whose fail() is a macro. */
#include "jobs/output_names.h"

#include <cmocka.h>

enum form { ANNOTATE, ANNOTATE_GZIP, ANNOTATE_PLAIN, STRIP, RENDER };

static const struct output_request forms[] = {
    [ANNOTATE] = {NULL, NULL, ".layers.trace.json", ".layers.json", true, LT_COMPRESS_BY_NAME},
    [ANNOTATE_GZIP] = {NULL, NULL, ".layers.trace.json", ".layers.json", true, LT_COMPRESS_GZIP},
    [ANNOTATE_PLAIN] = {NULL, NULL, ".layers.trace.json", ".layers.json", true, LT_COMPRESS_PLAIN},
    [STRIP] = {NULL, NULL, ".trace.json", NULL, true, LT_COMPRESS_BY_NAME},
    [RENDER] = {NULL, NULL, ".svg", NULL, false, LT_COMPRESS_GZIP},
};

struct row {
    const char *name;
    enum form form;
    const char *folder;
    const char *sources[6];
    const char *expected; /* what is below the folder, parted by blanks; or, with a "!", what the message holds */
};

static const struct row rows[] = {
    {"an ending each",
     ANNOTATE,
     "out",
     {"a.json", "b.trace.json", "c.pt.trace.json", "d.txt", "e"},
     "a.layers.trace.json b.layers.trace.json c.layers.trace.json d.txt.layers.trace.json e.layers.trace.json"},
    {"the same compressed",
     ANNOTATE,
     "out",
     {"a.json.gz", "b.trace.json.gz", "c.pt.trace.json.gz", "d.gz"},
     "a.layers.trace.json.gz b.layers.trace.json.gz c.layers.trace.json.gz d.layers.trace.json.gz"},
    {"only the last ending goes", ANNOTATE, "out", {"a.json.json"}, "a.json.layers.trace.json"},
    {"compressed in any case", ANNOTATE_GZIP, "out", {"a.json"}, "a.layers.trace.json.gz"},
    {"plain in any case", ANNOTATE_PLAIN, "out", {"a.json.gz"}, "a.layers.trace.json"},
    {"names of endings alone",
     ANNOTATE,
     "out",
     {".json", ".gz", "x/.trace.json"},
     ".json.layers.trace.json .gz.layers.trace.json x/.trace.layers.trace.json"},
    {"stripped",
     STRIP,
     "out",
     {"a.layers.trace.json", "b.layers.trace.json.gz", "c.layers.json.gz", "d.json"},
     "a.trace.json b.trace.json.gz c.trace.json.gz d.trace.json"},
    {"drawn", RENDER, "out", {"a.layers.trace.json.gz", "b.layers.trace.json"}, "a.svg b.svg"},
    {"a folder each",
     ANNOTATE,
     "out",
     {"t/rank0/trace.json", "t/rank1/trace.json"},
     "rank0/trace.layers.trace.json rank1/trace.layers.trace.json"},
    {"one folder", ANNOTATE, "out", {"t/u/a.json", "t/u/b.json"}, "a.layers.trace.json b.layers.trace.json"},
    {"one source", ANNOTATE, "out", {"t/u/v/a.json"}, "a.layers.trace.json"},
    {"a folder in the other", ANNOTATE, "out", {"t/a.json", "t/u/b.json"}, "a.layers.trace.json u/b.layers.trace.json"},
    {"names that begin alike",
     ANNOTATE,
     "out",
     {"t/rank1/a.json", "t/rank10/a.json", "t/rank/a.json"},
     "rank1/a.layers.trace.json rank10/a.layers.trace.json rank/a.layers.trace.json"},
    {"nothing in common but the root",
     ANNOTATE,
     "out",
     {"/a/x.json", "/b/x.json"},
     "a/x.layers.trace.json b/x.layers.trace.json"},
    {"in the root", ANNOTATE, "out", {"/x.json", "/b/x.json"}, "x.layers.trace.json b/x.layers.trace.json"},
    {"absolute and not", ANNOTATE, "out", {"/home/u/t/x.json", "y.json"}, "t/x.layers.trace.json y.layers.trace.json"},
    {"back and forth",
     ANNOTATE,
     "out",
     {"../v/x.json", "./y.json", "w//../z.json"},
     "v/x.layers.trace.json u/y.layers.trace.json u/z.layers.trace.json"},
    {"back beyond the root", ANNOTATE, "out", {"../../../../../x.json"}, "x.layers.trace.json"},
    {"nothing leaves the folder",
     ANNOTATE,
     "out",
     {"../../x.json", "../../../etc/y.json"},
     "x.layers.trace.json etc/y.layers.trace.json"},
    {"quotes and line ends",
     ANNOTATE,
     "out",
     {"a\n::error.json", "b\".json", "c'.json"},
     "a\n::error.layers.trace.json b\".layers.trace.json c'.layers.trace.json"},
    {"bytes that are no text", ANNOTATE, "out", {"\xff\xfe.json"}, "\xff\xfe.layers.trace.json"},
    {"case tells apart", ANNOTATE, "out", {"A.json", "a.json"}, "A.layers.trace.json a.layers.trace.json"},
    {"plain and compressed of one name",
     ANNOTATE,
     "out",
     {"a.json", "a.json.gz"},
     "a.layers.trace.json a.layers.trace.json.gz"},
    {"a folder with a slash", ANNOTATE, "out/", {"a.json"}, "a.layers.trace.json"},
    {"beside the sources", ANNOTATE, ".", {"a.json", "b.json"}, "a.layers.trace.json b.layers.trace.json"},

    {"one output twice", ANNOTATE_GZIP, "out", {"a.json", "a.json.gz"}, "!'a.json' and 'a.json.gz' would both become"},
    {"two endings of one name", ANNOTATE, "out", {"a.json", "b.json", "a.trace.json"}, "!'a.json' and 'a.trace.json'"},
    {"one source by two paths", ANNOTATE, "out", {"a.json", "../u/a.json"}, "!are the same file"},
    {"an output that is a source",
     ANNOTATE,
     ".",
     {"a.json", "a.layers.trace.json"},
     "!'a.layers.trace.json' is to be read, and would be written for 'a.json'"},
    {"the same by another path",
     STRIP,
     "/home/../home/u/",
     {"a.trace.json", "a.layers.trace.json"},
     "!'a.trace.json' is to be read, and would be written for 'a.trace.json'"},
    {"a report that is a source",
     ANNOTATE,
     ".",
     {"a.json", "a.layers.trace.json.layers.json"},
     "!'a.layers.trace.json.layers.json' is to be read, and would be written for 'a.json'"},
    {"an output that would be a folder",
     ANNOTATE,
     "out",
     {"a.json", "a!.json", "a.layers.trace.json/b.json"},
     "!'/home/u/out/a.layers.trace.json' would be a file for 'a.json' and a folder for 'a.layers.trace.json/b.json'"},
    {"a folder that is a source", ANNOTATE, "a.json", {"a.json"}, "!would be a file for 'a.json' and a folder"},
    {"standard input", ANNOTATE, "out", {"a.json", "-"}, "!standard input has no name"},
    {"no folder", ANNOTATE, "", {"a.json"}, "!output_dir is empty"},
    {"the root", ANNOTATE, "out", {"/"}, "!'/' names no file"},
    {"the root by a detour", ANNOTATE, "out", {"/\n/.."}, "!'/\\x0a/..' names no file"},
    {"a message shows no line end",
     ANNOTATE_GZIP,
     "out",
     {"\n.json", "\n.json.gz"},
     "!'\\x0a.json' and '\\x0a.json.gz'"},
};

static void check_names(const struct row *row, const struct output_names *names)
{
    char below[4096] = "";
    size_t slash = row->folder[strlen(row->folder) - 1] == '/';
    for (size_t i = 0; i < names->count; i++) {
        const struct output_name *name = &names->items[i];
        strcat(strcat(below, i > 0 ? " " : ""), name->below);
        char whole[4096];
        snprintf(whole, sizeof whole, "%s%s%s", row->folder, slash ? "" : "/", name->below);
        assert_string_equal(name->output, whole);
        strcat(whole, ".layers.json");
        if (forms[row->form].report_ending == NULL)
            assert_null(name->report);
        else
            assert_string_equal(name->report, whole);
    }
    assert_string_equal(below, row->expected);
}

static void row(void **state)
{
    const struct row *row = *state;
    size_t count = 0;
    while (row->sources[count] != NULL)
        count++;
    struct output_request request = forms[row->form];
    request.folder = row->folder;
    request.cwd = "/home/u";
    struct output_names names;
    struct lt_error error = {0};
    enum lt_status status = output_names_make(&names, row->sources, count, &request, &error);
    if (row->expected[0] != '!') {
        assert_string_equal(error.message, "");
        assert_int_equal(names.count, count);
        check_names(row, &names);
    } else {
        assert_int_equal(status, LT_USAGE);
        if (strstr(error.message, row->expected + 1) == NULL)
            fail_msg("'%s' does not hold '%s'", error.message, row->expected + 1);
    }
    output_names_free(&names);
}

/* Sixty-four thousand sources take no time that anybody would see. */
static void many(void **state)
{
    (void)state;
    enum { COUNT = 64000 };
    static char paths[COUNT][32];
    static const char *sources[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(paths[i], sizeof paths[i], "t/rank%d/trace.json", i);
        sources[i] = paths[i];
    }
    struct output_request request = forms[ANNOTATE];
    request.folder = "out";
    request.cwd = "/";
    struct output_names names;
    struct lt_error error = {0};
    assert_int_equal(output_names_make(&names, sources, COUNT, &request, &error), LT_OK);
    assert_string_equal(names.items[COUNT - 1].output, "out/rank63999/trace.layers.trace.json");
    output_names_free(&names);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(many);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
