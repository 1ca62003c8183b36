/*
 * The rules of the specification as rows: anchors and terminals in, guides
 * or a refusal out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "text.h"

struct row {
    const char *name;
    const char *anchors;   /* ts, separated by blanks, in the order of the trace */
    const char *terminals; /* ts+dur, separated by blanks; NULL: no terminal regex */
    uint64_t num_layers, passes, offset, first_layer;
    const char *expected; /* "pass.label@start+dur[kind]" per guide, or what is refused */
};

static const struct row rows[] = {
    {"one pass", "10 20 30", NULL, 3, 1, 0, 0, "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p"},
    {"one layer is a point", "10", NULL, 1, 1, 0, 0, "0.L0@10+0p"},
    {"anchors in any order", "30 10 20", NULL, 3, 1, 0, 0, "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p"},
    {"many runs", "9 8 7 6 5 4 3 2 1 0", NULL, 2, 5, 0, 0,
     "0.L0@0+1n 0.L1@1+0p 1.L0@2+1n 1.L1@3+0p 2.L0@4+1n 2.L1@5+0p 3.L0@6+1n 3.L1@7+0p 4.L0@8+1n 4.L1@9+0p"},
    {"never across the gap between passes", "10 20 100 110", NULL, 2, 2, 0, 0,
     "0.L0@10+10n 0.L1@20+0p 1.L0@100+10n 1.L1@110+0p"},
    {"draft work in the gap is not counted by the terminal", "10 20 100 110", "12+3 22+3 50+20 80+5 102+3 112+3", 2, 2,
     0, 0, "refused: many terminals, pass 0 layer 1: 3"},
    {"terminals close the last guide", "10 20 100 110", "12+3 22+3 102+3 112+4", 2, 2, 0, 0,
     "0.L0@10+10n 0.L1@20+5t 1.L0@100+10n 1.L1@110+6t"},
    {"offset", "1 10 20 30", NULL, 3, 1, 1, 0, "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p"},
    {"partition: offset with first layer 20", "1 2 10 20", NULL, 2, 1, 2, 20, "0.L20@10+10n 0.L21@20+0p"},
    {"first layer counts in every pass", "1 2 3 4", NULL, 2, 2, 0, 20, "0.L20@1+1n 0.L21@2+0p 1.L20@3+1n 1.L21@4+0p"},
    {"rest of a pass behind the selection", "1 2 3 4 5", NULL, 2, 1, 1, 0, "0.L0@2+1n 0.L1@3+0p"},

    /* 4503599627370496.5 and its neighbours are where a double has no room for quarters. */
    {"large fractions subtract exactly", "4503599627370496.499 4503599627370497.500 4503599627370498.501", NULL, 3, 1,
     0, 0, "0.L0@4503599627370496+2n 0.L1@4503599627370498+1n 0.L2@4503599627370499+0p"},
    {"epoch fractions touch exactly", "1740461679473654.4999 1740461679473655.4999 1740461679473656.5001", NULL, 3, 1,
     0, 0, "0.L0@1740461679473654+1n 0.L1@1740461679473655+2n 0.L2@1740461679473657+0p"},
    {"half rounds to even", "0.5 1.5 2.5 3.5", NULL, 4, 1, 0, 0,
     "0.L0@0+2n 0.L1@2+0n 0.L2@2+2n 0.L3@4+0p warn 1 at 0.2"},
    {"negative half rounds to even", "-2.5 -1.5 -0.5", NULL, 3, 1, 0, 0,
     "0.L0@-2+0n 0.L1@-2+2n 0.L2@0+0p warn 1 at 0.1"},
    {"just above half", "0.50000000000000000000000000000000000000000000000001 2", NULL, 2, 1, 0, 0,
     "0.L0@1+1n 0.L1@2+0p"},
    {"exponents", "1.7e15 1.700000000000001e15", NULL, 2, 1, 0, 0, "0.L0@1700000000000000+1n 0.L1@1700000000000001+0p"},
    {"mixed scales sort by value", "1.50 1.5000000000000000000000000000000000000001 1.49", NULL, 3, 1, 0, 0,
     "0.L0@1+1n 0.L1@2+0n 0.L2@2+0p warn 1 at 0.2"},
    {"terminal end with its own decimals", "10.25 20.125", "11+1 20.2+3.3004", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+4t"},
    {"ends at the top of 64 bits", "9223372036854775806 9223372036854775807", NULL, 2, 1, 0, 0,
     "0.L0@9223372036854775806+1n 0.L1@9223372036854775807+0p"},

    {"too few", "1 2 3", NULL, 4, 1, 0, 0, "refused: need 4, found 3"},
    {"too few from the offset", "1 2 3 4", NULL, 2, 2, 1, 0, "refused: need 4, found 3"},
    {"offset behind the last", "1 2", NULL, 1, 1, 2, 0, "refused: need 1, found 0"},
    {"no anchor", "", NULL, 1, 1, 0, 0, "refused: need 1, found 0"},
    {"a product beyond 64 bits", "1 2", NULL, UINT64_MAX / 2, 3, 0, 0, "refused: need 18446744073709551615, found 2"},
    {"equal times", "1 2 2 3", NULL, 4, 1, 0, 0, "refused: equal times, pass 0 layer 2: 2"},
    {"equal times, written differently", "1 2.0 2.000 3", NULL, 4, 1, 0, 0,
     "refused: equal times, pass 0 layer 2: 2.000"},
    {"equal times across passes", "1 2 2 3", NULL, 2, 2, 0, 0, "refused: equal times, pass 1 layer 0: 2"},
    {"equal times outside the selection", "1 1 2 3", NULL, 2, 1, 2, 0, "0.L0@2+1n 0.L1@3+0p"},
    {"beyond 64 bits", "1 9223372036854775807.5", NULL, 2, 1, 0, 0,
     "refused: time range, pass 0 layer 1: 9223372036854775807.5"},

    {"no terminal", "10 20", "12+1", 2, 1, 0, 0, "refused: no terminal, pass 0 layer 1"},
    {"no terminal at all", "10 20", "", 2, 1, 0, 0, "refused: no terminal, pass 0 layer 0"},
    {"two terminals", "10 20", "12+1 14+1 22+1", 2, 1, 0, 0, "refused: many terminals, pass 0 layer 0: 2"},
    {"two terminals at one time", "10 20", "12+1 12+1 22+1", 2, 1, 0, 0, "refused: many terminals, pass 0 layer 0: 2"},
    {"terminal before the first anchor does not count", "10 20", "5+1 12+1 22+1", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+3t"},
    {"terminal at the anchor's own start", "10 20", "10+1 20+1", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+1t"},
    {"terminal at the next anchor's start is the next one's", "10 20", "20+1 22+1", 2, 1, 0, 0,
     "refused: no terminal, pass 0 layer 0"},
    {"terminal ends at the next anchor", "10 20", "12+8 22+1", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+3t"},
    {"terminal overlaps the next anchor", "10 20", "12+8.001 22+1", 2, 1, 0, 0,
     "refused: late terminal, pass 0 layer 0: 20.001 > 20"},
    {"terminal overlaps the next unselected anchor", "10 20 30", "12+1 22+9 32+1", 2, 1, 0, 0,
     "refused: late terminal, pass 0 layer 1: 31 > 30"},
    {"terminal behind the next unselected anchor", "10 20 30", "12+1 32+1", 2, 1, 0, 0,
     "refused: no terminal, pass 0 layer 1"},
    {"the last of all has no bound", "10 20", "12+1 5000+70", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+5050t"},
    {"terminals in any order", "20 10", "22+3 12+3", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+5t"},
    {"terminal of no length", "10 20", "12+0 22+0", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+2t"},
    {"terminal end beyond 64 bits", "10 20", "12+1 22+9223372036854775807", 2, 1, 0, 0,
     "refused: time range, pass 0 layer 1: 9223372036854775829"},
};

#define MAX 64

static struct decimal number(const char *text, size_t len, struct arena *arena)
{
    struct decimal out;
    assert_int_equal(decimal_parse(&out, text, len, arena), DECIMAL_OK);
    return out;
}

static size_t read_anchors(const char *text, struct anchor *anchors, struct arena *arena)
{
    size_t count = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t len = strcspn(text, " ");
        struct decimal ts = number(text, len, arena);
        anchors[count++] = (struct anchor){.ts = decimal_pack(&ts), .ts_scale = ts.scale};
        text += len;
    }
    return count;
}

static size_t read_terminals(const char *text, struct terminal *terminals, struct arena *arena)
{
    size_t count = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t len = strcspn(text, " "), plus = strcspn(text, "+");
        struct decimal ts = number(text, plus, arena), dur = number(text + plus + 1, len - plus - 1, arena), end;
        assert_int_equal(decimal_add(&end, &ts, &dur, arena), DECIMAL_OK);
        terminals[count++] = (struct terminal){
            .ts = decimal_pack(&ts), .ts_scale = ts.scale, .end = decimal_pack(&end), .end_scale = end.scale};
        text += len;
    }
    return count;
}

static void add_number(struct text *out, const char *before, uint64_t value)
{
    text_puts(out, before);
    text_u64(out, value);
}

static void describe_refusal(struct text *out, const struct plan *plan)
{
    static const char *const words[] = {
        [PLAN_EQUAL_TIMES] = "equal times",       [PLAN_NO_TERMINAL] = "no terminal",
        [PLAN_MANY_TERMINALS] = "many terminals", [PLAN_LATE_TERMINAL] = "late terminal",
        [PLAN_TIME_RANGE] = "time range",         [PLAN_NO_MEMORY] = "no memory",
    };
    text_puts(out, "refused: ");
    if (plan->refusal == PLAN_TOO_FEW) {
        add_number(out, "need ", plan->need);
        add_number(out, ", found ", plan->found);
        return;
    }
    text_puts(out, words[plan->refusal]);
    add_number(out, ", pass ", plan->pass);
    add_number(out, " layer ", plan->layer);
    if (plan->refusal == PLAN_MANY_TERMINALS) {
        add_number(out, ": ", plan->found);
    } else if (plan->refusal != PLAN_NO_TERMINAL) {
        text_puts(out, ": ");
        text_decimal(out, &plan->ts);
    }
    if (plan->refusal == PLAN_LATE_TERMINAL) {
        text_puts(out, " > ");
        text_decimal(out, &plan->limit);
    }
}

static void describe_guides(struct text *out, const struct plan *plan)
{
    int64_t last_end = INT64_MIN;
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        struct guide guide;
        plan_guide(plan, i, &guide);
        assert_int_equal(guide.anchor_index, plan->request.anchor_offset + i);
        assert_true(guide.guide_start >= last_end);
        last_end = guide.guide_end;
        add_number(out, i > 0 ? " " : "", guide.pass_index);
        add_number(out, ".L", guide.layer_id);
        text_puts(out, "@");
        text_i64(out, guide.guide_start);
        text_puts(out, "+");
        text_i64(out, guide.guide_end - guide.guide_start);
        text_add(out, &"ntp"[guide.boundary], 1);
    }
    if (plan->same_start_count > 0) {
        add_number(out, " warn ", plan->same_start_count);
        add_number(out, " at ", plan->same_start_pass);
        add_number(out, ".", plan->same_start_layer);
    }
}

static void run_row(void **state)
{
    const struct row *row = *state;
    struct arena arena = {0};
    struct anchor anchors[MAX];
    struct terminal terminals[MAX];
    struct plan_request request = {
        .anchors = anchors,
        .anchor_count = read_anchors(row->anchors, anchors, &arena),
        .terminals = terminals,
        .terminal_count = row->terminals == NULL ? 0 : read_terminals(row->terminals, terminals, &arena),
        .has_terminal = row->terminals != NULL,
        .num_layers = row->num_layers,
        .passes = row->passes,
        .anchor_offset = row->offset,
        .first_layer = row->first_layer,
    };
    struct plan plan;
    struct text out = {0};
    if (plan_make(&plan, &request) == PLAN_FINE)
        describe_guides(&out, &plan);
    else
        describe_refusal(&out, &plan);
    text_add(&out, "", 1);
    assert_string_equal(out.data, row->expected);
    text_free(&out);
    plan_free(&plan);
    arena_free(&arena);
}

/* No quadratic step: a hundred thousand anchors with terminals, in the worst orders. */
static void many(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct anchor *anchors = calloc(COUNT, sizeof *anchors);
    struct terminal *terminals = calloc(COUNT, sizeof *terminals);
    for (int order = 0; order < 3; order++) {
        for (int64_t i = 0; i < COUNT; i++) {
            int64_t at = order == 0 ? i : order == 1 ? COUNT - 1 - i : (i * 7919) % COUNT;
            struct decimal ts = decimal_from_int(at * 10), start = decimal_from_int(at * 10 + 5),
                           end = decimal_from_int(at * 10 + 7);
            anchors[i] = (struct anchor){.ts = decimal_pack(&ts), .name = (uint32_t)at};
            terminals[i] = (struct terminal){.ts = decimal_pack(&start), .end = decimal_pack(&end)};
        }
        struct plan_request request = {.anchors = anchors,
                                       .anchor_count = COUNT,
                                       .terminals = terminals,
                                       .terminal_count = COUNT,
                                       .has_terminal = true,
                                       .num_layers = 40,
                                       .passes = COUNT / 40};
        struct plan plan;
        assert_int_equal(plan_make(&plan, &request), PLAN_FINE);
        for (uint64_t i = 0; i < COUNT; i++) {
            struct guide guide;
            plan_guide(&plan, i, &guide);
            assert_int_equal(guide.anchor->name, i);
            assert_int_equal(guide.guide_start, (int64_t)i * 10);
            assert_int_equal(guide.guide_end, (int64_t)i * 10 + (i % 40 == 39 ? 7 : 10));
        }
        plan_free(&plan);
    }
    free(anchors);
    free(terminals);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, run_row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    tests[ROWS] = (struct CMUnitTest){"many anchors in bad orders", many, NULL, NULL, NULL};
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
