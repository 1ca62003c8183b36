/*
 * oddity.c - the table of oddities, and the odd events
 */
#include <stdlib.h>
#include <string.h>

#include "mktrace.h"

static const struct {
    const char *name, *help;
    int exit_default, exit_strict;
} table[ODDITIES] = {
#define ODDITY(id, name, exit_default, exit_strict, help) {name, help, exit_default, exit_strict},
#include "oddities.def"
#undef ODDITY
};

const char *oddities_parse(bool odd[ODDITIES], const char *list)
{
    for (;;) {
        size_t n = strcspn(list, ","), i = 0;
        while (i < ODDITIES && (strlen(table[i].name) != n || memcmp(table[i].name, list, n) != 0))
            i++;
        if (i == ODDITIES)
            return list;
        odd[i] = true;
        if (!list[n])
            return NULL;
        list += n + 1;
    }
}

void oddities_print(FILE *f)
{
    for (size_t i = 0; i < ODDITIES; i++)
        fprintf(f, "  %-22s %d %d  %s\n", table[i].name, table[i].exit_default, table[i].exit_strict, table[i].help);
}

void oddities_list(const bool odd[ODDITIES], FILE *f)
{
    const char *comma = "";
    for (size_t i = 0; i < ODDITIES; i++) {
        if (!odd[i])
            continue;
        fprintf(f, "%s%s", comma, table[i].name);
        comma = ",";
    }
}

int oddities_exit(const bool odd[ODDITIES], bool strict)
{
    int code = 0;
    for (size_t i = 0; i < ODDITIES; i++) {
        int c = strict ? table[i].exit_strict : table[i].exit_default;
        /* A trace that is not usable is never selected from. */
        if (odd[i] && c && code != 3)
            code = c;
    }
    return code;
}

#define LONG_NAME_BYTES ((size_t)12 << 10)
#define HUGE_NAME_BYTES (((size_t)1 << 20) + 4096)
#define ESCAPES         " [\\\"\\\\\\/\\b\\f\\n\\r\\t caf\\u00e9 \\u5C42 \\u0041]"
#define SURROGATES      " [\\ud83d\\ude00 \\uD83D\\uDE80]"
#define RAW_UTF8                                                                                                       \
    " [Gr\xc3\xb6\xc3\x9f"                                                                                             \
    "e \xe5\xb1\x82 \xf0\x9f\x98\x80]"
#define QUOTES         " [with tag = \\\"decode\\\", path = \\\"a]b}c\\\"]"
#define BAD_UTF8       " [caf\xe9 \xc3 \xed\xa0\x80 \xff]"
#define UNKNOWN_ESCAPE " [C:\\Users\\torch\\_inductor]"

static char *append(char *name, const char *s)
{
    size_t n = name ? strlen(name) : 0, k = strlen(s);
    char *longer = realloc(name, n + k + 1);
    if (!longer) {
        fputs("mktrace: out of memory\n", stderr);
        exit(5);
    }
    memcpy(longer + n, s, k + 1);
    return longer;
}

static char *append_long(char *name)
{
    name = append(name, "<std::tuple<");
    while (strlen(name) < LONG_NAME_BYTES)
        name =
            append(name, "at::native::detail::Array<at::native::ReduceOp<float, at::native::MeanOps<float>, 4>, 8>, ");
    return append(name, "int> >");
}

const char *oddities_anchor_name(const struct maker *m)
{
    const bool *odd = m->opt.odd;
    char *name = append(NULL, "");

    name = append(name, odd[ODD_ESCAPES] ? "void vllm::\\u0072otary\\u005Fembedding_kernel"
                                         : "void vllm::rotary_embedding_kernel");
    name = append(name, "<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, "
                        "long, long, int, int)");
    if (odd[ODD_ESCAPES])
        name = append(name, ESCAPES);
    if (odd[ODD_SURROGATES])
        name = append(name, SURROGATES);
    if (odd[ODD_UTF8])
        name = append(name, RAW_UTF8);
    if (odd[ODD_QUOTE_IN_NAME])
        name = append(name, QUOTES);
    if (odd[ODD_CONTROL_ANCHOR])
        name = append(name, " [\x01\x1f\x7f]");
    if (odd[ODD_BAD_UTF8_ANCHOR])
        name = append(name, BAD_UTF8);
    if (odd[ODD_UNKNOWN_ESCAPE_ANCHOR])
        name = append(name, UNKNOWN_ESCAPE);
    if (odd[ODD_LONG_NAME])
        name = append_long(name);
    return name;
}

void escaped_slice_begin(struct maker *m, const char *cat, const char *name, const struct text *pid,
                         const struct text *tid, struct moment ts, struct moment dur)
{
    struct out *out = &m->out;

    event_begin(m);
    put_str(out, m->sp.open.s);
    PUT(out, "\"\\u0070h\": \"\\u0058\", \"c\\u0061t\": \"");
    put_str(out, cat);
    PUT(out, "\", \"\\u006e\\u0061me\": \"");
    put_str(out, name);
    PUT(out, "\", \"p\\u0069d\": ");
    put_str(out, pid->s);
    PUT(out, ", \"ti\\u0064\": ");
    put_str(out, tid->s);
    PUT(out, ",");
    put_str(out, m->sp.line.s);
    PUT(out, "\"\\u0074s\": ");
    put_ts(m, ts);
    PUT(out, ", \"d\\u0075r\": ");
    put_dur(m, dur);
}

/* Moves the CPU's clock on and begins an op there. */
static void cpu_op(struct maker *m, const char *name)
{
    m->cpu = moment_add(m, m->cpu, (struct moment){2, 0});
    slice_begin(m, "cpu_op", name, &m->cpu_pid, &m->cpu_tid, m->cpu, (struct moment){1, 0});
    args_begin(m);
    PUT(&m->out, "\"External id\": ");
    put_u64(&m->out, m->external++);
}

static void named_op(struct maker *m, const char *name)
{
    cpu_op(m, name);
    args_end(m);
}

/* An event with `ph`, and all but one of cat, pid and ts. */
static void event_without(struct maker *m, enum oddity absent)
{
    struct out *out = &m->out;

    m->cpu = moment_add(m, m->cpu, (struct moment){2, 0});
    event_begin(m);
    put_str(out, m->sp.open.s);
    PUT(out, "\"ph\": \"X\", \"name\": \"" ANCHOR_REGEX " of no kernel\", \"tid\": 1");
    if (absent != ODD_NO_CAT)
        PUT(out, ", \"cat\": \"cpu_op\"");
    if (absent != ODD_NO_PID) {
        PUT(out, ", \"pid\": ");
        put_str(out, m->cpu_pid.s);
    }
    if (absent != ODD_NO_TS) {
        PUT(out, ", \"ts\": ");
        put_ts(m, m->cpu);
    }
    PUT(out, ", \"dur\": 1");
    put_str(out, m->sp.close.s);
    event_end(m);
}

static void bare_element(struct maker *m, const char *text)
{
    event_begin(m);
    if (m->opt.layout == LAYOUT_KINETO)
        PUT(&m->out, "  ");
    put_str(&m->out, text);
    event_end(m);
}

/* `ts` and `dur` as text; NULL writes a good one, "" leaves the key out. */
static void odd_times(struct maker *m, bool kernel, const char *ts, const char *dur)
{
    struct out *out = &m->out;
    const struct group *g = &m->group[0];

    m->cpu = moment_add(m, m->cpu, (struct moment){2, 0});
    event_begin(m);
    put_str(out, m->sp.open.s);
    if (kernel) {
        PUT(out, "\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void odd_times_kernel<int, 4>(int*)\", \"pid\": ");
        put_str(out, g->pid.s);
        PUT(out, ", \"tid\": ");
        put_str(out, m->stream[0].s);
    } else {
        PUT(out, "\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::odd_times\", \"pid\": ");
        put_str(out, m->cpu_pid.s);
        PUT(out, ", \"tid\": ");
        put_str(out, m->cpu_tid.s);
    }
    if (!ts) {
        PUT(out, ", \"ts\": ");
        put_ts(m, m->cpu);
    } else if (*ts) {
        PUT(out, ", \"ts\": ");
        put_str(out, ts);
    }
    if (!dur) {
        PUT(out, ", \"dur\": 1");
    } else if (*dur) {
        PUT(out, ", \"dur\": ");
        put_str(out, dur);
    }
    if (kernel) {
        kernel_end(m, g, 0, m->correlation++);
        m->bad_event = m->events - 1;
        m->bad_offset = m->event_offset;
        m->has_bad = true;
        return;
    }
    put_str(out, m->sp.close.s);
    event_end(m);
}

/* Nesting counts the whole document: the object, the array, the event, its args. */
static void deep_op(struct maker *m, unsigned depth)
{
    unsigned n = depth - (m->opt.bare ? 3 : 4);

    cpu_op(m, "aten::deep");
    PUT(&m->out, ", \"tree\": ");
    for (unsigned i = 0; i < n; i++)
        PUT(&m->out, "[");
    for (unsigned i = 0; i < n; i++)
        PUT(&m->out, "]");
    args_end(m);
}

static void huge_name_op(struct maker *m)
{
    event_begin(m);
    out_room(&m->out, HUGE_NAME_BYTES + ((size_t)64 << 10));
    put_str(&m->out, m->sp.open.s);
    PUT(&m->out, "\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"");
    for (size_t i = 0; i < HUGE_NAME_BYTES; i += 16)
        PUT(&m->out, "huge_name_huge_n");
    PUT(&m->out, "\", \"pid\": 1, \"tid\": 1, \"ts\": ");
    put_ts(m, m->cpu);
    PUT(&m->out, ", \"dur\": 1");
    put_str(&m->out, m->sp.close.s);
    event_end(m);
}

static void put_decoys(struct maker *m)
{
    static const char *const heads[] = {
        "\"ph\": \"i\", \"s\": \"t\", \"cat\": \"kernel\"",
        "\"ph\": \"B\", \"cat\": \"kernel\"",
        "\"ph\": \"X\", \"cat\": \"kernel_launch\"",
        "\"ph\": \"X\", \"cat\": \"gpu_kernel,Kernel\"",
        "\"ph\": \"X\", \"cat\": [\"kernel\"]",
        "\"ph\": 88, \"cat\": \"kernel\"",
        "\"cat\": \"kernel\"",
    };
    struct out *out = &m->out;

    named_op(m, m->anchor_name);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        event_begin(m);
        put_str(out, m->sp.open.s);
        put_str(out, heads[i]);
        PUT(out, ", \"name\": \"");
        put_str(out, m->anchor_name);
        PUT(out, "\", \"pid\": ");
        put_str(out, m->group[0].pid.s);
        PUT(out, ", \"tid\": ");
        put_str(out, m->stream[0].s);
        PUT(out, ", \"ts\": ");
        put_ts(m, m->cpu);
        PUT(out, ", \"dur\": 1");
        put_str(out, m->sp.close.s);
        event_end(m);
    }
}

static void dup_keys(struct maker *m)
{
    struct out *out = &m->out;
    const struct group *g = &m->group[0];

    event_begin(m);
    put_str(out, m->sp.open.s);
    PUT(out, "\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" ANCHOR_REGEX
             "\", \"args\": {\"device\": 99}, \"ts\": -1, \"pid\": ");
    put_str(out, g->pid.s);
    PUT(out, ", \"tid\": ");
    put_str(out, m->stream[0].s);
    PUT(out, ", \"name\": \"the last name counts\", \"dur\": 1, \"ts\": ");
    put_ts(m, m->cpu);
    kernel_end(m, g, 0, m->correlation++);
}

static void gpu_event(struct maker *m, const char *cat, const char *name, const char *tid)
{
    struct text t;
    t.n = strlen(tid);
    memcpy(t.s, tid, t.n + 1);
    slice_begin(m, cat, name, &m->group[0].pid, &t, m->cpu, (struct moment){1, 0});
    put_str(&m->out, m->sp.close.s);
    event_end(m);
}

static void mark_bad(struct maker *m)
{
    m->bad_event = m->events - 1;
    m->bad_offset = m->event_offset;
    m->has_bad = true;
}

static void once(struct maker *m)
{
    const bool *odd = m->opt.odd;

    if (odd[ODD_DUP_KEYS])
        dup_keys(m);
    if (odd[ODD_GUIDE_TID_TAKEN]) {
        gpu_event(m, "gpu_user_annotation", "takes the first guide tid", "1000000");
        gpu_event(m, "gpu_user_annotation", "a string is another tid", "\"1000001\"");
    }
    if (odd[ODD_DEEP_OK])
        deep_op(m, 512);
    if (odd[ODD_BAD_KERNEL_TS])
        odd_times(m, true, "\"soon\"", NULL);
    if (odd[ODD_BAD_KERNEL_DUR])
        odd_times(m, true, NULL, "");
    if (odd[ODD_NEGATIVE_DUR])
        odd_times(m, true, NULL, "-1.5");
    if (odd[ODD_NONFINITE_KERNEL_TS])
        odd_times(m, true, "nan", NULL);
    if (odd[ODD_NONFINITE_KERNEL_DUR])
        odd_times(m, true, NULL, "inf");
    m->warnings[WARN_NONFINITE_TIME] += odd[ODD_NONFINITE_KERNEL_TS] + odd[ODD_NONFINITE_KERNEL_DUR];
    if (odd[ODD_ALREADY_ANNOTATED]) {
        gpu_event(m, "layer_guide", "L0", "1000000");
        mark_bad(m);
    }
    if (odd[ODD_DEEP]) {
        deep_op(m, 600);
        mark_bad(m);
    }
    if (odd[ODD_HUGE_NAME]) {
        huge_name_op(m);
        mark_bad(m);
    }
    if (odd[ODD_UNESCAPED_QUOTE]) {
        named_op(m, "torch.compile region \"decode\" of layer 3");
        mark_bad(m);
    }
    if (odd[ODD_MISSING_COMMA]) {
        struct text comma = m->sp.comma;
        m->sp.comma.s[0] = ' ';
        named_op(m, "aten::no_comma_before");
        m->sp.comma = comma;
        mark_bad(m);
    }
}

void oddities_events(struct maker *m, unsigned quarter)
{
    static const char *const nonfinite[] = {"nan", "inf", "NaN", "-Infinity", "N/A", "-nan", "-inf", "Infinity"};
    static const char *const elements[] = {"null", "17", "\"a string ] in the array\""};
    const bool *odd = m->opt.odd;

    if (odd[ODD_NO_CAT])
        event_without(m, ODD_NO_CAT);
    if (odd[ODD_NO_PID])
        event_without(m, ODD_NO_PID);
    if (odd[ODD_NO_TS])
        event_without(m, ODD_NO_TS);
    if (odd[ODD_EMPTY_OBJECT])
        bare_element(m, "{}");
    if (odd[ODD_NULL_ELEMENT])
        bare_element(m, elements[(quarter - 1) % 3]);
    if (odd[ODD_ESCAPES])
        named_op(m, "escapes" ESCAPES " \\u0000 ends nothing");
    if (odd[ODD_SURROGATES])
        named_op(m, "surrogates" SURROGATES);
    if (odd[ODD_UTF8])
        named_op(m, "utf8" RAW_UTF8);
    if (odd[ODD_QUOTE_IN_NAME])
        named_op(m, "quotes" QUOTES);
    if (odd[ODD_LONG_NAME]) {
        char *name = append_long(append(NULL, "void long_name"));
        named_op(m, name);
        free(name);
    }
    if (odd[ODD_CONTROL_BYTE]) {
        cpu_op(m, "docstring\n\tof two lines \x01\x1f");
        PUT(&m->out, ", \"doc\": \"first\r\n\tsecond\"");
        args_end(m);
        m->warnings[WARN_CONTROL] += 2;
    }
    if (odd[ODD_BAD_UTF8]) {
        cpu_op(m, "latin-1" BAD_UTF8);
        PUT(&m->out, ", \"path\": \"/home/andr\xe9/run\"");
        args_end(m);
        m->warnings[WARN_UTF8] += 2;
    }
    if (odd[ODD_UNKNOWN_ESCAPE]) {
        cpu_op(m, "C:\\Users\\me\\model.py(1): forward");
        PUT(&m->out, ", \"file\": \"C:\\Users\\me\\model.py\"");
        args_end(m);
        m->warnings[WARN_ESCAPE] += 2;
    }
    if (odd[ODD_NONFINITE_ARGS]) {
        for (size_t i = 0; i < sizeof nonfinite / sizeof *nonfinite; i++) {
            cpu_op(m, "aten::nonfinite");
            PUT(&m->out, ", \"bandwidth (GB/s)\": ");
            put_str(&m->out, nonfinite[i]);
            PUT(&m->out, ", \"list\": [1, ");
            put_str(&m->out, nonfinite[i]);
            PUT(&m->out, "]");
            args_end(m);
            m->warnings[WARN_NONFINITE] += 2;
        }
    }
    if (odd[ODD_NONFINITE_TS]) {
        odd_times(m, false, nonfinite[quarter], NULL);
        m->warnings[WARN_NONFINITE_TIME]++;
    }
    if (odd[ODD_NONFINITE_DUR]) {
        odd_times(m, false, NULL, nonfinite[quarter]);
        m->warnings[WARN_NONFINITE_TIME]++;
    }
    if (odd[ODD_HUGE_INT]) {
        cpu_op(m, "aten::huge_int");
        PUT(&m->out, ", \"a\": 18446744073709551616, \"b\": -9223372036854775809, \"c\": "
                     "123456789012345678901234567890, \"d\": -0");
        args_end(m);
    }
    if (odd[ODD_DECOYS])
        put_decoys(m);
    if (quarter == 2)
        once(m);
}
