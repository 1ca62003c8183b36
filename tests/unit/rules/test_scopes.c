/* Which slice holds a call or a pass: rows, and all small cases against what the header says, word by word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/scopes.h"

static struct decimal number(const char *text)
{
    struct decimal out;
    assert_int_equal(decimal_parse(&out, text, strlen(text)), DECIMAL_OK);
    return out;
}

static struct scope slice(uint32_t pid, uint32_t tid, uint32_t name, const char *start, const char *end)
{
    struct decimal from = number(start), to = number(end);
    return (struct scope){.start = decimal_pack(&from),
                          .end = decimal_pack(&to),
                          .pid = pid,
                          .tid = tid,
                          .name = name,
                          .device = UINT32_MAX,
                          .start_scale = from.scale,
                          .end_scale = to.scale};
}

static int compare(const struct scope *a, bool a_end, const struct scope *b, bool b_end)
{
    struct decimal x = decimal_unpack(a_end ? a->end : a->start, a_end ? a->end_scale : a->start_scale);
    struct decimal y = decimal_unpack(b_end ? b->end : b->start, b_end ? b->end_scale : b->start_scale);
    return decimal_compare(&x, &y);
}

static uint64_t seed = 1;

static uint32_t below(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

/* A time of few values in several spellings, some that differ behind the point only. */
static const char *some_time(char *out, size_t size, uint32_t from)
{
    static const char *const tails[] = {"", ".0", ".5", ".50", ".25", ".500000000001"};
    snprintf(out, size, "%u%s", from + below(6), tails[below(6)]);
    return out;
}

#define MOST 8

/* The scopes as the caller gave them; names are their places in the list. */
struct given {
    struct scope items[MOST];
    size_t count;
    bool across;
};

static void fill(struct given *given)
{
    given->count = below(MOST + 1);
    given->across = below(2) == 0;
    for (uint32_t i = 0; i < given->count; i++) {
        char start[32], end[32];
        some_time(start, sizeof start, 0);
        do {
            some_time(end, sizeof end, 0);
            given->items[i] = slice(below(2), below(2), i, start, end);
        } while (compare(&given->items[i], true, &given->items[i], false) < 0);
    }
}

static bool same_place(const struct given *given, const struct scope *a, uint32_t pid, uint32_t tid)
{
    return a->pid == pid && (given->across || a->tid == tid);
}

/* Whether no other one holds it; of equal ones the first counts. */
static bool is_outermost(const struct given *given, size_t index)
{
    const struct scope *one = &given->items[index];
    for (size_t i = 0; i < given->count; i++) {
        const struct scope *other = &given->items[i];
        if (i == index || !same_place(given, other, one->pid, one->tid))
            continue;
        int start = compare(other, false, one, false), end = compare(other, true, one, true);
        if (start <= 0 && end >= 0 && (start != 0 || end != 0 || i < index))
            return false;
    }
    return true;
}

static bool ordered(const struct given *given, const struct scope *a, const struct scope *b)
{
    if (a->pid != b->pid)
        return a->pid < b->pid;
    if (!given->across && a->tid != b->tid)
        return a->tid < b->tid;
    return compare(a, false, b, false) < 0;
}

static void check_settled(const struct given *given, const struct scopes *scopes)
{
    size_t outermost = 0;
    for (size_t i = 0; i < given->count; i++)
        outermost += is_outermost(given, i);
    assert_int_equal(scopes->count, outermost);
    for (size_t i = 0; i < scopes->count; i++) {
        assert_true(is_outermost(given, scopes->items[i].name));
        assert_memory_equal(&scopes->items[i].start, &given->items[scopes->items[i].name].start,
                            sizeof scopes->items[i].start);
        assert_true(i == 0 || ordered(given, &scopes->items[i - 1], &scopes->items[i]));
    }
}

/* The earliest outermost one that holds the span, if any. */
static const struct scope *holder(const struct given *given, const struct scopes *scopes, const struct scope *span,
                                  bool end_holds)
{
    for (size_t i = 0; i < scopes->count; i++) {
        const struct scope *scope = &scopes->items[i];
        int end = compare(scope, true, span, true);
        if (same_place(given, scope, span->pid, span->tid) && compare(scope, false, span, false) <= 0 &&
            (end_holds ? end >= 0 : end > 0))
            return scope;
    }
    return NULL;
}

static struct scope some_span(void)
{
    char start[32], end[32];
    some_time(start, sizeof start, 0);
    snprintf(end, sizeof end, "%s", start);
    if (below(3) != 0)
        some_time(end, sizeof end, 3);
    return slice(below(3), below(3), 0, start, end);
}

static void any_scopes(void **state)
{
    (void)state;
    size_t held = 0, dropped = 0;
    for (int round = 0; round < 20000; round++) {
        struct given given;
        struct scopes scopes = {0};
        fill(&given);
        scopes.across_tids = given.across;
        for (size_t i = 0; i < given.count; i++)
            assert_true(scopes_add(&scopes, &given.items[i]));
        assert_true(scopes_settle(&scopes));
        check_settled(&given, &scopes);
        dropped += given.count - scopes.count;
        for (int i = 0; i < 6; i++) {
            struct scope span = some_span();
            struct decimal start = decimal_unpack(span.start, span.start_scale);
            struct decimal end = decimal_unpack(span.end, span.end_scale);
            const struct scope *expected = holder(&given, &scopes, &span, true);
            uint32_t found = scopes_holding(&scopes, span.pid, span.tid, &start, &end);
            assert_int_equal(found, expected == NULL ? SCOPE_NONE : (uint32_t)(expected - scopes.items));
            held += expected != NULL;
        }
        scopes_free(&scopes);
        assert_int_equal(scopes.count + scopes.capacity, 0);
        assert_null(scopes.items);
    }
    assert_true(held > 1000 && dropped > 1000);
}

/* ---- on the GPU ----------------------------------------------------------------------------------------------- */

/* Streams that carry annotations, matching or not, answer for themselves; the others take any stream's. */
static void any_gpu_scopes(void **state)
{
    (void)state;
    size_t own = 0, of_others = 0;
    for (int round = 0; round < 20000; round++) {
        struct given given, alone;
        struct gpu_scopes scopes = {.pid = below(2)};
        fill(&given);
        given.across = false;
        for (size_t i = 0; i < given.count; i++) {
            given.items[i].pid = scopes.pid;
            assert_true(scopes_add(&scopes.own, &given.items[i]));
        }
        uint32_t streams = below(8); /* a bit each */
        scopes.tids = malloc(3 * sizeof *scopes.tids);
        for (uint32_t tid = 3; tid-- > 0;)
            if ((streams >> tid & 1) != 0)
                scopes.tids[scopes.tid_count++] = tid;
        assert_true(gpu_scopes_settle(&scopes));
        check_settled(&given, &scopes.own);
        alone = given;
        alone.across = true;
        check_settled(&alone, &scopes.any);
        for (int i = 0; i < 6; i++) {
            struct scope span = some_span();
            span.pid = scopes.pid;
            bool tells = (streams >> span.tid & 1) != 0;
            struct decimal start = decimal_unpack(span.start, span.start_scale);
            struct decimal end = decimal_unpack(span.end, span.end_scale);
            assert_true(gpu_scopes_own(&scopes, span.tid) == tells);
            const struct scope *expected =
                holder(tells ? &given : &alone, tells ? &scopes.own : &scopes.any, &span, false);
            assert_ptr_equal(gpu_scopes_at(&scopes, span.tid, &start, &end), expected);
            *(tells ? &own : &of_others) += expected != NULL;
        }
        gpu_scopes_free(&scopes);
        assert_null(scopes.tids);
        assert_null(scopes.own.items);
        assert_int_equal(scopes.own.count + scopes.any.count + scopes.tid_count, 0);
    }
    assert_true(own > 1000 && of_others > 1000);
}

static void one_scope_or_two(void **state)
{
    (void)state;
    static const struct {
        const char *start[2], *end[2];
        uint32_t tids, names; /* 0: the same, 1: others */
        bool agree;
    } rows[] = {
        /* on its own stream only itself */
        {{"1", "1"}, {"9", "9"}, 0, 0, true},
        {{"1", "1.0"}, {"9.00", "9"}, 0, 0, true},
        {{"1", "1"}, {"9", "9"}, 0, 1, true},
        {{"1", "1.1"}, {"9", "9"}, 0, 0, false},
        {{"1.1", "1"}, {"9", "9"}, 0, 0, false},
        {{"1", "1"}, {"9", "9.1"}, 0, 0, false},
        {{"1", "1"}, {"9.1", "9"}, 0, 0, false},
        {{"1", "2"}, {"9", "10"}, 0, 0, false},
        /* on another one of its name that overlaps by more than half of the shorter one */
        {{"1", "1"}, {"9", "9"}, 1, 0, true},
        {{"1", "1"}, {"9", "9"}, 1, 1, false},
        {{"0", "50"}, {"100", "150"}, 1, 0, false},
        {{"50", "0"}, {"150", "100"}, 1, 0, false},
        {{"0", "49.99"}, {"100", "149.99"}, 1, 0, true},
        {{"49.99", "0"}, {"149.99", "100"}, 1, 0, true},
        {{"0", "95"}, {"100", "104"}, 1, 0, true},
        {{"0", "95"}, {"100", "105"}, 1, 0, false},
        {{"0", "95"}, {"100", "106"}, 1, 0, false},
        {{"95", "0"}, {"104", "100"}, 1, 0, true},
        {{"95", "0"}, {"105", "100"}, 1, 0, false},
        {{"95", "0"}, {"106", "100"}, 1, 0, false},
        {{"0", "40"}, {"100", "41"}, 1, 0, true},
        {{"40", "0"}, {"41", "100"}, 1, 0, true},
        {{"0", "0"}, {"100", "1"}, 1, 0, true},
        {{"0", "99"}, {"100", "100"}, 1, 0, true},
        {{"0", "-4"}, {"100", "5"}, 1, 0, true},
        {{"0", "-5"}, {"100", "5"}, 1, 0, false},
        /* neighbours, and what is far from it */
        {{"0", "100"}, {"100", "200"}, 1, 0, false},
        {{"100", "0"}, {"200", "100"}, 1, 0, false},
        {{"0", "300"}, {"100", "400"}, 1, 0, false},
        {{"300", "0"}, {"400", "100"}, 1, 0, false},
        {{"0", "5"}, {"100", "5"}, 1, 0, false}, /* it has no length to overlap by */
        {{"5", "0"}, {"5", "100"}, 1, 0, false},
        {{"5", "5"}, {"5", "5"}, 1, 0, false},
        /* more digits than can be computed with: never the same one */
        {{"0.00000000000000000000000000000000001", "0"}, {"99999999", "99999999"}, 1, 0, false},
        {{"0", "0.00000000000000000000000000000000001"}, {"99999999", "99999999"}, 1, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scope first = slice(1, 7, 3, rows[i].start[0], rows[i].end[0]);
        struct scope at = slice(1, 7 + rows[i].tids, 3 + rows[i].names, rows[i].start[1], rows[i].end[1]);
        if (gpu_scopes_agree(&first, &at) != rows[i].agree)
            fail_msg("row %zu: %s-%s and %s-%s", i, rows[i].start[0], rows[i].end[0], rows[i].start[1], rows[i].end[1]);
    }
}

/* A kernel lies in a scope when it starts in it: at its start, but not at its end. */
static void where_a_kernel_starts(void **state)
{
    (void)state;
    static const struct {
        const char *ts;
        bool inside;
    } rows[] = {{"1", false},  {"1.9", false}, {"2", true},    {"2.0", true}, {"3", true},
                {"3.9", true}, {"4", false},   {"4.0", false}, {"5", false}};
    struct scope scope = slice(1, 7, 0, "2.00", "4");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decimal ts = number(rows[i].ts);
        if (gpu_scopes_spans(&scope, &ts) != rows[i].inside)
            fail_msg("%s", rows[i].ts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_scopes),
        cmocka_unit_test(any_gpu_scopes),
        cmocka_unit_test(one_scope_or_two),
        cmocka_unit_test(where_a_kernel_starts),
    };
    return cmocka_run_group_tests_name("scopes", tests, NULL, NULL);
}
