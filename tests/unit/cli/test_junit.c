/* What verify found as JUnit XML: rows of findings and the suite that comes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/junit.h"

#define MOST 4

struct row {
    const char *name, *file;
    bool complete;
    struct {
        enum lt_finding kind;
        const char *sentence;
    } findings[MOST]; /* up to one without a sentence */
    const char *class, *message;
    const char *suite;
    const char *in_short; /* NULL: the same */
};

#define OK      LT_FINDING_OK
#define DIFFERS LT_FINDING_DIFFERS
#define OPEN    LT_FINDING_OPEN

#define CASE(file, what) "    <testcase classname=\"layertrack verify\" name=\"" file ": " what "\" file=\"t.json\">\n"
#define CASE_END         "    </testcase>\n"
#define SUITE_END        "  </testsuite>\n"

static const struct row rows[] = {
    {"nothing was found",
     "t.json",
     false,
     {{OK, NULL}},
     NULL,
     NULL,
     "  <testsuite name=\"t.json\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\">\n" CASE(
         "t.json", "nothing differs") CASE_END CASE("t.json", "all is proved") CASE_END SUITE_END,
     NULL},
    {"all is well",
     "t.json",
     true,
     {{OK, "flat"}, {OK, "the source's"}},
     NULL,
     NULL,
     "  <testsuite name=\"t.json\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\">\n" CASE(
         "t.json",
         "nothing differs") "      <system-out>flat\nthe source&#39;s\n</system-out>\n" CASE_END CASE("t.json",
                                                                                                      "all is proved")
         CASE_END SUITE_END,
     "  <testsuite name=\"t.json\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\">\n" CASE(
         "t.json", "nothing differs") CASE_END CASE("t.json", "all is proved") CASE_END SUITE_END},
    {"two differences and what is open, which fails",
     "t.json",
     true,
     {{DIFFERS, "a < b"}, {OPEN, "c"}, {DIFFERS, "\"d\""}},
     NULL,
     NULL,
     "  <testsuite name=\"t.json\" tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\">\n" CASE(
         "t.json", "nothing differs") "      <failure type=\"different\" message=\"a &lt; b\">a &lt; "
                                      "b\n&quot;d&quot;\n</failure>\n" CASE_END CASE(
                                          "t.json", "all is proved") "      <failure type=\"open\" "
                                                                     "message=\"c\">c\n</failure>\n" CASE_END SUITE_END,
     "  <testsuite name=\"t.json\" tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\">\n" CASE(
         "t.json", "nothing differs") "      <failure type=\"different\" message=\"a &lt; b\"></failure>\n" CASE_END
         CASE("t.json", "all is proved") "      <failure type=\"open\" message=\"c\"></failure>\n" CASE_END SUITE_END},
    {"what is open does not fail",
     "t.json",
     false,
     {{OPEN, "c & d"}, {OPEN, "e"}},
     NULL,
     NULL,
     "  <testsuite name=\"t.json\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\">\n" CASE("t.json",
                                                                                                  "nothing differs")
         CASE_END CASE("t.json", "all is proved") "      <skipped message=\"c &amp; d\"/>\n" CASE_END SUITE_END,
     NULL},
    {"it cannot be read, after something was found",
     "t.json",
     true,
     {{DIFFERS, "x"}},
     "truncated",
     "cut at \"5\"",
     "  <testsuite name=\"t.json\" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\">\n" CASE(
         "t.json", "nothing differs") "      <error type=\"truncated\" message=\"cut at &quot;5&quot;\"/>\n" CASE_END
         CASE("t.json", "all is proved") "      <skipped/>\n" CASE_END SUITE_END,
     NULL},
    {"names and sentences that XML has no characters for, and that a log obeys",
     "::rank3\n<b>##[x]\x01\xff&\"'\xef\xbf\xbe.json",
     false,
     {{DIFFERS, "::error::\n##[x]"}, {DIFFERS, "\x1b"}},
     NULL,
     NULL,
     "  <testsuite name=\"rank 3: "
     "\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json\" "
     "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
     "    <testcase classname=\"layertrack verify\" name=\"rank 3: "
     "\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json: nothing differs\" "
     "file=\"\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json\">\n"
     "      <failure type=\"different\" message=\"\\x3a:error::\\x0a##\\x5bx]\">\\x3a:error::\\x0a##\\x5bx]\n\\x1b\n"
     "</failure>\n" CASE_END "    <testcase classname=\"layertrack verify\" name=\"rank 3: "
     "\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json: all is proved\" "
     "file=\"\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json\">\n" CASE_END SUITE_END,
     "  <testsuite name=\"rank 3: "
     "\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json\" "
     "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
     "    <testcase classname=\"layertrack verify\" name=\"rank 3: "
     "\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json: nothing differs\" "
     "file=\"\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json\">\n"
     "      <failure type=\"different\" message=\"\\x3a:error::\\x0a##\\x5bx]\"></failure>\n" CASE_END
     "    <testcase classname=\"layertrack verify\" name=\"rank 3: "
     "\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json: all is proved\" "
     "file=\"\\x3a:rank3\\x0a&lt;b&gt;##\\x5bx]\\x01\\xff&amp;&quot;&#39;\xef\xbf\xbd.json\">\n" CASE_END SUITE_END},
};

static void check(const struct row *row, bool in_short, const char *expected)
{
    struct junit junit;
    struct text out = {0};
    struct rank rank = rank_of_path(row->file);
    junit_start(&junit, row->file, &rank, row->complete);
    for (size_t i = 0; i < MOST && row->findings[i].sentence != NULL; i++)
        junit_finding(&junit, row->findings[i].kind, row->findings[i].sentence);
    assert_true(junit_suite(&junit, row->class, row->message, in_short, &out));
    junit_free(&junit);
    text_add(&out, "", 1);
    if (strcmp(out.data, expected) != 0)
        print_message("%s:\n%s", row->name, out.data);
    assert_string_equal(out.data, expected);
    text_free(&out);
}

static void suites(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(&rows[i], false, rows[i].suite);
        check(&rows[i], true, rows[i].in_short == NULL ? rows[i].suite : rows[i].in_short);
    }
}

/* A label stands for a rank that has no number. */
static void labels(void **state)
{
    (void)state;
    struct junit junit;
    struct text out = {0};
    struct rank rank = rank_of_path("x-TP-3.json");
    junit_start(&junit, "x-TP-3.json", &rank, false);
    assert_true(junit_suite(&junit, NULL, NULL, true, &out));
    junit_free(&junit);
    text_add(&out, "", 1);
    assert_non_null(strstr(out.data, "<testsuite name=\"TP3: x-TP-3.json\" "));
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(suites), cmocka_unit_test(labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
