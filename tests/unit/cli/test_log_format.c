/* Messages in three formats: rows of a message and its bytes; how many GitHub is told; that names do nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/log_format.h"

#define N LT_NONE

struct row {
    const char *name, *workspace;
    struct log_entry entry;
    const char *text, *json, *github;
};

static const struct row rows[] = {
    {"an error that knows everything",
     "/ws",
     {LOG_ERROR, "cut-short", "t/rank0.json", NULL, 3, 17, 2, "ends in an event", "profile again", 0},
     "layertrack: t/rank0.json: ends in an event; profile again\n",
     "{\"level\": \"error\", \"class\": \"cut-short\", \"file\": \"t/rank0.json\", \"event_index\": 3, "
     "\"byte_offset\": 17, \"line\": 2, \"message\": \"ends in an event\", \"hint\": \"profile again\"}\n",
     "::error file=here/t/rank0.json,title=layertrack%3A cut-short::t/rank0.json: ends in an event; profile again\n"},
    {"a warning that knows nothing",
     "/ws",
     {LOG_WARNING, NULL, NULL, NULL, N, N, N, "odd", NULL, 0},
     "layertrack: warning: odd\n",
     "{\"level\": \"warning\", \"class\": null, \"file\": null, \"event_index\": null, \"byte_offset\": null, "
     "\"line\": null, \"message\": \"odd\", \"hint\": null}\n",
     "::warning title=layertrack::odd\n"},
    {"a notice, and zeros that are told",
     NULL,
     {LOG_NOTICE, "x", "a", NULL, 0, 0, 1, "m", NULL, 0},
     "layertrack: notice: a: m\n",
     "{\"level\": \"notice\", \"class\": \"x\", \"file\": \"a\", \"event_index\": 0, \"byte_offset\": 0, \"line\": 1, "
     "\"message\": \"m\", \"hint\": null}\n",
     "::notice title=layertrack%3A x::a: m\n"},
    {"separators and percent signs",
     "/ws",
     {LOG_ERROR, "a:b,c", "x,y:z%.json", NULL, N, N, N, "100%, 1:2", NULL, 0},
     "layertrack: x,y:z%.json: 100%, 1:2\n",
     "{\"level\": \"error\", \"class\": \"a:b,c\", \"file\": \"x,y:z%.json\", \"event_index\": null, "
     "\"byte_offset\": null, \"line\": null, \"message\": \"100%, 1:2\", \"hint\": null}\n",
     "::error file=here/x%2Cy%3Az%25.json,title=layertrack%3A a%3Ab%2Cc::x,y:z%25.json: 100%25, 1:2\n"},
    {"line ends, and what begins a command",
     "/ws",
     {LOG_ERROR, NULL, "\n::error::x", NULL, N, N, N, "##[error]\r\n", "::stop", 0},
     "layertrack: \\x0a::error::x: ##\\x5berror]\\x0d\\x0a; ::stop\n",
     "{\"level\": \"error\", \"class\": null, \"file\": \"\\n::error::x\", \"event_index\": null, "
     "\"byte_offset\": null, \"line\": null, \"message\": \"##\\u005berror]\\u000d\\n\", \"hint\": \"::stop\"}\n",
     "::error file=here/%0A%3A%3Aerror%3A%3Ax,title=layertrack::%0A::error::x: ##\\x5berror]%0D%0A; ::stop\n"},
    {"bytes that are no text",
     "/ws",
     {LOG_ERROR, NULL, "\xff.json", NULL, N, N, N, "m\x1b[2K", NULL, 0},
     "layertrack: \\xff.json: m\\x1b[2K\n",
     "{\"level\": \"error\", \"class\": null, \"file\": \"\xef\xbf\xbd.json\", \"event_index\": null, "
     "\"byte_offset\": null, \"line\": null, \"message\": \"m\\u001b[2K\", \"hint\": null}\n",
     "::error file=here/\\xff.json,title=layertrack::\\xff.json: m\\x1b[2K\n"},
    {"beside the workspace",
     "/ws/here",
     {LOG_ERROR, NULL, "../a", NULL, N, N, N, "m", NULL, 0},
     NULL,
     NULL,
     "::error title=layertrack::../a: m\n"},
    {"a folder that begins alike",
     "/ws",
     {LOG_ERROR, NULL, "/wsx/a", NULL, N, N, N, "m", NULL, 0},
     NULL,
     NULL,
     "::error title=layertrack::/wsx/a: m\n"},
    {"back below the workspace",
     "/ws/",
     {LOG_ERROR, NULL, "../there/./a", NULL, N, N, N, "m", NULL, 0},
     NULL,
     NULL,
     "::error file=there/a,title=layertrack::../there/./a: m\n"},
    {"an empty workspace",
     "",
     {LOG_ERROR, NULL, "a", NULL, N, N, N, "m", NULL, 0},
     NULL,
     NULL,
     "::error title=layertrack::a: m\n"},
    {"a track of a file",
     "/ws",
     {LOG_WARNING, "x", "t/a\n.json", "t/a\\x0a.json: track 'decode'", N, N, N, "m", NULL, 0},
     "layertrack: warning: t/a\\x0a.json: track 'decode': m\n",
     "{\"level\": \"warning\", \"class\": \"x\", \"file\": \"t/a\\n.json\", \"event_index\": null, "
     "\"byte_offset\": null, \"line\": null, \"message\": \"track 'decode': m\", \"hint\": null}\n",
     "::warning file=here/t/a%0A.json,title=layertrack%3A x::t/a\\x0a.json: track 'decode': m\n"},
    {"a file beside the trace",
     "/ws",
     {LOG_ERROR, "exists", "a.json", "out/a.layers.json", N, N, N, "already exists", "remove it", 0},
     "layertrack: out/a.layers.json: already exists; remove it\n",
     "{\"level\": \"error\", \"class\": \"exists\", \"file\": \"a.json\", \"event_index\": null, "
     "\"byte_offset\": null, \"line\": null, \"message\": \"out/a.layers.json: already exists\", \"hint\": "
     "\"remove it\"}\n",
     "::error file=here/a.json,title=layertrack%3A exists::out/a.layers.json: already exists; remove it\n"},
    {"standard input",
     "/ws",
     {LOG_ERROR, NULL, NULL, "standard input", N, N, N, "m", NULL, 0},
     "layertrack: standard input: m\n",
     "{\"level\": \"error\", \"class\": null, \"file\": null, \"event_index\": null, \"byte_offset\": null, "
     "\"line\": null, \"message\": \"standard input: m\", \"hint\": null}\n",
     "::error title=layertrack::standard input: m\n"},
    {"a message that begins with a command",
     NULL,
     {LOG_ERROR, NULL, NULL, NULL, N, N, N, "::error::x", NULL, 0},
     "layertrack: ::error::x\n",
     NULL,
     "::error title=layertrack::\\x3a:error::x\n"},
};

static const struct log_result good = {.exit_code = 0};

static void check_format(const struct row *row, enum log_format format, const char *expected)
{
    struct log log;
    struct text out = {0};
    if (expected == NULL)
        return;
    log_start(&log, format, "/ws/here", row->workspace);
    assert_true(log_add(&log, &row->entry, &out));
    assert_true((out.len == 0) == (format == LOG_GITHUB));
    size_t before = out.len;
    assert_true(log_end(&log, &good, &out));
    text_add(&out, "", 1);
    if (format == LOG_JSON)
        out.data[before] = '\0';
    assert_string_equal(out.data, expected);
    text_free(&out);
}

static void messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_format(&rows[i], LOG_TEXT, rows[i].text);
        check_format(&rows[i], LOG_JSON, rows[i].json);
        check_format(&rows[i], LOG_GITHUB, rows[i].github);
    }
}

struct many_row {
    unsigned count;
    const char *weights; /* of the messages in turn, a digit each, which is the message too */
    const char *shown;   /* the messages' digits and letters in order */
    unsigned more;
};

static const struct many_row many_rows[] = {
    {0, "", "", 0},
    {1, "5", "5", 0},
    {3, "152", "521", 0},
    {10, "1234567890", "9876543210", 0},
    {11, "12345678900", "987654321", 2},
    {12, "000000000009", "900000000", 3},
    {25, "9000000008000000000700006", "987600000", 16},
};

/* GitHub's lines: the worst first, of one weight the first one first, at most ten. */
static void the_worst_are_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof many_rows / sizeof *many_rows; i++) {
        const struct many_row *row = &many_rows[i];
        struct log log;
        struct text out = {0}, expected = {0};
        log_start(&log, LOG_GITHUB, "/", NULL);
        for (unsigned j = 0; j < row->count; j++) {
            char digit[2] = {row->weights[j], '\0'};
            struct log_entry entry = {LOG_WARNING, NULL, NULL, NULL, N, N, N, digit, NULL, (uint64_t)(digit[0] - '0')};
            assert_true(log_add(&log, &entry, &out));
        }
        struct log_entry other = {LOG_ERROR, NULL, NULL, NULL, N, N, N, "e", NULL, 0};
        log_add(&log, &other, &out);
        assert_int_equal(out.len, 0);
        assert_true(log_end(&log, &good, &out));
        text_puts(&expected, "::error title=layertrack::e\n");
        for (const char *shown = row->shown; *shown != '\0'; shown++) {
            text_puts(&expected, "::warning title=layertrack::");
            text_add(&expected, shown, 1);
            text_puts(&expected, "\n");
        }
        if (row->more > 0) {
            text_puts(&expected, "::warning title=layertrack::");
            text_u64(&expected, row->more);
            text_puts(&expected, " more, see the table\n");
        }
        text_add(&out, "", 1);
        text_add(&expected, "", 1);
        assert_string_equal(out.data, expected.data);
        text_free(&out);
        text_free(&expected);
    }
}

static void of_one_weight_the_first(void **state)
{
    (void)state;
    struct log log;
    struct text out = {0};
    log_start(&log, LOG_GITHUB, "/", NULL);
    for (int i = 0; i < 1000; i++) {
        char message[16];
        snprintf(message, sizeof message, "m%d", i);
        struct log_entry entry = {LOG_ERROR, NULL, NULL, NULL, N, N, N, message, NULL, i == 500};
        log_add(&log, &entry, &out);
    }
    log_end(&log, &good, &out);
    text_add(&out, "", 1);
    assert_string_equal(out.data, "::error title=layertrack::m500\n"
                                  "::error title=layertrack::m0\n::error title=layertrack::m1\n"
                                  "::error title=layertrack::m2\n::error title=layertrack::m3\n"
                                  "::error title=layertrack::m4\n::error title=layertrack::m5\n"
                                  "::error title=layertrack::m6\n::error title=layertrack::m7\n"
                                  "::error title=layertrack::991 more, see the table\n");
    text_free(&out);
}

static void results(void **state)
{
    (void)state;
    struct log_result result = {4, "anchors-too-few", 8, 6, 1, 1, 3, 2};
    for (int format = LOG_TEXT; format <= LOG_GITHUB; format++) {
        struct log log;
        struct text out = {0};
        log_start(&log, (enum log_format)format, "/", NULL);
        assert_true(log_end(&log, &result, &out));
        text_add(&out, "", 1);
        assert_string_equal(
            out.data, format != LOG_JSON
                          ? ""
                          : "{\"level\": \"result\", \"class\": \"anchors-too-few\", \"exit_code\": 4, \"traces\": "
                            "8, \"done\": 6, \"refused\": 1, \"resumed\": 1, \"passed_over\": 3, "
                            "\"warnings\": 2}\n");
        text_free(&out);
    }
}

/* An error and a warning as the library tells them. */
static void entries_of_the_library(void **state)
{
    (void)state;
    struct lt_error error = {.size = sizeof error,
                             .status = LT_SELECTION,
                             .class_id = LT_CLASS_TOO_FEW,
                             .event = LT_NONE,
                             .offset = 17,
                             .message = "a.json: need 4; look",
                             .file = "a.json",
                             .what = "need 4",
                             .hint = "look"};
    struct log_entry entry = log_entry_of_error(&error, "a.json");
    assert_int_equal(entry.level, LOG_ERROR);
    assert_string_equal(entry.class, "anchors-too-few");
    assert_string_equal(entry.path, "a.json");
    assert_string_equal(entry.file, "a.json");
    assert_true(entry.event == LT_NONE && entry.offset == 17 && entry.line == LT_NONE);
    assert_string_equal(entry.message, "need 4");
    assert_string_equal(entry.hint, "look");
    assert_int_equal(entry.weight, 4);
    error.status = LT_NO_MEMORY;
    error.class_id = LT_CLASS_NONE;
    error.line = 3;
    error.file[0] = error.hint[0] = '\0';
    entry = log_entry_of_error(&error, "-");
    assert_true(entry.path == NULL && entry.file == NULL && entry.hint == NULL && entry.class == NULL);
    assert_int_equal(entry.line, 3);
    assert_int_equal(entry.weight, 5);
    struct lt_warning warning = {.size = sizeof warning,
                                 .class_id = LT_CLASS_NOT_UTF8,
                                 .count = 9,
                                 .event = 1,
                                 .offset = 2,
                                 .message = "odd",
                                 .file = "",
                                 .what = "odd",
                                 .hint = ""};
    entry = log_entry_of_warning(&warning, "a.json");
    assert_int_equal(entry.level, LOG_WARNING);
    assert_string_equal(entry.class, "not-utf8");
    assert_string_equal(entry.path, "a.json");
    assert_true(entry.file == NULL && entry.hint == NULL && entry.line == LT_NONE);
    assert_true(entry.event == 1 && entry.offset == 2 && entry.weight == 9);
}

static void names_of_formats(void **state)
{
    (void)state;
    enum log_format format = LOG_TEXT;
    assert_true(log_format_parse(&format, "github"));
    assert_int_equal(format, LOG_GITHUB);
    assert_true(log_format_parse(&format, "json"));
    assert_int_equal(format, LOG_JSON);
    assert_false(log_format_parse(&format, "JSON"));
    assert_false(log_format_parse(&format, ""));
    assert_int_equal(format, LOG_JSON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),
        cmocka_unit_test(the_worst_are_shown),
        cmocka_unit_test(of_one_weight_the_first),
        cmocka_unit_test(entries_of_the_library),
        cmocka_unit_test(results),
        cmocka_unit_test(names_of_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
