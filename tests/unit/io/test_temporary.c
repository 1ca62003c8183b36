/* Files that are to get their names later: who may remove one, and who may not. */
#define _GNU_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/temporary.h"

/* Letters of a name's start: those that its file's name tells. */
#define START (sizeof ".layertrack-xxxx" - 1)

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/test_temporary-XXXXXX");
    *state = folder;
    return mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("d", 0777) != 0;
}

static int leave_folder(void **state)
{
    int failed = chdir("/") != 0;
    char path[64];
    snprintf(path, sizeof path, "%s/d", (char *)*state);
    failed |= rmdir(path) != 0 || rmdir(*state) != 0; /* each test has removed what it made */
    free(*state);
    return failed;
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static void test_names(void **state)
{
    (void)state;
    char *names[4];
    const char *const paths[] = {"a.json", "a.json", "d/a.json", "b.json"};
    int fds[4];
    for (int i = 0; i < 4; i++) {
        fds[i] = temporary_open(paths[i], &names[i]);
        assert_true(fds[i] >= 0 && exists(names[i]));
        assert_int_equal(strlen(names[i] + (i == 2 ? 2 : 0)), sizeof TEMPORARY_NAME - 1);
    }
    assert_string_not_equal(names[0], names[1]);
    assert_int_equal(strncmp(names[0], ".layertrack-", 12), 0);
    assert_int_equal(strncmp(names[0], names[1], START), 0);
    assert_int_equal(strncmp(names[2], "d/", 2), 0);
    assert_int_equal(strncmp(names[0], names[2] + 2, START), 0);
    assert_int_not_equal(strncmp(names[0], names[3], START), 0);
    for (int i = 0; i < 4; i++) {
        close(fds[i]);
        assert_int_equal(unlink(names[i]), 0);
        free(names[i]);
    }
    assert_int_equal(temporary_open("no/such/a.json", &names[0]), -1);
    assert_null(names[0]);
}

/* What is held stays, also by a duplicate alone; what nobody holds goes; other names' are not ours. */
static void test_left(void **state)
{
    (void)state;
    char *held, *left, *other;
    int first = temporary_open("d/a.json", &held), second = temporary_open("d/a.json", &left);
    int third = temporary_open("d/b.json", &other), copy = dup(first);
    close(first);
    close(second);
    close(third);
    struct temporary_counts counts = {0};
    temporary_remove_all("d/a.json", &counts);
    assert_int_equal(counts.of[TEMPORARY_REMOVED], 1);
    assert_int_equal(counts.of[TEMPORARY_IN_USE], 1);
    assert_true(exists(held) && !exists(left) && exists(other));
    close(copy);
    temporary_remove_all("d/a.json", &counts);
    temporary_remove_all("d/b.json", &counts);
    temporary_remove_all("d/b.json", &counts);
    temporary_remove_all("no/such/b.json", &counts);
    assert_int_equal(counts.of[TEMPORARY_REMOVED], 3);
    assert_int_equal(counts.of[TEMPORARY_IN_USE], 1);
    assert_int_equal(counts.of[TEMPORARY_GONE] + counts.of[TEMPORARY_UNKNOWN], 0);
    assert_true(!exists(held) && !exists(other));
    free(held);
    free(left);
    free(other);
}

static void touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    assert_true(fd >= 0);
    close(fd);
}

static void test_remove(void **state)
{
    (void)state;
    touch("report");
    touch("output");
    assert_int_equal(temporary_remove("report", "output"), TEMPORARY_GONE);
    assert_true(exists("report"));
    unlink("output");
    int fd = open("report", O_RDONLY);
    assert_true(temporary_lock(fd));
    assert_int_equal(temporary_remove("report", "output"), TEMPORARY_IN_USE);
    close(fd);
    assert_int_equal(temporary_remove("report", "output"), TEMPORARY_REMOVED);
    assert_int_equal(temporary_remove("report", "output"), TEMPORARY_GONE);
    /* Nothing that is no file, nor what a link leads to. */
    touch("output");
    assert_int_equal(symlink("output", "link"), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(temporary_remove("link", NULL), TEMPORARY_GONE);
    assert_int_equal(temporary_remove("pipe", NULL), TEMPORARY_GONE);
    assert_int_equal(temporary_remove("d", NULL), TEMPORARY_UNKNOWN);
    assert_true(exists("link") && exists("pipe") && exists("output"));
    unlink("link");
    unlink("pipe");
    unlink("output");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_left, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_remove, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
