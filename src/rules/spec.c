#define _POSIX_C_SOURCE 200809L
#include "rules/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "rules/spec_reader.h"
#include "json/piece.h"
#include "json/yajl_memory.h"

#define PIECE ((size_t)64 << 10)

/* A spec being read: the file, yajl and its memory. */
struct job {
    struct spec_reader reader;
    struct yajl_memory memory;
    const char *path;
    char file[512]; /* the path, printable */
    struct piece piece;
};

/* yajl makes a question mark of half a surrogate pair, which would change a pattern without a word. */
struct surrogates {
    bool in_string, escaped, high; /* `high`: the first half has come */
    unsigned hex_left, code;
};

/* Takes the next byte of the JSON text. False when it leaves half a pair alone. */
static bool take_byte(struct surrogates *at, unsigned char c)
{
    bool high = at->high;
    if (!at->in_string) {
        at->in_string = c == '"';
        return true;
    }
    if (at->hex_left > 0) {
        at->code = at->code * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (--at->hex_left > 0)
            return true;
        at->high = at->code >= 0xd800 && at->code < 0xdc00;
        return high == (at->code >= 0xdc00 && at->code < 0xe000);
    }
    if (at->escaped || c == '\\') {
        bool starts = !at->escaped, unicode = at->escaped && c == 'u';
        at->escaped = starts;
        if (unicode) {
            at->hex_left = 4;
            at->code = 0;
        }
        return starts || unicode || !high;
    }
    at->in_string = c != '"';
    return !high;
}

static enum lt_status check_surrogates(struct spec_reader *reader, struct surrogates *at, const unsigned char *data,
                                       size_t len, uint64_t before)
{
    for (size_t i = 0; i < len; i++)
        if (!take_byte(at, data[i]))
            return fail(reader->error, LT_USAGE,
                        "%s: half of a surrogate pair before byte %" PRIu64 "; write the character itself, in UTF-8",
                        reader->file, before + i);
    return LT_OK;
}

static enum lt_status syntax_error(struct spec_reader *reader, yajl_handle yajl, const unsigned char *data, size_t len,
                                   uint64_t before)
{
    char why[128] = "";
    uint64_t offset = before + (data == NULL ? 0 : yajl_get_bytes_consumed(yajl));
    unsigned char *message = yajl_get_error(yajl, 0, data, len);
    if (message != NULL) {
        size_t size = strcspn((const char *)message, "\n");
        while (size > 0 && message[size - 1] == '.')
            size--;
        printable(why, sizeof why, (const char *)message, size);
    }
    yajl_free_error(yajl, message);
    return fail(reader->error, LT_USAGE,
                "%s: not JSON at byte %" PRIu64 ": %s; a spec is JSON: {\"tracks\": [...]}, or a report", reader->file,
                offset, why);
}

/* Feeds one block, or the end when `len` is 0. */
static enum lt_status feed(struct spec_reader *reader, yajl_handle yajl, const unsigned char *data, size_t len,
                           uint64_t before)
{
    yajl_status status = len == 0 ? yajl_complete_parse(yajl) : yajl_parse(yajl, data, len);
    if (status == yajl_status_client_canceled)
        return reader->error->status;
    if (status != yajl_status_ok && len == 0 && before == 0)
        return fail(reader->error, LT_USAGE, "%s: is empty; a spec is an object with tracks, or a report",
                    reader->file);
    if (status != yajl_status_ok)
        return syntax_error(reader, yajl, len == 0 ? NULL : data, len, before);
    return LT_OK;
}

static enum lt_status read_all(struct job *job, int fd)
{
    struct lt_error *error = job->reader.error;
    if (setjmp(job->memory.out) != 0)
        return fail_memory(error);
    yajl_handle yajl = yajl_alloc(&spec_callbacks, &job->memory.functions, &job->reader);
    struct surrogates surrogates = {0};
    uint64_t before = 0;
    for (;;) {
        const struct piece *piece = &job->piece;
        int errnum = piece_read(&job->piece, fd, job->reader.found);
        if (errnum == ENOMEM)
            return fail_memory(error);
        if (errnum == EFBIG)
            return fail(error, LT_USAGE,
                        "%s: a string, number or blank of over 8 MiB before byte %" PRIu64 "; shorten it", job->file,
                        before);
        if (errnum != 0)
            return fail_errno(error, job->path, "cannot be read", errnum);
        enum lt_status status = check_surrogates(&job->reader, &surrogates, piece->data, piece->len, before);
        if (status == LT_OK)
            status = feed(&job->reader, yajl, piece->data, piece->len, before);
        if (status != LT_OK || piece->len == 0)
            return status;
        before += piece->len;
    }
}

enum lt_status spec_read(struct spec *spec, const char *path, struct lt_error *error)
{
    *spec = (struct spec){0};
    if (path[0] == '\0' || strcmp(path, "-") == 0)
        return fail(error, LT_USAGE, "--spec '%s' names no file; save the spec in one", path);
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return fail_memory(error);
    job->path = path;
    job->piece.least = PIECE;
    job->reader.spec = spec;
    job->reader.error = error;
    job->reader.file = printable(job->file, sizeof job->file, path, strlen(path));
    yajl_memory_init(&job->memory);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum lt_status status = fd < 0 ? fail_errno(error, path, "cannot be opened", errno) : read_all(job, fd);
    yajl_memory_free(&job->memory);
    piece_free(&job->piece);
    if (fd >= 0)
        (void)close(fd);
    for (size_t i = 0; i < spec->count; i++)
        spec->tracks[i].landmarks = spec->landmarks[i];
    free(job);
    return status;
}

void spec_free(struct spec *spec)
{
    for (size_t i = 0; i < spec->count; i++)
        free(spec->landmarks[i]);
    free(spec->landmarks);
    free(spec->tracks);
    arena_free(&spec->texts);
    *spec = (struct spec){0};
}
