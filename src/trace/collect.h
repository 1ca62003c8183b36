/*
 * collect.h - what must be remembered of the whole trace, and nothing else
 *
 * Its size is the memory promise: what track.h says per track, the table of
 * distinct kernel names, and a few hundred bytes per process and device.
 */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "rules/track.h"
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
    bool in_dur; /* else in ts */
    enum scan_kind kind;
    char text[40]; /* what stands there, printable */
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

/*
 * Takes a matching kernel of a wanted group in place of the track; `ts` is NULL when it is not usable, and lives as
 * long as the event. False when memory is out.
 */
typedef bool collect_kernel_fn(void *ctx, struct collect *collect, const struct scan_event *event,
                               const struct decimal *ts, uint32_t name, uint32_t group);

struct collect_request {
    const char *trace_name;                /* for messages */
    const struct patterns *patterns;       /* over kernel names */
    const struct patterns *scope_patterns; /* over names of scopes; NULL: no track asks for scopes */
    struct track *tracks;                  /* [track_count], filled */
    size_t track_count;
    collect_kernel_fn *kernel; /* or NULL; there is one track then, of which nothing is kept */
    void *kernel_ctx;
};

struct collect {
    struct collect_request request;
    struct lt_error *error; /* set when the scan was stopped */

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

    struct intern gpu_streams; /* (pid, tid, device) that carry a gpu_user_annotation */
    struct intern scope_names; /* of matching scopes; ... */
    struct intern scope_seen;  /* ... and of those seen lately, forgotten beyond a mebibyte, ... */
    uint64_t *scope_matches;   /* ... with patterns_words() + 1 for each: the last says whether any matched */
    size_t scope_match_capacity, scope_seen_bytes;

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

void collect_free(struct collect *collect);

/* ---- for whoever looks at an event once more (launch.c, inspect.c) ------------------------------------------ */

/* A string's characters, in memory that the next call uses again when it holds escapes. NULL when memory is out. */
const char *collect_text(struct collect *collect, const struct scan_value *value, size_t *len);

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

/* A finite number, or a string that is one; a long one lives as long as its event. */
enum decimal_status collect_time(struct collect *collect, const struct scan_value *value, struct decimal *time);

/* A whole number from 0 up, or a string that holds one; else CORRELATION_NONE. */
uint64_t collect_correlation(struct collect *collect, const struct scan_value *value);

/* Whether `cat`, split at commas, holds `word`; blanks around a word do not count. */
bool has_word(const char *cat, size_t len, const char *word, size_t word_len);

#endif
