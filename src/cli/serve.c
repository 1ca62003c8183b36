#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "base/error.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#define PROGRAM "layertrack-serve"

/* The folder of the running program. False where the system does not tell. */
static bool own_folder(char *path, size_t size)
{
#if defined(__APPLE__)
    uint32_t room = (uint32_t)size;
    if (_NSGetExecutablePath(path, &room) != 0)
        return false;
#else
    ssize_t len = readlink("/proc/self/exe", path, size - 1);
    if (len < 0)
        return false;
    path[len] = '\0';
#endif
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
    return slash != NULL;
}

/* Runs `folder`/`below`PROGRAM. Comes back when that is not possible, with an errno. */
static int run_from(const char *folder, const char *below, char **argv)
{
    char path[PATH_MAX + 64];
    int len = snprintf(path, sizeof path, "%s/%s%s", folder, below, PROGRAM);
    if (len < 0 || (size_t)len >= sizeof path)
        return ENAMETOOLONG;
    execv(path, argv);
    return errno;
}

/* Beside this program first: a build tree, or an installation that was moved. */
static int run(int argc, char **argv)
{
    char own[PATH_MAX];
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return cli_print_help(&cli_serve);
    /* In the list of processes, too. */
    static char name[] = PROGRAM;
    argv[0] = name;
    int problem = ENOENT;
    if (own_folder(own, sizeof own)) {
        problem = run_from(own, "", argv);
        if (problem == ENOENT)
            problem = run_from(own, "../libexec/layertrack/", argv);
    }
    if (problem == ENOENT)
        problem = run_from(LAYERTRACK_LIBEXEC, "", argv);
    struct lt_error error = {0};
    fail(&error, LT_IO,
         "serve: %s cannot be run: %s; install it beside layertrack or in %s (it is built where libmicrohttpd is)",
         PROGRAM, strerror(problem), LAYERTRACK_LIBEXEC);
    return cli_fail(&error);
}

const struct cli_command cli_serve = {
    .name = "serve",
    .run = run,
    .intro = cli_serve_intro,
    .outro = cli_serve_outro,
    .options = cli_serve_options,
};
