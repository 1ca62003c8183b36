#include "cli/junit.h"

#include <string.h>

#include "base/line.h"
#include "picture/svg.h"

const char junit_head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"layertrack verify\">\n";
const char junit_tail[] = "</testsuites>\n";

void junit_start(struct junit *junit, const char *file, const struct rank *rank, bool complete)
{
    *junit = (struct junit){.file = file, .rank = *rank, .complete = complete};
}

void junit_finding(struct junit *junit, enum lt_finding kind, const char *sentence)
{
    struct text *lines = &junit->lines[kind];
    junit->counts[kind]++;
    line_add(lines, sentence, strlen(sentence));
    text_puts(lines, "\n");
}

void junit_free(struct junit *junit)
{
    for (int kind = 0; kind < JUNIT_KINDS; kind++)
        text_free(&junit->lines[kind]);
}

/* ---- XML ---------------------------------------------------------------------------------------------------- */

/* A line as text of XML, or within an attribute. */
static void add_xml(struct text *out, const char *bytes, size_t len)
{
    struct text line = {0};
    line_add(&line, bytes, len);
    svg_text(out, line.data, line.len);
    out->failed = out->failed || line.failed;
    text_free(&line);
}

static void add_string(struct text *out, const char *string)
{
    add_xml(out, string, strlen(string));
}

/* rank 3: FILE; TP1: FILE; or FILE. */
static void add_name(struct text *out, const struct junit *junit)
{
    char rank[RANK_TEXT_SIZE];
    rank_text(&junit->rank, rank);
    text_puts(out, rank[0] != '\0' && junit->rank.number != RANK_NONE ? "rank " : "");
    text_puts(out, rank);
    text_puts(out, rank[0] != '\0' ? ": " : "");
    add_string(out, junit->file);
}

/* Its first line as an attribute. */
static void add_message(struct text *out, const struct text *lines)
{
    const char *end = lines->len == 0 ? NULL : memchr(lines->data, '\n', lines->len);
    text_puts(out, " message=\"");
    if (end != NULL)
        svg_text(out, lines->data, (size_t)(end - lines->data));
    text_puts(out, "\"");
}

/* Lines that are safe already, with their ends. */
static void add_lines(struct text *out, const struct text *lines)
{
    for (size_t at = 0; at < lines->len;) {
        const char *end = memchr(lines->data + at, '\n', lines->len - at);
        size_t len = end == NULL ? lines->len - at : (size_t)(end - lines->data) - at;
        svg_text(out, lines->data + at, len);
        text_puts(out, "\n");
        at += len + 1;
    }
}

static void start_case(struct text *out, const struct junit *junit, const char *what)
{
    text_puts(out, "    <testcase classname=\"layertrack verify\" name=\"");
    add_name(out, junit);
    text_puts(out, what);
    text_puts(out, "\" file=\"");
    add_string(out, junit->file);
    text_puts(out, "\">\n");
}

static void add_failure(struct text *out, const char *type, const struct text *lines, bool in_short)
{
    text_puts(out, "      <failure type=\"");
    text_puts(out, type);
    text_puts(out, "\"");
    add_message(out, lines);
    text_puts(out, ">");
    if (!in_short)
        add_lines(out, lines);
    text_puts(out, "</failure>\n");
}

static void add_skipped(struct text *out, const struct text *lines)
{
    text_puts(out, "      <skipped");
    if (lines != NULL)
        add_message(out, lines);
    text_puts(out, "/>\n");
}

static void add_error(struct text *out, const char *class, const char *message)
{
    text_puts(out, "      <error type=\"");
    add_string(out, class);
    text_puts(out, "\" message=\"");
    add_string(out, message);
    text_puts(out, "\"/>\n");
}

static void add_number(struct text *out, const char *name, size_t number)
{
    text_puts(out, " ");
    text_puts(out, name);
    text_puts(out, "=\"");
    text_u64(out, number);
    text_puts(out, "\"");
}

bool junit_suite(const struct junit *junit, const char *class, const char *message, bool in_short, struct text *out)
{
    const struct text *ok = &junit->lines[LT_FINDING_OK], *differs = &junit->lines[LT_FINDING_DIFFERS],
                      *open = &junit->lines[LT_FINDING_OPEN];
    bool is_error = class != NULL;
    bool has_difference = !is_error && differs->len > 0, is_open = !is_error && open->len > 0;
    text_puts(out, "  <testsuite name=\"");
    add_name(out, junit);
    text_puts(out, "\" tests=\"2\"");
    add_number(out, "failures", (size_t)has_difference + (is_open && junit->complete));
    add_number(out, "errors", is_error);
    add_number(out, "skipped", is_error || (is_open && !junit->complete));
    text_puts(out, ">\n");
    start_case(out, junit, ": nothing differs");
    if (is_error)
        add_error(out, class, message);
    if (has_difference)
        add_failure(out, "different", differs, in_short);
    if (!in_short && ok->len > 0) {
        text_puts(out, "      <system-out>");
        add_lines(out, ok);
        text_puts(out, "</system-out>\n");
    }
    text_puts(out, "    </testcase>\n");
    start_case(out, junit, ": all is proved");
    if (is_error)
        add_skipped(out, NULL);
    else if (is_open && junit->complete)
        add_failure(out, "open", open, in_short);
    else if (is_open)
        add_skipped(out, open);
    text_puts(out, "    </testcase>\n  </testsuite>\n");
    out->failed = out->failed || ok->failed || differs->failed || open->failed;
    return !out->failed;
}
