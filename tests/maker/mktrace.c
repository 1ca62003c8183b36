/*
 * mktrace.c - writes a synthetic trace, and the truth about it
 *
 * Exit codes: 0 done, 2 wrong usage, 5 the output could not be written.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "mktrace.h"

#define MAX_HOLD ((uint64_t)1 << 20)

static void usage(FILE *f)
{
    fputs("Usage: mktrace [OPTIONS] [-o FILE]\n"
          "Writes a synthetic trace of an LLM's decode passes, as Torch Profiler lays it out.\n"
          "The same options give the same bytes.\n"
          "\n"
          "What happens in it\n"
          "  --layers N            layers of a pass (4)\n"
          "  --passes P            passes (2)\n"
          "  --draft N             a draft pass of N layers behind every pass; its last kernels are of the\n"
          "                        terminal's family, none matches the anchor (0)\n"
          "  --draft-shares-anchor ... but the anchor is in the draft's layers, too\n"
          "  --extra E             anchors behind the last layer of every pass (0)\n"
          "  --halves              two anchors a layer\n"
          "  --terminals           one terminal kernel a layer, which closes it\n"
          "  --scopes              annotations step[DECODE ...] and step[DRAFT ...], on CPU and GPU\n"
          "  --cut-front C         the first C layers of the first pass are missing (0)\n"
          "  --cut-back C          the last C layers of the last pass are missing, and what comes behind (0)\n"
          "  --kernels K           kernels between a layer's anchor and its end, without --size (2)\n"
          "  --streams S           kernels wander over S streams (1)\n"
          "  --no-launches         no runtime launches, no flows\n"
          "  --pid PID             of the first GPU process (0)\n"
          "  --device DEV          its first device (0)\n"
          "  --pids K              GPU processes (1)\n"
          "  --rank R              of the job, and ... (0)\n"
          "  --world-size N        ... how many ranks that has (8)\n"
          "  --devices K           devices in each of them (1)\n"
          "  --seed N              (1)\n"
          "\n"
          "How it is written\n"
          "  --size BYTES          about so many bytes (suffixes K, M, G): more or less between the anchors;\n"
          "                        never less than anchors and terminals need\n"
          "  --layout kineto|compact\n"
          "  --bare                only the event array\n"
          "  --head BYTES          large keys before the event array, with decoys in them\n"
          "  --tail BYTES          large keys behind it\n"
          "  --ts-decimals D       0 to 18 (3)\n"
          "  --ts-base US          when the trace begins (4203669603771)\n"
          "  --cut BYTES           so many bytes are missing at the end, at most 1M\n"
          "  --oddity NAME[,NAME]  see below; more than one may be given\n"
          "  -o, --output FILE     standard output without it\n"
          "  --truth FILE          what was planted, tab-separated; - is standard error\n"
          "  -h, --help\n"
          "\n"
          "Oddities, with the exit code of `layertrack annotate` by default and with --strict:\n",
          f);
    oddities_print(f);
}

static _Noreturn void wrong(const char *what, const char *value)
{
    fprintf(stderr, "mktrace: %s: %s; see mktrace --help\n", what, value);
    exit(2);
}

static uint64_t number(const char *option, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    uint64_t unit = 1;

    switch (*end) {
    case 'K':
        unit = 1000;
        break;
    case 'M':
        unit = 1000000;
        break;
    case 'G':
        unit = 1000000000;
        break;
    default:
        break;
    }
    if (unit > 1)
        end++;
    if (text[0] < '0' || text[0] > '9' || *end || errno || v > UINT64_MAX / unit || v * unit < least || v * unit > most)
        wrong(option, text);
    return v * unit;
}

enum {
    OPT_LAYERS = 256,
    OPT_PASSES,
    OPT_DRAFT,
    OPT_DRAFT_SHARES,
    OPT_EXTRA,
    OPT_HALVES,
    OPT_TERMINALS,
    OPT_SCOPES,
    OPT_CUT_FRONT,
    OPT_CUT_BACK,
    OPT_KERNELS,
    OPT_STREAMS,
    OPT_NO_LAUNCHES,
    OPT_PID,
    OPT_DEVICE,
    OPT_PIDS,
    OPT_RANK,
    OPT_WORLD_SIZE,
    OPT_DEVICES,
    OPT_SEED,
    OPT_SIZE,
    OPT_LAYOUT,
    OPT_BARE,
    OPT_HEAD,
    OPT_TAIL,
    OPT_TS_DECIMALS,
    OPT_TS_BASE,
    OPT_CUT,
    OPT_ODDITY,
    OPT_TRUTH
};

static const struct option long_options[] = {
    {"layers", required_argument, NULL, OPT_LAYERS},
    {"passes", required_argument, NULL, OPT_PASSES},
    {"draft", required_argument, NULL, OPT_DRAFT},
    {"draft-shares-anchor", no_argument, NULL, OPT_DRAFT_SHARES},
    {"extra", required_argument, NULL, OPT_EXTRA},
    {"halves", no_argument, NULL, OPT_HALVES},
    {"terminals", no_argument, NULL, OPT_TERMINALS},
    {"scopes", no_argument, NULL, OPT_SCOPES},
    {"cut-front", required_argument, NULL, OPT_CUT_FRONT},
    {"cut-back", required_argument, NULL, OPT_CUT_BACK},
    {"kernels", required_argument, NULL, OPT_KERNELS},
    {"streams", required_argument, NULL, OPT_STREAMS},
    {"no-launches", no_argument, NULL, OPT_NO_LAUNCHES},
    {"pid", required_argument, NULL, OPT_PID},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"pids", required_argument, NULL, OPT_PIDS},
    {"rank", required_argument, NULL, OPT_RANK},
    {"world-size", required_argument, NULL, OPT_WORLD_SIZE},
    {"devices", required_argument, NULL, OPT_DEVICES},
    {"seed", required_argument, NULL, OPT_SEED},
    {"size", required_argument, NULL, OPT_SIZE},
    {"layout", required_argument, NULL, OPT_LAYOUT},
    {"bare", no_argument, NULL, OPT_BARE},
    {"head", required_argument, NULL, OPT_HEAD},
    {"tail", required_argument, NULL, OPT_TAIL},
    {"ts-decimals", required_argument, NULL, OPT_TS_DECIMALS},
    {"ts-base", required_argument, NULL, OPT_TS_BASE},
    {"cut", required_argument, NULL, OPT_CUT},
    {"oddity", required_argument, NULL, OPT_ODDITY},
    {"output", required_argument, NULL, 'o'},
    {"truth", required_argument, NULL, OPT_TRUTH},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void parse(struct options *opt, int argc, char **argv)
{
    /* Far more than any disk holds, and no product of two of them overflows. */
    const uint64_t most = UINT64_C(1) << 24, any = UINT64_C(1) << 50;
    const char *unknown;
    int c;

    while ((c = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1) {
        switch (c) {
        case OPT_LAYERS:
            opt->layers = number("--layers", optarg, 1, most);
            break;
        case OPT_PASSES:
            opt->passes = number("--passes", optarg, 1, most);
            break;
        case OPT_DRAFT:
            opt->draft = number("--draft", optarg, 0, most);
            break;
        case OPT_DRAFT_SHARES:
            opt->draft_shares_anchor = true;
            break;
        case OPT_EXTRA:
            opt->extra = number("--extra", optarg, 0, most);
            break;
        case OPT_HALVES:
            opt->halves = true;
            break;
        case OPT_TERMINALS:
            opt->terminals = true;
            break;
        case OPT_SCOPES:
            opt->scopes = true;
            break;
        case OPT_CUT_FRONT:
            opt->cut_front = number("--cut-front", optarg, 0, most);
            break;
        case OPT_CUT_BACK:
            opt->cut_back = number("--cut-back", optarg, 0, most);
            break;
        case OPT_KERNELS:
            opt->kernels = number("--kernels", optarg, 0, most);
            break;
        case OPT_STREAMS:
            opt->streams = number("--streams", optarg, 1, MAX_STREAMS);
            break;
        case OPT_NO_LAUNCHES:
            opt->launches = false;
            break;
        case OPT_PID:
            opt->pid = number("--pid", optarg, 0, any);
            break;
        case OPT_DEVICE:
            opt->device = number("--device", optarg, 0, any);
            break;
        case OPT_RANK:
            opt->rank = number("--rank", optarg, 0, INT32_MAX);
            break;
        case OPT_WORLD_SIZE:
            opt->world_size = number("--world-size", optarg, 1, INT32_MAX);
            break;
        case OPT_PIDS:
            opt->pids = number("--pids", optarg, 1, MAX_GROUPS);
            break;
        case OPT_DEVICES:
            opt->devices = number("--devices", optarg, 1, MAX_GROUPS);
            break;
        case OPT_SEED:
            opt->seed = number("--seed", optarg, 0, any);
            break;
        case OPT_SIZE:
            opt->size = number("--size", optarg, 1, any);
            break;
        case OPT_LAYOUT:
            if (strcmp(optarg, "kineto") != 0 && strcmp(optarg, "compact") != 0)
                wrong("--layout", optarg);
            opt->layout = optarg[0] == 'k' ? LAYOUT_KINETO : LAYOUT_COMPACT;
            break;
        case OPT_BARE:
            opt->bare = true;
            break;
        case OPT_HEAD:
            opt->head = number("--head", optarg, 1, any);
            break;
        case OPT_TAIL:
            opt->tail = number("--tail", optarg, 1, any);
            break;
        case OPT_TS_DECIMALS:
            opt->decimals = number("--ts-decimals", optarg, 0, MAX_DECIMALS);
            break;
        case OPT_TS_BASE:
            opt->ts_base = number("--ts-base", optarg, 0, any * 64);
            break;
        case OPT_CUT:
            opt->cut = number("--cut", optarg, 1, MAX_HOLD);
            break;
        case OPT_ODDITY:
            unknown = oddities_parse(opt->odd, optarg);
            if (unknown)
                wrong("--oddity", unknown);
            break;
        case 'o':
            opt->output = optarg;
            break;
        case OPT_TRUTH:
            opt->truth = optarg;
            break;
        case 'h':
            usage(stdout);
            exit(0);
        default:
            exit(2);
        }
    }
    if (optind < argc)
        wrong("no such argument", argv[optind]);
}

/* What an oddity says in other options' words, and what does not go together. */
static void settle(struct options *opt)
{
    bool *odd = opt->odd;

    if (odd[ODD_TS_INTEGER])
        opt->decimals = 0;
    if (odd[ODD_TS_LONG_DECIMALS])
        opt->decimals = 15;
    if (odd[ODD_MANY_STREAMS])
        opt->streams = 300;
    if (odd[ODD_PID_BOTH] && opt->pids < 2)
        opt->pids = 2;
    if (odd[ODD_OPEN_ARRAY] || odd[ODD_OPEN_ARRAY_COMMA])
        opt->bare = true;
    if (odd[ODD_LINES])
        opt->layout = LAYOUT_COMPACT;

    if (opt->pids * opt->devices > MAX_GROUPS)
        wrong("--pids", "too many with so many --devices");
    if (opt->cut_front >= opt->layers || opt->cut_back >= opt->layers)
        wrong("--cut-front, --cut-back", "at least one layer must be left");
    if (opt->passes == 1 && opt->cut_front + opt->cut_back >= opt->layers)
        wrong("--cut-front, --cut-back", "at least one layer must be left");
    if ((odd[ODD_EQUAL_TS] || odd[ODD_CLOSE_TS]) &&
        (opt->terminals || opt->layers < 2 || opt->cut_front || opt->cut_back))
        wrong("--oddity equal-ts, close-ts", "needs two layers and no terminal");
    if (odd[ODD_CLOSE_TS] && opt->decimals == 0)
        wrong("--oddity close-ts", "needs decimals");
    if (opt->bare && (odd[ODD_TWO_ARRAYS] || odd[ODD_EVENTS_NOT_ARRAY] || odd[ODD_LINES]))
        wrong("--bare", "does not go with two-arrays, events-not-array or lines");
    if (odd[ODD_TS_STRING] + odd[ODD_TS_EXPONENT] + odd[ODD_DUR_STRING] > 1 && odd[ODD_TS_EXPONENT])
        wrong("--oddity ts-exponent", "does not go with strings");
}

int main(int argc, char **argv)
{
    static struct maker m;
    struct options *opt = &m.opt;

    opt->layers = 4;
    opt->passes = 2;
    opt->kernels = 2;
    opt->streams = 1;
    opt->pids = 1;
    opt->world_size = 8;
    opt->devices = 1;
    opt->seed = 1;
    opt->decimals = 3;
    opt->ts_base = UINT64_C(4203669603771);
    opt->launches = true;
    opt->output = "-";
    parse(opt, argc, argv);
    settle(opt);

    /* A reader that goes away shall be an error of write(), with its exit code. */
    signal(SIGPIPE, SIG_IGN);
    m.rng = opt->seed;
    m.scale = 1;
    for (uint64_t i = 0; i < opt->decimals; i++)
        m.scale *= 10;
    spacing_init(&m.sp, opt->layout, opt->odd[ODD_LINES]);
    timeline_init(&m);
    m.anchor_name = oddities_anchor_name(&m);

    if (!out_open(&m.out, opt->output, opt->odd[ODD_SHUFFLED], opt->cut)) {
        fprintf(stderr, "mktrace: %s: %s\n", opt->output, strerror(errno));
        return 5;
    }
    if (opt->truth) {
        m.truth = strcmp(opt->truth, "-") == 0 ? stderr : fopen(opt->truth, "w");
        if (!m.truth) {
            fprintf(stderr, "mktrace: %s: %s\n", opt->truth, strerror(errno));
            return 5;
        }
    }
    truth_begin(&m);
    write_head(&m);
    timeline_run(&m);
    write_closing_events(&m);
    write_tail(&m);
    m.total = out_pos(&m.out);
    truth_finish(&m);

    if (!out_close(&m.out)) {
        fprintf(stderr, "mktrace: %s: %s\n", opt->output, strerror(errno));
        return 5;
    }
    if (m.truth && (ferror(m.truth) || fclose(m.truth) != 0)) {
        fprintf(stderr, "mktrace: %s: %s\n", opt->truth, strerror(errno));
        return 5;
    }
    return 0;
}
