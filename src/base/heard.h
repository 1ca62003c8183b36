/*
 * heard.h - the warnings of a job: told on, kept for its report, and refused where the caller wants that
 */
#ifndef HEARD_H
#define HEARD_H

#include "base/arena.h"
#include "base/error.h"

struct heard_warning {
    enum lt_class class_id;
    uint64_t count, event, offset; /* as in struct lt_warning */
    const char *sentence;          /* "what; what to do", of one track of several "track 'PHASE': what; what to do" */
};

struct heard {
    struct heard_warning *items; /* [count] */
    size_t count;
    /* heard.c's own. */
    size_t capacity;
    struct listener out;
    const char *trace; /* as messages call it */
    bool is_refused[LT_CLASS_COUNT];
    struct arena texts;
    bool failed; /* memory was out */
};

/*
 * Begins. `refused` are words of classes of warnings, parted by commas; "" is
 * any, NULL is none. LT_USAGE when one is no such word. After any result
 * heard_free() may be called.
 */
enum lt_status heard_begin(struct heard *heard, struct listener out, const char *refused, struct lt_error *error);

/* Whom to tell of warnings about `trace`. */
struct listener heard_listener(struct heard *heard, const char *trace);

/* Once all are told: LT_SELECTION, with the class of the first one that is refused; LT_NO_MEMORY when one was not kept.
 */
enum lt_status heard_end(const struct heard *heard, struct lt_error *error);

void heard_free(struct heard *heard);

#endif
