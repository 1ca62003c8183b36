/*
 * cpus.h - how many processors this process may use
 */
#ifndef CPUS_H
#define CPUS_H

/*
 * The processors that the scheduler may give this process (its affinity:
 * taskset, cpusets, a batch system's binding), and no more than its control
 * groups' quota of time allows. At least 1. Where affinity is not known:
 * the processors that are online.
 */
unsigned cpus_usable(void);

/*
 * The quota alone, in whole processors rounded up: the least of the group of
 * this process and all above it that can be seen, of cgroup v2 (cpu.max) and
 * v1 (cpu.cfs_quota_us). 0: there is none. `root` stands before every path
 * that is read ("" in earnest): /proc/self/cgroup, /proc/self/mountinfo, and
 * where the latter says that groups are mounted.
 */
unsigned cpus_quota(const char *root);

#endif
