/* How many threads a reading takes when nobody says: as many processors as it may use, not as many as there are. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <sched.h>
#include <unistd.h>

#include <cmocka.h>

#undef fail /* the library has one of its own */
#include "trace/reading.h"

static unsigned threads_of(const char *path, unsigned wanted)
{
    struct reading reading;
    struct reading_options options = {.path = path, .threads = wanted};
    struct lt_error error = {.size = sizeof error};
    assert_int_equal(reading_open(&reading, &options, &error), LT_OK);
    unsigned threads = reading.threads;
    reading_close(&reading);
    return threads;
}

static void test_threads(void **state)
{
    (void)state;
    char path[] = "/tmp/test_reading-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "[]", 2), 2);
    close(fd);
#if defined(__linux__)
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(threads_of(path, 0), 1);
    assert_int_equal(threads_of(path, 3), 3);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
#endif
    assert_true(threads_of(path, 0) >= 1);
    assert_int_equal(threads_of(path, 1000), 64);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
