#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define EXCERPT_BEFORE 32u
#define EXCERPT_AFTER  32u

/* ---- what a file is that is no trace ----------------------------------------------------------------------- */

struct kind {
    const char *magic;
    size_t len, offset;
    const char *words;
};

static const struct kind kinds[] = {
    {"PK\x03\x04", 4, 0, "is a zip archive; unpack it first (unzip -p FILE | layertrack ...)"},
    {"PK\x05\x06", 4, 0, "is an empty zip archive; there is no trace in it"},
    {"\x1f\x8b", 2, 0, "holds another gzip file inside gzip; undo one layer first (zcat FILE | layertrack ...)"},
    {"\x28\xb5\x2f\xfd", 4, 0, "is compressed with zstd; pipe it in (zstd -dc FILE | layertrack ...)"},
    {"BZh", 3, 0, "is compressed with bzip2; pipe it in (bzip2 -dc FILE | layertrack ...)"},
    {"\xfd\x37zXZ", 5, 0, "is compressed with xz; pipe it in (xz -dc FILE | layertrack ...)"},
    {"\x04\x22\x4d\x18", 4, 0, "is compressed with lz4; pipe it in (lz4 -dc FILE | layertrack ...)"},
    {"7z\xbc\xaf\x27\x1c", 6, 0, "is a 7z archive; unpack it first"},
    {"ustar", 5, 257, "is a tar archive; unpack it first"},
    {"SQLite format 3", 15, 0, "is an SQLite database (Nsight Systems?); give the Chrome JSON trace of Torch Profiler"},
    {"\xff\xfe", 2, 0, "is UTF-16 text; convert it first (iconv -f UTF-16 -t UTF-8)"},
    {"\xfe\xff", 2, 0, "is UTF-16 text; convert it first (iconv -f UTF-16 -t UTF-8)"},
    {"{\0", 2, 0, "is UTF-16 text; convert it first (iconv -f UTF-16LE -t UTF-8)"},
    {"\0{", 2, 0, "is UTF-16 text; convert it first (iconv -f UTF-16BE -t UTF-8)"},
    {"\x7f"
     "ELF",
     4, 0, "is a program, not a trace"},
    {"<", 1, 0, "is HTML or XML (a page saved instead of the trace?); give the Chrome JSON trace itself"},
    {"version https://git-lfs", 23, 0, "is a Git LFS pointer, not the trace; fetch it (git lfs pull)"},
};

static const char *recognise(const unsigned char *start, size_t len)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].offset + kinds[i].len <= len && memcmp(start + kinds[i].offset, kinds[i].magic, kinds[i].len) == 0)
            return kinds[i].words;
    return NULL;
}

/* ---- scans ------------------------------------------------------------------------------------------------- */

/* "byte 12, line 3, event 4: near '...'" */
static void add_place(struct text *text, struct source *source, const struct scan_problem *problem)
{
    unsigned char excerpt[EXCERPT_BEFORE + EXCERPT_AFTER];
    char shown[4 * sizeof excerpt + 8];
    uint64_t from = problem->offset > EXCERPT_BEFORE ? problem->offset - EXCERPT_BEFORE : 0, line;
    size_t len = source_look_at(source, from, excerpt, sizeof excerpt, problem->offset, &line);
    text_puts(text, "byte ");
    text_u64(text, problem->offset);
    text_puts(text, ", line ");
    text_u64(text, line);
    if (problem->in_event) {
        text_puts(text, ", event ");
        text_u64(text, problem->event);
        if (problem->key[0] != '\0') {
            text_puts(text, ", in its ");
            text_puts(text, problem->key);
        }
    } else if (problem->events > 0) {
        text_puts(text, ", behind event ");
        text_u64(text, problem->events - 1);
    }
    if (len > 0) {
        text_puts(text, ": near '");
        text_puts(text, printable(shown, sizeof shown, (const char *)excerpt, len));
        text_puts(text, "'");
    }
}

/* Where a cut file could be cut clean. */
static void add_last_event(struct text *text, const struct scan_problem *problem)
{
    if (problem->events == 0) {
        text_puts(text, "before its first whole event");
        return;
    }
    text_puts(text, "the last whole event is ");
    text_u64(text, problem->events - 1);
    text_puts(text, ", which ends at byte ");
    text_u64(text, problem->last_end);
}

static enum lt_status finish(const struct source *source, struct text *text, struct lt_error *error)
{
    text_add(text, "", 1);
    enum lt_status status =
        text->failed ? fail_memory(error) : fail(error, LT_TRACE, "%s: %s", source_name(source), text->data);
    text_free(text);
    return status;
}

static void add_placed(struct text *text, struct source *source, const struct scan_problem *problem, const char *what,
                       const char *advice)
{
    text_puts(text, what);
    text_puts(text, " at ");
    add_place(text, source, problem);
    text_puts(text, "; ");
    text_puts(text, advice);
}

static void add_not_json(struct text *text, struct source *source, const struct scan_problem *problem)
{
    unsigned char start[512];
    uint64_t line;
    size_t len = source_look_at(source, 0, start, sizeof start, 0, &line);
    const char *words = recognise(start, len);
    if (words != NULL)
        text_puts(text, words);
    else
        add_placed(text, source, problem, "is not JSON: found something that starts no object or array",
                   "give a Chrome JSON trace as Torch Profiler writes it");
}

static void add_trailing(struct text *text, struct source *source, const struct scan_problem *problem)
{
    unsigned char next = 0;
    uint64_t line;
    size_t len = source_look_at(source, problem->offset, &next, 1, 0, &line);
    if (len == 1 && (next == '{' || next == '['))
        add_placed(text, source, problem, "another JSON document follows the first",
                   "a trace is one document: give one, or join lines of events into an array (jq -s)");
    else
        add_placed(text, source, problem, "something follows the document", "cut it off or record the trace again");
}

static void add_syntax(struct text *text, struct source *source, const struct scan_problem *problem)
{
    char what[160];
    snprintf(what, sizeof what, "is not valid JSON: %s", problem->detail != NULL ? problem->detail : "syntax error");
    add_placed(text, source, problem, what,
               strcmp(problem->key, "name") == 0
                   ? "an unescaped quote in the name? Escape it (\\\") in the program that writes the trace"
                   : "record the trace again or mend this place");
}

enum lt_status words_for_scan(struct source *source, const struct scan_problem *problem, struct lt_error *error)
{
    struct text text = {0};
    char what[160];
    switch (problem->what) {
    case SCAN_EMPTY:
        text_puts(&text, problem->offset == 0 ? "is empty" : "holds nothing but white space");
        text_puts(&text, "; record the trace again");
        break;
    case SCAN_BOM:
        text_puts(&text, "starts with a byte order mark, which trace viewers refuse; remove it (tail -c +4)");
        break;
    case SCAN_NOT_JSON:
        add_not_json(&text, source, problem);
        break;
    case SCAN_NO_EVENTS:
        text_puts(&text,
                  "has no traceEvents array at its top level; give a Chrome JSON trace as Torch Profiler writes it");
        break;
    case SCAN_EVENTS_NO_ARRAY:
        add_placed(&text, source, problem, "traceEvents is not an array", "record the trace again");
        break;
    case SCAN_TWO_ARRAYS:
        add_placed(&text, source, problem, "a second traceEvents array",
                   "which events a label would count is not clear: keep one of them");
        break;
    case SCAN_TOO_DEEP:
        snprintf(what, sizeof what, "nesting deeper than %d levels", SCAN_MAX_DEPTH);
        add_placed(&text, source, problem, what, "flatten what is nested there");
        break;
    case SCAN_LONG_NAME:
        snprintf(what, sizeof what, "a name longer than %zu bytes", SCAN_MAX_NAME);
        add_placed(&text, source, problem, what, "shorten it in the program that writes the trace");
        break;
    case SCAN_LONG_FIELD:
        snprintf(what, sizeof what, "a field longer than %zu bytes", SCAN_MAX_FIELD);
        add_placed(&text, source, problem, what, "shorten it in the program that writes the trace");
        break;
    case SCAN_TRUNCATED:
        text_puts(&text, "truncated at byte ");
        text_u64(&text, problem->offset);
        text_puts(&text, ": ");
        add_last_event(&text, problem);
        text_puts(&text, "; copy it again, or record it again and let the profiler finish");
        break;
    case SCAN_TRAILING:
        add_trailing(&text, source, problem);
        break;
    default:
        add_syntax(&text, source, problem);
        break;
    }
    return finish(source, &text, error);
}

enum lt_status words_for_cut_gzip(struct source *source, const struct scan_problem *problem, struct lt_error *error)
{
    struct text text = {0};
    text_puts(&text, "gzip: truncated at stored byte ");
    text_u64(&text, source_stored_read(source));
    text_puts(&text, " (byte ");
    text_u64(&text, problem->offset);
    text_puts(&text, " of the JSON): ");
    add_last_event(&text, problem);
    text_puts(&text, "; copy it again, or record it again and let the profiler finish");
    return finish(source, &text, error);
}

/* ---- plans ------------------------------------------------------------------------------------------------- */

enum lt_status words_for_plan(const char *file, const struct plan *plan, struct lt_error *error)
{
    char name[512], where[96];
    struct text times = {0};
    text_decimal(&times, &plan->ts);
    text_add(&times, "", 1);
    size_t limit = times.len;
    text_decimal(&times, &plan->limit);
    text_add(&times, "", 1);
    if (times.failed) {
        text_free(&times);
        return fail_memory(error);
    }
    printable(name, sizeof name, file, strlen(file));
    snprintf(where, sizeof where, "pass %" PRIu64 ", layer %" PRIu64, plan->pass, plan->layer);
    enum lt_status status;
    switch (plan->refusal) {
    case PLAN_TOO_FEW:
        status = fail(error, LT_SELECTION,
                      "%s: need %" PRIu64 " matching anchors from offset %" PRIu64 " on, found %" PRIu64
                      " (%zu in all); check --num-layers, --passes and --anchor-offset",
                      name, plan->need, plan->request.anchor_offset, plan->found, plan->request.anchor_count);
        break;
    case PLAN_EQUAL_TIMES:
        status = fail(error, LT_SELECTION,
                      "%s: anchors are not distinct: the one of %s starts at %.64s us like the one before it; choose a "
                      "kernel that runs once per layer",
                      name, where, times.data);
        break;
    case PLAN_NO_TERMINAL:
        status = fail(error, LT_SELECTION,
                      "%s: %s: no terminal between its anchor and the next; --end-anchor-regex must match exactly one "
                      "kernel there",
                      name, where);
        break;
    case PLAN_MANY_TERMINALS:
        status = fail(error, LT_SELECTION,
                      "%s: %s: %" PRIu64 " terminals between its anchor and the next; --end-anchor-regex must match "
                      "exactly one kernel there",
                      name, where, plan->found);
        break;
    case PLAN_LATE_TERMINAL:
        status = fail(error, LT_SELECTION,
                      "%s: %s: its terminal ends at %.64s us, after the next anchor's start at %.64s us; choose a "
                      "terminal that ends before the next layer",
                      name, where, times.data, times.data + limit);
        break;
    case PLAN_TIME_RANGE:
        status = fail(error, LT_SELECTION,
                      "%s: %s: the time %.64s us is beyond what trace viewers can show; correct the trace's clock",
                      name, where, times.data);
        break;
    default:
        status = fail_memory(error);
        break;
    }
    text_free(&times);
    return status;
}

/* ---- warnings ---------------------------------------------------------------------------------------------- */

void words_for_warnings(const char *file, const struct scan_warnings *warnings, lt_warning_fn *warning, void *ctx)
{
    static const char *const words[SCAN_WARN_KINDS] = {
        [SCAN_WARN_CONTROL] = "raw control bytes in strings",
        [SCAN_WARN_UTF8] = "strings that are not UTF-8",
        [SCAN_WARN_ESCAPE] = "strings with unknown escapes",
        [SCAN_WARN_NONFINITE] = "bare nan, inf or N/A values",
        [SCAN_WARN_NONFINITE_TIME] = "bare nan, inf or N/A as ts or dur, for which Perfetto will refuse the file",
        [SCAN_WARN_TRAILING_COMMA] = "trailing commas",
        [SCAN_WARN_OPEN_ARRAY] = "event array that is not closed",
    };
    char name[512], message[1024];
    printable(name, sizeof name, file, strlen(file));
    for (int kind = 0; kind < SCAN_WARN_KINDS && warning != NULL; kind++) {
        if (warnings->count[kind] == 0)
            continue;
        snprintf(message, sizeof message,
                 "%s: not strict JSON: %s (%" PRIu64 ", the first at byte %" PRIu64 "); copied as they are", name,
                 words[kind], warnings->count[kind], warnings->first_offset[kind]);
        warning(ctx, message);
    }
}

void words_for_same_start(const char *file, const struct plan *plan, lt_warning_fn *warning, void *ctx)
{
    char name[512], message[1024];
    if (plan->same_start_count == 0 || warning == NULL)
        return;
    snprintf(message, sizeof message,
             "%s: neighbouring anchors round to the same microsecond (%" PRIu64 ", the first at pass %" PRIu64
             ", layer %" PRIu64 "); their guides will look nested",
             printable(name, sizeof name, file, strlen(file)), plan->same_start_count, plan->same_start_pass,
             plan->same_start_layer);
    warning(ctx, message);
}
