/*
 * document.c - what stands around the events: the head, the closing events and the tail
 */
#include <stdlib.h>
#include <string.h>

#include "mktrace.h"

#define FILL_ROOM ((size_t)4096)

/* The parts of a filler: what a scanner that only counts brackets, or looks for a word, would trip over. */
static const char *const filler[] = {
    "{\"note\": \"a ] in a string, a } and a \\\" and a \\\\\", \"traceEvents\": []}",
    "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" ANCHOR_REGEX "\", \"pid\": 1, \"tid\": 1, "
    "\"ts\": 1, \"dur\": 1}], \"nested\": {\"traceEvents\": [[], [{}], \"]\"]}}",
    "{\"command\": \"python -m serve --model \\\"/models/[base]\\\" --port 30000\", \"env\": {\"PATH\": "
    "\"/usr/bin:/bin\", \"LIST\": \"[1, 2, 3],\\n  ],\\n  \\\"traceEvents\\\": [\"}}",
    "[0.125, -1e-7, 18446744073709551615, true, false, null, \"\\\\\", \"\\\\\\\"\", \"]}\"]",
    "{\"state\": [{\"address\": 140737353547776, \"total_size\": 20971520, \"blocks\": [{\"size\": 512}, {\"size\": "
    "1024}]}], \"frames\": [\"model.py(212): forward\", \"layers.py(71): __call__\"]}",
};

/* A key with at least `bytes` of array behind it. */
static void put_filler_key(struct maker *m, const char *key, uint64_t bytes)
{
    struct out *out = &m->out;
    uint64_t end = out_pos(out) + bytes;
    bool k = m->opt.layout == LAYOUT_KINETO;

    PUT(out, "\"");
    put_str(out, key);
    PUT(out, "\": [");
    for (size_t i = 0; i == 0 || out_pos(out) < end; i++) {
        out_room(out, FILL_ROOM);
        put_str(out, i == 0 ? (k ? "\n    " : "") : k ? ",\n    " : ", ");
        put_str(out, filler[i % (sizeof filler / sizeof *filler)]);
    }
    put_str(out, k ? "\n  ]" : "]");
}

static void put_device(struct maker *m, uint64_t id)
{
    struct out *out = &m->out;
    bool k = m->opt.layout == LAYOUT_KINETO;
    const char *nl = k ? "\n      " : " ";

    out_room(out, FILL_ROOM);
    put_str(out, k ? "    {\n      " : "{");
    PUT(out, "\"id\": ");
    put_u64(out, id);
    PUT(out, ", \"name\": \"Model GPU 80GB\", \"totalGlobalMem\": 85018279936,");
    put_str(out, nl);
    PUT(out, "\"computeMajor\": 9, \"computeMinor\": 0,");
    put_str(out, nl);
    PUT(out, "\"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,");
    put_str(out, nl);
    PUT(out, "\"regsPerBlock\": 65536, \"warpSize\": 32,");
    put_str(out, nl);
    PUT(out, "\"sharedMemPerBlock\": 49152, \"numSms\": 132");
    put_str(out, k ? "\n    }" : "}");
}

void write_head(struct maker *m)
{
    struct out *out = &m->out;
    bool k = m->opt.layout == LAYOUT_KINETO;
    const char *nl = k ? "\n  " : " ";

    if (m->opt.odd[ODD_BOM])
        PUT(out, "\xef\xbb\xbf");
    if (m->opt.odd[ODD_LINES])
        return;
    if (m->opt.bare) {
        put_str(out, k ? "[\n" : "[");
        return;
    }
    /* Kineto begins with an empty line. */
    put_str(out, k ? "\n{\n  " : "{");
    PUT(out, "\"schemaVersion\": 1,");
    put_str(out, nl);
    put_str(out, k ? "\"deviceProperties\": [\n" : "\"deviceProperties\": [");
    for (unsigned i = 0; i < m->groups; i++) {
        if (i)
            put_str(out, k ? ",\n" : ", ");
        put_device(m, m->opt.device + i);
    }
    put_str(out, k ? "\n  ]," : "],");
    put_str(out, nl);
    PUT(out, "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ");
    put_u64(out, m->opt.rank);
    PUT(out, ", \"world_size\": ");
    put_u64(out, m->opt.world_size);
    PUT(out,
        ", \"pg_count\": 1, "
        "\"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"pg_size\": 8, \"ranks\": [0, 1, 2, 3, "
        "4, 5, 6, 7]}], \"nccl_version\": \"2.21.5\"},");
    put_str(out, nl);
    PUT(out, "\"record_shapes\": 1,");
    put_str(out, nl);
    PUT(out, "\"cuda_runtime_version\": 12040,");
    put_str(out, nl);
    PUT(out, "\"with_stack\": 1,");
    put_str(out, nl);
    PUT(out, "\"trace_id\": \"D74EA3FAC1814011AB8FC4FC00427B48\",");
    put_str(out, nl);
    if (m->opt.head) {
        put_filler_key(m, "metadata", m->opt.head);
        PUT(out, ",");
        put_str(out, nl);
        PUT(out, "\"profiler\": {\"traceEvents\": [{\"ph\": \"X\"}], \"text\": \"\\\"traceEvents\\\": [\"},");
        put_str(out, nl);
    }
    put_str(out, m->opt.odd[ODD_EVENTS_NOT_ARRAY] ? "\"traceEvents\": {\"events\": [" : "\"traceEvents\": [");
    if (k)
        PUT(out, "\n");
}

static void put_process(struct maker *m, const struct text *pid, const char *label, uint64_t sort_index)
{
    static const struct text zero = {"0", 1};
    char value[128];

    metadata(m, "process_name", "name", "\"python3\"", pid, &zero);
    snprintf(value, sizeof value, "\"%s\"", label);
    metadata(m, "process_labels", "labels", value, pid, &zero);
    snprintf(value, sizeof value, "%llu", (unsigned long long)sort_index);
    metadata(m, "process_sort_index", "sort_index", value, pid, &zero);
}

/* Metadata, the profiler's own span, and the two instants that every trace of Kineto ends with. */
void write_closing_events(struct maker *m)
{
    struct out *out = &m->out;
    struct moment end = moment_add(m, m->cpu, (struct moment){1000, 0});
    char value[64];

    for (unsigned i = 0; i < m->groups; i++)
        if (moment_before(end, m->group[i].busy_until))
            end = m->group[i].busy_until;

    put_process(m, &m->cpu_pid, "CPU", 783658);
    for (unsigned i = 0; i < m->groups; i++) {
        const struct group *g = &m->group[i];
        if (i && !strcmp(g->pid.s, m->group[i - 1].pid.s))
            continue;
        snprintf(value, sizeof value, "GPU %s", g->device.s);
        put_process(m, &g->pid, value, 5000000 + i);
        for (unsigned s = 0; s < m->opt.streams; s++) {
            /* A stream whose tid is a string has quotes already. */
            snprintf(value, sizeof value, "\"stream %u \"", s + 7);
            metadata(m, "thread_name", "name", value, &g->pid, &m->stream[s]);
            snprintf(value, sizeof value, "%u", s + 7);
            metadata(m, "thread_sort_index", "sort_index", value, &g->pid, &m->stream[s]);
        }
    }
    metadata(m, "thread_name", "name", "\"thread 783658 (python3)\"", &m->cpu_pid, &m->cpu_tid);
    metadata(m, "thread_sort_index", "sort_index", "783658", &m->cpu_pid, &m->cpu_tid);

    const char *line = m->sp.line.s;
    event_begin(m);
    put_str(out, m->sp.open.s);
    PUT(out, "\"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ");
    put_ts(m, m->base);
    PUT(out, ", \"dur\": ");
    put_dur(m, moment_sub(m, end, m->base));
    PUT(out, ",");
    put_str(out, line);
    PUT(out, "\"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",");
    put_str(out, line);
    PUT(out, "\"name\": \"PyTorch Profiler (0)\"");
    args_begin(m);
    PUT(out, "\"Op count\": 0");
    args_end(m);

    static const struct text spans = {"\"Spans\"", 7}, zero = {"0", 1};
    metadata(m, "process_sort_index", "sort_index", "536870912", &spans, &zero);

    event_begin(m);
    put_str(out, m->sp.open.s);
    PUT(out, "\"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",");
    put_str(out, line);
    PUT(out, "\"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
    put_ts(m, m->base);
    put_str(out, m->sp.close.s);
    event_end(m);

    event_begin(m);
    put_str(out, m->sp.open.s);
    PUT(out, "\"name\": \"Record Window End\", \"ph\": \"i\",");
    if (m->opt.odd[ODD_CUT])
        return;
    PUT(out, " \"s\": \"g\",");
    put_str(out, line);
    PUT(out, "\"pid\": \"\", \"tid\": \"\", \"ts\": ");
    put_ts(m, moment_add(m, end, (struct moment){100, m->scale / 2}));
    put_str(out, m->sp.close.s);
    event_end(m);
}

/* Closes the array and the document. */
void write_tail(struct maker *m)
{
    struct out *out = &m->out;
    bool k = m->opt.layout == LAYOUT_KINETO;
    const char *nl = k ? "\n  " : " ";

    m->insert_offset = out_pos(out);
    if (m->opt.odd[ODD_CUT])
        return;
    out_room(out, FILL_ROOM);
    if (m->opt.odd[ODD_TRAILING_COMMA] || m->opt.odd[ODD_OPEN_ARRAY_COMMA])
        PUT(out, ",");
    m->warnings[WARN_COMMA] += m->opt.odd[ODD_TRAILING_COMMA] || m->opt.odd[ODD_OPEN_ARRAY_COMMA];
    m->warnings[WARN_OPEN] += m->opt.odd[ODD_OPEN_ARRAY] || m->opt.odd[ODD_OPEN_ARRAY_COMMA];
    if (m->opt.odd[ODD_LINES] || m->opt.odd[ODD_OPEN_ARRAY] || m->opt.odd[ODD_OPEN_ARRAY_COMMA]) {
        PUT(out, "\n");
        m->insert_offset = out_pos(out);
        return;
    }
    if (m->opt.bare) {
        put_str(out, k ? "\n" : "");
        m->insert_offset = out_pos(out);
        PUT(out, "]\n");
        return;
    }
    put_str(out, k ? "\n  " : "");
    m->insert_offset = out_pos(out);
    put_str(out, m->opt.odd[ODD_EVENTS_NOT_ARRAY] ? "]}," : "],");
    put_str(out, nl);
    if (m->opt.odd[ODD_TWO_ARRAYS]) {
        m->bad_offset = out_pos(out);
        m->bad_event = m->events;
        m->has_bad = true;
        PUT(out, "\"traceEvents\": [{\"ph\": \"i\", \"name\": \"second array\", \"pid\": 1, \"tid\": 1, \"ts\": 1}],");
        put_str(out, nl);
    }
    if (m->opt.tail) {
        put_filler_key(m, "memorySummary", m->opt.tail);
        PUT(out, ",");
        put_str(out, nl);
    }
    PUT(out, "\"traceName\": \"decode.pt.trace.json\",");
    put_str(out, nl);
    PUT(out, "\"displayTimeUnit\": \"ms\",");
    put_str(out, nl);
    PUT(out, "\"baseTimeNanoseconds\": 1751410836000000000");
    put_str(out, k ? "\n}" : "}");
}
