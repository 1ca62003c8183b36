/*
 * What many traces in one command share, with every allocation failing once: it says so, and nothing is lost or read
 * that was freed. The linker puts the functions below in libc's place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, whose fail() is a macro. */
#include "cli/log_format.h"
#include "cli/summary_text.h"
#include "jobs/output_names.h"
#include "jobs/trace_list.h"

#include <cmocka.h>

static size_t left; /* allocations until the one that fails */
static bool failed;

static bool may_allocate(void)
{
    if (failed || left > 0) {
        left -= failed ? 0 : 1;
        return true;
    }
    failed = true;
    return false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return may_allocate() ? __real_realloc(memory, size) : NULL;
}

/* A piece of work; returns whether it says that it was done. */
typedef bool work_fn(void);

static const char *const files[] = {"t/rank0.json", "t/rank1.json", "t/rank1.json.gz", "u/x-TP-1.json"};
enum { FILES = sizeof files / sizeof *files };

static bool list_files(void)
{
    struct trace_list list;
    struct lt_error error = {0};
    struct trace_list_request request = {.arguments = files, .count = FILES, .wanted = FILES_TRACES};
    enum lt_status status = trace_list_make(&list, &request, &error);
    trace_list_free(&list);
    assert_true(status == LT_OK || status == LT_NO_MEMORY);
    return status == LT_OK;
}

static bool name_outputs(void)
{
    struct output_request request = {"out", "/cwd", ".layers.trace.json", ".layers.json", true, LT_COMPRESS_BY_NAME};
    struct output_names names;
    struct lt_error error = {0};
    enum lt_status status = output_names_make(&names, files, FILES, &request, &error);
    output_names_free(&names);
    assert_true(status == LT_OK || status == LT_NO_MEMORY);
    return status == LT_OK;
}

static void make(struct rank_result results[FILES])
{
    static const uint64_t runs[2][2] = {{36, 36}, {20, 52}};
    for (size_t i = 0; i < FILES; i++)
        results[i] = (struct rank_result){
            .file = files[i],
            .rank = rank_of_path(files[i]),
            .counted = true,
            .anchors = i == 3 ? 73 : 72,
            .runs = runs[i == 1],
            .run_count = 2,
            .accepted = true,
            .passes = i == 0,
            .has_base = true,
            .base_ns = i == 2 ? 1000000000 : 0,
            .verdict = "done",
        };
}

static bool summarize(void)
{
    struct rank_result results[FILES];
    struct ranks_comparison comparison;
    uint64_t passed_over[FILE_KINDS] = {[FILE_MERGED] = 1};
    struct text json = {0}, table = {0}, notes = {0}, page = {0};
    make(results);
    bool done = ranks_compare(&comparison, results, FILES);
    struct summary summary = {"annotate", results, FILES, &comparison, passed_over, 0};
    done = done && summary_json(&summary, &json);
    done = done && summary_table(&summary, &table);
    done = done && (summary_note(&notes, &summary, 0), !notes.failed);
    done = done && summary_markdown(&summary, SUMMARY_MARKDOWN_MOST, &page);
    ranks_comparison_free(&comparison);
    text_free(&json);
    text_free(&table);
    text_free(&notes);
    text_free(&page);
    return done;
}

static bool tell(enum log_format format)
{
    struct log log;
    struct text out = {0};
    struct log_entry entry = {LOG_ERROR, "x", "a.json", NULL, 1, 2, 3, "message", "hint", 0};
    struct log_result result = {0};
    log_start(&log, format, "/cwd", "/");
    bool done = log_add(&log, &entry, &out);
    done = log_end(&log, &result, &out) && done;
    text_free(&out);
    return done;
}

static bool tell_text(void)
{
    return tell(LOG_TEXT);
}

static bool tell_json(void)
{
    return tell(LOG_JSON);
}

static bool tell_github(void)
{
    return tell(LOG_GITHUB);
}

static void every_allocation_fails_once(void **state)
{
    work_fn *work = *(work_fn *const *)*state;
    size_t count = 0;
    for (bool done = false; !done; count++) {
        left = count;
        failed = false;
        done = work();
        bool has_failed = failed;
        failed = true;
        assert_true(done != has_failed);
    }
    assert_in_range(count, 3, 10000);
}

static const struct {
    const char *name;
    work_fn *work;
} works[] = {{"files", list_files}, {"names of outputs", name_outputs}, {"summary", summarize}, {"text", tell_text},
             {"JSON", tell_json},   {"commands of GitHub", tell_github}};

int main(void)
{
    enum { WORKS = sizeof works / sizeof *works };
    struct CMUnitTest tests[WORKS];
    failed = true;
    for (size_t i = 0; i < WORKS; i++)
        tests[i] = (struct CMUnitTest){works[i].name, every_allocation_fails_once, NULL, NULL,
                                       (void *)(uintptr_t)&works[i].work};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
