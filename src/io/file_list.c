#define _POSIX_C_SOURCE 200809L /* dirent, getc_unlocked */
#include "io/file_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/utf8.h"

static bool is_standard_input(const struct file_item *item)
{
    return strcmp(item->path, "-") == 0;
}

/* Appends an item for `path`, whose memory is the list's. False when memory is out. */
static bool append(struct file_list *list, const char *path, const struct stat *st, int errnum, bool named)
{
    if (!array_grow(&list->items, &list->capacity, list->count, sizeof *list->items))
        return false;
    struct file_item *item = &list->items[list->count++];
    *item = (struct file_item){.path = path, .errnum = errnum, .named = named};
    if (st == NULL)
        return true;
    item->device = st->st_dev;
    item->inode = st->st_ino;
    item->is_regular = S_ISREG(st->st_mode);
    item->size = item->is_regular ? (uint64_t)st->st_size : 0;
    return true;
}

/* ---- folders ----------------------------------------------------------------------------------------------- */

static bool is_wanted(const struct file_list *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *const *ending = list->endings; name[0] != '.' && *ending != NULL; ending++) {
        size_t end = strlen(*ending);
        if (len >= end && memcmp(name + len - end, *ending, end) == 0)
            return true;
    }
    return false;
}

/* folder/name in the list's memory; NULL when memory is out. */
static char *join(struct file_list *list, const char *folder, const char *name)
{
    size_t len = strlen(folder), more = strlen(name);
    bool slash = folder[len - 1] != '/';
    char *path = arena_take(&list->arena, len + slash + more + 1);
    if (path == NULL)
        return NULL;
    memcpy(path, folder, len);
    if (slash)
        path[len] = '/';
    memcpy(path + len + slash, name, more + 1);
    return path;
}

/* False when memory is out. What is no regular file, or went away since its name was read, is passed over. */
static bool add_found(struct file_list *list, const char *folder, const char *name)
{
    char *path = join(list, folder, name);
    struct stat st, link;
    if (path == NULL)
        return false;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return true;
    if (!append(list, path, &st, 0, false))
        return false;
    list->items[list->count - 1].is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    return true;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct file_item *)a)->path, ((const struct file_item *)b)->path);
}

/* A folder that stands for nothing is most likely another one than was meant. */
static enum lt_status refuse_empty(const struct file_list *list, const char *folder, struct lt_error *error)
{
    char name[512], wanted[128] = "";
    for (const char *const *ending = list->endings; *ending != NULL; ending++) {
        size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof wanted - used, "%s%s", used > 0 ? " or " : "", *ending);
    }
    return fail(error, LT_USAGE, "%s: holds no file that ends in %s (folders in it are not looked into); name another",
                printable(name, sizeof name, folder, strlen(folder)), wanted);
}

static enum lt_status add_folder(struct file_list *list, const char *folder, struct lt_error *error)
{
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return fail_errno(error, folder, "this folder cannot be read", errno);
    size_t first = list->count;
    enum lt_status status = LT_OK;
    while (status == LT_OK) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL && errno != 0)
            status = fail_errno(error, folder, "this folder cannot be read", errno);
        if (entry == NULL)
            break;
        if (is_wanted(list, entry->d_name) && !add_found(list, folder, entry->d_name))
            status = fail_memory(error);
    }
    closedir(dir);
    if (list->count == first)
        return status == LT_OK ? refuse_empty(list, folder, error) : status;
    qsort(list->items + first, list->count - first, sizeof *list->items, by_path);
    return status;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

static enum lt_status add_path(struct file_list *list, const char *path, struct lt_error *error)
{
    struct stat st;
    bool known = stat(path, &st) == 0;
    int errnum = known ? 0 : errno;
    size_t len = strlen(path);
    char *kept = arena_copy(&list->arena, path, len + 1);
    if (kept == NULL)
        return fail_memory(error);
    if (known && S_ISDIR(st.st_mode))
        return add_folder(list, kept, error);
    return append(list, kept, known ? &st : NULL, errnum, true) ? LT_OK : fail_memory(error);
}

enum lt_status file_list_add(struct file_list *list, const char *path, struct lt_error *error)
{
    if (path[0] == '\0')
        return fail(error, LT_USAGE, "a trace's name is empty; name a file or a folder");
    if (strlen(path) >= PATH_MAX) {
        char name[128];
        return fail(error, LT_USAGE, "'%s' is longer than a name can be (%d bytes)",
                    printable(name, sizeof name, path, strlen(path)), PATH_MAX - 1);
    }
    if (strcmp(path, "-") != 0)
        return add_path(list, path, error);
    return append(list, "-", NULL, 0, true) ? LT_OK : fail_memory(error);
}

/* ---- lists of names ---------------------------------------------------------------------------------------- */

struct names {
    FILE *file;
    const char *shown;
    char separator;
    uint64_t number; /* of the name, counted from 1 */
    char name[PATH_MAX];
    size_t len;
    bool ended;
    int errnum; /* why it ended before its end; 0: it did not */
};

static enum lt_status refuse_long(const struct names *names, struct lt_error *error)
{
    if (names->separator == '\n')
        return fail(error, LT_USAGE, "%s: line %llu is longer than a name can be (%d bytes)", names->shown,
                    (unsigned long long)names->number, PATH_MAX - 1);
    return fail(error, LT_USAGE,
                "%s: name %llu is longer than one can be (%d bytes); a list with a name per line goes without %s",
                names->shown, (unsigned long long)names->number, PATH_MAX - 1, error_name(error, "separator"));
}

/* Reads up to the next separator. */
static enum lt_status next_name(struct names *names, struct lt_error *error)
{
    names->number++;
    names->len = 0;
    int c;
    while ((c = getc_unlocked(names->file)) != EOF && c != (unsigned char)names->separator) {
        if (c == '\0')
            return fail(error, LT_USAGE, "%s: line %llu holds a NUL; a list of names with NULs between them needs %s",
                        names->shown, (unsigned long long)names->number, error_name(error, "separator"));
        if (names->len == sizeof names->name - 1)
            return refuse_long(names, error);
        names->name[names->len++] = (char)c;
    }
    names->ended = c == EOF;
    names->errnum = ferror(names->file) ? errno : 0;
    if (names->separator == '\n' && names->len > 0 && names->name[names->len - 1] == '\r')
        names->len--;
    names->name[names->len] = '\0';
    return LT_OK;
}

enum lt_status file_list_read(struct file_list *list, const char *path, char separator, struct lt_error *error)
{
    char shown[512] = "standard input";
    bool is_input = strcmp(path, "-") == 0;
    if (!is_input)
        printable(shown, sizeof shown, path, strlen(path));
    struct names names = {.file = is_input ? stdin : fopen(path, "re"), .shown = shown, .separator = separator};
    if (names.file == NULL)
        return fail_errno(error, path, "this list cannot be read", errno);
    enum lt_status status = LT_OK;
    while (status == LT_OK && !names.ended) {
        status = next_name(&names, error);
        if (status == LT_OK && names.len > 0 && names.errnum == 0)
            status = file_list_add(list, strcmp(names.name, "-") == 0 ? "./-" : names.name, error);
    }
    if (status == LT_OK && names.errnum != 0)
        status = fail_errno(error, is_input ? shown : path, "this list cannot be read", names.errnum);
    if (!is_input)
        fclose(names.file);
    return status;
}

/* ---- the same file twice ----------------------------------------------------------------------------------- */

static int compare(unsigned long long a, unsigned long long b)
{
    return (a > b) - (a < b);
}

/* Whether one item is before another that is the same file: the one that stays is the first. */
static int by_worth(const struct file_item *a, const struct file_item *b)
{
    if (a->named != b->named)
        return a->named ? -1 : 1;
    if (a->is_link != b->is_link)
        return a->is_link ? 1 : -1;
    return (a > b) - (a < b);
}

/* By file; standard input, and what is not there, by path. */
static int by_identity(const struct file_item *a, const struct file_item *b)
{
    bool a_known = a->errnum == 0 && !is_standard_input(a);
    bool b_known = b->errnum == 0 && !is_standard_input(b);
    if (a_known != b_known)
        return a_known ? -1 : 1;
    if (!a_known)
        return strcmp(a->path, b->path);
    int order = compare(a->device, b->device);
    return order != 0 ? order : compare(a->inode, b->inode);
}

static int by_identity_and_worth(const void *x, const void *y)
{
    const struct file_item *a = *(const struct file_item *const *)x;
    const struct file_item *b = *(const struct file_item *const *)y;
    int order = by_identity(a, b);
    return order != 0 ? order : by_worth(a, b);
}

static enum lt_status refuse_twins(const struct file_item *a, const struct file_item *b, struct lt_error *error)
{
    char first[512], second[512];
    printable(first, sizeof first, a->path, strlen(a->path));
    printable(second, sizeof second, b->path, strlen(b->path));
    if (strcmp(a->path, b->path) == 0)
        return fail(error, LT_USAGE, "'%s' is given twice; name it once", first);
    return fail(error, LT_USAGE, "'%s' and '%s' are the same file; name it once", first, second);
}

enum lt_status file_list_unite(struct file_list *list, uint64_t *dropped, struct lt_error *error)
{
    *dropped = 0;
    if (list->count < 2)
        return LT_OK;
    struct file_item **sorted = malloc(list->count * sizeof(struct file_item *));
    bool *goes = calloc(list->count, sizeof *goes);
    enum lt_status status = sorted == NULL || goes == NULL ? fail_memory(error) : LT_OK;
    for (size_t i = 0; i < list->count && status == LT_OK; i++)
        sorted[i] = &list->items[i];
    if (status == LT_OK)
        qsort(sorted, list->count, sizeof *sorted, by_identity_and_worth);
    for (size_t i = 1, kept = 0; i < list->count && status == LT_OK; i++) {
        if (by_identity(sorted[kept], sorted[i]) != 0)
            kept = i;
        else if (sorted[i]->named)
            status = refuse_twins(sorted[kept], sorted[i], error);
        else
            goes[sorted[i] - list->items] = true;
    }
    size_t left = 0;
    for (size_t i = 0; i < list->count && status == LT_OK; i++) {
        *dropped += goes[i];
        if (!goes[i])
            list->items[left++] = list->items[i];
    }
    if (status == LT_OK)
        list->count = left;
    free(sorted);
    free(goes);
    return status;
}

void file_list_free(struct file_list *list)
{
    free(list->items);
    arena_free(&list->arena);
    *list = (struct file_list){.endings = list->endings};
}
