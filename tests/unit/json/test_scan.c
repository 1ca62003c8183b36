/*
 * test_scan.c - what each parser makes of an input
 *
 * A row is an input and the outcome in words, as outcome() below writes it:
 * one line for each event with its fields, then `ok` with the layout or
 * `refused` with the reason, then the warnings. `strict` is NULL
 * when the strict parser says the same. Every row is run with both parsers,
 * all ways of indexing that this machine has, and blocks of several sizes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test_scan_rows.h"
#include "json/json_text.h"
#include "json/scan.h"
#include "json/scan_fast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- outcomes in words ---- */

#define OUTCOME ((size_t)8192)

struct out {
    char text[OUTCOME];
    size_t len;
};

static void say(struct out *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out->text + out->len, OUTCOME - out->len, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < OUTCOME - out->len);
    out->len += (size_t)n;
}

static void say_value(struct out *out, const char *key, const struct scan_value *value)
{
    char text[1024];
    size_t len = value->len;
    switch (value->kind) {
    case SCAN_ABSENT:
        return;
    case SCAN_NULL:
        say(out, " %s=null", key);
        return;
    case SCAN_FALSE:
        say(out, " %s=false", key);
        return;
    case SCAN_TRUE:
        say(out, " %s=true", key);
        return;
    case SCAN_NESTED:
        say(out, " %s=nested", key);
        return;
    case SCAN_NUMBER:
        say(out, " %s=%.*s", key, (int)value->len, value->text);
        return;
    case SCAN_NONFINITE:
        say(out, " %s=!%.*s", key, (int)value->len, value->text);
        return;
    case SCAN_STRING:
        assert_true(len < sizeof text);
        if (value->escaped)
            len = json_unescape(text, value->text, len);
        else
            memcpy(text, value->text, len);
        say(out, " %s=\"%.*s\"", key, (int)len, text);
    }
}

static bool take(void *ctx, const struct scan_event *event)
{
    struct out *out = ctx;
    struct scan_event copy = *event;
    say(out, "%llu %llu-%llu%s", (unsigned long long)event->index, (unsigned long long)event->offset,
        (unsigned long long)event->end, event->is_object ? " {" : "");
    for (enum scan_field field = 0; field < FIELDS; field++)
        say_value(out, scan_field_key(field), scan_field_value(&copy, field));
    say(out, "%s\n", event->is_object ? " }" : "");
    return true;
}

static const char *const refusals[] = {"fine",      "empty",      "bom",      "not-json",  "no-events",
                                       "no-array",  "two-arrays", "too-deep", "long-name", "long-field",
                                       "truncated", "trailing",   "syntax"};
static const char *const facts[FACTS] = {"base-time", "rank", "world-size"};
static const char *const kinds[SCAN_WARN_KINDS] = {"control",        "utf8",           "escape",    "nonfinite",
                                                   "nonfinite-time", "trailing-comma", "open-array"};

static void outcome(struct out *out, struct scan *scan, const char *input, size_t len, size_t block)
{
    assert_non_null(scan);
    *out = (struct out){.len = 0};
    scan->event = take;
    scan->ctx = out;
    struct scan_layout layout;
    enum scan_status status = SCAN_OK;
    for (size_t at = 0; at < len && status == SCAN_OK; at += block) {
        /* A block of its own, so that a sanitizer sees a byte read beyond it. */
        size_t size = len - at < block ? len - at : block;
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        memcpy(bytes, input + at, size);
        status = scan_feed(scan, bytes, size);
        free(bytes);
    }
    if (status == SCAN_OK)
        status = scan_finish(scan, &layout);
    if (status == SCAN_OK) {
        assert_int_equal(scan_insert_offset(scan), layout.insert_offset);
        say(out, "ok events %llu insert %llu total %llu%s%s%s\n", (unsigned long long)layout.events,
            (unsigned long long)layout.insert_offset, (unsigned long long)layout.total, layout.bare ? " bare" : "",
            layout.open ? " open" : "", layout.needs_comma ? " comma" : "");
        for (int i = 0; i < FACTS; i++)
            if (layout.facts.known[i])
                say(out, "fact %s %llu\n", facts[i], (unsigned long long)layout.facts.value[i]);
    } else {
        const struct scan_problem *problem = scan_problem(scan);
        assert_int_equal(status, SCAN_REFUSED);
        assert_int_equal(problem->event, problem->events);
        say(out, "refused %s at %llu, %s event %llu, last end %llu", refusals[problem->what],
            (unsigned long long)problem->offset, problem->in_event ? "in" : "before",
            (unsigned long long)problem->event, (unsigned long long)problem->last_end);
        if (problem->key[0] != '\0')
            say(out, ", key %s", problem->key);
        if (problem->detail != NULL)
            say(out, ": %s", problem->detail);
        say(out, "\n");
    }
    const struct scan_warnings *warnings = scan_warnings(scan);
    for (int i = 0; i < SCAN_WARN_KINDS; i++) {
        if (warnings->count[i] > 0) {
            say(out, "warned %s %llu, first at %llu\n", kinds[i], (unsigned long long)warnings->count[i],
                (unsigned long long)warnings->first_offset[i]);
        }
    }
    scan_free(scan);
}

/* ---- rows ---- */

static const size_t blocks[] = {1, 2, 3, 7, 64, 65, SIZE_MAX};
#define BLOCKS (sizeof blocks / sizeof *blocks)

static void check_row(const struct row *row)
{
    struct out out;
    size_t len = strlen(row->input);
    for (size_t b = 0; b < BLOCKS; b++) {
        outcome(&out, scan_yajl_new(), row->input, len, blocks[b]);
        assert_string_equal(out.text, row->strict != NULL ? row->strict : row->fast);
        for (int simd = SIMD_NONE; simd < SIMD_KINDS; simd++) {
            if (simd == SIMD_NONE || json_index_of((enum json_simd)simd) != NULL) {
                outcome(&out, scan_fast_new_with((enum json_simd)simd), row->input, len, blocks[b]);
                assert_string_equal(out.text, row->fast);
            }
        }
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

/* The rows are too short for an index. Behind other events, at every distance from a word's edge, they have one. */
static void test_rows_by_index(void **state)
{
    (void)state;
    static struct out expected, out;
    char input[2048];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].input[0] != '[')
            continue;
        for (int shift = 0; shift < 64; shift++) {
            int n = snprintf(input, sizeof input, "[{\"ph\":\"B\"},%*s{\"ph\":\"X\",\"name\":\"first\"},%s", shift, "",
                             rows[i].input + 1);
            assert_true(n > 0 && (size_t)n < sizeof input);
            outcome(&expected, scan_fast_new_with(SIMD_NONE), input, (size_t)n, SIZE_MAX);
            for (int simd = SIMD_NONE + 1; simd < SIMD_KINDS; simd++) {
                if (json_index_of((enum json_simd)simd) != NULL) {
                    outcome(&out, scan_fast_new_with((enum json_simd)simd), input, (size_t)n, SIZE_MAX);
                    assert_string_equal(out.text, expected.text);
                }
            }
        }
    }
}

/* ---- inputs that are made ---- */

/* Each scanner there is: 0 is the strict one, then the fast ones; NULL behind the last. */
static struct scan *nth_scanner(int n)
{
    if (n == 0)
        return scan_yajl_new();
    for (int simd = SIMD_NONE; simd < SIMD_KINDS; simd++)
        if ((simd == SIMD_NONE || json_index_of((enum json_simd)simd) != NULL) && --n == 0)
            return scan_fast_new_with((enum json_simd)simd);
    return NULL;
}

struct sums {
    uint64_t events;
    uint64_t hash;
};

static bool add(void *ctx, const struct scan_event *event)
{
    struct sums *sums = ctx;
    struct scan_event copy = *event;
    sums->hash = sums->hash * 31 + event->offset;
    sums->hash = sums->hash * 31 + event->end;
    for (enum scan_field field = 0; field < FIELDS; field++) {
        const struct scan_value *value = scan_field_value(&copy, field);
        sums->hash = sums->hash * 31 + value->kind;
        for (size_t i = 0; i < value->len; i++)
            sums->hash = sums->hash * 31 + (unsigned char)value->text[i];
    }
    sums->events++;
    return true;
}

static enum scan_status feed_all(struct scan *scan, const char *text, size_t len, size_t block)
{
    enum scan_status status = SCAN_OK;
    for (size_t at = 0; at < len && status == SCAN_OK; at += block)
        status = scan_feed(scan, (const unsigned char *)text + at, len - at < block ? len - at : block);
    return status;
}

/* Some hundred kilobytes: events longer than a window, names of several words, values of all lengths. */
static void test_long(void **state)
{
    (void)state;
    size_t size = 1 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "{\"traceEvents\": [");
    for (int i = 0; i < 1500; i++) {
        n += (size_t)sprintf(
            text + n, "%s\n  {\"ph\": \"X\", \"name\": \"%0*d\", \"ts\": %d.%d, \"args\": {\"device\": %d, \"x\": [",
            i > 0 ? "," : "", i % 200, i, i * 7919, i % 1000, i % 8);
        for (int j = 0; j < (i % 500 == 499 ? 9000 : i % 20); j++)
            n += (size_t)sprintf(text + n, "%s%d", j > 0 ? "," : "", j);
        n += (size_t)sprintf(text + n, "]}}");
    }
    n += (size_t)sprintf(text + n, "\n]}");
    assert_true(n < size);
    struct sums first = {0};
    for (int i = 0;; i++) {
        static const size_t long_blocks[] = {SIZE_MAX, 65536, 4099, 100};
        for (size_t b = 0; b < 4; b++) {
            struct scan *scan = nth_scanner(i);
            if (scan == NULL) {
                free(text);
                return;
            }
            struct sums sums = {0};
            struct scan_layout layout;
            scan->event = add;
            scan->ctx = &sums;
            assert_int_equal(feed_all(scan, text, n, long_blocks[b]), SCAN_OK);
            assert_int_equal(scan_finish(scan, &layout), SCAN_OK);
            assert_int_equal(layout.insert_offset, n - 2);
            assert_int_equal(sums.events, 1500);
            if (i == 0 && b == 0)
                first = sums;
            assert_int_equal(sums.hash, first.hash);
            scan_free(scan);
        }
    }
}

/* What is wrong far inside a string is the same in words, whether yajl saw it or it was kept from yajl. */
static void test_long_bad(void **state)
{
    (void)state;
    static const struct {
        const char *bad, *detail;
    } bads[] = {{"\n", "control character in a string"},
                {"\\q", "unknown escape in a string"},
                {"\\u12x4", "'\\u' without four hexadecimal digits"}};
    static const size_t sizes[] = {SIZE_MAX, 65536, 5000, 1000};
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++)
        for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++) {
            char text[12000];
            int len = snprintf(text, sizeof text, "{\"%010000d%s", 0, bads[i].bad);
            struct sums sums = {0};
            struct scan *scan = scan_new(SCAN_STRICT, add, &sums);
            assert_int_equal(feed_all(scan, text, (size_t)len, sizes[b]), SCAN_REFUSED);
            assert_string_equal(scan_problem(scan)->detail, bads[i].detail);
            assert_true(scan_problem(scan)->only_strict);
            scan_free(scan);
        }
}

/* A string of `len` bytes, made without holding it: prefix, filler, suffix. */
static enum scan_status feed_filled(struct scan *scan, const char *prefix, char filler, size_t len, const char *suffix)
{
    static char block[65536];
    memset(block, filler, sizeof block);
    enum scan_status status = feed_all(scan, prefix, strlen(prefix), SIZE_MAX);
    while (len > 0 && status == SCAN_OK) {
        size_t size = len < sizeof block ? len : sizeof block;
        status = scan_feed(scan, (const unsigned char *)block, size);
        len -= size;
    }
    return status == SCAN_OK ? feed_all(scan, suffix, strlen(suffix), SIZE_MAX) : status;
}

static void check_filled(const char *prefix, char filler, size_t len, const char *suffix, enum scan_refusal what,
                         const char *key)
{
    for (int i = 0;; i++) {
        struct scan *scan = nth_scanner(i);
        if (scan == NULL)
            return;
        struct sums sums = {0};
        struct scan_layout layout;
        scan->event = add;
        scan->ctx = &sums;
        enum scan_status status = feed_filled(scan, prefix, filler, len, suffix);
        if (status == SCAN_OK)
            status = scan_finish(scan, &layout);
        assert_int_equal(status, what == SCAN_FINE ? SCAN_OK : SCAN_REFUSED);
        assert_int_equal(scan_problem(scan)->what, what);
        assert_string_equal(scan_problem(scan)->key, key);
        if (what != SCAN_FINE)
            assert_int_equal(scan_problem(scan)->offset, strlen(prefix) - 1);
        scan_free(scan);
    }
}

static void test_limits(void **state)
{
    (void)state;
    check_filled("[{\"name\":\"", 'x', SCAN_MAX_NAME, "\"}]", SCAN_FINE, "");
    check_filled("[{\"name\":\"", 'x', SCAN_MAX_NAME + 1, "\"}]", SCAN_LONG_NAME, "name");
    check_filled("[{\"cat\":\"", 'x', SCAN_MAX_FIELD, "\"}]", SCAN_FINE, "");
    check_filled("[{\"cat\":\"", 'x', SCAN_MAX_FIELD + 1, "\"}]", SCAN_LONG_FIELD, "cat");
    check_filled("[{\"args\":{\"device\":\"", 'x', SCAN_MAX_FIELD + 1, "\"}}]", SCAN_LONG_FIELD, "device");
    check_filled("[{\"ts\":1", '2', SCAN_MAX_FIELD, "}]", SCAN_LONG_FIELD, "ts");
    /* What is no field may be of any length. */
    check_filled("[{\"args\":{\"a\":\"", 'x', 5000000, "\"}}]", SCAN_FINE, "");
    check_filled("[{\"", 'x', 5000000, "\":1}]", SCAN_FINE, "");
    check_filled("[{\"a\":1", '2', 5000000, "}]", SCAN_FINE, "");
    check_filled("[{\"a\":1", ' ', 5000000, "}]", SCAN_FINE, "");
    check_filled("[{\"args\":{\"a\":\"", '\\', 5000000, "\"}}]", SCAN_FINE, "");
}

static void test_depth(void **state)
{
    (void)state;
    for (size_t levels = SCAN_MAX_DEPTH - 1; levels <= SCAN_MAX_DEPTH; levels++) {
        char text[2 * SCAN_MAX_DEPTH + 16];
        size_t n = (size_t)sprintf(text, "[");
        memset(text + n, '[', levels);
        n += levels;
        memset(text + n, ']', levels);
        n += levels;
        text[n++] = ']';
        for (int i = 0;; i++) {
            struct scan *scan = nth_scanner(i);
            if (scan == NULL)
                break;
            struct sums sums = {0};
            scan->event = add;
            scan->ctx = &sums;
            bool deep = levels == SCAN_MAX_DEPTH;
            assert_int_equal(feed_all(scan, text, n, SIZE_MAX), deep ? SCAN_REFUSED : SCAN_OK);
            assert_int_equal(scan_problem(scan)->what, deep ? SCAN_TOO_DEEP : SCAN_FINE);
            assert_int_equal(scan_problem(scan)->offset, deep ? SCAN_MAX_DEPTH : n);
            scan_free(scan);
        }
    }
}

static bool stop_at_second(void *ctx, const struct scan_event *event)
{
    ++*(int *)ctx;
    return event->index == 0;
}

static void test_stop(void **state)
{
    (void)state;
    const char *text = "{\"traceEvents\": [ {\"ph\":\"X\"}, {\"ph\":\"Y\"}, {\"ph\":\"Z\"}]}";
    for (int i = 0;; i++) {
        struct scan *scan = nth_scanner(i);
        if (scan == NULL)
            return;
        int calls = 0;
        scan->event = stop_at_second;
        scan->ctx = &calls;
        assert_int_equal(feed_all(scan, text, strlen(text), SIZE_MAX), SCAN_STOPPED);
        assert_int_equal(calls, 2);
        struct scan_layout layout;
        assert_int_equal(scan_feed(scan, (const unsigned char *)"]", 1), SCAN_STOPPED);
        assert_int_equal(scan_finish(scan, &layout), SCAN_STOPPED);
        assert_int_equal(calls, 2);
        scan_free(scan);
    }
}

/* While it runs a scanner tells how far it is, for inputs that end too early below it. */
static void test_progress(void **state)
{
    (void)state;
    for (int i = 0;; i++) {
        struct scan *scan = nth_scanner(i);
        if (scan == NULL)
            return;
        struct sums sums = {0};
        scan->event = add;
        scan->ctx = &sums;
        assert_int_equal(scan_feed(scan, (const unsigned char *)"[{},{\"a\"", 8), SCAN_OK);
        assert_int_equal(scan_problem(scan)->what, SCAN_FINE);
        assert_int_equal(scan_problem(scan)->offset, 8);
        assert_int_equal(scan_problem(scan)->event, 1);
        assert_int_equal(scan_problem(scan)->last_end, 3);
        assert_true(scan_problem(scan)->in_event);
        assert_true(scan_insert_offset(scan) == UINT64_MAX);
        assert_int_equal(scan_feed(scan, (const unsigned char *)":1}] ", 5), SCAN_OK);
        assert_int_equal(scan_insert_offset(scan), 11);
        assert_false(scan_problem(scan)->in_event);
        scan_free(scan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_rows_by_index), cmocka_unit_test(test_long),
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_depth),         cmocka_unit_test(test_stop),
        cmocka_unit_test(test_progress), cmocka_unit_test(test_long_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
