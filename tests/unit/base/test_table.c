/* Tables: rows of cells and the lines that they become, and that a cell read back is what it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

struct row {
    const char *cell, *tsv, *csv, *json; /* NULL: as it was; of csv: as tsv has it */
};

static const struct row rows[] = {
    {"", NULL, NULL, "\"\""},
    {"decode", NULL, NULL, "\"decode\""},
    {"f<a, b>(int)", NULL, "\"f<a, b>(int)\"", "\"f<a, b>(int)\""},
    {"say \"x\"", "say \\x22x\\x22", "\"say \"\"x\"\"\"", "\"say \\\"x\\\"\""},
    {"a\tb\nc\rd", "a\\x09b\\x0ac\\x0dd", NULL, "\"a\\tb\\nc\\u000dd\""},
    {"C:\\x\\x0a", "C:\\\\x\\\\x0a", NULL, "\"C:\\\\x\\\\x0a\""},
    {"=1+1", "\\x3d1+1", NULL, "\"=1+1\""},
    {"+1", "\\x2b1", NULL, "\"+1\""},
    {"-1", "\\x2d1", NULL, "\"-1\""},
    {"@SUM(a)", "\\x40SUM(a)", NULL, "\"@SUM(a)\""},
    {"==,", "\\x3d=,", "\"\\x3d=,\"", "\"==,\""},
    {"\xef\xbc\x9d"
     "1",
     "\\xef\\xbc\\x9d1", NULL,
     "\"\xef\xbc\x9d"
     "1\""},
    {"a=b-c", NULL, NULL, "\"a=b-c\""},
    {"\t=1", "\\x09=1", NULL, "\"\\t=1\""},
    {"::error::x", "\\x3a:error::x", NULL, "\"::error::x\""},
    {"at::native::f", NULL, NULL, "\"at::native::f\""},
    {"##[error]", "##\\x5berror]", NULL, "\"##\\u005berror]\""},
    {"#1", NULL, NULL, "\"#1\""},
    {"größer ≠ 日本", NULL, NULL, "\"größer ≠ 日本\""},
    {"\xff", "\\xff", NULL, "\"\xef\xbf\xbd\""},
    {"\xe2\x80\xa8", "\\xe2\\x80\\xa8", NULL, "\"\xe2\x80\xa8\""},
};
#define ROWS (sizeof rows / sizeof *rows)

static const char *const columns[] = {"one", "a, b", "=three"};

/* What a cell between two numbers becomes. The caller frees it. */
static char *line_of(enum table_format format, const char *cell, size_t len)
{
    struct text out = {0};
    struct table table = {.format = format, .out = &out, .columns = columns, .column_count = 3};
    table_spelled(&table, "-1.50", 5);
    table_text(&table, cell, len);
    table_u64(&table, 7);
    table_end_row(&table);
    text_add(&out, "", 1);
    assert_false(out.failed);
    table_free(&table);
    return out.data;
}

static void expect(enum table_format format, const char *cell, const char *before, const char *between,
                   const char *after, const char *expected)
{
    char whole[512];
    char *line = line_of(format, cell, strlen(cell));
    strcpy(whole, before);
    strcat(whole, expected);
    strcat(whole, between);
    strcat(whole, after);
    assert_string_equal(line, whole);
    free(line);
}

static void cells(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const char *tsv = rows[i].tsv == NULL ? rows[i].cell : rows[i].tsv;
        expect(TABLE_TSV, rows[i].cell, "-1.50\t", "\t", "7\n", tsv);
        expect(TABLE_CSV, rows[i].cell, "-1.50,", ",", "7\n", rows[i].csv == NULL ? tsv : rows[i].csv);
        expect(TABLE_JSON, rows[i].cell, "\n    {\"one\": -1.50, \"a, b\": ", ", \"=three\": ", "7}", rows[i].json);
    }
}

/* What the manual tells a reader to do with a cell of TSV. */
static size_t read_back(char *out, const char *cell)
{
    size_t len = 0;
    while (*cell != '\t') {
        if (cell[0] != '\\') {
            out[len++] = *cell++;
        } else if (cell[1] == '\\') {
            out[len++] = '\\';
            cell += 2;
        } else {
            const char hex[] = {cell[2], cell[3], '\0'};
            assert_int_equal(cell[1], 'x');
            out[len++] = (char)strtoul(hex, NULL, 16);
            cell += 4;
        }
    }
    return len;
}

static void read_back_to_the_byte(void **state)
{
    (void)state;
    char back[64], cell[8];
    for (unsigned i = 0; i < 1 << 16; i++) {
        const char made[] = {(char)(i >> 8), (char)(i & 255), '\\', 'x', '4', '1', (char)(i >> 8), '#'};
        memcpy(cell, made, sizeof cell);
        char *line = line_of(TABLE_TSV, cell, sizeof cell);
        assert_int_equal(read_back(back, strchr(line, '\t') + 1), sizeof cell);
        assert_memory_equal(back, cell, sizeof cell);
        assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
        free(line);
    }
}

static void whole(enum table_format format, const char *expected)
{
    struct text out = {0};
    struct table table = {.format = format, .out = &out, .columns = columns, .column_count = 3};
    table_head(&table, "a note");
    for (int i = 0; i < 2; i++) {
        table_empty(&table);
        table_u64(&table, UINT64_MAX);
        table_empty(&table);
        table_end_row(&table);
    }
    text_add(&out, "", 1);
    assert_string_equal(out.data, expected);
    assert_int_equal(table.rows, 2);
    table_free(&table);
    text_free(&out);
}

static void tables(void **state)
{
    (void)state;
    whole(TABLE_TSV, "# a note\none\ta, b\t\\x3dthree\n\t18446744073709551615\t\n\t18446744073709551615\t\n");
    whole(TABLE_CSV, "# a note\none,\"a, b\",\\x3dthree\n,18446744073709551615,\n,18446744073709551615,\n");
    whole(TABLE_JSON, "\n    {\"one\": null, \"a, b\": 18446744073709551615, \"=three\": null},"
                      "\n    {\"one\": null, \"a, b\": 18446744073709551615, \"=three\": null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells),
        cmocka_unit_test(read_back_to_the_byte),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
