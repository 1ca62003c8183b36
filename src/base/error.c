#define _POSIX_C_SOURCE 200809L /* strerror_r */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json/json_text.h"

void error_reset(struct lt_error *error)
{
    error->status = LT_OK;
    error->message[0] = '\0';
}

enum lt_status fail(struct lt_error *error, enum lt_status status, const char *format, ...)
{
    if (error->status != LT_OK)
        return error->status;
    error->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

/* What to do about an errno value, behind a semicolon; or nothing. */
static const char *advice(int errnum)
{
    switch (errnum) {
    case ENOSPC:
    case EDQUOT:
        return "; make room there or choose another place";
    case EFBIG:
        return "; raise the limit on file sizes (ulimit -f) or choose another place";
    case EACCES:
    case EPERM:
    case EROFS:
        return "; get the permission or choose another place";
    case ENOENT:
    case ENOTDIR:
        return "; check the name";
    case ENAMETOOLONG:
        return "; choose a shorter one";
    case EMFILE:
    case ENFILE:
        return "; raise the limit on open files (ulimit -n)";
    case EBADF:
        return "; it is closed";
    case EIO:
        return "; check the disk";
    default:
        return "";
    }
}

enum lt_status fail_errno(struct lt_error *error, const char *file, const char *what, int errnum)
{
    /* strerror() may share a buffer between threads. */
    char name[512], reason[128] = "";
    const char *text = strerror_r(errnum, reason, sizeof reason) == 0 ? reason : "unknown error";
    return fail(error, LT_IO, "%s: %s: %s%s", printable(name, sizeof name, file, strlen(file)), what, text,
                advice(errnum));
}

enum lt_status fail_write(struct lt_error *error, const char *file, int errnum)
{
    char name[512];
    if (errnum != EPIPE)
        return fail_errno(error, file, "cannot be written", errnum);
    return fail(error, LT_IO, "%s: the reader went away; the output is not complete",
                printable(name, sizeof name, file, strlen(file)));
}

enum lt_status fail_memory(struct lt_error *error)
{
    return fail(error, LT_NO_MEMORY, "out of memory; free some or raise the limit (ulimit -v)");
}

enum lt_status fail_cancelled(struct lt_error *error, const char *name)
{
    return fail(error, LT_CANCELLED, "%s: cancelled; nothing was written", name);
}

/* Length of the well-formed UTF-8 character at `text`, 0 when there is none. */
static size_t character(const char *text, size_t len)
{
    for (size_t n = 1; n <= 4 && n <= len; n++)
        if (utf8_valid(text, n))
            return n;
    return 0;
}

static bool is_control(const char *text, size_t n)
{
    const unsigned char *c = (const unsigned char *)text;
    if (n == 1)
        return c[0] < 0x20 || c[0] == 0x7f;
    /* U+0080..9F, and the marks that reorder or hide what a terminal shows. */
    if (n == 2)
        return c[0] == 0xc2 && c[1] < 0xa0;
    if (n == 3 && c[0] == 0xe2)
        return (c[1] == 0x80 && (c[2] == 0x8b || (c[2] >= 0x8e && c[2] <= 0x8f) || (c[2] >= 0xa8 && c[2] <= 0xae))) ||
               (c[1] == 0x81 && c[2] >= 0xa0 && c[2] <= 0xaf);
    return false;
}

char *printable(char *out, size_t size, const char *text, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    size_t at = 0, room = size - 1;
    size_t cut = 0; /* how much of `out` stands when "..." must follow */
    for (size_t i = 0; i < len;) {
        size_t n = character(text + i, len - i);
        bool raw = n != 0 && !is_control(text + i, n);
        size_t need = raw ? n : 4;
        if (at + 3 <= room)
            cut = at;
        if (at + need > room) {
            memcpy(out + cut, "...", room >= 3 ? 3 : 0);
            at = room >= 3 ? cut + 3 : 0;
            break;
        }
        if (raw) {
            memcpy(out + at, text + i, n);
            i += n;
        } else {
            unsigned char c = (unsigned char)text[i++];
            memcpy(out + at, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4);
        }
        at += need;
    }
    out[at] = '\0';
    return out;
}
