#include "base/table.h"

#include <string.h>

#include "base/line.h"

/* How many bytes at the text's start make a spreadsheet compute it; 0: it does not. */
static size_t formula_sign(const char *text, size_t len)
{
    static const char *const signs[] = {"=",           "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                        "\xef\xbc\xa0"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t size = strlen(signs[i]);
        if (len >= size && memcmp(text, signs[i], size) == 0)
            return size;
    }
    return 0;
}

static void add_hex(struct text *out, const char *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        const char hex[] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        text_add(out, hex, sizeof hex);
    }
}

/* Text with its escapes, but for what line_add() makes of it. */
static void escape(const struct table *table, struct text *out, const char *text, size_t len)
{
    size_t plain = formula_sign(text, len);
    add_hex(out, text, plain);
    for (size_t i = plain; i < len; i++) {
        bool is_escape = text[i] == '\\';
        if (!is_escape && (text[i] != '"' || table->format == TABLE_CSV))
            continue;
        text_add(out, text + plain, i - plain);
        if (is_escape)
            text_puts(out, "\\\\");
        else
            add_hex(out, text + i, 1);
        plain = i + 1;
    }
    text_add(out, text + plain, len - plain);
}

static void add_quoted(struct text *out, const char *text, size_t len)
{
    text_puts(out, "\"");
    for (size_t i = 0; i < len; i++) {
        text_add(out, text + i, 1);
        if (text[i] == '"')
            text_puts(out, "\"");
    }
    text_puts(out, "\"");
}

/* A cell as TSV or CSV has it, without what is between cells. */
static void add_text(struct table *table, const char *text, size_t len)
{
    struct text *cell = &table->cell;
    cell->len = 0;
    escape(table, cell, text, len);
    struct text *line = &table->line;
    line->len = 0;
    if (cell->len > 0)
        line_add(line, cell->data, cell->len);
    bool quoted = table->format == TABLE_CSV && line->len > 0 &&
                  (memchr(line->data, ',', line->len) != NULL || memchr(line->data, '"', line->len) != NULL);
    if (quoted)
        add_quoted(table->out, line->data, line->len);
    else
        text_add(table->out, line->data, line->len);
    table->out->failed = table->out->failed || cell->failed || line->failed;
}

static void add_json(struct table *table, const char *text, size_t len)
{
    struct text *cell = &table->cell;
    cell->len = 0;
    text_json(cell, text, len);
    line_add_json(table->out, cell->data == NULL ? "" : cell->data, cell->len);
    table->out->failed = table->out->failed || cell->failed;
}

void table_head(struct table *table, const char *comment)
{
    if (table->format == TABLE_JSON)
        return;
    text_puts(table->out, "# ");
    text_puts(table->out, comment);
    text_puts(table->out, "\n");
    for (size_t i = 0; i < table->column_count; i++)
        table_text(table, table->columns[i], strlen(table->columns[i]));
    table_end_row(table);
    table->rows = 0;
}

/* What stands before a cell. */
static void begin_cell(struct table *table)
{
    bool is_first = table->column == 0;
    const char *name = table->columns[table->column++];
    if (table->format != TABLE_JSON) {
        text_puts(table->out, is_first ? "" : table->format == TABLE_CSV ? "," : "\t");
        return;
    }
    text_puts(table->out, !is_first ? ", " : table->rows > 0 ? ",\n    {" : "\n    {");
    add_json(table, name, strlen(name));
    text_puts(table->out, ": ");
}

void table_text(struct table *table, const char *text, size_t len)
{
    begin_cell(table);
    if (table->format == TABLE_JSON)
        add_json(table, text, len);
    else
        add_text(table, text, len);
}

void table_spelled(struct table *table, const char *text, size_t len)
{
    begin_cell(table);
    text_add(table->out, text, len);
}

void table_u64(struct table *table, uint64_t number)
{
    begin_cell(table);
    text_u64(table->out, number);
}

void table_empty(struct table *table)
{
    begin_cell(table);
    text_puts(table->out, table->format == TABLE_JSON ? "null" : "");
}

void table_end_row(struct table *table)
{
    text_puts(table->out, table->format == TABLE_JSON ? "}" : "\n");
    table->column = 0;
    table->rows++;
}

void table_free(struct table *table)
{
    text_free(&table->cell);
    text_free(&table->line);
}
