/* Lines that hold names: rows of bytes and what becomes of them, and that nothing which begins a command is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/line.h"
#include "base/path.h"

struct row {
    const char *bytes, *line, *json; /* NULL: as it was */
};

static const struct row rows[] = {
    {"", NULL, NULL},
    {"layertrack: rank0.json: cut short", NULL, NULL},
    {"void at::native::foo<int>(float*)", NULL, NULL},
    {"# Call CompiledFxGraph #", NULL, NULL},
    {"## Call CompiledFxGraph f7 ##", NULL, NULL},
    {"a[0] #[1] # #[2]", NULL, NULL},
    {"größer ≠ 日本", NULL, NULL},
    {"::error file=x::y", "\\x3a:error file=x::y", NULL},
    {"::", "\\x3a:", NULL},
    {":::", "\\x3a::", NULL},
    {":", NULL, NULL},
    {": :", NULL, NULL},
    {"   ::error::y", "   \\x3a:error::y", NULL},
    {"\t::error::y", "\\x09::error::y", NULL},
    {"\xc2\xa0::y", "\xc2\xa0\\x3a:y", NULL},
    {"\xe2\x80\x83 \xe3\x80\x80::y", "\xe2\x80\x83 \xe3\x80\x80\\x3a:y", NULL},
    {"\xe1\x9a\x80\xe2\x80\xaf\xe2\x81\x9f::y", "\xe1\x9a\x80\xe2\x80\xaf\xe2\x81\x9f\\x3a:y", NULL},
    {"\xe2\x80\xa8::y", "\\xe2\\x80\\xa8::y", NULL},
    {"x\n::error::y", "x\\x0a::error::y", NULL},
    {"x\r::error::y", "x\\x0d::error::y", NULL},
    {"\x1b[2K::y", "\\x1b[2K::y", NULL},
    {"\xff\xfe", "\\xff\\xfe", NULL},
    {"##[error]x", "##\\x5berror]x", "##\\u005berror]x"},
    {"x ##[error]x##[y", "x ##\\x5berror]x##\\x5by", "x ##\\u005berror]x##\\u005by"},
    {"###[a", "###\\x5ba", "###\\u005ba"},
    {"#x#[a", NULL, NULL},
    {"##x#[a", NULL, NULL},
    {"##x##[a", "##x##\\x5ba", "##x##\\u005ba"},
    {"##vso[task.setvariable]", "##vso\\x5btask.setvariable]", "##vso\\u005btask.setvariable]"},
    {"##teamCity[x", "##teamCity\\x5bx", "##teamCity\\u005bx"},
    {"## [x", NULL, NULL},
    {"##v so[x", NULL, NULL},
    {"::##[x", "\\x3a:##\\x5bx", "::##\\u005bx"},
};

static void check(void (*add)(struct text *, const char *, size_t), const char *bytes, const char *expected)
{
    struct text once = {0}, twice = {0};
    text_puts(&once, "");
    add(&once, bytes, strlen(bytes));
    text_add(&once, "", 1);
    assert_string_equal(once.data, expected);
    add(&twice, once.data, once.len - 1);
    text_add(&twice, "", 1);
    assert_string_equal(twice.data, expected);
    text_free(&once);
    text_free(&twice);
}

/* One test for all: a row's name would be a command in whatever runs this. */
static void lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        check(line_add, row->bytes, row->line == NULL ? row->bytes : row->line);
        check(line_add_json, row->bytes, row->json == NULL ? row->bytes : row->json);
    }
}

/* What GitHub's runner looks for, in lines as it cuts them. */
static bool is_command(const char *text)
{
    bool at_start = true;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (strncmp(text + i, "##[", 3) == 0 || (at_start && strncmp(text + i, "::", 2) == 0))
            return true;
        at_start = text[i] == '\n' || text[i] == '\r' || (at_start && strchr(" \t\v\f", text[i]) != NULL);
    }
    return false;
}

/* All words of six of these letters. */
static void no_command_is_left(void **state)
{
    (void)state;
    static const char letters[] = ":#[ \n\ra\t";
    enum { LETTERS = sizeof letters - 1, LEN = 6 };
    size_t commands = 0;
    for (size_t number = 0; number < (size_t)LETTERS * LETTERS * LETTERS * LETTERS * LETTERS * LETTERS; number++) {
        char word[LEN + 1] = "";
        for (size_t i = 0, rest = number; i < LEN; i++, rest /= LETTERS)
            word[i] = letters[rest % LETTERS];
        if (!is_command(word))
            continue;
        struct text text = {0};
        line_add(&text, word, LEN);
        text_add(&text, "", 1);
        assert_false(is_command(text.data));
        text_free(&text);
        commands++;
    }
    assert_true(commands > 10000);
}

struct path_row {
    const char *cwd, *path, *absolute;
};

static const struct path_row path_rows[] = {
    {"/a/b", "c", "/a/b/c"},
    {"/a/b", "/c", "/c"},
    {"/a/b/", "./c/", "/a/b/c"},
    {"/a/b", "../c", "/a/c"},
    {"/", "c", "/c"},
    {"/a", "..", ""},
    {"/a", "../../../c", "/c"},
    {"/a", ".c/..d/...", "/a/.c/..d/..."},
    {"/a", "b//c/./d/../e", "/a/b/c/e"},
};

static void paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof path_rows / sizeof *path_rows; i++) {
        struct text text = {0};
        text_puts(&text, "before/");
        path_add_absolute(&text, path_rows[i].cwd, path_rows[i].path);
        text_add(&text, "", 1);
        assert_string_equal(text.data + strlen("before/"), path_rows[i].absolute);
        text_free(&text);
    }
    assert_string_equal(path_below("/a/b/c", "/a/b"), "c");
    assert_string_equal(path_below("/a/b/c", ""), "a/b/c");
    assert_null(path_below("/a/bc", "/a/b"));
    assert_null(path_below("/a/b", "/a/b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(no_command_is_left),
        cmocka_unit_test(paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
