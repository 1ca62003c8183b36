#include "jobs/trace_list.h"

#include <stdbool.h>
#include <string.h>

static const char *const endings[] = {".json", ".json.gz", NULL};

static bool is_standard_input(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static enum lt_status check_request(const struct trace_list_request *request, struct lt_error *error)
{
    if (request->count == 0 && request->files_from == NULL)
        return fail(error, LT_USAGE, "no trace; name files or folders");
    for (size_t i = 0; i < request->count; i++)
        if (is_standard_input(request->files_from) && is_standard_input(request->arguments[i]))
            return fail(error, LT_USAGE,
                        "standard input cannot be a trace and the list of %s; name a file for one of them",
                        error_name(error, "files_from"));
    return LT_OK;
}

static enum lt_status refuse_empty(const struct trace_list *list, struct lt_error *error)
{
    struct text kinds = {0};
    file_kinds_text(&kinds, list->passed_over);
    text_add(&kinds, "", 1);
    enum lt_status status = kinds.failed ? fail_memory(error)
                            : kinds.len == 1
                                ? fail(error, LT_USAGE, "the list of names is empty; name files or folders")
                                : fail(error, LT_USAGE, "no trace is left: passed over %s; name a trace", kinds.data);
    text_free(&kinds);
    return status;
}

enum lt_status trace_list_make(struct trace_list *list, const struct trace_list_request *request,
                               struct lt_error *error)
{
    *list = (struct trace_list){.files = {.endings = endings}};
    enum lt_status status = check_request(request, error);
    for (size_t i = 0; i < request->count && status == LT_OK; i++)
        status = file_list_add(&list->files, request->arguments[i], error);
    if (status == LT_OK && request->files_from != NULL)
        status = file_list_read(&list->files, request->files_from, request->separator, error);
    if (status != LT_OK)
        return status;
    file_kinds_pass_over(&list->files, request->wanted, list->passed_over);
    status = file_list_unite(&list->files, &list->passed_over[FILE_TWICE], error);
    return status == LT_OK && list->files.count == 0 ? refuse_empty(list, error) : status;
}

void trace_list_free(struct trace_list *list)
{
    file_list_free(&list->files);
}
