#include "jobs/output_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"

/* ---- paths ------------------------------------------------------------------------------------------------- */

/* The text with a NUL in the arena; NULL when memory is out. */
static const char *keep(struct text *text, struct arena *arena)
{
    text_add(text, "", 1);
    const char *kept = text->failed ? NULL : arena_copy(arena, text->data, text->len);
    text_free(text);
    return kept;
}

/* /a/b/c, whatever way it was written. "" is the root. */
static const char *absolute_path(const char *cwd, const char *path, struct arena *arena)
{
    struct text text = {0};
    path_add_absolute(&text, cwd, path);
    return keep(&text, arena);
}

static size_t folder_len(const char *absolute)
{
    const char *slash = strrchr(absolute, '/');
    return slash == NULL ? 0 : (size_t)(slash - absolute);
}

/* How much of `a`, of which `len` bytes are a folder, is a folder of `b` too. */
static size_t common_folder(const char *a, size_t len, const char *b)
{
    size_t other = folder_len(b), common = 0;
    for (size_t i = 0; i <= len && i <= other; i++) {
        bool both_end = (i == len || a[i] == '/') && (i == other || b[i] == '/');
        if (both_end)
            common = i;
        if (i == len || i == other || a[i] != b[i])
            break;
    }
    return common;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

/* The length of `name` without `ending`; the same when it does not have it, or is nothing else. */
static size_t without(const char *name, size_t len, const char *ending)
{
    size_t end = strlen(ending);
    return len > end && memcmp(name + len - end, ending, end) == 0 ? len - end : len;
}

static size_t stem_len(const char *name)
{
    static const char *const endings[] = {".pt.trace.json", ".layers.trace.json", ".layers.json", ".trace.json",
                                          ".json"};
    size_t len = without(name, strlen(name), ".gz");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t stem = without(name, len, endings[i]);
        if (stem < len)
            return stem;
    }
    return len;
}

static bool is_gzip(const char *name, const struct output_request *request)
{
    if (!request->may_gzip || request->compress != LT_COMPRESS_BY_NAME)
        return request->may_gzip && request->compress == LT_COMPRESS_GZIP;
    size_t len = strlen(name);
    return without(name, len, ".gz") < len;
}

/* The name of a source's output, whose absolute path is given; `common` bytes of it are every source's folder. */
static bool make_name(struct output_name *out, const char *absolute, size_t common,
                      const struct output_request *request, struct arena *arena)
{
    const char *name = absolute + folder_len(absolute) + 1;
    struct text text = {0};
    text_puts(&text, request->folder);
    if (request->folder[strlen(request->folder) - 1] != '/')
        text_puts(&text, "/");
    size_t prefix = text.len;
    text_add(&text, absolute + common + 1, (size_t)(name - absolute) - common - 1 + stem_len(name));
    text_puts(&text, request->ending);
    if (is_gzip(name, request))
        text_puts(&text, ".gz");
    out->output = keep(&text, arena);
    if (out->output == NULL)
        return false;
    out->below = out->output + prefix;
    if (request->report_ending == NULL)
        return true;
    text_puts(&text, out->output);
    text_puts(&text, request->report_ending);
    out->report = keep(&text, arena);
    return out->report != NULL;
}

/* ---- clashes ----------------------------------------------------------------------------------------------- */

enum use { SOURCE, OUTPUT, REPORT };

/* One file that is, or is to be. */
struct place {
    const char *absolute;
    size_t source; /* whose it is */
    enum use use;
};

/* A folder's files follow it at once: '/' is the first of all bytes. */
static int by_path(const void *x, const void *y)
{
    const unsigned char *a = (const unsigned char *)((const struct place *)x)->absolute;
    const unsigned char *b = (const unsigned char *)((const struct place *)y)->absolute;
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    int first = *a == '\0' ? -1 : *a == '/' ? 0 : *a;
    int second = *b == '\0' ? -1 : *b == '/' ? 0 : *b;
    if (first != second)
        return first - second;
    const struct place *left = x, *right = y;
    return (left->source > right->source) - (left->source < right->source);
}

static enum lt_status refuse(const struct place *a, const struct place *b, const char *const *sources,
                             struct lt_error *error)
{
    char first[512], second[512], name[512];
    printable(first, sizeof first, sources[a->source], strlen(sources[a->source]));
    printable(second, sizeof second, sources[b->source], strlen(sources[b->source]));
    printable(name, sizeof name, a->absolute, strlen(a->absolute));
    if (strcmp(a->absolute, b->absolute) != 0)
        return fail(error, LT_USAGE, "'%s' would be a file for '%s' and a folder for '%s'; rename one", name, first,
                    second);
    if (a->use == SOURCE && b->use == SOURCE)
        return fail(error, LT_USAGE, "'%s' and '%s' are the same file; name it once", first, second);
    if (a->use == SOURCE || b->use == SOURCE)
        return fail(error, LT_USAGE, "'%s' is to be read, and would be written for '%s'; choose another %s",
                    a->use == SOURCE ? first : second, a->use == SOURCE ? second : first,
                    error_name(error, "output_dir"));
    return fail(error, LT_USAGE, "'%s' and '%s' would both become '%s'; rename one, or take two folders", first, second,
                name);
}

static enum lt_status check_places(struct place *places, size_t count, const char *const *sources,
                                   struct lt_error *error)
{
    qsort(places, count, sizeof *places, by_path);
    for (size_t i = 1; i < count; i++) {
        const struct place *a = &places[i - 1], *b = &places[i];
        if (strcmp(a->absolute, b->absolute) == 0 || path_below(b->absolute, a->absolute) != NULL)
            return refuse(a, b, sources, error);
    }
    return LT_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static enum lt_status check_request(const char *const *sources, size_t count, const struct output_request *request,
                                    struct lt_error *error)
{
    if (request->folder[0] == '\0')
        return fail(error, LT_USAGE, "%s is empty; name a folder", error_name(error, "output_dir"));
    for (size_t i = 0; i < count; i++)
        if (strcmp(sources[i], "-") == 0)
            return fail(error, LT_USAGE, "standard input has no name after which to call its output; name a file");
    return LT_OK;
}

static void refuse_root(const char *source, struct lt_error *error)
{
    char name[512];
    fail(error, LT_USAGE, "'%s' names no file; name a trace", printable(name, sizeof name, source, strlen(source)));
}

/* Fills the sources' places; false when memory is out. *common is the length of the folder of all. */
static bool place_sources(struct place *places, const char *const *sources, size_t count, const char *cwd,
                          size_t *common, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        const char *absolute = absolute_path(cwd, sources[i], arena);
        if (absolute == NULL)
            return false;
        places[i] = (struct place){absolute, i, SOURCE};
        *common = i == 0 ? folder_len(absolute) : common_folder(places[0].absolute, *common, absolute);
    }
    return true;
}

enum lt_status output_names_make(struct output_names *names, const char *const *sources, size_t count,
                                 const struct output_request *request, struct lt_error *error)
{
    *names = (struct output_names){0};
    if (check_request(sources, count, request, error) != LT_OK)
        return error->status;
    size_t common = 0, placed = count;
    struct place *places = calloc(3 * count, sizeof *places);
    names->items = calloc(count, sizeof *names->items);
    names->count = count;
    bool room = places != NULL && names->items != NULL &&
                place_sources(places, sources, count, request->cwd, &common, &names->arena);
    for (size_t i = 0; i < count && room; i++) {
        struct output_name *name = &names->items[i];
        if (places[i].absolute[0] == '\0') {
            refuse_root(sources[i], error);
            break;
        }
        room = make_name(name, places[i].absolute, common, request, &names->arena);
        const char *files[] = {name->output, name->report};
        for (int use = 0; use < 2 && room && files[use] != NULL; use++) {
            const char *absolute = absolute_path(request->cwd, files[use], &names->arena);
            places[placed++] = (struct place){absolute, i, use == 0 ? OUTPUT : REPORT};
            room = absolute != NULL;
        }
    }
    enum lt_status status = error->status;
    if (status == LT_OK)
        status = room ? check_places(places, placed, sources, error) : fail_memory(error);
    free(places);
    return status;
}

void output_names_free(struct output_names *names)
{
    free(names->items);
    arena_free(&names->arena);
    *names = (struct output_names){0};
}
