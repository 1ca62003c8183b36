/*
 * layertrack.h - label the layers of a model in a GPU trace
 *
 * liblayertrack reads a Chrome JSON trace as Torch Profiler (Kineto) writes
 * it, plain or gzip, and writes it again with one insertion: a track of
 * guides `L0, L1, ...` beside the GPU streams. A guide begins where a kernel
 * begins that the caller has verified to run once per layer (the anchor).
 *
 * The library never prints, never exits, changes no signal handler and keeps
 * no global state: any number of jobs may run at once in different threads.
 * Every function that can fail returns an lt_status and explains itself in a
 * struct lt_error. All text is UTF-8; all offsets and sizes are bytes; all
 * times are microseconds in exact decimals.
 *
 * Every struct that crosses this interface begins with its size: `.size =
 * sizeof it`, and all that is not named is 0, which is the default
 * everywhere. Structs grow at their end only, so that a program runs with a
 * later library than it was built for: members it does not know are 0, and
 * are not written. It also runs with an earlier one as long as members that
 * this does not know are 0; else, and when a size was not set, the job is
 * refused (LT_CLASS_STRUCT_SIZE). What the library does not know of a struct
 * that it fills it leaves as it was. Elements of an array have one size.
 *
 * A whole program, which labels a trace: job TRACE OUTPUT
 *
 *     #include <stdio.h>
 *
 *     #include <layertrack.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         if (argc != 3)
 *             return LT_USAGE;
 *         struct lt_track track = {
 *             .size = sizeof track,
 *             .anchor_regex = "rotary_embedding_kernel",
 *             .num_layers = 2,
 *             .anchor_offset = 0,
 *             .phase = "decode",
 *             .evidence = "one rotary embedding per layer: model.py, class DecoderLayer",
 *         };
 *         struct lt_annotate_options options = {
 *             .size = sizeof options,
 *             .trace = argv[1],
 *             .output = argv[2],
 *             .tracks = &track,
 *             .track_count = 1,
 *         };
 *         struct lt_annotate_result result = {.size = sizeof result};
 *         struct lt_error error = {.size = sizeof error};
 *         if (lt_annotate(&options, &result, &error) != LT_OK) {
 *             fprintf(stderr, "job: %s\n", error.message);
 *             return (int)error.status;
 *         }
 *         printf("%llu guides\n", (unsigned long long)result.guides);
 *         return LT_OK;
 *     }
 */
#ifndef LAYERTRACK_H
#define LAYERTRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layertrack_class.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LT_VERSION "0.1.0"

/* The outcome of a job; the numbers are the command's exit codes, where the last two are 5 as well. */
enum lt_status {
    LT_OK = 0,
    LT_DIFFERENT = 1, /* a comparison found a difference */
    LT_USAGE = 2,     /* an option's value is wrong */
    LT_TRACE = 3,     /* the trace is not usable */
    LT_SELECTION = 4, /* the trace is usable, what was selected in it is refused */
    LT_IO = 5,        /* input or output trouble */
    LT_CANCELLED = 6, /* a lt_progress_fn said so */
    LT_NO_MEMORY = 7
};

/* No number: not known; as a count: none, where 0 is the default. */
#define LT_NONE UINT64_MAX

/* As `passes`: all whole ones. */
#define LT_ALL (UINT64_MAX - 1)

/*
 * Why a job failed. All text is NUL-terminated printable UTF-8, cut where it
 * is too long. Every job sets it anew; after LT_OK all text is empty. A job
 * whose lt_error has no size does nothing and returns LT_USAGE; NULL will do
 * where the status says enough.
 */
struct lt_error {
    size_t size;
    const void *own; /* the library's own, while a job runs */
    enum lt_status status;
    enum lt_class class_id; /* of a warning, too, which fail_on_warning refuses */
    uint64_t event;         /* index in the event array, from 0; or LT_NONE */
    uint64_t offset;        /* in the trace (uncompressed), spec or report; or LT_NONE */
    uint64_t line;          /* of `offset`, from 1; 0: not known */
    char message[4096];     /* all of it in one line: "FILE: WHAT; HINT", without what is empty */
    char file[512];         /* which it is about, with the track of several: "FILE: track 'PHASE'"; or empty */
    char what[4096];
    char hint[1024]; /* what to do; or empty */
};

/* The parser of pass one. */
enum lt_parser {
    LT_PARSER_DEFAULT, /* tolerant where trace viewers are */
    LT_PARSER_STRICT   /* strict JSON (yajl) */
};

enum lt_compress {
    LT_COMPRESS_BY_NAME, /* gzip when the output's name ends in .gz; standard output: plain */
    LT_COMPRESS_GZIP,
    LT_COMPRESS_PLAIN
};

/* Which part of a job the bytes belong to. */
enum lt_stage {
    LT_STAGE_SCAN, /* pass one: `done` of `total` stored bytes read; once more where a track has `within` */
    LT_STAGE_WRITE /* pass two: `done` of `total` bytes written; total 0 when it is not known */
};

/*
 * Hears how far a job is; called from the thread that runs it: of files some
 * hundred times per gigabyte (uncompressed) and at the end of each stage, of a
 * pipe or standard output whenever there was a block. `total` is 0 when it is
 * not known (a pipe). Returns false to cancel the job, which then fails with
 * LT_CANCELLED and leaves nothing.
 */
typedef bool lt_progress_fn(void *ctx, enum lt_stage stage, uint64_t done, uint64_t total);

/*
 * What is accepted and yet worth a look, once for each class and track. Text
 * is as in lt_error; it is valid during the call.
 */
struct lt_warning {
    size_t size;
    enum lt_class class_id;
    uint64_t count;         /* of the cases */
    uint64_t event, offset; /* of the first case, as in lt_error; or LT_NONE */
    const char *message;    /* all of it in one line: "FILE: WHAT; HINT", without what is empty */
    const char *file, *what, *hint;
};

/* Takes a warning. Called from the thread that runs the job. */
typedef void lt_warning_fn(void *ctx, const struct lt_warning *warning);

/*
 * How the caller calls a member of these structs ("num_layers",
 * "landmarks[].regex"), a constant ("LT_PARSER_STRICT") or a function
 * ("lt_inspect()") in the messages of a job; the command says "--num-layers".
 * Returns text that stays as it is until the job has ended, or NULL: as it is
 * called here. Called from the thread that runs the job.
 */
typedef const char *lt_name_fn(void *ctx, const char *name);

/* So many kernels of the anchors' process and device match in every guide, or the job is refused. */
struct lt_landmark {
    size_t size;
    const char *regex; /* PCRE2 pattern, searched in kernel names */
    uint64_t count;    /* 0: the default, 1; LT_NONE: no kernel may match */
};

#define LT_MAX_LANDMARKS 64    /* of a track */
#define LT_MAX_PHASE     1024  /* bytes of a phase, ... */
#define LT_MAX_EVIDENCE  65536 /* ... and of its evidence */
#define LT_MAX_TRACKS    64    /* of a job */

/*
 * One track of guides. Strings stay the caller's. The members have the
 * meaning of the command's options of the same name.
 */
struct lt_track {
    size_t size;
    const char *anchor_regex;            /* PCRE2 pattern, searched in kernel names. Required */
    const char *end_anchor_regex;        /* terminal, or NULL */
    const char *phase;                   /* required, not blank, at most LT_MAX_PHASE bytes */
    const char *evidence;                /* required, not blank, at most LT_MAX_EVIDENCE bytes */
    const char *pid;                     /* text of the process to take, or NULL */
    const char *device;                  /* text of args.device to take, or NULL */
    uint64_t num_layers;                 /* layers per pass, >= 1 */
    uint64_t anchor_offset;              /* index of a verified first layer among all anchors by time */
    uint64_t passes;                     /* 0: the default, 1; LT_ALL: all whole ones from the first on */
    uint64_t first_layer;                /* number of the first label */
    uint64_t anchor_stride;              /* anchors per layer; 0: the default, 1 */
    uint64_t extra_anchors_per_pass;     /* anchors behind each pass's last layer that belong to none */
    const struct lt_landmark *landmarks; /* [landmark_count] */
    size_t landmark_count;               /* <= LT_MAX_LANDMARKS */
    const char *within;                  /* only anchors launched in a CPU scope of such a name; or NULL */
    const char *within_gpu;              /* only anchors that start in a gpu_user_annotation of such a name; or NULL */
    /*
     * In place of anchor_offset, which is 0 then: a rule by which it is found.
     * Runs are those of lt_inspect() or, with scopes, their instances.
     */
    int64_t anchor_run;    /* the first anchor of this run, from 1; below 0 from the end: -1 is the last; 0: no rule */
    uint64_t skip_partial; /* 1: that of the first run of whole passes; 0: no rule */
};

/*
 * One guide: a row of the report, whose keys the members are named after
 * (docs/layertrack.1). All of it is valid during the call.
 */
struct lt_row {
    size_t size;
    size_t track;       /* index among the job's tracks, ... */
    const char *phase;  /* ... its phase, ... */
    uint64_t guide_tid; /* ... and its tid */
    uint64_t pass_index, layer_id, anchor_index;
    const char *anchor_name; /* decoded, `anchor_name_len` bytes, may be any bytes */
    size_t anchor_name_len;
    const char *anchor_tid;                          /* a JSON value */
    const char *start_us, *end_us;                   /* exact */
    const char *start_relative_ms, *end_relative_ms; /* exact, from the trace's first ts */
    int64_t guide_start_us, guide_end_us;            /* whole microseconds, as the guide has them */
    const char *boundary_kind;
};

/*
 * Takes a row; returns false to cancel the job, which then fails with
 * LT_CANCELLED. Hears of all tracks once all are accepted, one behind the
 * other, each in the order of time; nothing is written before the last row.
 * Called from the thread that runs the job.
 */
typedef bool lt_row_fn(void *ctx, const struct lt_row *row);

/* What was found of one track. What is not known is NULL, or LT_NONE. */
struct lt_found_track {
    size_t size;
    const char *phase;
    const char *pid, *device; /* of the anchors, as the members of lt_track of these names take them */
    uint64_t anchors;         /* that match in that process, on that device and in the scopes */
    /* [run_count] anchors in each of their runs, in order of time: as lt_inspect() counts runs; with scopes their
     * instances. */
    const uint64_t *runs;
    size_t run_count;
    /* Of an accepted selection. */
    const char *anchor_name; /* of the first guide; decoded, `anchor_name_len` bytes, may be any bytes */
    size_t anchor_name_len;
    uint64_t anchor_offset, passes;
    const char *anchor_offset_rule; /* "run:3", "skip-partial": by which it was found; NULL: it was given */
    uint64_t run;                   /* which it found, from 1 */
    uint64_t left_over;             /* anchors behind the last pass, where `passes` was LT_ALL */
    const char *first_us, *last_us; /* exact: start of the first guide, end of the last one */
};

/* What was found in a trace, for a comparison with others. All of it is valid during the call. */
struct lt_found {
    size_t size;
    bool accepted;                              /* the selection; else lt_annotate() is about to say why not */
    bool has_base_time;                         /* the trace tells `base_time_ns` */
    int64_t base_time_ns;                       /* baseTimeNanoseconds: added to the times, it gives those since 1970 */
    int64_t rank, world_size;                   /* of distributedInfo; or -1 */
    uint64_t warnings;                          /* that were told of the trace and its selection */
    const struct lt_found_track *const *tracks; /* [track_count] */
    size_t track_count;
};

/*
 * Takes what was found; returns false to cancel an accepted job, which then
 * fails with LT_CANCELLED. Hears once of each trace that could be read, when
 * its selection is accepted and nothing is written yet, or when it is
 * refused. Called from the thread that runs the job.
 */
typedef bool lt_found_fn(void *ctx, const struct lt_found *found);

/* What to do. Strings and tracks stay the caller's. */
struct lt_annotate_options {
    size_t size;
    const char *trace;             /* path, or "-": standard input. Required */
    const char *output;            /* path, or "-": standard output. Required, save in a dry run */
    const char *report;            /* path, or NULL: "<output>.layers.json", none for standard output */
    const struct lt_track *tracks; /* [track_count]; all are accepted, or nothing is written */
    size_t track_count;            /* 1 .. LT_MAX_TRACKS; 0 with a spec */
    const char *spec;              /* path of a JSON file that holds the tracks instead, or of a report; or NULL */
    enum lt_compress compress;
    int level;        /* 1..9; 0: the default, 6 */
    unsigned threads; /* 0: one per processor that the process may use */
    enum lt_parser parser;
    bool dry_run;             /* does everything but the files; `output` may be NULL then, else it is checked too */
    lt_progress_fn *progress; /* may be NULL */
    lt_warning_fn *warning;   /* may be NULL */
    lt_name_fn *name;         /* may be NULL */
    void *callback_ctx;       /* handed to all of them */
    lt_row_fn *row;           /* may be NULL */
    lt_found_fn *found;       /* may be NULL; it costs 24 bytes per anchor, once they are sorted */
    const char *pid, *device; /* of all tracks, whatever these or the spec say; or NULL */
    /*
     * Words of classes of warnings, parted by commas, that are refused then
     * (LT_SELECTION, with that class); "": any; NULL: none.
     */
    const char *fail_on_warning;
};

/* What was done; everything of it stands in the report too. */
struct lt_annotate_result {
    size_t size;
    uint64_t events;       /* elements of the event array before */
    uint64_t added_events; /* guides and their tracks' metadata */
    uint64_t tracks;
    uint64_t anchors;       /* matching anchors of all tracks */
    uint64_t guides;        /* of all tracks */
    uint64_t guide_tid;     /* of the first track */
    uint64_t source_bytes;  /* uncompressed */
    uint64_t insert_offset; /* uncompressed */
    uint64_t insert_bytes;  /* uncompressed */
    uint64_t anchor_offset; /* of the first track; ... */
    uint64_t run;           /* ... the run that its rule found, from 1; 0: there is no rule */
    uint64_t passes;        /* of all tracks */
    uint64_t left_over;     /* anchors behind the last pass of all tracks, where their `passes` is LT_ALL */
    uint64_t warnings;      /* that were told of */
};

/*
 * Annotates one trace.
 *
 * Output and report appear, both, only when all is done, and never over
 * something that exists. On standard output bytes appear only after the
 * selection was accepted. `result` may be NULL. Returns LT_OK, or what
 * *error says. Source of the rules: docs/layertrack.1.
 */
LT_API enum lt_status lt_annotate(const struct lt_annotate_options *options, struct lt_annotate_result *result,
                                  struct lt_error *error);

/* What to draw. Strings stay the caller's. */
struct lt_render_options {
    size_t size;
    const char *trace;    /* annotated trace: path, or "-": standard input. Required */
    const char *output;   /* SVG: path, or "-": standard output. Required */
    const char *track;    /* phase (or tid) of the track to take; NULL: there is only one */
    const char *device;   /* text of args.device whose streams are drawn; NULL: the one with the anchors */
    uint64_t pass;        /* pass_index, counted from 0 */
    bool some_layers;     /* only first_layer to last_layer of that pass; false: all of it */
    uint64_t first_layer; /* layer_id */
    uint64_t last_layer;  /* layer_id, >= first_layer */
    unsigned streams;     /* at most so many rows, the busiest streams; 0: the default, 16 */
    unsigned width;       /* of the picture in px, 400 to 4000; 0: the default, 1200 */
    unsigned threads;     /* 0: one per processor that the process may use */
    enum lt_parser parser;
    lt_progress_fn *progress; /* may be NULL */
    lt_name_fn *name;         /* may be NULL */
    void *callback_ctx;       /* handed to all of them */
};

/*
 * Draws one pass of an annotated trace as SVG: the guides, beneath them the
 * streams of their process with the kernels that overlap the window from the
 * first guide's start to the last one's end, a time axis, and the notice.
 *
 * A time t lies at (t - start) x width / length, in hundredths of a pixel,
 * rounded half up. Kernels narrower than a pixel are merged, per stream, in
 * the pixel column in which they begin. The same trace and options give the
 * same bytes. The trace is read twice; memory is bounded by the picture: 48
 * bytes per stream and pixel of width, 350 per kernel drawn, and 48 per guide of
 * the pass. The output appears whole or not at all, never over something
 * that exists.
 */
LT_API enum lt_status lt_render(const struct lt_render_options *options, struct lt_error *error);

/* What to strip; the members that lt_annotate_options has too mean the same. */
struct lt_strip_options {
    size_t size;
    const char *trace;  /* annotated: path, or "-". Required */
    const char *output; /* path, or "-". Required */
    const char *report; /* path; NULL: "<trace>.layers.json" where that exists */
    enum lt_compress compress;
    int level;
    unsigned threads;
    enum lt_parser parser;
    lt_progress_fn *progress;
    lt_warning_fn *warning;
    lt_name_fn *name;            /* may be NULL */
    void *callback_ctx;          /* handed to all of them */
    const char *fail_on_warning; /* as in lt_annotate_options */
};

/* Where the insertion was, in uncompressed bytes of the annotated trace. */
struct lt_strip_result {
    size_t size;
    uint64_t insert_offset, insert_bytes;
    uint64_t guides, tracks;
};

/*
 * Takes the guides out again: what lt_annotate() read comes back to the byte
 * (uncompressed). LT_SELECTION when there are no guides, they do not stand
 * exactly as lt_annotate() writes them, something else lies on their tids, or
 * the report tells of others; a report with the hash of a source that was not
 * compressed proves what is left, so that guides may have been edited then.
 * Without a report a comma right before the insertion is taken to be part of
 * it: of a source whose event array ended in a comma (which is not JSON), that
 * comma is lost. `result` may be NULL.
 */
LT_API enum lt_status lt_strip(const struct lt_strip_options *options, struct lt_strip_result *result,
                               struct lt_error *error);

/*
 * What to look at. Strings stay the caller's. The members have the meaning of
 * the command's options of the same name.
 */
struct lt_inspect_options {
    size_t size;
    const char *trace;        /* path, or "-": standard input. Required */
    const char *anchor_regex; /* only kernels that match, and each of their runs; or NULL: all kernels */
    const char *pid;          /* text of the process, or NULL: each one */
    const char *device;       /* text of args.device, or NULL: each one */
    uint64_t num_layers;      /* at most 2^53; 0: not known. Orders the names, and never bears on what a run is */
    unsigned threads;         /* 0: one per processor that the process may use */
    enum lt_parser parser;
    lt_progress_fn *progress;    /* may be NULL */
    lt_warning_fn *warning;      /* may be NULL */
    lt_name_fn *name;            /* may be NULL */
    void *callback_ctx;          /* handed to all of them */
    const char *fail_on_warning; /* as in lt_annotate_options */
};

/* So many runs of so many kernels each. The one struct without a size: it never grows. */
struct lt_inspect_size {
    uint64_t runs, kernels;
};

/*
 * How occurrences cluster in time. Gaps are exact microseconds without
 * trailing zeros, from start to start.
 */
struct lt_inspect_clusters {
    size_t size;
    uint64_t runs;
    const char *median_gap;  /* of those inside runs; NULL when there is none */
    const char *within_gap;  /* the largest inside a run, or NULL */
    const char *between_gap; /* the smallest between runs, or NULL */
    const char *ratio;       /* between / within, two digits; or NULL */
    bool in_order;           /* `sizes` are the runs in order of time; else the commonest sizes, and ... */
    uint64_t other_runs;     /* ... so many runs of others */
    unsigned size_count;
    struct lt_inspect_size sizes[6];
};

struct lt_inspect_name {
    size_t size;
    const char *name; /* decoded, `name_len` bytes, may be any bytes */
    size_t name_len;
    uint64_t count, streams;
    uint64_t untimed; /* of `count`: without a usable ts, in no run */
    bool fits;        /* num_layers divides the count, or is the size of every run but the first and last */
    struct lt_inspect_clusters *clusters;
};

struct lt_inspect_run {
    size_t size;
    uint64_t first; /* index among all matching kernels by time: an anchor_offset to check */
    uint64_t kernels;
    const char *start_us; /* exact */
    const char *gap_us;   /* from the start before, exact; NULL for the first run */
};

/* One process and device. `pid` and `device` are JSON values; NULL when the kernels have none. */
struct lt_inspect_group {
    size_t size;
    const char *pid, *device;
    uint64_t kernels;         /* all of them, matching or not */
    bool also_without_device; /* its process has matching kernels without a device too, which annotate counts along */
    uint64_t matching, streams;
    const char *first_us, *last_us, *span_us; /* starts of the first and last matching kernel; NULL without any ts */
    size_t name_count;
    struct lt_inspect_name **names; /* [name_count]: those that fit num_layers first, then by count */
    /* With anchor_regex: all matching names taken together; else NULL and none. */
    struct lt_inspect_clusters *clusters;
    size_t run_count;
    struct lt_inspect_run **runs; /* [run_count] */
};

/* Findings; everything belongs to it until lt_inspection_free(). The structs in it have the library's size. */
struct lt_inspection {
    size_t size;
    void *memory; /* the library's own */
    uint64_t events, kernels;
    const char *rule; /* by which runs are told apart, for people */
    size_t group_count;
    struct lt_inspect_group **groups; /* [group_count], in order of their first kernel */
};

/*
 * Shows what could be an anchor, in one reading of the trace; it never says
 * which is. Memory: 16 bytes per kernel of the wanted processes and devices
 * that matches (48 more for one with over ten digits behind the point, or
 * over 15 minutes from the first), some 400 bytes per distinct name beside
 * its text, and 100 per run when anchor_regex is given. LT_OK, or what *error
 * says: no kernel, or none that matches, is LT_SELECTION. After any result
 * lt_inspection_free() may be called, and again.
 */
LT_API enum lt_status lt_inspect(const struct lt_inspect_options *options, struct lt_inspection *inspection,
                                 struct lt_error *error);
LT_API void lt_inspection_free(struct lt_inspection *inspection);

/* Takes a piece of text; returns false when it could not be taken. */
typedef bool lt_emit_fn(void *ctx, const void *data, size_t len);

/*
 * The findings as one JSON object (keys: docs/layertrack.1), with at most
 * `top` names per group. False when `emit` said no or memory is out.
 */
LT_API bool lt_inspection_json(const struct lt_inspection *inspection, const struct lt_inspect_options *options,
                               uint64_t top, lt_emit_fn *emit, void *ctx);

/* What verify found. */
enum lt_finding {
    LT_FINDING_OK,      /* as it should be */
    LT_FINDING_DIFFERS, /* a difference */
    LT_FINDING_OPEN     /* cannot be proved from what there is */
};

/*
 * Takes a finding: one printable sentence, without a file's name, in which
 * SOURCE is what `source` names. Called from the thread that runs the job.
 */
typedef void lt_finding_fn(void *ctx, enum lt_finding finding, const char *sentence);

/* What to verify. Strings stay the caller's. */
struct lt_verify_options {
    size_t size;
    const char *trace;  /* annotated: path, or "-": standard input. Required */
    const char *source; /* what it was made from: path, or "-"; or NULL */
    const char *report; /* path; NULL: "<trace>.layers.json" where that exists */
    unsigned threads;   /* 0: one per processor that the process may use */
    enum lt_parser parser;
    lt_finding_fn *finding; /* may be NULL */
    void *finding_ctx;
    lt_progress_fn *progress;    /* may be NULL */
    lt_warning_fn *warning;      /* may be NULL */
    lt_name_fn *name;            /* may be NULL */
    void *callback_ctx;          /* handed to all of them */
    const char *fail_on_warning; /* as in lt_annotate_options */
};

/*
 * Checks an annotated trace: guides present, flat, in whole microseconds,
 * each track alone on its tid, all as the report says; and every other byte
 * the source's, as far as SOURCE or the report's hash can prove that. The
 * trace is read once (twice with a source and no report), and memory does
 * not grow with it. LT_OK, or LT_DIFFERENT after at least one
 * LT_FINDING_DIFFERS; LT_TRACE also for a report that is none.
 */
LT_API enum lt_status lt_verify(const struct lt_verify_options *options, struct lt_error *error);

/* The library's version, as in LT_VERSION when it was built. */
LT_API const char *lt_version(void);

#ifdef __cplusplus
}
#endif

#endif
