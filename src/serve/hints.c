#define _POSIX_C_SOURCE 200809L
#include "hints.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__APPLE__)
#define OPENER "open"
#else
#define OPENER "xdg-open"
#endif

extern char **environ;

/* What a shell takes as it is. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:%";
    return word[0] != '\0' && word[0] != '-' && word[strspn(word, plain)] == '\0';
}

bool hints_ssh(char *out, size_t size, const char *connection, const char *user, uint16_t port, uint16_t second)
{
    char host[64], ssh_port[8], other[64] = "", at_port[16] = "", at_user[80] = "";
    if (connection == NULL || sscanf(connection, "%*63s %*7s %63s %7s", host, ssh_port) != 2 || !is_plain(host) ||
        !is_plain(ssh_port))
        return false;
    if (second != 0)
        snprintf(other, sizeof other, " -L %u:127.0.0.1:%u", second, second);
    if (strcmp(ssh_port, "22") != 0)
        snprintf(at_port, sizeof at_port, " -p %s", ssh_port);
    if (user != NULL && strlen(user) < sizeof at_user - 1 && is_plain(user))
        snprintf(at_user, sizeof at_user, "%s@", user);
    int len = snprintf(out, size, "ssh -N -L %u:127.0.0.1:%u%s%s %s%s", port, port, other, at_port, at_user, host);
    return len > 0 && (size_t)len < size;
}

bool hints_open(const char *url)
{
    char *const argv[] = {(char[]){OPENER}, (char *)(uintptr_t)url, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGCHLD);
    sigaddset(&standard, SIGPIPE);
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    /* Nobody waits for it: the system may clear it away. */
    signal(SIGCHLD, SIG_IGN);
    pid_t pid;
    bool good = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
                posix_spawnattr_setsigdefault(&attributes, &standard) == 0 &&
                posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0 &&
                posix_spawnp(&pid, OPENER, &files, &attributes, argv, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return good;
}
