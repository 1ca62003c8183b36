/*
 * ranks.h - what was found in many ranks of one job, compared
 *
 * Pure. Ranks do the same work at the same time, or nearly so: where one of
 * them tells another story than all others, its labels most likely stand for
 * another place. Nothing here is a reason to refuse; the caller may make it one.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"
#include "trace/rank.h"

/*
 * What the job on one rank found. Set to zero, then fill in, file, rank and
 * verdict always; strings, arrays and long times stay the caller's.
 */
struct rank_result {
    const char *file;         /* path as it was given */
    struct rank rank;         /* as rank.h makes it: zeros would be rank 0 */
    const char *output;       /* path; NULL: none was written */
    const char *pid, *device; /* as text; NULL: there is none, or it is not known */
    bool counted;             /* the anchors are known: also of many a refused rank */
    uint64_t anchors;         /* that match, in the chosen process and device */
    const char *anchor_name;  /* of the first one that was labelled; NULL: not known */
    const uint64_t *runs; /* [run_count] sizes of the anchors' runs by time, as inspect counts them; NULL: not known */
    size_t run_count;
    bool accepted; /* the selection: what follows is known */
    uint64_t offset, passes;
    struct decimal first_us, last_us; /* start of the first label, end of the last one, in the trace's own times */
    bool has_base;                    /* its times are known since 1970 ... */
    int64_t base_ns;                  /* ... from here: baseTimeNanoseconds, or 0 */
    uint64_t warnings;
    bool as_before;      /* an earlier run had done it */
    const char *verdict; /* a word or two for the table: "done", "refused", "as before" */
    const char *class;   /* of a refusal; or NULL */
    const char *message; /* of a refusal; or NULL */
    int exit_code;
    const void *own; /* the caller's, not read here */
};

enum ranks_what {
    RANKS_ANCHORS, /* another count of anchors */
    RANKS_PASSES,  /* another count of labelled passes */
    RANKS_RUNS,    /* the same count of anchors in other runs: "the third run" is another place */
    RANKS_NAME,    /* another anchor */
    RANKS_TIME,    /* the labelled passes lie elsewhere in time */
    RANKS_WORLD,   /* another size of the job */
    RANKS_TWICE,   /* one rank, or label where there is no rank, several times: one group, nobody's fault */
    RANKS_WHATS
};

#define RANKS_NO_GROUP SIZE_MAX

/*
 * One thing in which ranks differ: those that are alike are a group. Groups
 * are numbered by size, the largest first; of one size by their first rank.
 */
struct ranks_finding {
    enum ranks_what what;
    size_t *group_of; /* [count of ranks]; RANKS_NO_GROUP: not compared, since it is not known there */
    size_t *first;    /* [group_count] a rank of each group: the first one */
    size_t *sizes;    /* [group_count] */
    size_t group_count;
    bool tie; /* no group is the largest: who differs from the rest cannot be said. Else group 0 is the rest */
};

struct ranks_comparison {
    struct ranks_finding *findings; /* [finding_count], in the order of enum ranks_what */
    size_t finding_count, capacity;
    size_t count;       /* of ranks that were compared */
    uint64_t present;   /* distinct ranks, by number */
    int64_t world_size; /* the largest that is told, or RANK_NONE */
};

/* Windows that are no further apart than clocks of one host are not told apart. */
#define RANKS_CLOCK_SLACK_NS 100000

/*
 * Compares ranks. A value is compared among those where it is known, and
 * differing values are a finding, be it one rank of two.
 *
 * Runs are compared among ranks with the same count of anchors only.
 *
 * Time: each accepted rank with a base has a window, from its first label's
 * start to its last one's end. Windows that overlap, also by way of a third
 * one, are a group. So ranks whose profilers were opened seconds apart are
 * alike as long as they have a part of the labelled time in common, and one
 * whose passes lie wholly elsewhere is found. Where no two windows overlap
 * there is no rest to differ from: a tie. Stages of a pipeline (PP) work one
 * after another, hence windows are compared within a stage.
 *
 * False when memory is out. After any result ranks_comparison_free() may be called.
 */
bool ranks_compare(struct ranks_comparison *comparison, const struct rank_result *results, size_t count);
void ranks_comparison_free(struct ranks_comparison *comparison);

enum ranks_standing { RANKS_ALIKE, RANKS_TIED, RANKS_DIFFERS };

/* How a rank stands in a finding; RANKS_TWICE is none of the rank's standing. */
enum ranks_standing ranks_standing(const struct ranks_finding *finding, size_t rank);

/* Whether all counts that should be the same are: no finding on anchors, passes or runs. */
bool ranks_same_counts(const struct ranks_comparison *comparison);

/* From the passes of a group of a RANKS_TIME finding to group 0's, in ns: below 0 when they lie before it, else behind.
 */
int64_t ranks_time_apart(const struct ranks_finding *finding, const struct rank_result *results, size_t count,
                         size_t group);

/*
 * The order of a table: by number, then those without one by label, then by
 * file, byte by byte. The caller frees it. NULL when memory is out.
 */
size_t *ranks_order(const struct rank_result *results, size_t count);

#endif
