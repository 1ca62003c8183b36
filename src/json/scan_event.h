/*
 * scan_event.h - what a scanner tells: events and their fields, the layout of the array, what is odd or wrong
 */
#ifndef SCAN_EVENT_H
#define SCAN_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Deepest nesting that is accepted: the top-level value is level 1. */
#define SCAN_MAX_DEPTH 512
/* Longest string that is accepted as an event's `name`, in bytes as written between the quotes. */
#define SCAN_MAX_NAME ((size_t)1 << 20)
/*
 * Longest text of the other fields (`ph cat pid tid ts dur id`, `args.device`, `args.correlation`) in bytes as
 * written. A longer one is refused like a longer name.
 */
#define SCAN_MAX_FIELD ((size_t)1 << 20)

/* What a field of an event holds. */
enum scan_kind {
    SCAN_ABSENT, /* the event has no such key */
    SCAN_NULL,
    SCAN_FALSE,
    SCAN_TRUE,
    SCAN_NUMBER,    /* text: the number as written */
    SCAN_STRING,    /* text: between the quotes; see `escaped` */
    SCAN_NONFINITE, /* text: a bare nan, inf, NaN, -Infinity, N/A ... as written (SCAN_FAST only) */
    SCAN_NESTED     /* an object or an array: no text */
};

/*
 * One field. `text` is `len` bytes, not NUL-terminated, and is valid only
 * during the callback. When `escaped`, the text of a string is as written
 * and holds at least one backslash: decode it with json_unescape(). Else it
 * is the string itself. Bytes that are not UTF-8 are passed on as they are.
 */
struct scan_value {
    enum scan_kind kind;
    bool escaped;
    const char *text;
    size_t len;
};

/*
 * One element of the event array. Elements that are not objects (`null`,
 * numbers, ...) have `is_object` false and every field absent. When a key
 * occurs twice the last one counts, as a whole: a second `args` replaces the
 * first. Keys are compared after decoding their escapes.
 */
struct scan_event {
    uint64_t index;  /* 0-based position in the event array */
    uint64_t offset; /* of the element's first byte */
    uint64_t end;    /* offset just behind its last byte */
    bool is_object;
    struct scan_value ph, cat, name, pid, tid, ts, dur, id;
    struct scan_value device, correlation; /* args.device, args.correlation */
};

/* Takes one event. Returns false to stop the scan (SCAN_STOPPED). */
typedef bool scan_event_fn(void *ctx, const struct scan_event *event);

enum scan_status {
    SCAN_OK,
    SCAN_STOPPED, /* the callback asked for it */
    SCAN_REFUSED, /* see scan_problem */
    SCAN_NO_MEMORY
};

/* Why a trace is refused. trace/reading_messages.c has the sentences. */
enum scan_refusal {
    SCAN_FINE,
    SCAN_EMPTY,           /* no byte but white space */
    SCAN_BOM,             /* starts with a UTF-8 byte order mark */
    SCAN_NOT_JSON,        /* the first byte starts no JSON object or array */
    SCAN_NO_EVENTS,       /* no `traceEvents` at depth 1 of the object */
    SCAN_EVENTS_NO_ARRAY, /* `traceEvents` is not an array */
    SCAN_TWO_ARRAYS,      /* a second `traceEvents` at depth 1; offset of its key */
    SCAN_TOO_DEEP,        /* nesting over SCAN_MAX_DEPTH */
    SCAN_LONG_NAME,       /* a name over SCAN_MAX_NAME */
    SCAN_LONG_FIELD,      /* another field over SCAN_MAX_FIELD */
    SCAN_TRUNCATED,       /* the bytes end inside the document; offset: how many bytes there were */
    SCAN_TRAILING,        /* something behind the document; offset: its first byte that is not white space */
    SCAN_SYNTAX           /* anything else; `detail` says what was expected or found */
};

/* Things that strict JSON forbids and SCAN_FAST accepts; each is counted. */
enum scan_warning {
    SCAN_WARN_CONTROL,        /* a string with a raw byte below 0x20; counted per string */
    SCAN_WARN_UTF8,           /* a string with invalid UTF-8; counted per string */
    SCAN_WARN_ESCAPE,         /* a string with an unknown escape; counted per string */
    SCAN_WARN_NONFINITE,      /* a bare nan, inf, ... other than the next kind; counted per value */
    SCAN_WARN_NONFINITE_TIME, /* the same as `ts` or `dur` of an event: Perfetto will refuse the file */
    SCAN_WARN_TRAILING_COMMA, /* before any `]` or `}`, or before the end of an open array; counted per comma */
    SCAN_WARN_OPEN_ARRAY,     /* a bare event array without its `]` */
    SCAN_WARN_KINDS
};

struct scan_warnings {
    uint64_t count[SCAN_WARN_KINDS];
    uint64_t first_offset[SCAN_WARN_KINDS]; /* of the string, value, comma or end */
};

struct scan_problem {
    enum scan_refusal what;
    uint64_t offset;    /* where, in uncompressed bytes */
    bool in_event;      /* inside an element of the event array ... */
    uint64_t event;     /* ... this one (0-based); else how many whole elements came before */
    uint64_t last_end;  /* offset just behind the last whole element; 0 when there was none */
    uint64_t events;    /* how many whole elements came before the problem */
    char key[16];       /* the field the problem is in (`name`, `ts` ...), "" when none or unknown */
    const char *detail; /* static words for SCAN_SYNTAX, e.g. "expected ',' or '}'"; else NULL */
    bool only_strict;   /* SCAN_FAST takes it, with a warning */
};

/*
 * Whole numbers beside the event array, of at most 19 digits; what is spelled otherwise is not known. A key that comes
 * again takes back what its first value said.
 */
enum scan_fact {
    FACT_BASE_TIME,  /* baseTimeNanoseconds: added to each ts, it is the time since 1970 */
    FACT_RANK,       /* distributedInfo.rank, ... */
    FACT_WORLD_SIZE, /* ... .world_size */
    FACTS,
    FACT_INFO = FACTS, /* distributedInfo, no fact itself */
    FACT_NONE
};

struct scan_facts {
    bool known[FACTS];
    uint64_t value[FACTS];
};

/* Which fact a key leads to, at the top level or in distributedInfo. What was known of it no longer is. */
enum scan_fact scan_fact_of(struct scan_facts *facts, const char *key, size_t len, bool in_info);

/* Takes a number as it is spelled. */
void scan_fact_set(struct scan_facts *facts, enum scan_fact fact, const char *text, size_t len);

/* What is known once the whole trace was scanned. */
struct scan_layout {
    uint64_t events;        /* elements of the event array, whatever they are */
    uint64_t insert_offset; /* of the `]` that closes the event array; of the end for an open array */
    uint64_t total;         /* uncompressed bytes of the trace */
    bool bare;              /* the top level is the event array */
    bool open;              /* a bare array without `]` (SCAN_FAST only) */
    bool needs_comma;       /* an element stands before insert_offset with no comma behind it */
    struct scan_facts facts;
};

/* The fields of an event, and the keys that lead to them. */
enum scan_field {
    FIELD_PH,
    FIELD_CAT,
    FIELD_NAME,
    FIELD_PID,
    FIELD_TID,
    FIELD_TS,
    FIELD_DUR,
    FIELD_ID,
    FIELD_DEVICE,
    FIELD_CORRELATION,
    FIELDS,
    FIELD_ARGS = FIELDS, /* no field itself */
    FIELD_NONE
};

/* The key as written in traces; "" for FIELD_NONE. */
const char *scan_field_key(enum scan_field field);

/* Which field a decoded key of an event, or of its args, leads to. */
enum scan_field scan_field_of(const char *key, size_t len, bool in_args);

/* Where the event keeps a field (any but FIELD_ARGS and FIELD_NONE). */
struct scan_value *scan_field_value(struct scan_event *event, enum scan_field field);

/* The longest text of a field. */
size_t scan_field_limit(enum scan_field field);

#endif
