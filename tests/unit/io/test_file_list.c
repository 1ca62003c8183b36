/* What arguments, folders and lists of names stand for: rows of arguments, and of lists, over one folder of files. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* nftw */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before cmocka, whose fail() is a macro. */
#include "io/file_list.h"

#include <cmocka.h>

#define TEN     "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define X1000   HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED
#define X4000   X1000 X1000 X1000 X1000
#define MOST    X4000 TEN TEN TEN TEN TEN TEN TEN TEN TEN "/" /* five bytes more are too many */

static const char *const endings[] = {".json", ".json.gz", NULL};

/* Files of the folder in which the tests run; each holds its own name. */
static const char *const files[] = {
    "a/rank10.json", "a/rank2.json.gz", "a/Rank1.json", "a/.hidden.json",   "a/notes.txt", "a/json",
    "a/x.json.bak",  "a/sub/deep.json", "b/one.json",   "b/\n::error.json", "alone.json",  "-",
};

static char folder[] = "/tmp/layertrack-list-XXXXXX";

static int prepare(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return -1;
    const char *const folders[] = {"a", "a/sub", "a/folder.json", "b", "empty", "links"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(folders[i], 0700);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen(files[i], "w");
        if (file == NULL)
            return -1;
        fputs(files[i], file);
        fclose(file);
    }
    return mkfifo("pipe", 0600) != 0 || mkfifo("a/pipe.json", 0600) != 0 ||
           symlink("nowhere", "a/dangling.json") != 0 || symlink("../alone.json", "links/0.json") != 0 ||
           link("alone.json", "links/1.json") != 0 || link("alone.json", "links/2.json") != 0 ||
           symlink("a", "to-a") != 0;
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

static int clean(void **state)
{
    (void)state;
    return nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
}

/* The paths of a list, each with a blank before; "!" before what is not there, "=" before what was named. */
static void show(const struct file_list *list, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < list->count; i++)
        used += (size_t)snprintf(out + used, size - used, " %s%s%s", list->items[i].errnum != 0 ? "!" : "",
                                 list->items[i].named ? "=" : "", list->items[i].path);
}

struct row {
    const char *name;
    const char *arguments[6];
    const char *expected; /* show(), or what the failure's message holds */
    enum lt_status status;
    uint64_t dropped;
};

static const struct row rows[] = {
    {"a file", {"alone.json"}, " =alone.json", LT_OK, 0},
    {"a file of any name", {"a/notes.txt", "-"}, " =a/notes.txt =-", LT_OK, 0},
    {"a folder", {"a"}, " a/Rank1.json a/rank10.json a/rank2.json.gz", LT_OK, 0},
    {"a folder with a slash", {"a/"}, " a/Rank1.json a/rank10.json a/rank2.json.gz", LT_OK, 0},
    {"a folder through a link", {"to-a"}, " to-a/Rank1.json to-a/rank10.json to-a/rank2.json.gz", LT_OK, 0},
    {"a name with a line's end", {"b"}, " b/\n::error.json b/one.json", LT_OK, 0},
    {"an empty folder", {"empty"}, "empty: holds no file that ends in .json or .json.gz", LT_USAGE, 0},
    {"a folder of folders",
     {"to-a", "."},
     " to-a/Rank1.json to-a/rank10.json to-a/rank2.json.gz ./alone.json",
     LT_OK,
     0},
    {"in the order of the arguments", {"b", "alone.json"}, " b/\n::error.json b/one.json =alone.json", LT_OK, 0},
    {"a pipe that is named", {"pipe"}, " =pipe", LT_OK, 0},
    {"a file that is not there", {"none.json", "alone.json"}, " !=none.json =alone.json", LT_OK, 0},
    {"standard input", {"-"}, " =-", LT_OK, 0},
    {"an empty name", {""}, "name is empty", LT_USAGE, 0},
    {"a name that is too long", {MOST "12345"}, "longer than a name can be", LT_USAGE, 0},
    {"one twice", {"alone.json", "alone.json"}, "'alone.json' is given twice", LT_USAGE, 0},
    {"two that are not there", {"none.json", "other.json"}, " !=none.json !=other.json", LT_OK, 0},
    {"one that is not there twice", {"none.json", "none.json"}, "'none.json' is given twice", LT_USAGE, 0},
    {"standard input twice", {"-", "alone.json", "-"}, "'-' is given twice", LT_USAGE, 0},
    {"one by two paths", {"alone.json", "./alone.json"}, "'alone.json' and './alone.json' are the same", LT_USAGE, 0},
    {"one by a hard link", {"links/1.json", "alone.json"}, "'links/1.json' and 'alone.json' are", LT_USAGE, 0},
    {"a pipe twice", {"pipe", "./pipe"}, "'pipe' and './pipe' are the same", LT_USAGE, 0},
    {"a folder and one of its files", {"a", "a/Rank1.json"}, " a/rank10.json a/rank2.json.gz =a/Rank1.json", LT_OK, 1},
    {"the same before", {"a/Rank1.json", "a"}, " =a/Rank1.json a/rank10.json a/rank2.json.gz", LT_OK, 1},
    {"a folder twice", {"a", "to-a"}, " a/Rank1.json a/rank10.json a/rank2.json.gz", LT_OK, 3},
    {"links to one file", {"links"}, " links/1.json", LT_OK, 2},
    {"links, and the file they mean", {"links", "alone.json"}, " =alone.json", LT_OK, 3},
};

static void row(void **state)
{
    const struct row *row = *state;
    struct file_list list = {.endings = endings};
    struct lt_error error = {0};
    enum lt_status status = LT_OK;
    uint64_t dropped = 0;
    char shown[8192];
    for (const char *const *argument = row->arguments; *argument != NULL && status == LT_OK; argument++)
        status = file_list_add(&list, *argument, &error);
    if (status == LT_OK)
        status = file_list_unite(&list, &dropped, &error);
    show(&list, shown, sizeof shown);
    file_list_free(&list);
    assert_int_equal(status, row->status);
    assert_int_equal(dropped, row->dropped);
    if (status == LT_OK)
        assert_string_equal(shown, row->expected);
    else if (strstr(error.message, row->expected) == NULL)
        fail_msg("'%s' does not hold '%s'", error.message, row->expected);
}

struct list_row {
    const char *name, *bytes;
    size_t len;
    char separator;
    const char *expected;
    enum lt_status status;
};

#define BYTES(text) text, sizeof text - 1

static const struct list_row list_rows[] = {
    {"an empty list", BYTES(""), '\n', "", LT_OK},
    {"one", BYTES("alone.json\n"), '\n', " =alone.json", LT_OK},
    {"no end of the last line", BYTES("b/one.json\nalone.json"), '\n', " =b/one.json =alone.json", LT_OK},
    {"empty lines", BYTES("\n\nb/one.json\n\n\nalone.json\n\n"), '\n', " =b/one.json =alone.json", LT_OK},
    {"lines of Windows", BYTES("b/one.json\r\n\r\nalone.json\r\n"), '\n', " =b/one.json =alone.json", LT_OK},
    {"blanks are part of a name", BYTES(" alone.json \n"), '\n', " != alone.json ", LT_OK},
    {"a number sign is part of a name", BYTES("#alone.json\n"), '\n', " !=#alone.json", LT_OK},
    {"a folder", BYTES("a\n"), '\n', " a/Rank1.json a/rank10.json a/rank2.json.gz", LT_OK},
    {"a file named -", BYTES("-\n"), '\n', " =./-", LT_OK},
    {"NULs", BYTES("b/\n::error.json\0alone.json\0"), '\0', " =b/\n::error.json =alone.json", LT_OK},
    {"no NUL behind the last", BYTES("b/one.json\0\0alone.json"), '\0', " =b/one.json =alone.json", LT_OK},
    {"with NULs a CR is part of a name", BYTES("alone.json\r\0"), '\0', " !=alone.json\r", LT_OK},
    {"NULs without -0", BYTES("b/one.json\nalone.json\0"), '\n', "list: line 2 holds a NUL", LT_USAGE},
    {"the longest name", BYTES(MOST "1234\n"), '\n', " !=" MOST "1234", LT_OK},
    {"too long a name", BYTES("alone.json\n" MOST "12345\n"), '\n', "list: line 2 is longer", LT_USAGE},
    {"lines taken for one name", BYTES(MOST "\n" MOST "\n"), '\0',
     "list: name 1 is longer than one can be (4095 bytes); a list with a name per line goes without separator",
     LT_USAGE},
};

static void list_row(void **state)
{
    const struct list_row *expected = *state;
    struct file_list list = {.endings = endings};
    struct lt_error error = {0};
    char shown[8192];
    FILE *file = fopen("list", "w");
    assert_non_null(file);
    assert_int_equal(fwrite(expected->bytes, 1, expected->len, file), expected->len);
    fclose(file);
    enum lt_status status = file_list_read(&list, "list", expected->separator, &error);
    show(&list, shown, sizeof shown);
    file_list_free(&list);
    assert_int_equal(status, expected->status);
    if (status == LT_OK)
        assert_string_equal(shown, expected->expected);
    else if (strstr(error.message, expected->expected) == NULL)
        fail_msg("'%s' does not hold '%s'", error.message, expected->expected);
}

static void lists_that_cannot_be_read(void **state)
{
    (void)state;
    static const char *const bad[] = {"nowhere", "a"};
    for (size_t i = 0; i < 2; i++) {
        struct file_list list = {.endings = endings};
        struct lt_error error = {0};
        assert_int_equal(file_list_read(&list, bad[i], '\n', &error), LT_IO);
        assert_non_null(strstr(error.message, ": this list cannot be read: "));
        file_list_free(&list);
    }
}

static void sizes(void **state)
{
    (void)state;
    struct file_list list = {.endings = endings};
    struct lt_error error = {0};
    assert_int_equal(file_list_add(&list, "alone.json", &error), LT_OK);
    assert_int_equal(file_list_add(&list, "pipe", &error), LT_OK);
    assert_int_equal(file_list_add(&list, "none.json", &error), LT_OK);
    assert_int_equal(list.items[0].size, strlen("alone.json"));
    assert_true(list.items[0].is_regular);
    assert_int_equal(list.items[1].size, 0);
    assert_false(list.items[1].is_regular);
    assert_int_equal(list.items[2].errnum, ENOENT);
    file_list_free(&list);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows, LIST_ROWS = sizeof list_rows / sizeof *list_rows };
    struct CMUnitTest tests[ROWS + LIST_ROWS + 2];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    for (size_t i = 0; i < LIST_ROWS; i++)
        tests[ROWS + i] =
            (struct CMUnitTest){list_rows[i].name, list_row, NULL, NULL, (void *)(uintptr_t)&list_rows[i]};
    tests[ROWS + LIST_ROWS] = (struct CMUnitTest)cmocka_unit_test(lists_that_cannot_be_read);
    tests[ROWS + LIST_ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(sizes);
    return cmocka_run_group_tests(tests, prepare, clean);
}
