/* What patterns find in names, short and long; that a long name is searched another way must not show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/match.h"

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static int search(const char *pattern, const char *name, size_t len)
{
    struct lt_error error = {0};
    struct matcher *matcher = matcher_new("--anchor-regex", pattern, &error);
    assert_non_null(matcher);
    int found = matcher_search(matcher, name, len);
    if (found < 0)
        assert_int_equal(matcher_error(matcher, "t.json", "kernel", name, len, &error), LT_SELECTION);
    matcher_free(matcher);
    return found;
}

static void rows(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name;
        int found;
    } table[] = {
        {"rotary", "void vllm::rotary_embedding", 1},
        {"^rotary", "void vllm::rotary_embedding", 0},
        {"embedding$", "void vllm::rotary_embedding", 1},
        {"(?i)ROTARY", "void vllm::rotary_embedding", 1},
        {"\\p{Lu}", "caf\xc3\x89", 1},
        {".", "", 0},
        {"$", "", 1},
        {"\\Gvoid", "void", 1},
        {"\\Goid", "void", 0},
        {"w(*COMMIT)z|y", "wxyz", 0},
        {"q(*COMMIT)z|y", "wxyz", 1},
        {"w(*SKIP)z|x", "wxyz", 1},
        {"x(?C7)y", "wxyz", 1},
        {".*kernel", "jos\xe9 kernel", 1},
        {"(?s).*kernel", "jos\xe9 kernel", 1},
        {".*kernel", "jos\xe9 kerne", 0},
        {"a.c",
         "a\xff"
         "c",
         0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(search(table[i].pattern, table[i].name, strlen(table[i].name)), table[i].found);
}

/* The same in names of 4096 bytes and many more, wherever it stands. */
static void long_names(void **state)
{
    (void)state;
    enum { LEN = 100000 };
    static char name[LEN + 8];
    static const size_t places[] = {0, 1, 2, 3, 4, 5, 7, 8, 4094, 4095, 4096, 65535, 65536, 65537, LEN - 4};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        /* Characters of two bytes, so that a part may not begin anywhere. */
        for (size_t k = 0; k + 1 < LEN; k += 2)
            memcpy(name + k, "\xc3\xa9", 2);
        size_t at = places[i] & ~(size_t)1;
        memcpy(name + at, "wxyz", 4);
        assert_int_equal(search("wxyz", name, LEN), 1);
        assert_int_equal(search("w.*z", name, LEN), 1);
        assert_int_equal(search("(?<=x)y", name, LEN), 1);
        assert_int_equal(search("wxyy", name, LEN), 0);
        assert_int_equal(search("^wxyz", name, LEN), at == 0);
        assert_int_equal(search("\\Gwxyz", name, LEN), at == 0);
        assert_int_equal(search("wxyz$", name, LEN), at + 4 == LEN);
        assert_int_equal(search("$", name, LEN), 1);
        assert_int_equal(search("^$", name, LEN), 0);
        assert_int_equal(search("w(*COMMIT)z|y", name, LEN), 0);
        assert_int_equal(search("q(*COMMIT)z|y", name, LEN), 1);
        assert_int_equal(search("w(*SKIP)z|x", name, LEN), 1);
        assert_int_equal(search("x(?C7)y", name, LEN), 1);
        assert_int_equal(search("(*NO_START_OPT)wxyz", name, LEN), 1);
    }
}

static void gives_up(void **state)
{
    (void)state;
    static char name[1000000];
    memset(name, 'k', sizeof name);
    assert_int_equal(search("(k+)+[yz]", name, 40), -1);
    assert_int_equal(search("(?<=k)\\w+\\d", name, sizeof name), -1);
    assert_int_equal(search("(\\w+)\\s\\1", name, sizeof name), -1);
    assert_int_equal(search("\\w+a\\w+b", name, sizeof name), 0); /* a letter that must be there is not */
    assert_int_equal(search("k{1000}", name, sizeof name), 1);
    assert_int_equal(search("attention|rotary", name, sizeof name), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(long_names),
        cmocka_unit_test(gives_up),
    };
    return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
