/*
 * A sentence is taken apart by its format, never by what it is filled with,
 * and every class has a word of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#undef fail /* cmocka.h has one of its own */
#include "base/error.h"

struct row {
    const char *file, *what, *hint;
};

/* What was put together, and its parts. */
static void check(const struct lt_error *error, const char *message, const struct row *row)
{
    assert_string_equal(error->message, message);
    assert_string_equal(error->file, row->file);
    assert_string_equal(error->what, row->what);
    assert_string_equal(error->hint, row->hint);
}

static void parts_follow_the_format(void **state)
{
    (void)state;
    struct lt_error error = {0};
    assert_int_equal(fail_as(&error, LT_CLASS_TOO_FEW, "%s: need %d; check %s", "t.json", 4, "a; b"), LT_SELECTION);
    check(&error, "t.json: need 4; check a; b", &(struct row){"t.json", "need 4", "check a; b"});
    assert_int_equal(error.class_id, LT_CLASS_TOO_FEW);
    assert_true(error.event == LT_NONE && error.offset == LT_NONE && error.line == 0);

    error_reset(&error);
    fail(&error, LT_USAGE, "%s: is x", "a; b: c");
    check(&error, "a; b: c: is x", &(struct row){"a; b: c", "is x", ""});
    assert_int_equal(error.class_id, LT_CLASS_OPTION);

    error_reset(&error);
    fail(&error, LT_IO, "no %s; one; two %d", "file; ", 2);
    check(&error, "no file; ; one; two 2", &(struct row){"", "no file; ; one", "two 2"});

    error_reset(&error);
    check(&error, "", &(struct row){"", "", ""});
    assert_int_equal(error.class_id, LT_CLASS_NONE);
}

static void the_first_failure_wins(void **state)
{
    (void)state;
    struct lt_error error = {0}, other = {0};
    struct error_place place = {.event = 7, .offset = 99, .line = 3};
    assert_int_equal(fail_at(&error, LT_CLASS_BAD_KERNEL, place, "first"), LT_SELECTION);
    assert_int_equal(fail(&error, LT_IO, "second"), LT_SELECTION);
    assert_int_equal(fail_memory(&error), LT_SELECTION);
    check(&error, "first", &(struct row){"", "first", ""});
    assert_true(error.event == 7 && error.offset == 99 && error.line == 3);
    assert_int_equal(fail_again(&other, &error), LT_SELECTION);
    check(&other, "first", &(struct row){"", "first", ""});
    assert_true(other.class_id == LT_CLASS_BAD_KERNEL && other.event == 7);
}

static void what_the_system_says(void **state)
{
    (void)state;
    static const struct {
        int errnum;
        enum lt_class class_id;
        bool has_hint;
    } rows[] = {{ENOSPC, LT_CLASS_DISK_FULL, true},  {EACCES, LT_CLASS_PERMISSION, true},
                {ENOENT, LT_CLASS_NOT_FOUND, true},  {EMFILE, LT_CLASS_LIMITED, true},
                {EPIPE, LT_CLASS_READER_GONE, true}, {EIO, LT_CLASS_IO, true},
                {ENOTTY, LT_CLASS_IO, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lt_error error = {0};
        assert_int_equal(fail_write(&error, "o.json", rows[i].errnum), LT_IO);
        assert_int_equal(error.class_id, rows[i].class_id);
        assert_string_equal(error.file, "o.json");
        assert_int_equal(error.hint[0] != '\0', rows[i].has_hint);
    }
}

/* A long sentence is cut as a whole; its parts are those of what is left. */
static void long_sentences_are_cut(void **state)
{
    (void)state;
    struct lt_error error = {0};
    char longer[2 * sizeof error.message];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    fail(&error, LT_USAGE, "%s: %s; do", "t.json", longer);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_string_equal(error.file, "t.json");
    assert_int_equal(strlen(error.what), sizeof error.message - 1 - strlen("t.json: "));
    assert_string_equal(error.hint, "");
}

static void every_class_has_a_word(void **state)
{
    (void)state;
    for (int i = 0; i < LT_CLASS_COUNT; i++) {
        const char *word = lt_class_word((enum lt_class)i);
        assert_non_null(word);
        assert_int_equal(strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(word));
        assert_int_equal(word[0] == '\0', i == LT_CLASS_NONE);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(word, lt_class_word((enum lt_class)j));
    }
    assert_string_equal(lt_class_word(LT_CLASS_COUNT), "unknown");
    assert_string_equal(lt_class_word((enum lt_class) - 1), "unknown");
    /* The statuses' own. */
    static const char *const words[] = {"",          "different", "option",    "trace",
                                        "selection", "io",        "cancelled", "no-memory"};
    for (int status = LT_DIFFERENT; status <= LT_NO_MEMORY; status++) {
        struct lt_error error = {0};
        assert_int_equal(fail(&error, (enum lt_status)status, "x"), status);
        assert_string_equal(lt_class_word(error.class_id), words[status]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_follow_the_format), cmocka_unit_test(the_first_failure_wins),
        cmocka_unit_test(what_the_system_says),    cmocka_unit_test(long_sentences_are_cut),
        cmocka_unit_test(every_class_has_a_word),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
