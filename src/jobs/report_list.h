/*
 * report_list.h - the reports that a table is to be made of, each checked whole
 */
#ifndef REPORT_LIST_H
#define REPORT_LIST_H

#include "guides/report_rows.h"
#include "io/file_list.h"
#include "rules/ranks.h"

struct report_list_request {
    const char *const *arguments; /* [count] reports, and folders that stand for the *.layers.json in them */
    size_t count;
    const char *files_from;   /* a file with names of more, "-": standard input; or NULL */
    char separator;           /* of these names: '\n' or '\0' */
    lt_progress_fn *progress; /* hears of LT_STAGE_SCAN; may be NULL */
    void *progress_ctx;
};

struct report_track_facts {
    const char *phase;
    struct rank_result result; /* anchors, passes, the first anchor's name, the times; of the rank what is known */
};

struct report_item {
    const char *path;
    dev_t device;
    ino_t inode;
    const char *name; /* what its columns are called by: rank3, TP1_PP0, else the path */
    struct rank rank;
    enum report_clock clock;
    int64_t base_ns; /* where `clock` is known */
    uint64_t rows;
    struct report_track_facts *tracks; /* [track_count] */
    size_t track_count;
};

struct report_list {
    struct file_list files;
    struct report_item *items; /* [count] by rank, then by label, then by path */
    size_t count;
    struct arena arena;
};

/*
 * Makes the list and reads each report whole, one after the other: what is
 * cut, no report, of another schema version or contradicts itself is refused,
 * as is a report that is named twice, a pipe (a report is read more than
 * once), and a list of none. A folder's *.layers.json that has a report of its
 * own beside it is an annotated trace, and is passed over. LT_USAGE, LT_TRACE,
 * LT_IO. After any result report_list_free() may be called.
 *
 * Memory: some 400 bytes for each track of a report, whatever the number of
 * its rows.
 */
enum lt_status report_list_make(struct report_list *list, const struct report_list_request *request,
                                struct lt_error *error);
void report_list_free(struct report_list *list);

#endif
