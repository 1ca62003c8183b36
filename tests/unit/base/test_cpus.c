/* Processors that a process may use: rows of control groups as files below a folder, and the affinity of this process.
 */
#define _GNU_SOURCE /* sched_setaffinity, mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftw.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpus.h"

#define V2 "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1                                                                                                             \
    "31 24 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"                                                \
    "32 24 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_GROUPS "5:cpuset:/other\n4:cpu,cpuacct:/slurm/job_7\n3:cpuacct:/none\n"

struct file {
    const char *path, *text;
};

struct row {
    const char *name;
    unsigned cpus;
    const char *groups, *mounts; /* /proc/self/cgroup and mountinfo; NULL: there is none */
    struct file files[5];
};

static const struct row rows[] = {
    {"no control groups at all", 0, NULL, NULL, {{0}}},
    {"groups that are not mounted", 0, "0::/a\n", "1 2 0:1 / / rw - ext4 /dev/vda rw\n", {{0}}},
    {"v2, no quota", 0, "0::/a\n", V2, {{"/sys/fs/cgroup/a/cpu.max", "max 100000\n"}}},
    {"v2, two", 2, "0::/a\n", V2, {{"/sys/fs/cgroup/a/cpu.max", "200000 100000\n"}}},
    {"v2, one and a half is two", 2, "0::/a\n", V2, {{"/sys/fs/cgroup/a/cpu.max", "150000 100000\n"}}},
    {"v2, a hundredth is one", 1, "0::/a\n", V2, {{"/sys/fs/cgroup/a/cpu.max", "1000 100000\n"}}},
    {"v2, a parent's quota is less",
     3,
     "0::/a/b/c\n",
     V2,
     {{"/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n"},
      {"/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
      {"/sys/fs/cgroup/a/cpu.max", "300000 100000\n"}}},
    {"v2, a neighbour's quota is nothing to us", 0, "0::/a\n", V2, {{"/sys/fs/cgroup/ab/cpu.max", "100000 100000\n"}}},
    {"v2, the root of a name space", 4, "0::/\n", V2, {{"/sys/fs/cgroup/cpu.max", "400000 100000\n"}}},
    {"v2, a mount of a part",
     5,
     "0::/docker/1f/x\n",
     "30 24 0:26 /docker/1f /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
     {{"/sys/fs/cgroup/x/cpu.max", "500000 100000\n"}}},
    {"v2, a mount of another part stands for itself",
     6,
     "0::/docker/1f\n",
     "30 24 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
     {{"/sys/fs/cgroup/cpu.max", "600000 100000\n"}, {"/sys/fs/cgroup/f/cpu.max", "100000 100000\n"}}},
    {"v2, outside of the name space",
     7,
     "0::/../b\n",
     V2,
     {{"/sys/fs/cgroup/cpu.max", "700000 100000\n"}, {"/sys/fs/b/cpu.max", "100000 100000\n"}}},
    {"v2, a blank in the mount's name",
     2,
     "0::/a:b c\n",
     "30 24 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n",
     {{"/my groups/a:b c/cpu.max", "200000 100000\n"}}},
    {"v2, what is no quota", 0, "0::/a\n", V2, {{"/sys/fs/cgroup/a/cpu.max", "200000 0\n"}}},
    {"v2, an empty file", 0, "0::/a\n", V2, {{"/sys/fs/cgroup/a/cpu.max", ""}}},
    {"v1, no quota",
     0,
     V1_GROUPS,
     V1,
     {{"/sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_period_us", "100000\n"}}},
    {"v1, of the job above",
     3,
     V1_GROUPS,
     V1,
     {{"/sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us", "125000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us", "50000\n"}}},
    {"both, the lesser one",
     2,
     V1_GROUPS "0::/a\n",
     V2 V1,
     {{"/sys/fs/cgroup/a/cpu.max", "900000 100000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_period_us", "100000\n"}}},
};

static void put(const char *root, const char *path, const char *text)
{
    char name[4096];
    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = strchr(name + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

static void row(void **state)
{
    const struct row *row = *state;
    char root[] = "/tmp/layertrack-cpus-XXXXXX";
    assert_non_null(mkdtemp(root));
    if (row->groups != NULL)
        put(root, "/proc/self/cgroup", row->groups);
    if (row->mounts != NULL)
        put(root, "/proc/self/mountinfo", row->mounts);
    for (size_t i = 0; i < sizeof row->files / sizeof *row->files && row->files[i].path != NULL; i++)
        put(root, row->files[i].path, row->files[i].text);
    unsigned cpus = cpus_quota(root);
    nftw(root, drop, 16, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(cpus, row->cpus);
}

static void affinity(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_in_range(cpus_usable(), 1, (unsigned)CPU_COUNT(&before));
    size_t first = 0;
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cpus_usable(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    struct CMUnitTest tests[sizeof rows / sizeof *rows + 1];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    tests[sizeof rows / sizeof *rows] = (struct CMUnitTest)cmocka_unit_test(affinity);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
