/*
 * mktrace.h - what the parts of the trace maker share
 *
 * mktrace writes a synthetic trace of an LLM's decode passes in the layout of
 * Torch Profiler, and beside it the truth: what was planted where, and which
 * guides follow from it. The truth is computed here, from whole microseconds
 * and a whole number of 10^-D parts, with nothing of layertrack's own code,
 * so that a test may compare the two.
 *
 *   mktrace.c   options, and the order of things
 *   timeline.c  passes, layers, kernels: what happens when
 *   oddity.c    the table of oddities, and the odd events
 *   document.c  what stands around the events
 *   emit.c      bytes: the buffer, numbers, events in either layout
 *   truth.c     the record of what was planted
 */
#ifndef MKTRACE_H
#define MKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_GROUPS   64
#define MAX_STREAMS  1024
#define MAX_DECIMALS 18

/* A point in time or a length of it: microseconds, and `frac` parts of 10^-decimals microseconds. */
struct moment {
    uint64_t us, frac;
};

/* A short piece of JSON that is written many times. */
struct text {
    char s[48];
    size_t n;
};

enum oddity {
#define ODDITY(id, name, exit_default, exit_strict, help) ODD_##id,
#include "oddities.def"
#undef ODDITY
    ODDITIES
};

/* What layertrack must warn about, and how often. */
enum warning {
    WARN_CONTROL,
    WARN_UTF8,
    WARN_ESCAPE,
    WARN_NONFINITE,
    WARN_NONFINITE_TIME,
    WARN_COMMA,
    WARN_OPEN,
    WARNINGS
};

enum layout { LAYOUT_KINETO, LAYOUT_COMPACT };

struct options {
    uint64_t seed, layers, passes, draft, extra, kernels, streams, size, tail, head;
    uint64_t rank, world_size, pid, device, pids, devices, decimals, ts_base, cut, cut_front, cut_back;
    bool draft_shares_anchor, terminals, halves, scopes, launches, bare;
    enum layout layout;
    bool odd[ODDITIES];
    const char *output, *truth;
};

/* How a layout puts space between the parts of an event. */
struct spacing {
    struct text open, line, args_open, args_line, args_close, close, comma;
};

#define EVENT_ENDS 65536

/* The bytes on their way out. */
struct out {
    char *buf, *shuffled;
    size_t len, cap;
    uint64_t flushed; /* bytes that have left the buffer, or would have but for `hold` */
    uint64_t hold;    /* the last bytes, which are never written (--cut) */
    int fd;
    bool failed;
    /* Starts of the events in the buffer, when their order is to be shuffled. */
    size_t *start;
    size_t starts, max_starts;
    bool shuffling;
};

/* One GPU process and device, with its own clock. */
struct group {
    struct text pid, device;
    struct moment busy_until, last_start, first_start; /* first_start: of the pass */
    unsigned last_stream;
    bool overlapped, started;
    uint64_t anchors, terminals;
    uint64_t pass_first_anchor, pass_anchors;
    /* Rows of the truth that wait for the next layer, to know where their guide ends. */
    struct row {
        uint64_t anchor_index, event_index, event_offset, pass, layer;
        unsigned half, stream, terminal_stream;
        const char *role;
        bool complete, has_terminal;
        struct moment ts, dur, terminal_ts, terminal_dur;
    } row[2];
    unsigned rows;
};

struct maker {
    struct options opt;
    struct spacing sp;
    struct out out;
    FILE *truth;
    uint64_t rng;
    uint64_t scale; /* 10^decimals */
    struct moment base, cpu, origin;
    bool has_origin;
    struct group group[MAX_GROUPS];
    unsigned groups;
    struct text cpu_pid, cpu_tid, stream[MAX_STREAMS];
    const char *anchor_name; /* as written between the quotes */
    uint64_t blocks, block;  /* layers of every kind in all passes and groups; those done */
    uint64_t body_start;     /* where the first of them began */
    uint64_t external, correlation;
    uint64_t events;                /* elements begun */
    uint64_t event_offset;          /* of the last one */
    uint64_t event_end[EVENT_ENDS]; /* a ring of the offsets behind the last ones */
    uint64_t insert_offset, total;  /* see truth_finish() */
    uint64_t bad_event, bad_offset; /* the event on account of which the trace is refused */
    bool has_bad;
    uint64_t warnings[WARNINGS];
    bool odd_zero; /* times get one zero more: the same number, other text */
};

/* ---- emit.c ------------------------------------------------------------------------------------------------ */

/* Opens the output and makes the buffers; false with errno set. */
bool out_open(struct out *out, const char *path, bool shuffle, uint64_t hold);
/* Writes what is left. False, with errno set, when anything could not be written. */
bool out_close(struct out *out);
void out_flush(struct out *out);
static inline uint64_t out_pos(const struct out *out)
{
    return out->flushed + out->len;
}
/* Makes room for `n` more bytes. An event never straddles two buffers: only event_begin() and fillers call this. */
void out_room(struct out *out, size_t n);
void put_bytes(struct out *out, const char *s, size_t n);
void put_str(struct out *out, const char *s);
void put_u64(struct out *out, uint64_t v);
#define PUT(out, literal) put_bytes((out), "" literal, sizeof(literal) - 1)

void spacing_init(struct spacing *sp, enum layout layout, bool lines);
size_t moment_text(const struct maker *m, struct moment t, char *dst);
void put_ts(struct maker *m, struct moment t);
void put_dur(struct maker *m, struct moment t);

/* Begins an element of the event array: the comma before it, and its place for the record. */
void event_begin(struct maker *m);
void event_end(struct maker *m);
/* Begins an `X` event up to and including the comma behind `dur`. */
void slice_begin(struct maker *m, const char *cat, const char *name, const struct text *pid, const struct text *tid,
                 struct moment ts, struct moment dur);
void args_begin(struct maker *m);
/* Ends `args` and the event. */
void args_end(struct maker *m);
void flow(struct maker *m, char ph, uint64_t id, const struct text *pid, const struct text *tid, struct moment ts);
void metadata(struct maker *m, const char *name, const char *key, const char *value, const struct text *pid,
              const struct text *tid);
void write_head(struct maker *m);
void write_tail(struct maker *m);
void write_closing_events(struct maker *m);

/* ---- time and chance --------------------------------------------------------------------------------------- */

static inline uint64_t draw(struct maker *m)
{
    uint64_t z = (m->rng += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline struct moment moment_add(const struct maker *m, struct moment a, struct moment b)
{
    struct moment r = {a.us + b.us, a.frac + b.frac};
    if (r.frac >= m->scale) {
        r.frac -= m->scale;
        r.us++;
    }
    return r;
}

/* `a` must not be before `b`. */
static inline struct moment moment_sub(const struct maker *m, struct moment a, struct moment b)
{
    struct moment r = {a.us - b.us, a.frac};
    if (r.frac < b.frac) {
        r.frac += m->scale;
        r.us--;
    }
    r.frac -= b.frac;
    return r;
}

static inline bool moment_before(struct moment a, struct moment b)
{
    return a.us < b.us || (a.us == b.us && a.frac < b.frac);
}

/* From `least` to below `least + spread` microseconds. */
static inline struct moment moment_draw(struct maker *m, uint64_t least, uint64_t spread)
{
    uint64_t r = draw(m);
    struct moment t = {least + (r >> 40) % spread, 0};
    if (m->scale > 1)
        t.frac = (m->scale <= 1000000 ? r & 0xffffffff : draw(m)) % m->scale;
    return t;
}

/* ---- timeline.c -------------------------------------------------------------------------------------------- */

#define ANCHOR_REGEX          "rotary_embedding_kernel"
#define TERMINAL_REGEX        "cross_device_reduce_1stage<__nv_bfloat16, 8>"
#define TERMINAL_FAMILY_REGEX "cross_device_reduce"

/* Sets up clocks, processes and streams, and counts the layers to come. */
void timeline_init(struct maker *m);
void timeline_run(struct maker *m);
/* Ends a kernel's event behind `dur`: its args, as Kineto writes them. */
void kernel_end(struct maker *m, const struct group *g, unsigned stream, uint64_t correlation);

/* ---- oddity.c ---------------------------------------------------------------------------------------------- */

extern const char *const oddity_names[ODDITIES];
/* Takes a list of names with commas between them; returns the name that is unknown, or NULL. */
const char *oddities_parse(bool odd[ODDITIES], const char *list);
void oddities_print(FILE *f);
/* Writes the names of those that are set. */
void oddities_list(const bool odd[ODDITIES], FILE *f);
/* What layertrack's exit code must be with the right options, by default or with --strict. */
int oddities_exit(const bool odd[ODDITIES], bool strict);
/* The anchor's name with whatever the oddities ask for in it. Never freed. */
const char *oddities_anchor_name(const struct maker *m);
/* As slice_begin(), with escapes in the keys. */
void escaped_slice_begin(struct maker *m, const char *cat, const char *name, const struct text *pid,
                         const struct text *tid, struct moment ts, struct moment dur);
/* The odd events for one of the quarters 1, 2, 3 of the trace. */
void oddities_events(struct maker *m, unsigned quarter);

/* ---- truth.c ----------------------------------------------------------------------------------------------- */

void truth_begin(struct maker *m);
void truth_anchor(struct maker *m, struct group *g, const struct row *row);
/* The layer is complete: its guide ends where the next layer of the pass starts, or nowhere (NULL). */
void truth_layer_end(struct maker *m, struct group *g, const struct moment *next);
void truth_pass(struct maker *m, const struct group *g, uint64_t pass, bool complete);
void truth_scope(struct maker *m, const char *kind, const char *name, const struct text *pid, const struct text *tid,
                 struct moment ts, struct moment dur, uint64_t pass);
void truth_finish(struct maker *m);

#endif
