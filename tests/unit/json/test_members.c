/* Members are found, and found twice, however many there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/members.h"

/* Quadratic time would take minutes here. */
#define COUNT 500000

static size_t name(char *out, int i)
{
    return (size_t)sprintf(out, "k%d", i);
}

static void many_keys(void **state)
{
    (void)state;
    struct members members = {0};
    char key[16];
    for (int i = 0; i < COUNT; i++) {
        size_t len = name(key, i);
        assert_int_equal(members_add(&members, key, len, MEMBER_NUMBER, key + 1, len - 1), MEMBERS_OK);
        if (i > 100 && i % 1000 != 0)
            continue;
        assert_int_equal(members_add(&members, key, len, MEMBER_WORD, "null", 4), MEMBERS_TWICE);
        assert_int_equal(members_add(&members, "k0", 2, MEMBER_WORD, "null", 4), MEMBERS_TWICE);
        assert_string_equal(members_find(&members, key)->text, key + 1);
        assert_null(members_find(&members, "k"));
    }
    assert_int_equal(members.count, COUNT);
    members_free(&members);
}

static void many_keys_are_read(void **state)
{
    (void)state;
    char *text = malloc(COUNT * 24), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{\"name\": \"x\", \"args\": {");
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, "%s\"k%d\":%d", i == 0 ? "" : ",", i, i);
    at += sprintf(at, "}}");
    struct members members = {0}, outer = {0};
    assert_true(members_read(&members, &outer, text, (size_t)(at - text), "args"));
    assert_int_equal(members.count, COUNT);
    assert_false(members.twice);
    assert_string_equal(members_find(&members, "k77777")->text, "77777");
    assert_int_equal(outer.count, 2);
    members_free(&members);
    members_free(&outer);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_keys),
        cmocka_unit_test(many_keys_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
