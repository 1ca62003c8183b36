#include "trace/reading_messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define EXCERPT_BEFORE 32u
#define EXCERPT_AFTER  32u

#define CUT_HINT "copy it again, or record it again and let the profiler finish"

/* ---- what a file is that is no trace ----------------------------------------------------------------------- */

struct kind {
    const char *magic;
    size_t len, offset;
    const char *is, *hint; /* what it is, and what to do, or NULL */
};

static const struct kind kinds[] = {
    {"PK\x03\x04", 4, 0, "is a zip archive", "unpack it first (unzip -p FILE | layertrack ...)"},
    {"PK\x05\x06", 4, 0, "is an empty zip archive", "there is no trace in it"},
    {"\x1f\x8b", 2, 0, "holds another gzip file inside gzip", "undo one layer first (zcat FILE | layertrack ...)"},
    {"\x28\xb5\x2f\xfd", 4, 0, "is compressed with zstd", "pipe it in (zstd -dc FILE | layertrack ...)"},
    {"BZh", 3, 0, "is compressed with bzip2", "pipe it in (bzip2 -dc FILE | layertrack ...)"},
    {"\xfd\x37zXZ", 5, 0, "is compressed with xz", "pipe it in (xz -dc FILE | layertrack ...)"},
    {"\x04\x22\x4d\x18", 4, 0, "is compressed with lz4", "pipe it in (lz4 -dc FILE | layertrack ...)"},
    {"7z\xbc\xaf\x27\x1c", 6, 0, "is a 7z archive", "unpack it first"},
    {"ustar", 5, 257, "is a tar archive", "unpack it first"},
    {"SQLite format 3", 15, 0, "is an SQLite database (Nsight Systems?)",
     "give the Chrome JSON trace of Torch Profiler"},
    {"\xff\xfe", 2, 0, "is UTF-16 text", "convert it first (iconv -f UTF-16 -t UTF-8)"},
    {"\xfe\xff", 2, 0, "is UTF-16 text", "convert it first (iconv -f UTF-16 -t UTF-8)"},
    {"{\0", 2, 0, "is UTF-16 text", "convert it first (iconv -f UTF-16LE -t UTF-8)"},
    {"[\0", 2, 0, "is UTF-16 text", "convert it first (iconv -f UTF-16LE -t UTF-8)"},
    {"\0{", 2, 0, "is UTF-16 text", "convert it first (iconv -f UTF-16BE -t UTF-8)"},
    {"\0[", 2, 0, "is UTF-16 text", "convert it first (iconv -f UTF-16BE -t UTF-8)"},
    {"\x7f"
     "ELF",
     4, 0, "is a program, not a trace", NULL},
    {"<", 1, 0, "is HTML or XML (a page saved instead of the trace?)", "give the Chrome JSON trace itself"},
    {"version https://git-lfs", 23, 0, "is a Git LFS pointer, not the trace", "fetch it (git lfs pull)"},
};

static const struct kind *recognise(const unsigned char *start, size_t len)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].offset + kinds[i].len <= len && memcmp(start + kinds[i].offset, kinds[i].magic, kinds[i].len) == 0)
            return &kinds[i];
    return NULL;
}

/* ---- sentences --------------------------------------------------------------------------------------------- */

struct sentence {
    enum lt_class class_id;
    struct text what;
    const char *hint; /* what to do, or NULL */
    char strict_hint[128];
    struct error_place place;
};

/* Fills *error and frees the text. */
static enum lt_status finish(const struct source *source, struct sentence *sentence, struct lt_error *error)
{
    struct text *what = &sentence->what;
    text_add(what, "", 1);
    enum lt_status status;
    if (what->failed)
        status = fail_memory(error);
    else if (sentence->hint == NULL)
        status = fail_at(error, sentence->class_id, sentence->place, "%s: %s", source_name(source), what->data);
    else
        status = fail_at(error, sentence->class_id, sentence->place, "%s: %s; %s", source_name(source), what->data,
                         sentence->hint);
    text_free(what);
    return status;
}

/* ---- scans ------------------------------------------------------------------------------------------------- */

/* "byte 12, line 3, event 4: near '...'" */
static void add_place(struct sentence *sentence, struct source *source, const struct scan_problem *problem)
{
    unsigned char excerpt[EXCERPT_BEFORE + EXCERPT_AFTER];
    char shown[4 * sizeof excerpt + 8];
    struct text *text = &sentence->what;
    struct error_place *place = &sentence->place;
    uint64_t from = problem->offset > EXCERPT_BEFORE ? problem->offset - EXCERPT_BEFORE : 0;
    size_t len = source_look_at(source, from, excerpt, sizeof excerpt, problem->offset, &place->line);
    place->offset = problem->offset;
    text_puts(text, "byte ");
    text_u64(text, problem->offset);
    text_puts(text, ", line ");
    text_u64(text, place->line);
    if (problem->in_event) {
        place->event = problem->event;
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

static void say_placed(struct sentence *sentence, struct source *source, const struct scan_problem *problem,
                       const char *what, const char *hint)
{
    text_puts(&sentence->what, what);
    text_puts(&sentence->what, " at ");
    add_place(sentence, source, problem);
    sentence->hint = hint;
}

/* False when the file's start tells nothing. */
static bool say_recognised(struct sentence *sentence, struct source *source)
{
    unsigned char start[512];
    uint64_t line;
    size_t len = source_look_at(source, 0, start, sizeof start, 0, &line);
    const struct kind *kind = recognise(start, len);
    if (kind == NULL)
        return false;
    sentence->class_id = LT_CLASS_NOT_A_TRACE;
    sentence->hint = kind->hint;
    text_puts(&sentence->what, kind->is);
    return true;
}

static void say_not_json(struct sentence *sentence, struct source *source, const struct scan_problem *problem)
{
    if (!say_recognised(sentence, source))
        say_placed(sentence, source, problem, "is not JSON: found something that starts no object or array",
                   "give a Chrome JSON trace as Torch Profiler writes it");
}

/* Whether another document begins behind `offset`, which is the last byte of the first, and where. */
static bool finds_document(struct source *source, uint64_t offset, uint64_t *where)
{
    unsigned char behind[256];
    uint64_t line;
    size_t len = source_look_at(source, offset, behind, sizeof behind, 0, &line), i = 1;
    while (i < len && memchr(" \t\r\n", behind[i], 4) != NULL)
        i++;
    *where = offset + i;
    return i < len && (behind[i] == '{' || behind[i] == '[');
}

static void say_documents(struct sentence *sentence, struct source *source, const struct scan_problem *problem)
{
    say_placed(sentence, source, problem, "another JSON document follows the first (lines of JSON?)",
               "a trace is one document: give one, or join lines of events into an array (jq -s)");
}

static void say_trailing(struct sentence *sentence, struct source *source, const struct scan_problem *problem)
{
    uint64_t where;
    if (problem->offset > 0 && finds_document(source, problem->offset - 1, &where) && where == problem->offset)
        say_documents(sentence, source, problem);
    else
        say_placed(sentence, source, problem, "something follows the document", "cut it off or record the trace again");
}

static void say_no_events(struct sentence *sentence, struct source *source, const struct scan_problem *problem)
{
    struct scan_problem next = *problem;
    if (finds_document(source, problem->offset, &next.offset))
        say_documents(sentence, source, &next);
    else
        say_placed(sentence, source, problem, "has no traceEvents array at its top level: its object ends",
                   "give a Chrome JSON trace as Torch Profiler writes it");
}

/* `error` has the names. */
static void say_syntax(struct sentence *sentence, struct source *source, const struct scan_problem *problem,
                       const struct lt_error *error)
{
    char what[160];
    const char *detail = problem->detail != NULL ? problem->detail : "syntax error";
    if (problem->offset < 4 && say_recognised(sentence, source))
        return;
    snprintf(what, sizeof what, "is not valid JSON: %s", detail);
    snprintf(sentence->strict_hint, sizeof sentence->strict_hint, "mend this place, or try without %s",
             error_name(error, "LT_PARSER_STRICT"));
    say_placed(sentence, source, problem, what,
               problem->only_strict ? sentence->strict_hint
               : strcmp(problem->key, "name") == 0
                   ? "an unescaped quote in the name? Escape it (\\\") in the program that writes the trace"
                   : "record the trace again or mend this place");
}

/* The class that each refusal has, save where a file's start says more. */
static enum lt_class class_of(enum scan_refusal what)
{
    switch (what) {
    case SCAN_NO_EVENTS:
        return LT_CLASS_NO_EVENTS;
    case SCAN_EMPTY:
    case SCAN_EVENTS_NO_ARRAY:
    case SCAN_TWO_ARRAYS:
        return LT_CLASS_NOT_A_TRACE;
    case SCAN_TOO_DEEP:
    case SCAN_LONG_NAME:
    case SCAN_LONG_FIELD:
        return LT_CLASS_LIMIT;
    case SCAN_TRUNCATED:
        return LT_CLASS_TRUNCATED;
    default:
        return LT_CLASS_NOT_JSON;
    }
}

enum lt_status message_for_scan(struct source *source, const struct scan_problem *problem, struct lt_error *error)
{
    struct sentence sentence = {.class_id = class_of(problem->what), .place = error_nowhere};
    struct text *text = &sentence.what;
    char what[160];
    switch (problem->what) {
    case SCAN_EMPTY:
        text_puts(text, problem->offset == 0 ? "is empty" : "holds nothing but white space");
        sentence.hint = source_is_stdin(source) ? "name a trace, or pipe one in" : "record the trace again";
        break;
    case SCAN_BOM:
        text_puts(text, "starts with a byte order mark, which trace viewers refuse");
        sentence.hint = "remove it (tail -c +4)";
        break;
    case SCAN_NOT_JSON:
        say_not_json(&sentence, source, problem);
        break;
    case SCAN_NO_EVENTS:
        say_no_events(&sentence, source, problem);
        break;
    case SCAN_EVENTS_NO_ARRAY:
        say_placed(&sentence, source, problem, "traceEvents is not an array", "record the trace again");
        break;
    case SCAN_TWO_ARRAYS:
        say_placed(&sentence, source, problem, "a second traceEvents array",
                   "which events a label would count is not clear: keep one of them");
        break;
    case SCAN_TOO_DEEP:
        snprintf(what, sizeof what, "nesting deeper than %d levels", SCAN_MAX_DEPTH);
        say_placed(&sentence, source, problem, what, "flatten what is nested there");
        break;
    case SCAN_LONG_NAME:
    case SCAN_LONG_FIELD:
        snprintf(what, sizeof what, "a %s longer than %zu bytes", problem->what == SCAN_LONG_NAME ? "name" : "field",
                 problem->what == SCAN_LONG_NAME ? SCAN_MAX_NAME : SCAN_MAX_FIELD);
        say_placed(&sentence, source, problem, what, "shorten it in the program that writes the trace");
        break;
    case SCAN_TRUNCATED:
        say_placed(&sentence, source, problem, "truncated", CUT_HINT);
        text_puts(text, "; ");
        add_last_event(text, problem);
        break;
    case SCAN_TRAILING:
        say_trailing(&sentence, source, problem);
        break;
    default:
        say_syntax(&sentence, source, problem, error);
        break;
    }
    return finish(source, &sentence, error);
}

enum lt_status message_for_cut_gzip(struct source *source, const struct scan_problem *problem, struct lt_error *error)
{
    struct sentence sentence = {
        .class_id = LT_CLASS_TRUNCATED, .hint = CUT_HINT, .place = {.event = LT_NONE, .offset = problem->offset}};
    struct text *text = &sentence.what;
    text_puts(text, "gzip: truncated at stored byte ");
    text_u64(text, source_stored_read(source));
    text_puts(text, " (byte ");
    text_u64(text, problem->offset);
    text_puts(text, " of the JSON): ");
    add_last_event(text, problem);
    return finish(source, &sentence, error);
}

/* ---- warnings ---------------------------------------------------------------------------------------------- */

void message_for_scan_warnings(const char *file, const struct scan_warnings *warnings, const struct listener *listener)
{
    static const struct {
        enum lt_class class_id;
        const char *words;
    } kinds_of_warning[SCAN_WARN_KINDS] = {
        [SCAN_WARN_CONTROL] = {LT_CLASS_CONTROL_BYTES, "raw control bytes in strings"},
        [SCAN_WARN_UTF8] = {LT_CLASS_NOT_UTF8, "strings that are not UTF-8"},
        [SCAN_WARN_ESCAPE] = {LT_CLASS_UNKNOWN_ESCAPES, "strings with unknown escapes"},
        [SCAN_WARN_NONFINITE] = {LT_CLASS_NONFINITE, "bare nan, inf or N/A values"},
        [SCAN_WARN_NONFINITE_TIME] = {LT_CLASS_NONFINITE_TIMES,
                                      "bare nan, inf or N/A as ts or dur, for which Perfetto will refuse the file"},
        [SCAN_WARN_TRAILING_COMMA] = {LT_CLASS_TRAILING_COMMAS, "trailing commas"},
        [SCAN_WARN_OPEN_ARRAY] = {LT_CLASS_OPEN_ARRAY, "event array that is not closed"},
    };
    char name[512];
    printable(name, sizeof name, file, strlen(file));
    for (int kind = 0; kind < SCAN_WARN_KINDS; kind++) {
        struct error_place place = {.event = LT_NONE, .offset = warnings->first_offset[kind]};
        if (warnings->count[kind] > 0)
            warn_of(listener, kinds_of_warning[kind].class_id, warnings->count[kind], place,
                    "%s: not strict JSON: %s (%" PRIu64 ", the first at byte %" PRIu64 "); copied as they are", name,
                    kinds_of_warning[kind].words, warnings->count[kind], place.offset);
    }
}
