#include "jobs/file_kind.h"

#include <stdbool.h>
#include <string.h>

struct kind {
    const char *key, *one, *many, *reason;
};

static const struct kind kinds[FILE_KINDS] = {
    [FILE_TRACE] = {"trace", "trace without guides", "traces without guides", "has no guides; annotate it first"},
    [FILE_ANNOTATED] = {"annotated", "annotated trace", "annotated traces",
                        "was annotated by layertrack, as its name says; name its source"},
    [FILE_REPORT] = {"report", "report of layertrack", "reports of layertrack",
                     "is a report of layertrack, as its name says; name the trace"},
    [FILE_VIEW] = {"view", "report of a view", "reports of views",
                   "is the report of a view of layertrack, as its name says; name the trace"},
    [FILE_MERGED] = {"merged", "merged trace", "merged traces",
                     "is a merge of several ranks, as its name says; name the ranks' own traces"},
    [FILE_CAPTURE] = {"graph-capture", "capture of a graph", "captures of graphs",
                      "is the capture of a graph, as its name says, in which no layer runs; name the trace of a run"},
    [FILE_FRONT_END] = {"front-end", "trace of a front end", "traces of front ends",
                        "is of a front end without a GPU, as its name says; name the workers' traces"},
    [FILE_TWICE] = {"twice", "second name of a file", "second names of files",
                    "is a file that is listed already; name it once"},
    [FILE_NO_EVENTS] = {"no-events", "file without events", "files without events",
                        "holds no event array; name a trace of Torch Profiler"},
    [FILE_NO_KERNEL] = {"no-kernel", "trace without a kernel", "traces without a kernel",
                        "holds no kernel; profile with CUDA activities, or name another trace"},
};

static bool ends_in(const char *name, const char *ending)
{
    size_t len = strlen(name), end = strlen(ending);
    return len >= end && memcmp(name + len - end, ending, end) == 0;
}

enum file_kind file_kind_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    static const char *const annotated[] = {".layers.trace.json", ".layers.trace.json.gz", ".layers.json.gz"};
    for (size_t i = 0; i < sizeof annotated / sizeof *annotated; i++)
        if (ends_in(name, annotated[i]))
            return FILE_ANNOTATED;
    if (ends_in(name, ".layers.json") || strstr(name, ".layers.trace.json") != NULL)
        return FILE_REPORT;
    if (ends_in(name, ".view.json"))
        return FILE_VIEW;
    if (strncmp(name, "merged-", 7) == 0 || strstr(name, "merged_trace") != NULL)
        return FILE_MERGED;
    if (strstr(name, "graph_capture") != NULL)
        return FILE_CAPTURE;
    return strstr(name, ".async_llm.") != NULL ? FILE_FRONT_END : FILE_TRACE;
}

const char *file_kind_key(enum file_kind kind)
{
    return kinds[kind].key;
}

const char *file_kind_reason(enum file_kind kind)
{
    return kinds[kind].reason;
}

enum file_kind file_kind_refused(const struct file_item *item, enum files_wanted wanted)
{
    enum file_kind kind = file_kind_of(item->path);
    if (wanted == FILES_TRACES)
        return kind;
    return kind == FILE_REPORT || kind == FILE_VIEW ? kind : FILE_TRACE;
}

void file_kinds_pass_over(struct file_list *list, enum files_wanted wanted, uint64_t counts[FILE_KINDS])
{
    enum file_kind fits = wanted == FILES_TRACES ? FILE_TRACE : FILE_ANNOTATED;
    size_t left = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct file_item *item = &list->items[i];
        enum file_kind kind = file_kind_of(item->path);
        if (item->named || kind == fits)
            list->items[left++] = *item;
        else
            counts[kind]++;
    }
    list->count = left;
}

void file_kinds_text(struct text *text, const uint64_t counts[FILE_KINDS])
{
    const char *between = "";
    for (int kind = 0; kind < FILE_KINDS; kind++) {
        if (counts[kind] == 0)
            continue;
        text_puts(text, between);
        text_u64(text, counts[kind]);
        text_puts(text, " ");
        text_puts(text, counts[kind] == 1 ? kinds[kind].one : kinds[kind].many);
        between = ", ";
    }
}
