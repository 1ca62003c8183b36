/*
 * layertrack_class.h - what can go wrong, or is worth a warning: part of layertrack.h
 */
#ifndef LAYERTRACK_CLASS_H
#define LAYERTRACK_CLASS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LT_API __attribute__((visibility("default")))
#else
#define LT_API
#endif

/*
 * What exactly went wrong, or is worth a warning: a word of lt_class_word(),
 * which stays as it is. More may be added at the end.
 */
enum lt_class {
    LT_CLASS_NONE,
    /* Those of lt_status, where there is no finer one. */
    LT_CLASS_DIFFERENT, /* different */
    LT_CLASS_OPTION,    /* option: a value that no option or field may have, or two that do not go together */
    LT_CLASS_TRACE,     /* trace */
    LT_CLASS_SELECTION, /* selection */
    LT_CLASS_IO,        /* io */
    LT_CLASS_CANCELLED, /* cancelled */
    LT_CLASS_NO_MEMORY, /* no-memory */
    /* LT_USAGE */
    LT_CLASS_OPTION_MISSING, /* option-missing: one that is required */
    LT_CLASS_PATTERN,        /* pattern: is no regular expression */
    LT_CLASS_SPEC,           /* spec: a spec that says no tracks */
    LT_CLASS_STRUCT_SIZE,    /* struct-size: `size` was not set, or fields are used that this library does not know */
    /* LT_TRACE */
    LT_CLASS_NOT_A_TRACE,  /* not-a-trace: something else, such as an archive, a folder or other JSON */
    LT_CLASS_NOT_JSON,     /* not-json: malformed at `offset` */
    LT_CLASS_TRUNCATED,    /* truncated */
    LT_CLASS_GZIP,         /* gzip-damaged */
    LT_CLASS_LIMIT,        /* limit: nested deeper, longer or more of it than is read */
    LT_CLASS_NOT_A_REPORT, /* not-a-report */
    /* LT_SELECTION */
    LT_CLASS_NO_KERNELS,        /* no-kernels: none in the whole trace */
    LT_CLASS_NO_MATCH,          /* no-match: none that the anchor's pattern matches */
    LT_CLASS_NOT_THERE,         /* not-there: none in that process or on that device */
    LT_CLASS_AMBIGUOUS,         /* ambiguous: in several processes, on several devices */
    LT_CLASS_BAD_KERNEL,        /* bad-kernel: its ts, dur, pid or device is of no use */
    LT_CLASS_ANNOTATED,         /* already-annotated */
    LT_CLASS_NO_TID,            /* no-tid: none is free for a track */
    LT_CLASS_SAME_PHASE,        /* same-phase: two tracks would look alike */
    LT_CLASS_TOO_FEW,           /* anchors-too-few */
    LT_CLASS_EQUAL_TIMES,       /* anchors-not-distinct */
    LT_CLASS_TERMINAL,          /* terminal: a layer does not end as said */
    LT_CLASS_TIME_RANGE,        /* time-range: beyond what viewers show */
    LT_CLASS_LANDMARK,          /* landmark: a guide does not hold what was said */
    LT_CLASS_NO_SCOPE,          /* no-scope: none matches, or no anchor is in one */
    LT_CLASS_BAD_SCOPE,         /* bad-scope: one without a place in time */
    LT_CLASS_CROSSES_SCOPES,    /* crosses-scopes: a pass does */
    LT_CLASS_NO_LAUNCH,         /* no-launch: of an anchor, or several */
    LT_CLASS_PATTERN_GAVE_UP,   /* pattern-gave-up: backtracks without end */
    LT_CLASS_GUIDE_TOO_LONG,    /* guide-too-long: could not be verified */
    LT_CLASS_NO_GUIDES,         /* no-guides: not annotated */
    LT_CLASS_NO_SUCH_GUIDES,    /* no-such-guides: no such track, pass or layer, or one must be chosen */
    LT_CLASS_GUIDES_CHANGED,    /* guides-changed: by another program */
    LT_CLASS_REPORT_OF_ANOTHER, /* report-of-another: trace, or other guides */
    LT_CLASS_NOT_THE_SOURCE,    /* not-the-source: what is left without guides */
    /* LT_IO */
    LT_CLASS_NOT_FOUND,      /* not-found */
    LT_CLASS_PERMISSION,     /* permission */
    LT_CLASS_EXISTS,         /* exists: nothing is overwritten */
    LT_CLASS_SAME_FILE,      /* same-file: input and output are one */
    LT_CLASS_DISK_FULL,      /* disk-full */
    LT_CLASS_LIMITED,        /* system-limit: on sizes, names or open files */
    LT_CLASS_SOURCE_CHANGED, /* source-changed: while it was read */
    LT_CLASS_READER_GONE,    /* reader-gone: of the output */
    /* Warnings. */
    LT_CLASS_CONTROL_BYTES,    /* control-bytes: raw, in strings */
    LT_CLASS_NOT_UTF8,         /* not-utf8: strings */
    LT_CLASS_UNKNOWN_ESCAPES,  /* unknown-escapes */
    LT_CLASS_NONFINITE,        /* nonfinite: bare nan, inf or N/A as values, ... */
    LT_CLASS_NONFINITE_TIMES,  /* nonfinite-times: ... and as ts or dur */
    LT_CLASS_TRAILING_COMMAS,  /* trailing-commas */
    LT_CLASS_OPEN_ARRAY,       /* open-array: the event array is not closed */
    LT_CLASS_SAME_START,       /* same-start: neighbouring guides */
    LT_CLASS_NEGATIVE_TIMES,   /* negative-times: guides */
    LT_CLASS_MIXED_ANCHORS,    /* mixed-anchors: of several names */
    LT_CLASS_MISPLACED_PASSES, /* misplaced-passes: do not fit the runs of anchors */
    LT_CLASS_SAME_KERNELS,     /* same-kernels: labelled by two tracks */
    /* Later ones. */
    LT_CLASS_NO_EVENTS,       /* no-events: JSON without an event array (LT_TRACE) */
    LT_CLASS_RUNS_NOT_CLEAR,  /* runs-not-clear: no gap or scope parts the anchors (LT_SELECTION) */
    LT_CLASS_NO_SUCH_RUN,     /* no-such-run: there are fewer (LT_SELECTION) */
    LT_CLASS_RUN_NOT_WHOLE,   /* run-not-whole: it is no whole passes, or none is (LT_SELECTION) */
    LT_CLASS_NO_REPORT,       /* no-report: an output without one that is its own (LT_IO), and ... */
    LT_CLASS_OTHER_SOURCE,    /* other-source: ... of other bytes (LT_IO), or ... */
    LT_CLASS_OTHER_SELECTION, /* other-selection: ... asked for otherwise (LT_IO) */
    LT_CLASS_TEMPORARIES,     /* temporaries: of a killed job, or not, where there are no locks (a warning) */
    LT_CLASS_COUNT            /* of this header */
};

/* The word of a class, "" of LT_CLASS_NONE, "unknown" of one that this library does not know. */
LT_API const char *lt_class_word(enum lt_class class_id);

#ifdef __cplusplus
}
#endif

#endif
