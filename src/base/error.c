#define _POSIX_C_SOURCE 200809L /* strerror_r */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static const struct {
    const char *word;
    enum lt_status status; /* LT_OK: a warning's */
} classes[LT_CLASS_COUNT] = {
    [LT_CLASS_NONE] = {"", LT_OK},
    [LT_CLASS_DIFFERENT] = {"different", LT_DIFFERENT},
    [LT_CLASS_OPTION] = {"option", LT_USAGE},
    [LT_CLASS_TRACE] = {"trace", LT_TRACE},
    [LT_CLASS_SELECTION] = {"selection", LT_SELECTION},
    [LT_CLASS_IO] = {"io", LT_IO},
    [LT_CLASS_CANCELLED] = {"cancelled", LT_CANCELLED},
    [LT_CLASS_NO_MEMORY] = {"no-memory", LT_NO_MEMORY},
    [LT_CLASS_OPTION_MISSING] = {"option-missing", LT_USAGE},
    [LT_CLASS_PATTERN] = {"pattern", LT_USAGE},
    [LT_CLASS_SPEC] = {"spec", LT_USAGE},
    [LT_CLASS_STRUCT_SIZE] = {"struct-size", LT_USAGE},
    [LT_CLASS_NOT_A_TRACE] = {"not-a-trace", LT_TRACE},
    [LT_CLASS_NOT_JSON] = {"not-json", LT_TRACE},
    [LT_CLASS_TRUNCATED] = {"truncated", LT_TRACE},
    [LT_CLASS_GZIP] = {"gzip-damaged", LT_TRACE},
    [LT_CLASS_LIMIT] = {"limit", LT_TRACE},
    [LT_CLASS_NOT_A_REPORT] = {"not-a-report", LT_TRACE},
    [LT_CLASS_NO_KERNELS] = {"no-kernels", LT_SELECTION},
    [LT_CLASS_NO_MATCH] = {"no-match", LT_SELECTION},
    [LT_CLASS_NOT_THERE] = {"not-there", LT_SELECTION},
    [LT_CLASS_AMBIGUOUS] = {"ambiguous", LT_SELECTION},
    [LT_CLASS_BAD_KERNEL] = {"bad-kernel", LT_SELECTION},
    [LT_CLASS_ANNOTATED] = {"already-annotated", LT_SELECTION},
    [LT_CLASS_NO_TID] = {"no-tid", LT_SELECTION},
    [LT_CLASS_SAME_PHASE] = {"same-phase", LT_SELECTION},
    [LT_CLASS_TOO_FEW] = {"anchors-too-few", LT_SELECTION},
    [LT_CLASS_EQUAL_TIMES] = {"anchors-not-distinct", LT_SELECTION},
    [LT_CLASS_TERMINAL] = {"terminal", LT_SELECTION},
    [LT_CLASS_TIME_RANGE] = {"time-range", LT_SELECTION},
    [LT_CLASS_LANDMARK] = {"landmark", LT_SELECTION},
    [LT_CLASS_NO_SCOPE] = {"no-scope", LT_SELECTION},
    [LT_CLASS_BAD_SCOPE] = {"bad-scope", LT_SELECTION},
    [LT_CLASS_CROSSES_SCOPES] = {"crosses-scopes", LT_SELECTION},
    [LT_CLASS_NO_LAUNCH] = {"no-launch", LT_SELECTION},
    [LT_CLASS_PATTERN_GAVE_UP] = {"pattern-gave-up", LT_SELECTION},
    [LT_CLASS_GUIDE_TOO_LONG] = {"guide-too-long", LT_SELECTION},
    [LT_CLASS_NO_GUIDES] = {"no-guides", LT_SELECTION},
    [LT_CLASS_NO_SUCH_GUIDES] = {"no-such-guides", LT_SELECTION},
    [LT_CLASS_GUIDES_CHANGED] = {"guides-changed", LT_SELECTION},
    [LT_CLASS_REPORT_OF_ANOTHER] = {"report-of-another", LT_SELECTION},
    [LT_CLASS_NOT_THE_SOURCE] = {"not-the-source", LT_SELECTION},
    [LT_CLASS_NOT_FOUND] = {"not-found", LT_IO},
    [LT_CLASS_PERMISSION] = {"permission", LT_IO},
    [LT_CLASS_EXISTS] = {"exists", LT_IO},
    [LT_CLASS_SAME_FILE] = {"same-file", LT_IO},
    [LT_CLASS_DISK_FULL] = {"disk-full", LT_IO},
    [LT_CLASS_LIMITED] = {"system-limit", LT_IO},
    [LT_CLASS_SOURCE_CHANGED] = {"source-changed", LT_IO},
    [LT_CLASS_READER_GONE] = {"reader-gone", LT_IO},
    [LT_CLASS_CONTROL_BYTES] = {"control-bytes", LT_OK},
    [LT_CLASS_NOT_UTF8] = {"not-utf8", LT_OK},
    [LT_CLASS_UNKNOWN_ESCAPES] = {"unknown-escapes", LT_OK},
    [LT_CLASS_NONFINITE] = {"nonfinite", LT_OK},
    [LT_CLASS_NONFINITE_TIMES] = {"nonfinite-times", LT_OK},
    [LT_CLASS_TRAILING_COMMAS] = {"trailing-commas", LT_OK},
    [LT_CLASS_OPEN_ARRAY] = {"open-array", LT_OK},
    [LT_CLASS_SAME_START] = {"same-start", LT_OK},
    [LT_CLASS_NEGATIVE_TIMES] = {"negative-times", LT_OK},
    [LT_CLASS_MIXED_ANCHORS] = {"mixed-anchors", LT_OK},
    [LT_CLASS_MISPLACED_PASSES] = {"misplaced-passes", LT_OK},
    [LT_CLASS_SAME_KERNELS] = {"same-kernels", LT_OK},
    [LT_CLASS_NO_EVENTS] = {"no-events", LT_TRACE},
    [LT_CLASS_RUNS_NOT_CLEAR] = {"runs-not-clear", LT_SELECTION},
    [LT_CLASS_NO_SUCH_RUN] = {"no-such-run", LT_SELECTION},
    [LT_CLASS_RUN_NOT_WHOLE] = {"run-not-whole", LT_SELECTION},
    [LT_CLASS_NO_REPORT] = {"no-report", LT_IO},
    [LT_CLASS_OTHER_SOURCE] = {"other-source", LT_IO},
    [LT_CLASS_OTHER_SELECTION] = {"other-selection", LT_IO},
    [LT_CLASS_TEMPORARIES] = {"temporaries", LT_OK},
};

const char *lt_class_word(enum lt_class class_id)
{
    return (unsigned)class_id < LT_CLASS_COUNT ? classes[class_id].word : "unknown";
}

bool class_is_warning(enum lt_class class_id)
{
    return class_id != LT_CLASS_NONE && (unsigned)class_id < LT_CLASS_COUNT && classes[class_id].status == LT_OK;
}

bool class_is_of_text(enum lt_class class_id)
{
    return class_id >= LT_CLASS_CONTROL_BYTES && class_id <= LT_CLASS_OPEN_ARRAY;
}

enum lt_class class_of_word(const char *word, size_t len)
{
    for (int id = LT_CLASS_NONE + 1; id < LT_CLASS_COUNT; id++)
        if (strlen(classes[id].word) == len && memcmp(classes[id].word, word, len) == 0)
            return (enum lt_class)id;
    return LT_CLASS_NONE;
}

const char *error_name(const struct lt_error *error, const char *name)
{
    const struct naming *naming = error->own;
    const char *found = naming == NULL || naming->name == NULL ? NULL : naming->name(naming->ctx, name);
    return found == NULL ? name : found;
}

void error_reset(struct lt_error *error)
{
    error->status = LT_OK;
    error->class_id = LT_CLASS_NONE;
    error->event = error->offset = LT_NONE;
    error->line = 0;
    error->message[0] = error->file[0] = error->what[0] = error->hint[0] = '\0';
}

/* ---- sentences --------------------------------------------------------------------------------------------- */

/* Up to the last "; " of a format; NULL when there is none. */
static const char *hint_of(const char *format)
{
    const char *hint = NULL;
    for (const char *at = format; (at = strstr(at, "; ")) != NULL; at++)
        hint = at;
    return hint;
}

/* Copies what of `text` lies from `from` to `to`, which may be beyond its end. */
static void copy_part(char *out, size_t size, const char *text, size_t from, size_t to)
{
    size_t len = strlen(text);
    to = to < len ? to : len;
    printable(out, size, text + (from < to ? from : to), from < to ? to - from : 0);
}

static void write_sentence(struct lt_error *error, const char *format, va_list args)
{
    char before[1024]; /* the hint */
    const char *hint = hint_of(format);
    size_t len = hint == NULL ? strlen(format) : (size_t)(hint - format);
    int all, start = 0;
    va_list again;
    va_copy(again, args);
    if (strncmp(format, "%s: ", 4) == 0)
        start = snprintf(NULL, 0, "%s: ", va_arg(again, const char *));
    va_end(again);
    va_copy(again, args);
    snprintf(before, sizeof before, "%.*s", (int)len, format);
    int end = vsnprintf(NULL, 0, before, again);
    va_end(again);
    all = vsnprintf(error->message, sizeof error->message, format, args);
    copy_part(error->file, sizeof error->file, error->message, 0, start < 2 ? 0 : (size_t)start - 2);
    copy_part(error->what, sizeof error->what, error->message, (size_t)start, (size_t)end);
    copy_part(error->hint, sizeof error->hint, error->message, hint == NULL ? (size_t)all : (size_t)end + 2,
              (size_t)all);
}

static enum lt_status fail_with(struct lt_error *error, enum lt_class class_id, const struct error_place *place,
                                const char *format, va_list args)
{
    if (error->status != LT_OK)
        return error->status;
    error->status = classes[class_id].status;
    error->class_id = class_id;
    error->event = place->event;
    error->offset = place->offset;
    error->line = place->line;
    write_sentence(error, format, args);
    return error->status;
}

const struct error_place error_nowhere = {.event = LT_NONE, .offset = LT_NONE};

enum lt_status fail_list(struct lt_error *error, enum lt_class class_id, const char *format, va_list args)
{
    return fail_with(error, class_id, &error_nowhere, format, args);
}

enum lt_status fail_as(struct lt_error *error, enum lt_class class_id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    enum lt_status status = fail_with(error, class_id, &error_nowhere, format, args);
    va_end(args);
    return status;
}

enum lt_status fail_at(struct lt_error *error, enum lt_class class_id, struct error_place place, const char *format,
                       ...)
{
    va_list args;
    va_start(args, format);
    enum lt_status status = fail_with(error, class_id, &place, format, args);
    va_end(args);
    return status;
}

enum lt_status fail_refused(struct lt_error *error, enum lt_class class_id, struct error_place place,
                            const char *format, ...)
{
    va_list args;
    if (error->status != LT_OK)
        return error->status;
    va_start(args, format);
    fail_with(error, class_id, &place, format, args);
    va_end(args);
    return error->status = LT_SELECTION;
}

enum lt_status fail(struct lt_error *error, enum lt_status status, const char *format, ...)
{
    /* Each status has its class right behind LT_CLASS_NONE, in the same order. */
    va_list args;
    va_start(args, format);
    fail_with(error, (enum lt_class)status, &error_nowhere, format, args);
    va_end(args);
    return error->status;
}

enum lt_status fail_again(struct lt_error *error, const struct lt_error *other)
{
    if (error->status != LT_OK)
        return error->status;
    size_t size = error->size;
    const void *own = error->own;
    *error = *other;
    error->size = size;
    error->own = own;
    return error->status;
}

void warn_of(const struct listener *listener, enum lt_class class_id, uint64_t count, struct error_place place,
             const char *format, ...)
{
    struct lt_error sentence;
    if (listener->warning == NULL)
        return;
    va_list args;
    va_start(args, format);
    write_sentence(&sentence, format, args);
    va_end(args);
    struct lt_warning warning = {
        .size = sizeof warning,
        .class_id = class_id,
        .count = count,
        .event = place.event,
        .offset = place.offset,
        .message = sentence.message,
        .file = sentence.file,
        .what = sentence.what,
        .hint = sentence.hint,
    };
    listener->warning(listener->ctx, &warning);
}

/* ---- what the system says ---------------------------------------------------------------------------------- */

struct advice {
    enum lt_class class_id;
    const char *hint; /* what to do, behind a semicolon; or nothing */
};

static struct advice advice(int errnum)
{
    switch (errnum) {
    case ENOSPC:
    case EDQUOT:
        return (struct advice){LT_CLASS_DISK_FULL, "make room there or choose another place"};
    case EFBIG:
        return (struct advice){LT_CLASS_LIMITED, "raise the limit on file sizes (ulimit -f) or choose another place"};
    case EACCES:
    case EPERM:
    case EROFS:
        return (struct advice){LT_CLASS_PERMISSION, "get the permission or choose another place"};
    case ENOENT:
    case ENOTDIR:
        return (struct advice){LT_CLASS_NOT_FOUND, "check the name"};
    case ENAMETOOLONG:
        return (struct advice){LT_CLASS_LIMITED, "choose a shorter one"};
    case EMFILE:
    case ENFILE:
        return (struct advice){LT_CLASS_LIMITED, "raise the limit on open files (ulimit -n)"};
    case EBADF:
        return (struct advice){LT_CLASS_IO, "it is closed"};
    case EIO:
        return (struct advice){LT_CLASS_IO, "check the disk"};
    case ENOMEM:
        return (struct advice){LT_CLASS_NO_MEMORY, NULL};
    default:
        return (struct advice){LT_CLASS_IO, NULL};
    }
}

enum lt_status fail_errno(struct lt_error *error, const char *file, const char *what, int errnum)
{
    /* strerror() may share a buffer between threads. */
    char name[512], reason[128] = "";
    const char *text = strerror_r(errnum, reason, sizeof reason) == 0 ? reason : "unknown error";
    struct advice found = advice(errnum);
    printable(name, sizeof name, file, strlen(file));
    if (found.hint == NULL)
        return fail_as(error, found.class_id, "%s: %s: %s", name, what, text);
    return fail_as(error, found.class_id, "%s: %s: %s; %s", name, what, text, found.hint);
}

enum lt_status fail_write(struct lt_error *error, const char *file, int errnum)
{
    char name[512];
    if (errnum != EPIPE)
        return fail_errno(error, file, "cannot be written", errnum);
    return fail_as(error, LT_CLASS_READER_GONE, "%s: the reader went away; the output is not complete",
                   printable(name, sizeof name, file, strlen(file)));
}

enum lt_status fail_memory(struct lt_error *error)
{
    return fail_as(error, LT_CLASS_NO_MEMORY, "out of memory; free some or raise the limit (ulimit -v)");
}

enum lt_status fail_cancelled(struct lt_error *error, const char *name)
{
    return fail_as(error, LT_CLASS_CANCELLED, "%s: cancelled; nothing was written", name);
}
