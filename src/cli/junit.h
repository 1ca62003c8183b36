/*
 * junit.h - what verify found, as JUnit XML, which GitLab and others show
 *
 * Pure. A trace is a test suite of two test cases: that nothing differs, and
 * that all is proved. Their names tell rank and file, so that none is there
 * twice, and stay the same from run to run. What XML has no characters for,
 * and what a build's log obeys (base/line.h), is \xNN in names and sentences.
 */
#ifndef JUNIT_H
#define JUNIT_H

#include "base/text.h"
#include "layertrack.h"
#include "trace/rank.h"

/* GitLab takes 30 MB of a job: beyond this a suite is told in short. */
#define JUNIT_MOST ((size_t)28 << 20)

#define JUNIT_KINDS (LT_FINDING_OPEN + 1)

/* What was found of a trace: junit_start(), junit_finding(), junit_suite(), junit_free(). */
struct junit {
    const char *file; /* as it was given; stays the caller's */
    struct rank rank; /* by its name, so that a trace that cannot be read has the same */
    bool complete;    /* what is open fails */
    size_t counts[JUNIT_KINDS];
    struct text lines[JUNIT_KINDS]; /* sentences, a line each */
};

void junit_start(struct junit *junit, const char *file, const struct rank *rank, bool complete);
void junit_finding(struct junit *junit, enum lt_finding kind, const char *sentence);

/*
 * Appends the suite. `class` and `message` say why the trace could not be
 * verified, or are NULL. In short, each case has its first sentence alone.
 * False when memory is out (out->failed).
 */
bool junit_suite(const struct junit *junit, const char *class, const char *message, bool in_short, struct text *out);
void junit_free(struct junit *junit);

/* What stands before the first suite, and behind the last one. */
extern const char junit_head[], junit_tail[];

#endif
