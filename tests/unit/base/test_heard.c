/*
 * Warnings of a job: told on, kept in their words without the trace's name,
 * and refused by class once all are told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#undef fail /* cmocka.h has one of its own */
#include "base/heard.h"

static void count_calls(void *ctx, const struct lt_warning *warning)
{
    (void)warning;
    ++*(unsigned *)ctx;
}

static void warn_twice(struct heard *heard)
{
    struct listener listener = heard_listener(heard, "t.json");
    warn_of(&listener, LT_CLASS_CONTROL_BYTES, 3, (struct error_place){.event = LT_NONE, .offset = 17}, "%s: %s; b",
            "t.json", "a; c");
    warn_of(&listener, LT_CLASS_MIXED_ANCHORS, 2, error_nowhere, "%s: x", "t.json: track 'p'");
    warn_of(&listener, LT_CLASS_MIXED_ANCHORS, 1, error_nowhere, "t.jsonx: y");
}

static void told_and_kept(void **state)
{
    (void)state;
    static const char *const sentences[] = {"a; c; b", "track 'p': x", "t.jsonx: y"};
    unsigned calls = 0;
    struct heard heard;
    struct lt_error error = {0};
    assert_int_equal(heard_begin(&heard, (struct listener){count_calls, &calls}, NULL, &error), LT_OK);
    warn_twice(&heard);
    assert_int_equal(calls, 3);
    assert_int_equal(heard.count, 3);
    for (size_t i = 0; i < heard.count; i++)
        assert_string_equal(heard.items[i].sentence, sentences[i]);
    assert_int_equal(heard.items[0].count, 3);
    assert_int_equal(heard.items[0].offset, 17);
    assert_true(heard.items[1].offset == LT_NONE);
    assert_int_equal(heard_end(&heard, &error), LT_OK);
    heard_free(&heard);
}

static const struct row {
    const char *refused;
    enum lt_class class_id; /* LT_CLASS_NONE: none is refused */
    uint64_t offset;
    const char *message;
} rows[] = {
    {"same-start", LT_CLASS_NONE, LT_NONE, ""},
    {"", LT_CLASS_CONTROL_BYTES, 17,
     "t.json: refused for what is warned about (control-bytes, mixed-anchors); correct that, or leave it out of "
     "fail_on_warning"},
    {"open-array,mixed-anchors", LT_CLASS_MIXED_ANCHORS, LT_NONE,
     "t.json: refused for what is warned about (mixed-anchors); correct that, or leave it out of fail_on_warning"},
};

static void refused_by_class(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct heard heard;
        struct lt_error error = {0};
        assert_int_equal(heard_begin(&heard, (struct listener){0}, rows[i].refused, &error), LT_OK);
        error_reset(&error);
        assert_int_equal(heard_end(&heard, &error), LT_OK);
        warn_twice(&heard);
        assert_int_equal(heard_end(&heard, &error), rows[i].class_id == LT_CLASS_NONE ? LT_OK : LT_SELECTION);
        assert_int_equal(error.class_id, rows[i].class_id);
        assert_int_equal(error.status, rows[i].class_id == LT_CLASS_NONE ? LT_OK : LT_SELECTION);
        assert_true(error.offset == rows[i].offset);
        assert_string_equal(error.message, rows[i].message);
        heard_free(&heard);
    }
}

static void words(void **state)
{
    (void)state;
    static const char *const wrong[] = {"exists", "same-start,", ",", " same-start", "same", "no-events"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct heard heard;
        struct lt_error error = {0};
        assert_int_equal(heard_begin(&heard, (struct listener){0}, wrong[i], &error), LT_USAGE);
        assert_non_null(strstr(error.message, "there are control-bytes, not-utf8,"));
        heard_free(&heard);
    }
    for (int id = 0; id < LT_CLASS_COUNT; id++) {
        const char *word = lt_class_word((enum lt_class)id);
        assert_int_equal(class_of_word(word, strlen(word)), id);
        assert_true(!class_is_of_text((enum lt_class)id) || class_is_warning((enum lt_class)id));
    }
    assert_false(class_is_warning(LT_CLASS_NONE) || class_is_warning(LT_CLASS_COUNT));
    assert_true(class_is_warning(LT_CLASS_SAME_KERNELS) && !class_is_of_text(LT_CLASS_SAME_KERNELS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_and_kept),
        cmocka_unit_test(refused_by_class),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests_name("heard", tests, NULL, NULL);
}
