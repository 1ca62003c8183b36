/*
 * timeline.c - passes, layers, kernels: what happens when
 *
 * The CPU's clock and one clock for each GPU move forward. A kernel starts
 * when its GPU is free and its launch is done, as in a queue. Nothing is kept
 * but the clocks, so the length of the trace costs no memory.
 *
 * The size is steered, not computed: every layer gets its share of the bytes
 * that are wanted, and is filled up with CPU ops and kernels until it has
 * used them.
 */
#include <string.h>

#include "mktrace.h"

/* Left free at the end of a layer's share of bytes for its terminal. */
#define TERMINAL_BYTES 1400

/* Long, with commas and angle brackets, as compilers of kernels make them. */
#define GEMM                                                                                                           \
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>("                       \
    "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8::Params)"
#define FILL                                                                                                           \
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(" \
    "int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)"
#define SILU                                                                                                           \
    "void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat16>("                   \
    "c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)"
#define BINARY "at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, at::native::MulFunctor<float> >"
#define MULTIPLY                                                                                                       \
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<" BINARY " >"                      \
    "(at::TensorIteratorBase&, " BINARY " const&)::{lambda(int)#1}>(int)"
#define CACHE                                                                                                          \
    "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDataType)0>("            \
    "__nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, __nv_bfloat16*, long const*, long, int)"
#define ATTENTION                                                                                                      \
    "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, bfloat16_t, "         \
    "Flash_kernel_traits<128, 64, 128, 4, bfloat16_t> >, false, false, true, false>(flash::Flash_fwd_params)"
#define NORM                                                                                                           \
    "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long, c10::BFloat16*, "                    \
    "c10::BFloat16 const*, float, int, int)"
#define DRAFT_ROPE "void draft::rope_apply_kernel<c10::BFloat16>(c10::BFloat16*, float const*, float const*, int, int)"
#define TERMINAL                                                                                                       \
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals, vllm::Signal*, "      \
    "__nv_bfloat16*, int, int)"
#define DRAFT_TERMINAL                                                                                                 \
    "void vllm::cross_device_reduce_1stage<__half, 8>(vllm::RankData*, vllm::RankSignals, vllm::Signal*, __half*, "    \
    "int, int)"
#define SAMPLER                                                                                                        \
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, "  \
    "long, 4, 4> >(at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, long, 4, 4>)"

static const char *const kernel_names[] = {
    GEMM,
    FILL,
    SILU,
    MULTIPLY,
    CACHE,
    ATTENTION,
    NORM,
    "nvjet_tst_64x8_64x16_2x1_v_bz_TNT",
    "triton_poi_fused__to_copy_add_mean_mul_pow_rsqrt_0",
};

static const char *const op_names[] = {
    "aten::linear",
    "aten::addmm",
    "aten::empty",
    "aten::view",
    "aten::as_strided",
    "aten::mul",
    "vllm::unified_attention_with_output",
    "aten::slice",
    "model_executor/models/llama.py(212): forward",
    "torch/nn/modules/module.py(1747): _call_impl",
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What a kernel is, as far as its place in time goes. */
enum kind { KIND_FILLER, KIND_ANCHOR, KIND_TERMINAL, KIND_DRAFT_ROPE };

struct kernel {
    unsigned stream;
    struct moment ts, dur;
    uint64_t event_index, event_offset;
};

static void set_text(struct text *t, const char *format, unsigned long long v)
{
    t->n = (size_t)snprintf(t->s, sizeof t->s, format, v);
}

void timeline_init(struct maker *m)
{
    const struct options *opt = &m->opt;
    uint64_t layers = opt->layers * opt->passes - opt->cut_front - opt->cut_back;
    /* The parts behind a pass that is cut at its end are missing, too. */
    uint64_t rests = opt->passes - (opt->cut_back ? 1 : 0);

    m->base.us = opt->ts_base;
    m->base.frac = m->scale / 8;
    m->cpu = moment_add(m, m->base, (struct moment){400, 0});
    m->external = 513;
    m->correlation = 117;
    set_text(&m->cpu_pid, "%llu", 783658);
    set_text(&m->cpu_tid, "%llu", 783658);
    for (unsigned s = 0; s < opt->streams; s++)
        set_text(&m->stream[s], opt->odd[ODD_TID_STRING] ? "\"stream %llu\"" : "%llu", s + 7);

    m->groups = (unsigned)(opt->pids * opt->devices);
    for (unsigned i = 0; i < m->groups; i++) {
        struct group *g = &m->group[i];
        uint64_t process = i / opt->devices;
        bool string = opt->odd[ODD_PID_STRING] || (opt->odd[ODD_PID_BOTH] && process % 2);
        uint64_t pid = opt->pid + (opt->odd[ODD_PID_BOTH] ? process / 2 : process);
        set_text(&g->pid, string ? "\"%llu\"" : "%llu", pid);
        /* Two processes that differ only in the type of their pid look at one device. */
        set_text(&g->device, "%llu", opt->device + (opt->odd[ODD_PID_BOTH] ? 0 : i));
        g->busy_until = moment_add(m, m->base, (struct moment){900 + 3 * i, 0});
    }
    m->blocks = (layers + rests * (opt->draft + opt->extra)) * m->groups;
}

void kernel_end(struct maker *m, const struct group *g, unsigned stream, uint64_t correlation)
{
    static const char *const nonfinite[] = {"nan", "inf", "-nan", "N/A"};
    struct out *out = &m->out;
    const bool *odd = m->opt.odd;
    uint64_t r = draw(m);

    if (odd[ODD_NO_ARGS]) {
        put_bytes(out, m->sp.close.s, m->sp.close.n);
        event_end(m);
        return;
    }
    args_begin(m);
    PUT(out, "\"External id\": ");
    put_u64(out, m->external);
    PUT(out, ",");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    if (odd[ODD_ARGS_DECOYS]) {
        PUT(out,
            "\"name\": \"" ANCHOR_REGEX "\", \"ph\": \"M\", \"cat\": \"cpu_op\", \"ts\": 1, \"dur\": -1, \"pid\": 0, "
            "\"tid\": 0, \"traceEvents\": [{\"device\": 99, \"args\": {\"device\": 98}}, [], \"]\"], \"config\": "
            "{\"device\": 97, \"correlation\": 1},");
        put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    }
    PUT(out, "\"queued\": 0, ");
    if (!odd[ODD_NO_DEVICE]) {
        PUT(out, "\"device\": ");
        put_bytes(out, g->device.s, g->device.n);
        PUT(out, ", ");
    }
    PUT(out, "\"context\": 1,");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"stream\": ");
    put_u64(out, stream + 7);
    PUT(out, ", \"correlation\": ");
    put_u64(out, correlation);
    PUT(out, ",");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"registers per thread\": ");
    put_u64(out, 16 + (r & 15) * 8);
    PUT(out, ",");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"shared memory\": ");
    put_u64(out, ((r >> 4) & 7) * 1024);
    PUT(out, ",");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"blocks per SM\": ");
    put_u64(out, (r >> 8) & 7);
    PUT(out, ".");
    put_u64(out, 1 + ((r >> 11) & 7));
    PUT(out, ",");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"warps per SM\": ");
    put_u64(out, (r >> 14) & 31);
    PUT(out, ".25,");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"grid\": [");
    put_u64(out, 1 + ((r >> 20) & 1023));
    PUT(out, ", 1, 1],");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"block\": [");
    put_u64(out, 32u << ((r >> 32) & 3));
    PUT(out, ", 1, 1],");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"est. achieved occupancy %\": ");
    if (odd[ODD_NONFINITE_ARGS] && r >> 63) {
        put_str(out, nonfinite[(r >> 40) & 3]);
        m->warnings[WARN_NONFINITE]++;
    } else {
        put_u64(out, (r >> 40) % 101);
    }
    args_end(m);
}

static void launch(struct maker *m, const char *name, unsigned cbid)
{
    struct out *out = &m->out;
    struct moment dur = moment_draw(m, 2, 4), ts = moment_add(m, m->cpu, moment_draw(m, 1, 4));

    m->cpu = moment_add(m, ts, dur);
    if (!m->opt.launches)
        return;
    slice_begin(m, "cuda_runtime", name, &m->cpu_pid, &m->cpu_tid, ts, dur);
    args_begin(m);
    PUT(out, "\"External id\": ");
    put_u64(out, m->external);
    PUT(out, ",");
    put_bytes(out, m->sp.args_line.s, m->sp.args_line.n);
    PUT(out, "\"cbid\": ");
    put_u64(out, cbid);
    PUT(out, ", \"correlation\": ");
    put_u64(out, m->correlation);
    args_end(m);
    flow(m, 's', m->correlation, &m->cpu_pid, &m->cpu_tid, ts);
}

/*
 * Rounding is where guides go wrong: let every fourth time lie exactly on a
 * half of a microsecond, or right beside one, which a double may not tell.
 */
static struct moment near_half(struct maker *m, struct moment t)
{
    uint64_t r = draw(m) & 7;

    if (r > 3 || m->scale < 10)
        return t;
    struct moment half = {t.us, m->scale / 2};
    if (moment_before(half, t))
        half.us++;
    if (r == 2)
        half.frac++;
    if (r == 3)
        half = moment_add(m, half, (struct moment){0, m->scale - 1});
    return half;
}

static struct kernel kernel(struct maker *m, struct group *g, enum kind kind, const char *name, const struct moment *at)
{
    const bool *odd = m->opt.odd;
    struct kernel k;
    uint64_t r = draw(m);

    if (!odd[ODD_GRAPH_LAUNCH])
        launch(m, "cudaLaunchKernel", 211);
    /* Often the next kernel starts at the very instant at which the last one ended. */
    k.ts = g->busy_until;
    if (r & 3)
        k.ts = moment_add(m, k.ts, moment_draw(m, 0, 3));
    k.dur = moment_draw(m, 2, 24);
    k.stream = (unsigned)((r >> 8) % m->opt.streams);

    /* With more streams than one, a filler may run beside the kernel before it. */
    struct moment beside = moment_add(m, g->last_start, (struct moment){1, 0});
    if (kind == KIND_FILLER && g->started && !g->overlapped && k.stream != g->last_stream && !(r >> 62) &&
        moment_before(m->cpu, beside)) {
        k.ts = beside;
        g->overlapped = true;
    } else {
        if (moment_before(k.ts, m->cpu))
            k.ts = moment_add(m, m->cpu, moment_draw(m, 3, 4));
        g->overlapped = false;
    }
    if (kind == KIND_ANCHOR)
        k.ts = near_half(m, k.ts);
    if (kind == KIND_TERMINAL)
        k.dur = moment_sub(m, near_half(m, moment_add(m, k.ts, k.dur)), k.ts);
    if (at)
        k.ts = *at;

    struct moment end = moment_add(m, k.ts, k.dur);
    if (moment_before(g->busy_until, end))
        g->busy_until = end;
    g->last_start = k.ts;
    g->last_stream = k.stream;
    if (!g->started)
        g->first_start = k.ts;
    g->started = true;

    const char *cat = odd[ODD_CAT_LIST] ? "gpu_op,kernel" : "kernel";
    if (kind == KIND_ANCHOR && odd[ODD_ESCAPED_KEYS])
        escaped_slice_begin(m, cat, name, &g->pid, &m->stream[k.stream], k.ts, k.dur);
    else
        slice_begin(m, cat, name, &g->pid, &m->stream[k.stream], k.ts, k.dur);
    k.event_index = m->events - 1;
    k.event_offset = m->event_offset;
    kernel_end(m, g, k.stream, m->correlation);
    if (m->opt.launches)
        flow(m, 'f', m->correlation, &g->pid, &m->stream[k.stream], k.ts);
    if (!odd[ODD_GRAPH_LAUNCH]) {
        m->correlation++;
        m->external++;
    }
    return k;
}

static void filler_op(struct maker *m)
{
    struct out *out = &m->out;
    uint64_t r = draw(m);
    const char *name = op_names[r % COUNT(op_names)];
    struct moment ts = moment_add(m, m->cpu, moment_draw(m, 0, 2)), dur = moment_draw(m, 0, 2);

    if (m->scale == 1)
        dur.us++;
    m->cpu = moment_add(m, ts, dur);
    slice_begin(m, name[0] == 'a' || name[0] == 'v' ? "cpu_op" : "python_function", name, &m->cpu_pid, &m->cpu_tid, ts,
                dur);
    args_begin(m);
    PUT(out, "\"External id\": ");
    put_u64(out, m->external++);
    PUT(out, ",\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"0\", \"-1\"], \"Input Dims\": [[");
    put_u64(out, (r >> 8) & 127);
    PUT(out, ", ");
    put_u64(out, (r >> 16) & 4095);
    PUT(out, "], [], []], \"Input type\": [\"c10::BFloat16\", \"Scalar\", \"Scalar\"], \"Ev Idx\": ");
    put_u64(out, m->external);
    args_end(m);
}

static void filler_kernel(struct maker *m, struct group *g)
{
    kernel(m, g, KIND_FILLER, kernel_names[draw(m) % COUNT(kernel_names)], NULL);
}

/* Fills up to `until` bytes, or with a fixed number of kernels when no size is wanted. */
static void fill(struct maker *m, struct group *g, uint64_t until)
{
    if (!m->opt.size) {
        for (uint64_t i = 0; i < m->opt.kernels; i++) {
            filler_op(m);
            filler_kernel(m, g);
        }
        return;
    }
    while (out_pos(&m->out) < until) {
        filler_op(m);
        if (draw(m) & 1)
            filler_kernel(m, g);
    }
}

/* One layer, of whatever role; `complete`: its pass is. */
static void layer(struct maker *m, struct group *g, const char *role, uint64_t pass, uint64_t number, bool complete)
{
    const bool draft = role[0] == 'd', anchored = !draft || m->opt.draft_shares_anchor;
    const bool second = pass == 0 && number == 1 && !strcmp(role, "layer");
    const bool first = pass == 0 && number == 0 && !strcmp(role, "layer");
    const bool tight = m->opt.odd[ODD_EQUAL_TS] || m->opt.odd[ODD_CLOSE_TS];
    uint64_t start = out_pos(&m->out), until = 0;

    for (unsigned q = 1; q <= 3; q++)
        if (m->block == m->blocks * q / 4)
            oddities_events(m, q);
    m->block++;
    if (m->opt.size) {
        uint64_t rest = m->opt.tail + 4096, end = m->opt.size > rest ? m->opt.size - rest : 0;
        double share = end > m->body_start ? (double)(end - m->body_start) / (double)m->blocks : 0;
        until = m->body_start + (uint64_t)(share * (double)m->block);
        until = until > TERMINAL_BYTES ? until - TERMINAL_BYTES : 0;
    }
    if (until > start + 2 * TERMINAL_BYTES)
        while (out_pos(&m->out) < start + (until - start) / 4)
            filler_op(m);

    struct row row = {.pass = pass, .layer = number, .role = role, .complete = complete};
    for (unsigned half = 0; half < (m->opt.halves ? 2 : 1); half++) {
        struct moment at, *when = NULL;
        if (anchored && tight && (first || second) && half == 0) {
            /* A moment in the first third of a microsecond; the next one a part of it later, or at once. */
            at = first ? moment_add(m, g->busy_until, (struct moment){300, 0}) : g->last_start;
            if (first)
                at.frac = m->scale / 8;
            else if (m->opt.odd[ODD_CLOSE_TS])
                at = moment_add(m, at, (struct moment){0, 1});
            when = &at;
        }
        m->odd_zero = second && half == 0 && m->opt.odd[ODD_EQUAL_TS];
        struct kernel k =
            kernel(m, g, anchored ? KIND_ANCHOR : KIND_DRAFT_ROPE, anchored ? m->anchor_name : DRAFT_ROPE, when);
        m->odd_zero = false;
        if (anchored) {
            if (half == 0)
                truth_layer_end(m, g, !strcmp(role, "layer") && g->pass_anchors ? &k.ts : NULL);
            row.half = half;
            row.stream = k.stream;
            row.ts = k.ts;
            row.dur = k.dur;
            row.event_index = k.event_index;
            row.event_offset = k.event_offset;
            truth_anchor(m, g, &row);
        }
        if (!(tight && first))
            fill(m, g, half == 0 && m->opt.halves ? (start + until) / 2 : until);
    }
    if (m->opt.terminals) {
        struct kernel k = kernel(m, g, KIND_TERMINAL, draft ? DRAFT_TERMINAL : TERMINAL, NULL);
        if (draft)
            return;
        g->terminals++;
        if (m->truth) {
            struct row *r = &g->row[g->rows - 1];
            r->has_terminal = true;
            r->terminal_stream = k.stream;
            r->terminal_ts = k.ts;
            r->terminal_dur = k.dur;
        }
    }
}

/* The annotations of a pass, on the CPU and on the GPU. */
static void scope(struct maker *m, struct group *g, const char *what, uint64_t pass, struct moment cpu_start)
{
    struct moment cpu_dur = moment_sub(m, m->cpu, cpu_start), gpu_dur = moment_sub(m, g->busy_until, g->first_start);
    char name[64];

    if (!m->opt.scopes)
        return;
    snprintf(name, sizeof name, "step[%s bs=%u]", what, 32u);
    slice_begin(m, "user_annotation", name, &m->cpu_pid, &m->cpu_tid, cpu_start, cpu_dur);
    args_begin(m);
    PUT(&m->out, "\"External id\": ");
    put_u64(&m->out, m->external);
    PUT(&m->out, ",\"Ev Idx\": ");
    put_u64(&m->out, pass);
    args_end(m);
    slice_begin(m, "gpu_user_annotation", name, &g->pid, &m->stream[0], g->first_start, gpu_dur);
    args_begin(m);
    PUT(&m->out, "\"External id\": ");
    put_u64(&m->out, m->external++);
    args_end(m);
    truth_scope(m, "cpu", name, &m->cpu_pid, &m->cpu_tid, cpu_start, cpu_dur, pass);
    truth_scope(m, "gpu", name, &g->pid, &m->stream[0], g->first_start, gpu_dur, pass);
}

static void graph_launch(struct maker *m)
{
    if (m->opt.odd[ODD_GRAPH_LAUNCH]) {
        m->correlation++;
        m->external++;
        launch(m, "cudaGraphLaunch", 311);
    }
}

static struct moment pass_start(struct maker *m, struct group *g, uint64_t least)
{
    /* Sampling and scheduling: the GPU is idle for longer than between two layers. */
    m->cpu = moment_add(m, m->cpu, moment_draw(m, least, least));
    if (moment_before(g->busy_until, m->cpu))
        g->busy_until = m->cpu;
    g->busy_until = moment_add(m, g->busy_until, moment_draw(m, least, least));
    g->started = false;
    /* The annotation holds the launch of the whole pass, too. */
    struct moment start = m->cpu;
    graph_launch(m);
    return start;
}

static void one_pass(struct maker *m, struct group *g, uint64_t pass)
{
    const struct options *opt = &m->opt;
    uint64_t from = pass == 0 ? opt->cut_front : 0;
    uint64_t to = opt->layers - (pass + 1 == opt->passes ? opt->cut_back : 0);
    bool complete = from == 0 && to == opt->layers;
    struct moment cpu_start = pass_start(m, g, 150);

    g->pass_first_anchor = g->anchors;
    g->pass_anchors = 0;
    for (uint64_t n = from; n < to; n++) {
        layer(m, g, "layer", pass, n, complete);
        g->pass_anchors++;
    }
    truth_layer_end(m, g, NULL);
    truth_pass(m, g, pass, complete);
    if (to < opt->layers)
        return;
    for (uint64_t n = 0; n < opt->extra; n++)
        layer(m, g, "extra", pass, opt->layers + n, complete);
    truth_layer_end(m, g, NULL);
    kernel(m, g, KIND_FILLER, SAMPLER, NULL);
    scope(m, g, "DECODE", pass, cpu_start);

    if (opt->draft) {
        cpu_start = pass_start(m, g, 40);
        for (uint64_t n = 0; n < opt->draft; n++)
            layer(m, g, "draft", pass, n, complete);
        truth_layer_end(m, g, NULL);
        scope(m, g, "DRAFT", pass, cpu_start);
    }
}

void timeline_run(struct maker *m)
{
    filler_op(m);
    m->out.shuffling = m->opt.odd[ODD_SHUFFLED];
    m->body_start = out_pos(&m->out);
    for (uint64_t pass = 0; pass < m->opt.passes; pass++)
        for (unsigned i = 0; i < m->groups; i++)
            one_pass(m, &m->group[i], pass);
    out_flush(&m->out);
    m->out.shuffling = false;
}
