/* Our own JSON: the same items, places and outcome whatever the pieces; members, however many there are. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "json/json_reader.h"

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
        assert_int_equal(members_add(&members, key, len, JSON_NUMBER, key + 1, len - 1), MEMBERS_OK);
        if (i > 100 && i % 1000 != 0)
            continue;
        assert_int_equal(members_add(&members, key, len, JSON_WORD, "null", 4), MEMBERS_TWICE);
        assert_int_equal(members_add(&members, "k0", 2, JSON_WORD, "null", 4), MEMBERS_TWICE);
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

/* ---- items ------------------------------------------------------------------------------------------------- */

/*
 * An item is written as the keys that lead to it, one for each level, then
 * what it is and its text: `/a//b=null` is a null under "b" of an object in
 * an array under "a". A key that is none of ours is "?".
 */
static const struct row {
    const char *text, *items;
    enum json_status status;
    int offset; /* json_reader_offset() then; -1: not looked at */
    bool any_bytes, no_half_pairs;
} rows[] = {
    {"{}", "{ /} ", JSON_END, 2, false, false},
    {" [1, -2.50e+3,\"x\"] \n", "[ /#1 /#-2.50e+3 /'x /] ", JSON_END, 20, false, false},
    {"{\"a\": [true, {\"b\": null}], \"c\": {\"a\": false}}",
     "{ /a:a /a[ /a/=true /a/{ /a//b:b /a//b=null /a//b} /a/] /c:c /c{ /c/a:a /c/a=false /c/a} /c} ", JSON_END, 45,
     false, false},
    {"\"x\"", "'x ", JSON_END, 3, false, false},
    {"[\"\"]", "[ /' /] ", JSON_END, 4, false, false},
    /* Keys as they are compared: with escapes, a NUL, of no letter, as long as ours may be, longer. */
    {"{\"\\u0061\": 1}", "{ /a:a /a#1 /a} ", JSON_END, 13, false, false},
    {"{\"a\\u0000b\": 1}", "{ ?:a\\0b ?#1 ?} ", JSON_END, 15, false, false},
    {"{\"\": 1}", "{ /: /#1 /} ", JSON_END, 7, false, false},
    {"{\"12345678901234567890123\": 1}",
     "{ /12345678901234567890123:12345678901234567890123 /12345678901234567890123#1 /12345678901234567890123} ",
     JSON_END, 30, false, false},
    {"{\"123456789012345678901234\": 1}", "{ ?:123456789012345678901234 ?#1 ?} ", JSON_END, 31, false, false},
    /* Half of a character, and what is none. */
    {"[\"\\ud83d\\ude00\"]", "[ /'\xf0\x9f\x98\x80 /] ", JSON_END, 16, false, true},
    {"[\"\\ud83dx\"]", NULL, JSON_HALF_PAIR, 8, false, true},
    {"[\"\\ud83d\\n\"]", NULL, JSON_HALF_PAIR, 9, false, true},
    {"[\"\\ud83d\"]", NULL, JSON_HALF_PAIR, 8, false, true},
    {"[\"\\ude00\"]", NULL, JSON_HALF_PAIR, 7, false, true},
    {"[\"\\ud83d\"]", "[ /'? /] ", JSON_END, 10, false, false},
    {"[\"\\\\ud83dx\"]", "[ /'\\ud83dx /] ", JSON_END, 12, false, true},
    {"[\"\xff\"]", "[ /'\xff /] ", JSON_END, 5, true, false},
    {"[\"\xff\"]", "[ ", JSON_SYNTAX, -1, false, false},
    /* No document, part of one, more than one. */
    {"", "", JSON_CUT, 0, false, false},
    {" \n", "", JSON_CUT, 2, false, false},
    {"[1, {\"a\"", "[ /#1 /{ //a:a ", JSON_CUT, 8, false, false},
    {"{} {}", "{ /} ", JSON_SYNTAX, -1, false, false},
    {"[1,]", "[ /#1 ", JSON_SYNTAX, 4, false, false},
    {"[1, \"stop\", 2]", "[ /#1 ", JSON_STOPPED, 10, false, false},
};

struct told {
    struct json_reader json;
    char items[512];
};

static bool tell(void *ctx, enum json_kind kind, const char *text, size_t len)
{
    struct told *told = ctx;
    const struct json_reader *json = &told->json;
    const char *opens = json->level[json->depth + 1].is_object ? "{" : "[";
    const char *closes = json->level[json->depth].is_object ? "}" : "]";
    const char *const signs[] = {"#", "'", "=", opens, ":", closes};
    char *at = told->items + strlen(told->items);
    if (kind == JSON_STRING && len == 4 && memcmp(text, "stop", 4) == 0)
        return false;
    for (unsigned i = 1; i <= json->depth; i++) {
        bool ours = json_reader_under(json, i, json->level[i].key);
        at += sprintf(at, "%s%s", ours ? "/" : "?", ours ? json->level[i].key : "");
    }
    at += sprintf(at, "%s", signs[kind]);
    for (size_t i = 0; i < len; i++)
        at += sprintf(at, text[i] == '\0' ? "\\0" : "%c", text[i]);
    strcpy(at, " ");
    if (kind == JSON_KEY)
        assert_true(json->key_len == len && memcmp(json->key, text, len + 1) == 0);
    return true;
}

/* The text as a file that is read in pieces of so many bytes at first. */
static enum json_status read_text(struct told *told, const char *text, size_t len, size_t piece)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
    enum json_status status = JSON_OK;
    told->json.piece = piece;
    while (status == JSON_OK)
        status = json_reader_file(&told->json, fileno(file));
    fclose(file);
    return status;
}

static void items(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t piece = 1; piece <= 64; piece++) {
            const struct row *row = &rows[r];
            struct told told = {.json = {.item = tell, .any_bytes = row->any_bytes}};
            told.json.ctx = &told;
            told.json.no_half_pairs = row->no_half_pairs;
            enum json_status status = read_text(&told, row->text, strlen(row->text), piece);
            if (row->items != NULL)
                assert_string_equal(told.items, row->items);
            if (status != row->status || (row->offset >= 0 && (uint64_t)row->offset != json_reader_offset(&told.json)))
                fail_msg("%s by %zu: %d at %d, not %d at %d", row->text, piece, status,
                         (int)json_reader_offset(&told.json), row->status, row->offset);
            assert_int_equal(told.json.why[0] != '\0', status == JSON_SYNTAX || status == JSON_CUT);
            json_reader_end(&told.json);
        }
}

/* What is longer than anything of ours is refused before it is all in memory; what is as long is not. */
static void long_strings(void **state)
{
    (void)state;
    for (int over = 0; over <= 1; over++) {
        struct told told = {.json = {.item = tell}};
        told.json.ctx = &told;
        size_t len = ((size_t)8 << 20) * (over ? 2 : 1);
        char *text = malloc(len);
        assert_non_null(text);
        memset(text, ' ', len);
        text[0] = '[';
        text[len - 1] = ']';
        assert_int_equal(read_text(&told, text, len, 4096), over ? JSON_TOO_LONG : JSON_END);
        assert_string_equal(told.items, over ? "[ " : "[ /] ");
        assert_true(json_reader_offset(&told.json) <= ((size_t)9 << 20) + 8192);
        json_reader_end(&told.json);
        free(text);
    }
}

static void unreadable(void **state)
{
    (void)state;
    struct told told = {.json = {.item = tell, .piece = 16}};
    assert_int_equal(json_reader_file(&told.json, -1), JSON_UNREADABLE);
    assert_int_equal(told.json.errnum, EBADF);
    json_reader_end(&told.json);
}

/* Of a text the end is not asked for, and places deeper than have a name are counted. */
static void texts(void **state)
{
    (void)state;
    struct told told = {.json = {.item = tell}};
    char deep[3 * JSON_LEVELS];
    told.json.ctx = &told;
    assert_int_equal(json_reader_text(&told.json, "{\"a\": [12, ", 11), JSON_OK);
    assert_string_equal(told.items, "{ /a:a /a[ /a/#12 ");
    assert_int_equal(told.json.depth, 2);
    json_reader_end(&told.json);

    struct members members = {0}, outer = {0};
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    assert_true(members_read(&members, &outer, deep, sizeof deep, "a"));
    assert_int_equal(members_find(&outer, "a")->kind, JSON_NESTED);
    members_free(&members);
    members_free(&outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items), cmocka_unit_test(long_strings), cmocka_unit_test(unreadable),
        cmocka_unit_test(texts), cmocka_unit_test(many_keys),    cmocka_unit_test(many_keys_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
