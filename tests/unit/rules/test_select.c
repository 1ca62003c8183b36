/*
 * Which process and device are chosen, from events to a selection or the
 * message of a refusal. Each row is the inside of an event array.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka.h, which has a macro fail(). */
#include "base/text.h"
#include "rules/select.h"
#include "rules/tracks.h"
#include "json/scan.h"

#include <cmocka.h>

/* A kernel named `name` in process `pid` with args `args`. */
#define K(name, pid, args)                                                                                             \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":" pid                                              \
    ",\"tid\":7,\"ts\":1,\"dur\":2,\"args\":{" args "}}"
#define KD(name, pid, device) K(name, pid, "\"device\":" device)

struct row {
    const char *name;
    const char *events;
    const char *anchor, *terminal, *pid, *device;
    const char *expected; /* "pid P device D tid T anchors A terminals E origin O", or a piece of the message */
};

static const struct row rows[] = {
    {"one process, one device", KD("a", "7", "0") "," KD("b", "7", "0"), "a", NULL, NULL, NULL,
     "pid n7 device n0 tid 1000000 anchors 1 terminals 0 origin 1"},
    {"search, not full match", KD("xxaxx", "7", "0"), "a", NULL, NULL, NULL, "anchors 1 "},
    {"anchors and terminals", KD("a", "7", "0") "," KD("b", "7", "0"), "a", "b", NULL, NULL, "anchors 1 terminals 1 "},
    {"a kernel may be both", KD("a", "7", "0"), "a", "a", NULL, NULL, "anchors 1 terminals 1 "},
    {"no device at all", K("a", "7", ""), "a", NULL, NULL, NULL, "pid n7 device none "},
    {"device null is no device", KD("a", "7", "null"), "a", NULL, NULL, NULL, "pid n7 device none "},
    {"a pid that is a string", KD("a", "\"GPU\"", "0"), "a", NULL, NULL, NULL, "pid sGPU device n0 "},
    {"an empty pid", KD("a", "\"\"", "0"), "a", NULL, NULL, NULL, "pid s device n0 "},
    {"equal strings, escaped or not", KD("a", "\"A\"", "0") "," KD("a", "\"\\u0041\"", "0"), "a", NULL, NULL, NULL,
     "pid sA device n0 tid 1000000 anchors 2 "},
    {"equal numbers, written differently", KD("a", "7", "0") "," KD("a", "7.0", "0e5"), "a", NULL, NULL, NULL,
     "pid n7 device n0 tid 1000000 anchors 2 "},
    {"some name no device", KD("a", "7", "3") "," K("a", "7", ""), "a", NULL, NULL, NULL,
     "pid n7 device n3 tid 1000000 anchors 2 "},

    {"two pids", KD("a", "7", "0") "," KD("a", "8", "1") "," KD("a", "8", "1"), "a", NULL, NULL, NULL,
     "t: matching kernels lie in several processes: 8 (2), 7 (1); choose one with pid"},
    {"two pids, one chosen", KD("a", "7", "0") "," KD("a", "8", "1"), "a", NULL, "8", NULL,
     "pid n8 device n1 tid 1000000 anchors 1 "},
    {"other processes do not matter", KD("a", "7", "0") "," KD("b", "8", "1"), "a", "b", NULL, NULL,
     "pid n7 device n0 tid 1000000 anchors 1 terminals 0 "},
    {"7 and \"7\" differ", KD("a", "7", "0") "," KD("a", "\"7\"", "0"), "a", NULL, NULL, NULL,
     "t: matching kernels lie in several processes: 7 (1), \"7\" (1); choose one with pid"},
    {"--pid cannot tell 7 from \"7\"", KD("a", "7", "0") "," KD("a", "\"7\"", "0"), "a", NULL, "7", NULL,
     "which read alike but differ as JSON"},
    {"--pid that is not there", KD("a", "7", "0"), "a", NULL, "8", NULL,
     "t: no matching kernel with pid '8'; matching kernels lie in processes 7 (1)"},
    {"two devices in one pid", KD("a", "7", "0") "," KD("a", "7", "1"), "a", NULL, NULL, NULL,
     "t: matching kernels lie on several devices: 0 (1), 1 (1); choose one with device"},
    {"two devices, one chosen", KD("a", "7", "0") "," KD("a", "7", "1") "," KD("e", "7", "0"), "a", "e", NULL, "1",
     "pid n7 device n1 tid 1000000 anchors 1 terminals 0 "},
    {"terminals of another device do not count", KD("a", "7", "0") "," KD("e", "7", "1") "," KD("e", "7", "0"), "a",
     "e", NULL, NULL, "anchors 1 terminals 1 "},
    {"--device that is not there", KD("a", "7", "0"), "a", NULL, NULL, "1",
     "t: no matching kernel with device '1'; matching kernels lie on devices 0 (1)"},
    {"--device where none is named", K("a", "7", ""), "a", NULL, NULL, "0", "lie on devices none (1)"},
    {"--pid is right, --device is not", KD("a", "7", "0"), "a", NULL, "7", "1", "with device '1'"},
    {"no pid", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"tid\":7,\"ts\":1,\"dur\":2}", "a", NULL, NULL, NULL,
     "have no pid that is a number or a string"},
    {"... on a device of its own", KD("a", "1e3", "0") "," KD("a", "7", "1"), "a", NULL, "1e3", "1",
     "no matching kernel with device '1'; matching kernels lie on devices 0 (1)"},
    {"a pid as the trace spells it", KD("a", "1e3", "0") "," KD("a", "7", "0"), "a", NULL, "1e3", NULL,
     "pid n1000 device n0 "},
    {"pid null", KD("a", "null", "0"), "a", NULL, NULL, NULL, "have no pid that is a number or a string"},

    {"no kernel", "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"dur\":2}", "a", NULL, NULL,
     NULL, "t: no kernel in this trace"},
    {"no events", "", "a", NULL, NULL, NULL, "t: no kernel in this trace"},
    {"no match shows the nearest names",
     KD("flash_fwd_kernel", "7", "0") "," KD("gemm", "7", "0") "," KD("gemm", "7", "0"), "flash_fwd_kernels", NULL,
     NULL, NULL, "matches none of 3 kernels; nearest names: 'flash_fwd_kernel' (1), 'gemm' (2)"},
    {"only ph X is a kernel", "{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"dur\":2}", "a",
     NULL, NULL, NULL, "no kernel in this trace"},
    {"kernel is a word of cat", "{\"ph\":\"X\",\"cat\":\"gpu,kernel\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"dur\":2}",
     "a", NULL, NULL, NULL, "anchors 1 "},
    {"cuda_kernel is another word",
     "{\"ph\":\"X\",\"cat\":\"cuda_kernel\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"dur\":2}", "a", NULL, NULL, NULL,
     "no kernel in this trace"},

    {"already annotated", KD("a", "7", "0") ",{\"cat\":\"layer_guide\"}", "a", NULL, NULL, NULL,
     "t: already annotated: event 1, offset 89 is a guide"},
    {"a kernel without dur", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":7,\"ts\":1}," KD("a", "7", "0"),
     "a", NULL, NULL, NULL, "device n0 tid 1000000 anchors 1 "},
    {"a kernel without dur on the device",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":7,\"ts\":1,\"args\":{\"device\":0}}," KD("a", "7", "0"),
     "a", NULL, NULL, NULL, "t: kernel at event 0, offset 1: dur is missing"},
    {"a kernel with a negative dur", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":1,\"dur\":-1}",
     "a", NULL, NULL, NULL, "dur is -1; every kernel"},
    {"minus zero is zero", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":1,\"dur\":-0.0}", "a",
     NULL, NULL, NULL, "anchors 1 "},
    {"an anchor without ts", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"dur\":1}", "a", NULL, NULL,
     NULL, "event 0, offset 1: ts is missing"},
    {"ts null", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":null,\"dur\":1}", "a", NULL, NULL,
     NULL, "ts is null"},
    {"ts beyond a double", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":1e999,\"dur\":1}", "a",
     NULL, NULL, NULL, "ts is 1e999"},
    {"numeric strings are numbers",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":\"5.25\",\"dur\":\"1\"}", "a", NULL, NULL, NULL,
     "anchors 1 terminals 0 origin 5.25"},
    {"other strings are not", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":\"soon\",\"dur\":1}",
     "a", NULL, NULL, NULL, "ts is the string \"soon\""},
    {"bad kernels of other processes do not matter",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":8}," KD("a", "7", "0"), "a", NULL, NULL, NULL, "pid n7 "},
    {"bad kernels of other devices do not matter",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":7,\"args\":{\"device\":1}}," KD("a", "7", "0"), "a", NULL,
     NULL, NULL, "pid n7 device n0 "},

    {"occupied guide tids", KD("a", "7", "0") ",{\"pid\":7,\"tid\":1000000},{\"pid\":7,\"tid\":1000001.0}", "a", NULL,
     NULL, NULL, "tid 1000002 "},
    {"a gap in the occupied tids", KD("a", "7", "0") ",{\"pid\":7,\"tid\":1e6},{\"pid\":7,\"tid\":1000002}", "a", NULL,
     NULL, NULL, "tid 1000001 "},
    {"occupied in another process", KD("a", "7", "0") ",{\"pid\":8,\"tid\":1000000}", "a", NULL, NULL, NULL,
     "tid 1000000 "},
    {"occupied before the process is known", "{\"pid\":7,\"tid\":1000000}," KD("a", "7", "0"), "a", NULL, NULL, NULL,
     "tid 1000001 "},
    {"a tid that is a string occupies nothing", KD("a", "7", "0") ",{\"pid\":7,\"tid\":\"1000000\"}", "a", NULL, NULL,
     NULL, "tid 1000000 "},

    {"the origin is that of all events",
     KD("a", "7", "0") ",{\"ts\":-3.5},{\"ts\":\"-4\"},{\"ts\":\"x\"},{\"ts\":null}", "a", NULL, NULL, NULL,
     "origin -4"},
    {"a long origin",
     KD("a", "7", "0") ",{\"ts\":-123456789012345678901234567890123456.5},"
                       "{\"ts\":-123456789012345678901234567890123456.25}",
     "a", NULL, NULL, NULL, "origin -123456789012345678901234567890123456.5"},
    {"an origin of more than 38 digits",
     "{\"ts\":-1234567890123456789012345678901234567890.25}," KD("a", "7", "0") ",{\"ts\":-1e40},{\"ts\":-1e40}", "a",
     NULL, NULL, NULL, "t: event 0, offset 1: its ts is the smallest of the trace and has more than 38 digits"},
    {"an origin of more than 38 places", KD("a", "7", "0") ",{\"ts\":-1e-4000}", "a", NULL, NULL, NULL,
     "t: event 1, offset "},
    {"a longer ts that is not below the origin", KD("a", "7", "0") ",{\"ts\":0},{\"ts\":1e-4000},{\"ts\":1e300}", "a",
     NULL, NULL, NULL, "origin 0"},
    {"a longer ts above the origin's own digits",
     KD("a", "7", "0") ",{\"ts\":\"0.12345678901234567890123456789012345678\"},"
                       "{\"ts\":\"0.1234567890123456789012345678901234567801\"}",
     "a", NULL, NULL, NULL, "origin 0.12345678901234567890123456789012345678"},
    {"a longer ts below the origin's last digit",
     KD("a", "7", "0") ",{\"ts\":0.12345678901234567890123456789012345678},"
                       "{\"ts\":0.1234567890123456789012345678901234567799}",
     "a", NULL, NULL, NULL, "its ts is the smallest"},
    {"an anchor's ts of more than 38 digits",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":1e-4000,\"dur\":1}", "a", NULL, NULL, NULL,
     "t: kernel at event 0, offset 1: ts is 1e-4000; of kernels that a pattern matches the ts may have 38 digits"},
    {"zeros at the fraction's end are none",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,"
     "\"ts\":5.000000000000000000000000000000000000000000000000,\"dur\":1}",
     "a", NULL, NULL, NULL, "origin 5"},
    {"an anchor's dur of more than 38 digits",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":1,\"dur\":\"1e-40\"}", "a", NULL, NULL, NULL,
     "dur is the string \"1e-40\"; of kernels that a pattern matches the dur, and of terminals ts + dur, may have 38 "
     "digits"},
    {"a terminal's end of more than 38 digits",
     KD("b", "7", "0") ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":7,\"ts\":1e20,\"dur\":1e-20,\"args\":{"
                       "\"device\":0}}",
     "b", "a", NULL, NULL,
     "dur is 1e-20; of kernels that a pattern matches the dur, and of terminals ts + dur, may have 38 digits"},
    {"other kernels may have as many digits as they like",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":7,\"ts\":2e300,\"dur\":1e-4000,\"args\":{\"device\":0}}"
     "," KD("a", "7", "0"),
     "a", NULL, NULL, NULL, "anchors 1 "},
    {"but no negative dur",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"pid\":7,\"ts\":2e300,\"dur\":-1e-4000,\"args\":{\"device\":0}}"
     "," KD("a", "7", "0"),
     "a", NULL, NULL, NULL, "dur is -1e-4000; every kernel of the chosen process needs a finite dur of at least 0"},
    {"escapes in names are decoded", KD("\\u0061\\n\\\"q\\\"", "7", "0"), "^a\\n\"q\"$", NULL, NULL, NULL,
     "anchors 1 "},
    {"unicode classes", KD("\xc3\xa9t\xc3\xa9", "7", "0"), "^\\w{3}$", NULL, NULL, NULL, "anchors 1 "},
    {"the last of two keys counts",
     "{\"ph\":\"B\",\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"name\":\"a\",\"pid\":7,\"ts\":1,\"dur\":1}", "a",
     NULL, NULL, NULL, "anchors 1 "},
    {"a kernel without a name", "{\"ph\":\"X\",\"cat\":\"kernel\",\"pid\":7,\"ts\":1,\"dur\":1}", "^$", NULL, NULL,
     NULL, "anchors 1 "},
    {"backtracking without end is stopped", KD("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "7", "0"),
     "^(a+)+$", NULL, NULL, NULL, "anchor_regex '^(a+)+$' gave up on the kernel name"},
};

static void add_number(struct text *out, const char *before, uint64_t value)
{
    text_puts(out, before);
    text_u64(out, value);
}

static void add_value(struct text *out, const struct collect *collect, uint32_t value)
{
    if (value == INTERN_NONE) {
        text_puts(out, "none");
        return;
    }
    const struct intern_entry *entry = &collect->values.entries[value];
    text_add(out, &entry->tag, 1);
    text_add(out, entry->text, entry->len);
}

static void outcome(const struct row *row, enum scan_parser parser, struct text *out)
{
    struct lt_error error = {0};
    struct lt_track wanted = {.size = sizeof wanted,
                              .anchor_regex = row->anchor,
                              .end_anchor_regex = row->terminal,
                              .phase = "p",
                              .evidence = "e",
                              .pid = row->pid,
                              .device = row->device,
                              .num_layers = 1};
    struct lt_annotate_options options = {.tracks = &wanted, .track_count = 1};
    struct tracks tracks;
    assert_int_equal(tracks_init(&tracks, &options, &error), LT_OK);
    assert_int_equal(tracks_name(&tracks, "t", &error), LT_OK);
    struct track *track = &tracks.items[0];
    struct collect_observer observers[TRACKS_OBSERVERS];
    struct collect_request request = {.trace_name = "t",
                                      .patterns = &tracks.patterns,
                                      .observers = observers,
                                      .observer_count = tracks_observers(&tracks, observers),
                                      .lengths = true};
    struct collect collect;
    collect_init(&collect, &request, &error);
    struct scan *scan = scan_new(parser, collect_event, &collect);
    assert_non_null(scan);
    const char *pieces[] = {"[", row->events, "]"};
    enum scan_status status = SCAN_OK;
    for (size_t i = 0; i < 3 && status == SCAN_OK; i++)
        status = scan_feed(scan, (const unsigned char *)pieces[i], strlen(pieces[i]));
    struct scan_layout layout;
    if (status == SCAN_OK)
        status = scan_finish(scan, &layout);
    if (status == SCAN_OK && select_group(&collect, &tracks, 0, &error) == LT_OK &&
        collect_check_origin(&collect, &error) == LT_OK) {
        text_puts(out, "pid ");
        add_value(out, &collect, track->selection.pid);
        text_puts(out, " device ");
        add_value(out, &collect, track->selection.device);
        add_number(out, " tid ", track->selection.guide_tid);
        add_number(out, " anchors ", track->anchor_count);
        add_number(out, " terminals ", track->terminal_count);
        text_puts(out, " origin ");
        text_decimal(out, &collect.origin);
    } else {
        assert_int_equal(error.status, strstr(error.message, "smallest of the trace") ? LT_TRACE : LT_SELECTION);
        text_puts(out, error.message);
    }
    text_add(out, "", 1);
    scan_free(scan);
    collect_free(&collect);
    tracks_free(&tracks);
}

static void run_row(void **state)
{
    const struct row *row = *state;
    for (int parser = SCAN_FAST; parser <= SCAN_STRICT; parser++) {
        struct text out = {0};
        outcome(row, (enum scan_parser)parser, &out);
        if (strstr(out.data, row->expected) == NULL)
            fail_msg("parser %d: '%s' does not hold '%s'", parser, out.data, row->expected);
        text_free(&out);
    }
}

/* Hundreds of processes: the message stays short. */
static void many_processes(void **state)
{
    (void)state;
    struct text events = {0}, out = {0};
    for (unsigned i = 0; i < 300; i++) {
        text_puts(&events, i == 0 ? "" : ",");
        text_puts(&events, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":");
        text_u64(&events, i);
        text_puts(&events, "}");
    }
    text_add(&events, "", 1);
    struct row row = {.events = events.data, .anchor = "a"};
    outcome(&row, SCAN_FAST, &out);
    assert_non_null(strstr(out.data, "0 (1), 1 (1), 2 (1), 3 (1), 4 (1), 5 (1), 6 (1), 7 (1) and 292 more; choose"));
    text_free(&events);
    text_free(&out);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, run_row, NULL, NULL, (void *)(uintptr_t)&rows[i]};
    tests[ROWS] = (struct CMUnitTest){"many processes", many_processes, NULL, NULL, NULL};
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
