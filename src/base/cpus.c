#define _GNU_SOURCE /* sched_getaffinity, getline */
#include "base/cpus.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A set of this many processors is larger than any kernel's. */
#define MOST_CPUS (1 << 20)

/* ---- quota ------------------------------------------------------------------------------------------------- */

/* What a control group's version is known by. */
struct version {
    const char *file_system;
    bool has_controllers; /* a hierarchy of v1 says which controllers it has */
};

static const struct version versions[] = {{"cgroup2", false}, {"cgroup", true}};

/* Whether a comma-separated list holds `cpu`. */
static bool lists_cpu(const char *list)
{
    while (*list != '\0') {
        size_t len = strcspn(list, ",");
        if (len == 3 && strncmp(list, "cpu", 3) == 0)
            return true;
        list += len;
        list += *list == ',';
    }
    return false;
}

/* The next field of a line, which is cut at `end`; NULL behind the last one. */
static char *field(char **line, char end)
{
    char *start = *line;
    if (start == NULL)
        return NULL;
    char *stop = strchr(start, end);
    *line = stop == NULL ? NULL : stop + 1;
    if (stop != NULL)
        *stop = '\0';
    return start;
}

/* mountinfo writes blanks and backslashes as \ooo. */
static void undo_octal(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        bool escaped = from[0] == '\\' && strspn(from + 1, "01234567") >= 3;
        *to = escaped ? (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0')) : *from;
        from += escaped ? 4 : 1;
    }
    *to = '\0';
}

/* Calls `take` with every line, without its end, until that says true. */
static void each_line(const char *root, const char *path, bool (*take)(void *ctx, char *line), void *ctx)
{
    char name[PATH_MAX];
    int len = snprintf(name, sizeof name, "%s%s", root, path);
    FILE *file = len > 0 && (size_t)len < sizeof name ? fopen(name, "re") : NULL;
    if (file == NULL)
        return;
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (!found && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        found = take(ctx, line);
    }
    free(line);
    fclose(file);
}

struct search {
    const struct version *version;
    char group[PATH_MAX];      /* of this process in its hierarchy; empty: it is in none */
    char mount_root[PATH_MAX]; /* the group that is mounted at `mounted` */
    char mounted[PATH_MAX];
};

/* A line of /proc/self/cgroup: NUMBER:CONTROLLERS:GROUP. */
static bool take_group(void *ctx, char *line)
{
    struct search *search = ctx;
    field(&line, ':');
    const char *controllers = field(&line, ':');
    if (line == NULL || controllers == NULL)
        return false;
    if (search->version->has_controllers ? !lists_cpu(controllers) : controllers[0] != '\0')
        return false;
    snprintf(search->group, sizeof search->group, "%s", line);
    return true;
}

/* A line of /proc/self/mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS [TAGS] - FILE-SYSTEM SOURCE OPTIONS. */
static bool take_mount(void *ctx, char *line)
{
    struct search *search = ctx;
    char *tail = strstr(line, " - ");
    if (tail == NULL)
        return false;
    *tail = '\0';
    tail += 3;
    for (int i = 0; i < 3; i++)
        field(&line, ' ');
    char *root = field(&line, ' ');
    char *point = field(&line, ' ');
    const char *file_system = field(&tail, ' ');
    field(&tail, ' ');
    if (point == NULL || tail == NULL || strcmp(file_system, search->version->file_system) != 0)
        return false;
    if (search->version->has_controllers && !lists_cpu(tail))
        return false;
    undo_octal(root);
    undo_octal(point);
    snprintf(search->mount_root, sizeof search->mount_root, "%s", root);
    snprintf(search->mounted, sizeof search->mounted, "%s", point);
    return true;
}

static bool read_line(const char *folder, const char *name, char *out, size_t size)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = len > 0 && (size_t)len < sizeof path ? fopen(path, "re") : NULL;
    if (file == NULL)
        return false;
    bool read = fgets(out, (int)size, file) != NULL;
    fclose(file);
    return read;
}

/* The quota of one group in whole processors, rounded up; 0: none. */
static unsigned quota_of(const char *folder, const struct version *version)
{
    char text[128], second[64];
    long long quota = 0, period = 0;
    if (!version->has_controllers) {
        if (!read_line(folder, "cpu.max", text, sizeof text) || sscanf(text, "%19lld %19lld", &quota, &period) != 2)
            return 0;
    } else {
        if (!read_line(folder, "cpu.cfs_quota_us", text, sizeof text) || sscanf(text, "%19lld", &quota) != 1)
            return 0;
        if (!read_line(folder, "cpu.cfs_period_us", second, sizeof second) || sscanf(second, "%19lld", &period) != 1)
            return 0;
    }
    if (quota <= 0 || period <= 0)
        return 0;
    long long cpus = quota / period + (quota % period != 0);
    return cpus > MOST_CPUS ? 0 : (unsigned)cpus;
}

static unsigned least(unsigned a, unsigned b)
{
    if (a == 0 || b == 0)
        return a + b;
    return a < b ? a : b;
}

/* The part of `group` below the mounted one; a group that cannot be seen there stands for the mounted one. */
static const char *below_mount(const struct search *search)
{
    size_t len = strcmp(search->mount_root, "/") == 0 ? 0 : strlen(search->mount_root);
    const char *below = search->group + len;
    if (strncmp(search->group, search->mount_root, len) != 0 || (*below != '/' && *below != '\0') ||
        strstr(below, "/..") != NULL)
        return "";
    return below;
}

static unsigned quota_of_version(const char *root, const struct version *version)
{
    struct search search = {.version = version};
    each_line(root, "/proc/self/cgroup", take_group, &search);
    each_line(root, "/proc/self/mountinfo", take_mount, &search);
    if (search.group[0] == '\0' || search.mounted[0] == '\0')
        return 0;
    char folder[3 * PATH_MAX];
    snprintf(folder, sizeof folder, "%s%s%s", root, search.mounted, below_mount(&search));
    size_t top = strlen(root) + strlen(search.mounted);
    unsigned cpus = quota_of(folder, version);
    while (strlen(folder) > top) {
        *strrchr(folder, '/') = '\0';
        cpus = least(cpus, quota_of(folder, version));
    }
    return cpus;
}

unsigned cpus_quota(const char *root)
{
    unsigned cpus = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        cpus = least(cpus, quota_of_version(root, &versions[i]));
    return cpus;
}

/* ---- affinity ---------------------------------------------------------------------------------------------- */

#if defined(__linux__)
/* The kernel refuses a set that is smaller than its own, whose size it does not tell. 0: not known. */
static unsigned affinity(void)
{
    for (int most = CPU_SETSIZE; most <= MOST_CPUS; most *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)most);
        if (set == NULL)
            return 0;
        size_t size = CPU_ALLOC_SIZE((size_t)most);
        bool known = sched_getaffinity(0, size, set) == 0;
        int count = known ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (known)
            return (unsigned)count;
    }
    return 0;
}
#else
static unsigned affinity(void)
{
    return 0;
}
#endif

unsigned cpus_usable(void)
{
    unsigned cpus = affinity();
    if (cpus == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        cpus = online < 1 ? 1 : (unsigned)online;
    }
    return least(cpus, cpus_quota(""));
}
