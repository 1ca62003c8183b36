/*
 * collect.h - what must be remembered of the whole trace, and who else looks at its events
 *
 * Finds kernels, processes and devices once and hands them to observers;
 * what those keep is theirs. Its own size is the table of distinct kernel
 * names, and a few hundred bytes per process and device.
 */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "trace/fields.h"
#include "trace/patterns.h"
#include "trace/tidset.h"
#include "json/scan.h"

/* Types of the values in struct collect's `values`; the tag of an entry. */
#define VALUE_NUMBER 'n' /* text: canonical digits */
#define VALUE_STRING 's' /* text: decoded */
#define VALUE_OTHER                                                                                                    \
    'o' /* text: null, true, false, or "" for an object or array; or what no UTF-8 can say, as spelled */

/* A tid of up to nine digits is its own number, behind this bit: see collect_tid(). */
#define TID_INLINE UINT32_C(0x80000000)

/* Kernels may lie in so many pairs of process and device; a trace of one rank has one to some dozens. */
#define COLLECT_MAX_GROUPS 4096u

/* A kernel whose ts or dur cannot be used. */
struct bad_kernel {
    bool found;
    uint64_t event, offset;
    bool in_dur;   /* else in ts */
    bool too_long; /* it, or the end that follows from it, has more than DECIMAL_DIGITS */
    enum scan_kind kind;
    char text[40]; /* what stands there, printable */
};

/* The smallest ts that has more than DECIMAL_DIGITS. */
struct long_ts {
    bool found;
    struct decimal cut; /* as decimal_parse() cuts it */
    uint64_t event, offset;
};

/* The kernels of one process and device. */
struct group {
    uint32_t pid, device;   /* numbers in `values`, or INTERN_NONE: absent */
    uint64_t event, offset; /* its first kernel */
    uint64_t kernels;
    struct bad_kernel bad; /* the first one */
};

struct kernel_name {
    uint64_t count;
    bool matched; /* by any pattern */
};

struct collect;

/* A kernel with a name that matches a pattern. All of it lives as long as the call. */
struct collect_kernel {
    const struct scan_event *event;
    uint32_t name, group;           /* numbers in `names` and `groups` */
    const uint64_t *matches;        /* patterns_words() of the name */
    const struct decimal *ts, *dur; /* NULL: not usable; with `lengths` both or none, else no dur */
};

/* Who hears of what is found. Each function may be NULL; false stops the reading, with *error set or memory out. */
struct collect_observer {
    void *ctx;
    /* A process and device that was not there before; no kernel of it was handed over yet. */
    bool (*group)(void *ctx, struct collect *collect, uint32_t group);
    bool (*kernel)(void *ctx, struct collect *collect, const struct collect_kernel *kernel);
    /* A complete event that is one of `kinds` (enum event_kind). */
    bool (*slice)(void *ctx, struct collect *collect, const struct scan_event *event, unsigned kind);
    unsigned kinds;
};

struct collect_request {
    const char *trace_name;                   /* for messages */
    const struct patterns *patterns;          /* over kernel names */
    const struct collect_observer *observers; /* [observer_count], called in this order */
    size_t observer_count;
    bool lengths; /* kernels are to have a usable ts and dur; groups keep the first one that has not */
};

struct collect {
    struct collect_request request;
    struct lt_error *error; /* set when the scan was stopped */
    struct fields fields;
    unsigned kinds; /* what observers ask for, and kernels */

    struct intern values;  /* pid, device and tid values */
    struct intern spelled; /* the same as they are spelled in the trace ... */
    uint32_t *value_of;    /* ... and which value each spelling is */
    size_t value_of_capacity;
    struct tidset tids; /* of processes by their number in `values` */

    struct intern group_keys;
    struct group *groups; /* by number in group_keys */
    size_t group_capacity;

    struct intern names;              /* decoded kernel names */
    struct intern escaped;            /* names as spelled with escapes ... */
    uint32_t *name_of;                /* ... and which name each is */
    struct kernel_name *kernel_names; /* by number in `names` */
    uint64_t *matches;                /* patterns_words() for each of them */
    size_t name_capacity, name_of_capacity, match_capacity;

    bool has_origin;
    struct decimal origin;  /* smallest finite ts of all events ... */
    struct long_ts long_ts; /* ... but for this one: collect_check_origin() */

    uint64_t kernels;
    bool has_guide; /* an event of category layer_guide exists */
    uint64_t guide_event, guide_offset;
};

void collect_init(struct collect *collect, const struct collect_request *request, struct lt_error *error);

/* A scan_event_fn with a struct collect as context. Returns false with *error set. */
bool collect_event(void *collect, const struct scan_event *event);

/* LT_TRACE when a ts of more than DECIMAL_DIGITS lies below the origin, which therefore is not known. */
enum lt_status collect_check_origin(const struct collect *collect, struct lt_error *error);

void collect_free(struct collect *collect);

/* ---- for observers ----------------------------------------------------------------------------------------- */

/* The number of a value in `values`. INTERN_NONE: out of memory (the caller knows that it is not absent). */
uint32_t collect_value(struct collect *collect, const struct scan_value *value);

/* Whether a number stands for objects and arrays, which are all one value: what they tell apart is not known. */
bool collect_is_nested(const struct collect *collect, uint32_t value);

/*
 * The number of a tid: TID_INLINE | tid for the whole ones from 0 to
 * 999999999, however spelled, so that streams without end take no memory;
 * of others collect_value(). INTERN_NONE: out of memory.
 */
uint32_t collect_tid(struct collect *collect, const struct scan_value *value);

/* The same for a field that may be absent, which is INTERN_NONE. They clear *ok when memory is out. */
uint32_t collect_value_or_none(struct collect *collect, const struct scan_value *value, bool *ok);
uint32_t collect_tid_or_none(struct collect *collect, const struct scan_value *value, bool *ok);

/* The number of an event's device; `"device": null` is none, like an absent one. */
uint32_t collect_device(struct collect *collect, const struct scan_event *event, bool *ok);

/* Notes that what follows from a kernel's ts and dur has more than DECIMAL_DIGITS. */
void collect_note_too_long(struct collect *collect, const struct collect_kernel *kernel);

#endif
