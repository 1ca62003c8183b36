#define _GNU_SOURCE /* POSIX_SPAWN_SETSID */
#define _DARWIN_C_SOURCE
#include "serve/open_browser.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__APPLE__)
#define OPENER "open"
#else
#define OPENER "xdg-open"
#endif

/* Out of this program's process group: a Ctrl-C that ends the server must not end the browser. */
#if defined(POSIX_SPAWN_SETSID)
#define APART POSIX_SPAWN_SETSID
#else
#define APART POSIX_SPAWN_SETPGROUP
#endif

extern char **environ;

/* What a shell takes as it is. */
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:%";
    return word[0] != '\0' && word[0] != '-' && word[strspn(word, plain)] == '\0';
}

/* An address, with or without a zone (fe80::1%eth0). */
static bool is_address(const char *word)
{
    char text[64];
    struct in6_addr address;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(word, "%"), word);
    return inet_pton(AF_INET6, text, &address) == 1 || inet_pton(AF_INET, word, &address) == 1;
}

static bool is_port(const char *word)
{
    return word[strspn(word, "0123456789")] == '\0' && strtoul(word, NULL, 10) - 1 < UINT16_MAX;
}

bool open_browser_ssh(char *out, size_t size, const char *connection, const char *user, uint16_t port, uint16_t second)
{
    char host[64], ssh_port[8], other[64] = "", at_port[16] = "", at_user[80] = "";
    if (connection == NULL || sscanf(connection, "%*63s %*7s %63s %7s", host, ssh_port) != 2 || !is_plain(host) ||
        !is_address(host) || !is_port(ssh_port))
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

bool open_browser(const char *url)
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
                posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | APART) == 0 &&
                posix_spawnp(&pid, OPENER, &files, &attributes, argv, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return good;
}
