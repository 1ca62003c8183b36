#define _POSIX_C_SOURCE 200809L /* strerror_r */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

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
