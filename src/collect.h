/*
 * collect.h - what must be remembered of the whole trace, and nothing else
 *
 * Its size is the memory promise: 32 bytes per matching anchor, 40 per
 * matching terminal, the table of distinct kernel names, and a few hundred
 * bytes per process and device.
 */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "intern.h"
#include "match.h"
#include "plan.h"
#include "scan.h"
#include "tidset.h"

/* Types of the values in struct collect's `values`; the tag of an entry. */
#define VALUE_NUMBER 'n' /* text: canonical digits */
#define VALUE_STRING 's' /* text: decoded */
#define VALUE_OTHER  'o' /* text: null, true, false, or "" for an object or array */

/* A kernel whose ts or dur cannot be used. */
struct bad_kernel {
    bool found;
    uint64_t event, offset;
    bool in_dur; /* else in ts */
    enum scan_kind kind;
    char text[40]; /* what stands there, printable */
};

/* The kernels of one process and device. */
struct group {
    uint32_t pid, device; /* numbers in `values`, or INTERN_NONE: absent */
    bool wanted;          /* passes --pid and --device */
    uint64_t kernels, anchors, terminals;
    struct bad_kernel bad; /* the first one */
};

struct kernel_name {
    uint64_t count;
    bool anchor, terminal;
};

struct process {
    struct tidset tids;
};

struct collect;

/*
 * Takes a kernel of a wanted group instead of the lists of anchors and
 * terminals; `ts` is NULL when it is not usable, and lives as long as the
 * event. False when memory is out.
 */
typedef bool collect_kernel_fn(void *ctx, struct collect *collect, const struct scan_event *event,
                               const struct decimal *ts, uint32_t name, uint32_t group);

struct collect_request {
    const char *trace_name;    /* for messages */
    struct matcher *anchor;    /* NULL only with `kernel`: every name is one */
    struct matcher *terminal;  /* or NULL */
    const char *pid, *device;  /* wanted text, or NULL */
    collect_kernel_fn *kernel; /* or NULL */
    void *kernel_ctx;
};

struct collect {
    struct collect_request request;
    struct lt_error *error; /* set when the scan was stopped */

    struct anchor *anchors;
    size_t anchor_count, anchor_capacity;
    struct terminal *terminals;
    size_t terminal_count, terminal_capacity;

    struct intern values;      /* pid, device and tid values */
    struct intern spelled;     /* the same as they are spelled in the trace ... */
    uint32_t *value_of;        /* ... and which value each spelling is */
    struct process *processes; /* by number in `values`; only those that are a pid have anything in it */
    size_t value_of_capacity, process_capacity;

    struct intern group_keys;
    struct group *groups; /* by number in group_keys */
    size_t group_capacity;

    struct intern names;              /* decoded kernel names */
    struct intern escaped;            /* names as spelled with escapes ... */
    uint32_t *name_of;                /* ... and which name each is */
    struct kernel_name *kernel_names; /* by number in `names` */
    size_t name_capacity, name_of_capacity;

    struct arena times;       /* of kept numbers too long for 128 bits; ... */
    struct arena passing;     /* ... of those that live as long as their event; ... */
    struct arena origin_text; /* ... and of the origin */
    bool has_origin;
    struct decimal origin; /* smallest finite ts of all events */

    uint64_t kernels;
    bool has_guide; /* an event of category layer_guide exists */
    uint64_t guide_event, guide_offset;

    char *scratch;
    size_t scratch_capacity;
};

void collect_init(struct collect *collect, const struct collect_request *request, struct lt_error *error);

/* A scan_event_fn with a struct collect as context. Returns false with *error set. */
bool collect_event(void *collect, const struct scan_event *event);

/* The number of a value that is not absent in `values`. INTERN_NONE: out of memory. */
uint32_t collect_value(struct collect *collect, const struct scan_value *value);

void collect_free(struct collect *collect);

/* Whether `cat`, split at commas, holds `word`; blanks around a word do not count. */
bool has_word(const char *cat, size_t len, const char *word, size_t word_len);

#endif
