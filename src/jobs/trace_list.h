/*
 * trace_list.h - the traces that a command with many of them is to work on
 */
#ifndef TRACE_LIST_H
#define TRACE_LIST_H

#include "io/file_list.h"
#include "jobs/file_kind.h"

struct trace_list_request {
    const char *const *arguments; /* [count] files and folders (file_list.h) */
    size_t count;
    const char *files_from; /* a file with names of more, "-": standard input; or NULL */
    char separator;         /* of these names: '\n' or '\0' */
    enum files_wanted wanted;
};

struct trace_list {
    struct file_list files; /* each file once; of those that were named, some may have to be refused */
    uint64_t passed_over[FILE_KINDS];
};

/*
 * Makes the list. Of a folder's .json and .json.gz files those that are not
 * wanted are passed over (file_kind.h). A file that was named stays, whatever
 * it is: it is refused by itself, with file_kind_refused() or for its
 * `errnum`, and the others are done. LT_USAGE when nothing is given or left, when a file is
 * named twice, and when standard input is to be both a trace and the list of
 * names. After any result trace_list_free() may be called.
 */
enum lt_status trace_list_make(struct trace_list *list, const struct trace_list_request *request,
                               struct lt_error *error);
void trace_list_free(struct trace_list *list);

#endif
