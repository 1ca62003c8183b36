#define _POSIX_C_SOURCE 200809L
#include "jobs/source_find.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/utf8.h"
#include "guides/report_reader.h"
#include "io/source.h"

/* Deeper folders are not looked into. */
#define MOST_DEEP 32

struct search {
    const char *name;
    char **found; /* [count] */
    size_t count, capacity;
    struct lt_error *error;
};

static char *join(const char *folder, const char *name)
{
    size_t len = strlen(folder);
    char *path = malloc(len + strlen(name) + 2);
    if (path != NULL)
        sprintf(path, "%s%s%s", folder, len > 0 && folder[len - 1] == '/' ? "" : "/", name);
    return path;
}

static enum lt_status look_into(struct search *search, const char *folder, unsigned depth);

static enum lt_status look_at(struct search *search, const char *folder, const char *name, unsigned depth)
{
    struct stat st;
    char *path = join(folder, name);
    if (path == NULL)
        return fail_memory(search->error);
    enum lt_status status = LT_OK;
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        if (depth < MOST_DEEP)
            status = look_into(search, path, depth + 1);
    } else if (strcmp(name, search->name) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        if (array_grow(&search->found, &search->capacity, search->count, sizeof *search->found)) {
            search->found[search->count++] = path;
            return LT_OK;
        }
        status = fail_memory(search->error);
    }
    free(path);
    return status;
}

/* A folder below that cannot be read holds nothing. */
static enum lt_status look_into(struct search *search, const char *folder, unsigned depth)
{
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return depth > 0 ? LT_OK : fail_errno(search->error, folder, "this folder cannot be read", errno);
    enum lt_status status = LT_OK;
    for (struct dirent *entry; status == LT_OK && (entry = readdir(dir)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = look_at(search, folder, entry->d_name, depth);
    closedir(dir);
    return status;
}

/* Whether a file's bytes have that SHA-256; one that cannot be read has not. */
static bool has_hash(const char *path, const char *sha256)
{
    struct lt_error error = {.size = sizeof error};
    struct source_options options = {.path = path, .threads = 1, .hash = SOURCE_HASH_STORED};
    struct source *source = source_open(&options, &error);
    const unsigned char *data;
    size_t len = 1;
    while (source != NULL && len > 0 && source_next(source, &data, &len, &error) == LT_OK)
        continue;
    bool same = source != NULL && error.status == LT_OK && strcmp(source_sha256(source), sha256) == 0;
    source_free(source);
    return same;
}

/* The one of those found that is meant: its index, or `count`. */
static size_t choose(const struct search *search, const char *sha256)
{
    if (search->count < 2 || sha256 == NULL)
        return 0;
    for (size_t i = 0; i < search->count; i++)
        if (has_hash(search->found[i], sha256))
            return i;
    return search->count;
}

static enum lt_status find(struct search *search, const struct report *report, const char *folder, char **path)
{
    char where[512], name[256];
    printable(where, sizeof where, folder, strlen(folder));
    printable(name, sizeof name, search->name, strlen(search->name));
    if (look_into(search, folder, 0) != LT_OK)
        return search->error->status;
    if (search->count == 0)
        return fail_as(search->error, LT_CLASS_NOT_FOUND,
                       "%s: no file '%s' is in it or below; name the folder of the sources", where, name);
    size_t at = choose(search, report_text(report, "source_sha256"));
    if (at == search->count)
        return fail_as(search->error, LT_CLASS_NOT_FOUND,
                       "%s: of %zu files '%s' none has the report's hash; name the folder of the sources", where,
                       search->count, name);
    *path = search->found[at];
    search->found[at] = NULL;
    return LT_OK;
}

enum lt_status source_find(const char *folder, const char *trace, char **path, struct lt_error *error)
{
    struct report report;
    struct search search = {.error = error};
    char name[512];
    bool exists = false;
    *path = NULL;
    enum lt_status status = report_open(&report, NULL, trace, &exists, error);
    if (status == LT_OK && exists)
        search.name = report_text(&report, "source_file");
    if (status == LT_OK && search.name == NULL)
        status = fail_as(error, LT_CLASS_NOT_FOUND, "%s: %s, so that its source cannot be found; name it by itself",
                         printable(name, sizeof name, trace, strlen(trace)),
                         exists ? "its report tells no source's name" : "there is no report beside it");
    if (status == LT_OK)
        status = find(&search, &report, folder, path);
    for (size_t i = 0; i < search.count; i++)
        free(search.found[i]);
    free(search.found);
    report_close(&report);
    return status;
}
