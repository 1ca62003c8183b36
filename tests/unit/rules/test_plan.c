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

#include "base/text.h"
#include "rules/plan.h"

struct row {
    const char *name;
    const char *anchors;   /* ts, separated by blanks, in the order of the trace */
    const char *terminals; /* ts+dur, separated by blanks; NULL: no terminal regex */
    uint64_t num_layers, passes, offset, first_layer;
    const char *expected; /* "pass.label@start+dur[kind]" per guide, or what is refused */
    uint64_t stride, extras;
    const char *landmarks; /* "ts ts =N; ts =N": when each landmark's kernels start, and how many a guide must hold */
    const char *instances; /* the scope instance of each anchor */
    const char *gpu;       /* "start+dur" of each GPU scope */
    const char *outside;   /* ts of anchors outside the scopes */
    /* The stream of each anchor, and of each GPU scope; NULL: those of the anchors carry no annotations. */
    const char *streams, *gpu_streams;
};

static const struct row rows[] = {
    {"one pass", "10 20 30", NULL, 3, 1, 0, 0, .expected = "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p"},
    {"one layer is a point", "10", NULL, 1, 1, 0, 0, .expected = "0.L0@10+0p"},
    {"anchors in any order", "30 10 20", NULL, 3, 1, 0, 0, .expected = "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p"},
    {"many runs", "9 8 7 6 5 4 3 2 1 0", NULL, 2, 5, 0, 0,
     .expected = "0.L0@0+1n 0.L1@1+0p 1.L0@2+1n 1.L1@3+0p 2.L0@4+1n 2.L1@5+0p 3.L0@6+1n 3.L1@7+0p 4.L0@8+1n 4.L1@9+0p"},
    {"never across the gap between passes", "10 20 100 110", NULL, 2, 2, 0, 0,
     .expected = "0.L0@10+10n 0.L1@20+0p 1.L0@100+10n 1.L1@110+0p"},
    {"draft work in the gap is not counted by the terminal", "10 20 100 110", "12+3 22+3 50+20 80+5 102+3 112+3", 2, 2,
     0, 0, .expected = "refused: many terminals, pass 0 layer 1: 3"},
    {"terminals close the last guide", "10 20 100 110", "12+3 22+3 102+3 112+4", 2, 2, 0, 0,
     .expected = "0.L0@10+10n 0.L1@20+5t 1.L0@100+10n 1.L1@110+6t"},
    {"offset", "1 10 20 30", NULL, 3, 1, 1, 0, .expected = "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p"},
    {"partition: offset with first layer 20", "1 2 10 20", NULL, 2, 1, 2, 20, .expected = "0.L20@10+10n 0.L21@20+0p"},
    {"first layer counts in every pass", "1 2 3 4", NULL, 2, 2, 0, 20,
     .expected = "0.L20@1+1n 0.L21@2+0p 1.L20@3+1n 1.L21@4+0p"},
    {"rest of a pass behind the selection", "1 2 3 4 5", NULL, 2, 1, 1, 0, .expected = "0.L0@2+1n 0.L1@3+0p"},

    /* 4503599627370496.5 and its neighbours are where a double has no room for quarters. */
    {"large fractions subtract exactly", "4503599627370496.499 4503599627370497.500 4503599627370498.501", NULL, 3, 1,
     0, 0, .expected = "0.L0@4503599627370496+2n 0.L1@4503599627370498+1n 0.L2@4503599627370499+0p"},
    {"epoch fractions touch exactly", "1740461679473654.4999 1740461679473655.4999 1740461679473656.5001", NULL, 3, 1,
     0, 0, .expected = "0.L0@1740461679473654+1n 0.L1@1740461679473655+2n 0.L2@1740461679473657+0p"},
    {"half rounds to even", "0.5 1.5 2.5 3.5", NULL, 4, 1, 0, 0,
     .expected = "0.L0@0+2n 0.L1@2+0n 0.L2@2+2n 0.L3@4+0p warn 1 at 0.2"},
    {"negative half rounds to even", "-2.5 -1.5 -0.5", NULL, 3, 1, 0, 0,
     .expected = "0.L0@-2+0n 0.L1@-2+2n 0.L2@0+0p warn 1 at 0.1"},
    {"just above half", "0.50000000000000000000000000000000000001 2", NULL, 2, 1, 0, 0,
     .expected = "0.L0@1+1n 0.L1@2+0p"},
    {"exponents", "1.7e15 1.700000000000001e15", NULL, 2, 1, 0, 0,
     .expected = "0.L0@1700000000000000+1n 0.L1@1700000000000001+0p"},
    {"mixed scales sort by value", "1.50 1.5000000000000000000000000000000000001 1.49", NULL, 3, 1, 0, 0,
     .expected = "0.L0@1+1n 0.L1@2+0n 0.L2@2+0p warn 1 at 0.2"},
    {"terminal end with its own decimals", "10.25 20.125", "11+1 20.2+3.3004", 2, 1, 0, 0,
     .expected = "0.L0@10+10n 0.L1@20+4t"},
    {"ends at the last time that viewers tell apart", "9007199254740991 9007199254740992", NULL, 2, 1, 0, 0,
     .expected = "0.L0@9007199254740991+1n 0.L1@9007199254740992+0p"},
    {"one microsecond beyond", "9007199254740992 9007199254740993", NULL, 2, 1, 0, 0,
     .expected = "refused: time range, pass 0 layer 1: 9007199254740993"},
    {"rounds to beyond", "1 9007199254740992.6", NULL, 2, 1, 0, 0,
     .expected = "refused: time range, pass 0 layer 1: 9007199254740992.6"},
    {"as far below zero", "-9007199254740992 -9007199254740991", NULL, 2, 1, 0, 0,
     .expected = "0.L0@-9007199254740992+1n 0.L1@-9007199254740991+0p"},
    {"farther below zero", "-9007199254740993 1", NULL, 2, 1, 0, 0,
     .expected = "refused: time range, pass 0 layer 0: -9007199254740993"},

    {"too few", "1 2 3", NULL, 4, 1, 0, 0, .expected = "refused: need 4, found 3"},
    {"too few from the offset", "1 2 3 4", NULL, 2, 2, 1, 0, .expected = "refused: need 4, found 3"},
    {"offset behind the last", "1 2", NULL, 1, 1, 2, 0, .expected = "refused: need 1, found 0"},
    {"no anchor", "", NULL, 1, 1, 0, 0, .expected = "refused: need 1, found 0"},
    {"a product beyond 64 bits", "1 2", NULL, UINT64_MAX / 2, 3, 0, 0,
     .expected = "refused: need 18446744073709551615, found 2"},
    {"equal times", "1 2 2 3", NULL, 4, 1, 0, 0, .expected = "refused: equal times, pass 0 layer 2: 2"},
    {"equal times, written differently", "1 2.0 2.000 3", NULL, 4, 1, 0, 0,
     .expected = "refused: equal times, pass 0 layer 2: 2.000"},
    {"equal times across passes", "1 2 2 3", NULL, 2, 2, 0, 0, .expected = "refused: equal times, pass 1 layer 0: 2"},
    {"equal times outside the selection", "1 1 2 3", NULL, 2, 1, 2, 0, .expected = "0.L0@2+1n 0.L1@3+0p"},
    {"beyond 64 bits", "1 9223372036854775807.5", NULL, 2, 1, 0, 0,
     .expected = "refused: time range, pass 0 layer 1: 9223372036854775807.5"},

    {"no terminal", "10 20", "12+1", 2, 1, 0, 0, .expected = "refused: no terminal, pass 0 layer 1"},
    {"no terminal at all", "10 20", "", 2, 1, 0, 0, .expected = "refused: no terminal, pass 0 layer 0"},
    {"two terminals", "10 20", "12+1 14+1 22+1", 2, 1, 0, 0, .expected = "refused: many terminals, pass 0 layer 0: 2"},
    {"two terminals at one time", "10 20", "12+1 12+1 22+1", 2, 1, 0, 0,
     .expected = "refused: many terminals, pass 0 layer 0: 2"},
    {"terminal before the first anchor does not count", "10 20", "5+1 12+1 22+1", 2, 1, 0, 0,
     .expected = "0.L0@10+10n 0.L1@20+3t"},
    {"terminal at the anchor's own start", "10 20", "10+1 20+1", 2, 1, 0, 0, .expected = "0.L0@10+10n 0.L1@20+1t"},
    {"terminal at the next anchor's start is the next one's", "10 20", "20+1 22+1", 2, 1, 0, 0,
     .expected = "refused: no terminal, pass 0 layer 0"},
    {"terminal ends at the next anchor", "10 20", "12+8 22+1", 2, 1, 0, 0, .expected = "0.L0@10+10n 0.L1@20+3t"},
    {"terminal overlaps the next anchor", "10 20", "12+8.001 22+1", 2, 1, 0, 0,
     .expected = "refused: late terminal, pass 0 layer 0: 20.001 > 20"},
    {"terminal overlaps the next unselected anchor", "10 20 30", "12+1 22+9 32+1", 2, 1, 0, 0,
     .expected = "refused: late terminal, pass 0 layer 1: 31 > 30"},
    {"terminal behind the next unselected anchor", "10 20 30", "12+1 32+1", 2, 1, 0, 0,
     .expected = "refused: no terminal, pass 0 layer 1"},
    {"the last of all has no bound", "10 20", "12+1 5000+70", 2, 1, 0, 0, .expected = "0.L0@10+10n 0.L1@20+5050t"},
    {"terminals in any order", "20 10", "22+3 12+3", 2, 1, 0, 0, .expected = "0.L0@10+10n 0.L1@20+5t"},
    {"terminal of no length", "10 20", "12+0 22+0", 2, 1, 0, 0, .expected = "0.L0@10+10n 0.L1@20+2t"},
    {"terminal end beyond 64 bits", "10 20", "12+1 22+9223372036854775807", 2, 1, 0, 0,
     .expected = "refused: time range, pass 0 layer 1: 9223372036854775829"},

    /* Cadence: every K-th anchor starts a layer, E behind a pass belong to none. */
    {"two halves a layer", "10 15 20 25 30 35", NULL, 3, 1, 0, 0, "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p", .stride = 2},
    {"two halves a layer, two passes", "1 2 3 4 11 12 13 14", NULL, 2, 2, 0, 0,
     "0.L0@1+2n 0.L1@3+0p 1.L0@11+2n 1.L1@13+0p", .stride = 2},
    {"extra anchors belong to no layer", "1 2 3 11 12 13", NULL, 2, 2, 0, 0,
     "0.L0@1+1n 0.L1@2+0p 1.L0@11+1n 1.L1@12+0p", .extras = 1},
    {"extra anchors behind the last pass need not be there", "1 2 3 11 12", NULL, 2, 2, 0, 0,
     "0.L0@1+1n 0.L1@2+0p 1.L0@11+1n 1.L1@12+0p", .extras = 1},
    {"halves and extras from an offset", "0 1 2 3 4 8 9 11 12 13 14", NULL, 2, 2, 1, 5,
     "0.L5@1+2n 0.L6@3+0p 1.L5@11+2n 1.L6@13+0p", .stride = 2, .extras = 2},
    {"the last layer's second half is missing", "1 2 3 4 11 12 13", NULL, 2, 2, 0, 0, "refused: need 8, found 7",
     .stride = 2},
    {"too few with extras", "1 2 3 11 12", NULL, 2, 2, 0, 0, "refused: need 6, found 5", .extras = 2},
    {"extras beyond 64 bits", "1 2", NULL, 1, 3, 0, 0, "refused: need 18446744073709551615, found 2",
     .extras = UINT64_MAX / 2},
    {"a stride beyond 64 bits", "1 2", NULL, 3, 1, 0, 0, "refused: need 18446744073709551615, found 2",
     .stride = UINT64_MAX / 2},
    {"half anchors at one time are no trouble", "1 1 2 2", NULL, 2, 1, 0, 0, "0.L0@1+1n 0.L1@2+0p", .stride = 2},
    {"one terminal per layer of two halves", "10 15 20 25", "17+2 27+4", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+11t",
     .stride = 2},
    {"a terminal in each half is one too many", "10 15 20 25", "12+1 17+2 27+4", 2, 1, 0, 0,
     "refused: many terminals, pass 0 layer 0: 2", .stride = 2},
    {"a terminal must end by the first extra anchor", "10 20 30 110 120", "12+1 22+9 112+1 122+1", 2, 2, 0, 0,
     "refused: late terminal, pass 0 layer 1: 31 > 30", .extras = 1},
    {"a terminal of the extra anchor does not count", "10 20 30 110 120", "12+1 22+3 33+1 112+1 122+1", 2, 2, 0, 0,
     "0.L0@10+10n 0.L1@20+5t 1.L0@110+10n 1.L1@120+3t", .extras = 1},

    /* Landmarks */
    {"a landmark in every guide", "10 20 30", NULL, 3, 1, 0, 0, "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p",
     .landmarks = "12 22 32 =1"},
    {"landmarks in any order, several kinds", "10 20", NULL, 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+0p",
     .landmarks = "22 12 =1;25 15 16 26 =2;=0"},
    {"a landmark at the anchor's start is inside", "10 20", NULL, 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+0p",
     .landmarks = "10 20 =1"},
    {"none in a guide", "10 20 30", NULL, 3, 1, 0, 0, "refused: landmark 0, pass 0 layer 1: need 1, found 0",
     .landmarks = "12 32 =1"},
    {"too many in a guide", "10 20 30", NULL, 3, 1, 0, 0, "refused: landmark 0, pass 0 layer 2: need 1, found 2",
     .landmarks = "12 22 32 33 =1"},
    {"the second landmark is wrong", "10 20", NULL, 2, 1, 0, 7, "refused: landmark 1, pass 0 layer 8: need 2, found 1",
     .landmarks = "12 22 =1;13 14 23 =2"},
    {"one that must not be there", "10 20", NULL, 2, 1, 0, 0, "refused: landmark 0, pass 0 layer 1: need 0, found 1",
     .landmarks = "5 21 =0"},
    {"before the first guide does not count", "10 20", NULL, 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+0p",
     .landmarks = "5 9.999 12 22 =1"},
    {"the last guide without terminal runs to the next anchor", "10 20 30", NULL, 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+0p",
     .landmarks = "12 22 30 31 =1"},
    {"the last guide of all runs to the end", "10 20", NULL, 2, 1, 0, 0,
     "refused: landmark 0, pass 0 layer 1: need 1, found 2", .landmarks = "12 22 9999 =1"},
    {"a terminal ends the last guide", "10 20", "12+1 22+3", 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+5t",
     .landmarks = "12 22 25 =1"},
    {"... and only that", "10 20 100 110", "12+1 22+3 102+1 112+1", 2, 2, 0, 0,
     "0.L0@10+10n 0.L1@20+5t 1.L0@100+10n 1.L1@110+3t", .landmarks = "19 24.999 50 109 112 =1"},
    {"landmarks of a layer of two halves", "10 15 20 25 40", NULL, 2, 1, 0, 0,
     "refused: landmark 0, pass 0 layer 1: need 1, found 2", .stride = 2, .landmarks = "12 27 39 41 =1"},
    {"landmarks behind the last stride do not count", "10 15 20 25 40", NULL, 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+0p",
     .stride = 2, .landmarks = "17 27 41 =1"},
    {"long times", "10 20", NULL, 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+0p",
     .landmarks = "19.99999999999999999999999999 20.000000000000000000000000000000000001 =1"},

    /* Scopes */
    {"a pass in one instance", "10 20 30 40", NULL, 2, 2, 0, 0, "0.L0@10+10n 0.L1@20+0p 1.L0@30+10n 1.L1@40+0p",
     .instances = "4 4 2 2"},
    {"a pass across two instances", "10 20 30 40", NULL, 2, 1, 1, 0, "refused: crosses, pass 0 layer 1: 30",
     .instances = "4 4 2 2"},
    {"instances follow the order of time", "30 10 40 20", NULL, 2, 2, 0, 0,
     "0.L0@10+10n 0.L1@20+0p 1.L0@30+10n 1.L1@40+0p", .instances = "2 4 2 4"},
    {"a half anchor in another instance", "10 15 20 25", NULL, 2, 1, 0, 0, "refused: crosses, pass 0 layer 1: 25",
     .stride = 2, .instances = "1 1 1 2"},
    {"extra anchors may lie in another one", "10 20 25 30 40", NULL, 2, 2, 0, 0,
     "0.L0@10+10n 0.L1@20+0p 1.L0@30+10n 1.L1@40+0p", .extras = 1, .instances = "1 1 9 2 2"},
    {"a pass in one GPU scope", "10 20 30 40", NULL, 2, 2, 0, 0, "0.L0@10+10n 0.L1@20+0p 1.L0@30+10n 1.L1@40+0p",
     .gpu = "9+15 28+20"},
    {"a GPU scope ends before its end", "10 20", NULL, 2, 1, 0, 0, "refused: crosses gpu, pass 0: 10 to 20",
     .gpu = "10+10"},
    {"a GPU scope begins with its start", "10 20", NULL, 2, 1, 0, 0, "0.L0@10+10n 0.L1@20+0p", .gpu = "10+10.001"},
    {"no one GPU scope holds the pass", "10 20 30", NULL, 3, 1, 0, 0, "refused: crosses gpu, pass 0: 10 to 30",
     .gpu = "9+20 15+20"},
    {"the later of two GPU scopes on two streams holds it", "10 20 30", NULL, 2, 1, 1, 0, "0.L0@20+10n 0.L1@30+0p",
     .gpu = "9+20 15+20"},
    {"an anchor outside the scopes ends the last guide's terminals", "10 20 100 110", "12+1 22+3 50+1 102+1 112+1", 2,
     2, 0, 0, "0.L0@10+10n 0.L1@20+5t 1.L0@100+10n 1.L1@110+3t", .outside = "40"},
    {"... and landmarks, but no other guide's", "10 20 100 110", NULL, 2, 2, 0, 0,
     "0.L0@10+10n 0.L1@20+0p 1.L0@100+10n 1.L1@110+0p", .outside = "200 12 40 5",
     .landmarks = "15 22 41 101 199 201 =1"},
    {"a terminal that overlaps an anchor outside", "10 20", "12+1 22+3", 2, 1, 0, 0,
     "refused: late terminal, pass 0 layer 1: 25 > 24", .outside = "24"},
    {"an anchor outside at the last one's own start ends nothing", "10 20", "12+1 22+3", 2, 1, 0, 0,
     "0.L0@10+10n 0.L1@20+5t", .outside = "20"},
    {"GPU scopes inside others do not count", "10 20 30", NULL, 3, 1, 0, 0, "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p",
     .gpu = "12+3 9+30 9+12 16+2"},
    {"a side stream's scope holds nothing of a stream with scopes of its own", "10 20 30 40", NULL, 4, 1, 0, 0,
     "refused: crosses gpu, pass 0: 10 to 40", .gpu = "0+25 15+30", .streams = "7 7 7 7", .gpu_streams = "7 9"},
    {"two scopes of one name in turn on a stream are two", "10 20 30 40", NULL, 4, 1, 0, 0,
     "refused: crosses gpu, pass 0: 10 to 40", .gpu = "0+25 15+30 25+30", .streams = "7 7 7 7", .gpu_streams = "7 9 7"},
    {"a pass in each of them", "10 20 30 40", NULL, 2, 2, 0, 0, "0.L0@10+10n 0.L1@20+0p 1.L0@30+10n 1.L1@40+0p",
     .gpu = "0+25 15+30 25+30", .streams = "7 7 7 7", .gpu_streams = "7 9 7"},
    {"anchors on two streams in one scope, drawn on both", "10 20 30 40", NULL, 4, 1, 0, 0,
     "0.L0@10+10n 0.L1@20+10n 0.L2@30+10n 0.L3@40+0p", .gpu = "5+50 8+30", .streams = "7 9 9 7", .gpu_streams = "7 9"},
    {"... of another name on the second", "10 20 30 40", NULL, 4, 1, 0, 0, "refused: crosses gpu, pass 0: 10 to 40",
     .gpu = "5+50 8+30", .streams = "7 9 9 7", .gpu_streams = "7a 9b"},
    {"... and then in the next one on the second", "10 20 30 40", NULL, 4, 1, 0, 0,
     "refused: crosses gpu, pass 0: 10 to 40", .gpu = "5+50 8+15 25+30", .streams = "7 9 9 7", .gpu_streams = "7 9 9"},
    {"an anchor on a stream without annotations, in the pass's scope", "10 20 30", NULL, 3, 1, 0, 0,
     "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p", .gpu = "5+50", .streams = "7 8 7", .gpu_streams = "7"},
    {"... outside it", "10 20 30", NULL, 3, 1, 0, 0, "refused: crosses gpu, pass 0: 10 to 30", .gpu = "5+10 15+30",
     .streams = "7 8 8", .gpu_streams = "7 7"},
    {"... before one whose stream tells, beside an outer one of another name", "10 20 30", NULL, 3, 1, 0, 0,
     "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p", .gpu = "5+40 0+90", .streams = "8 7 7", .gpu_streams = "7a 9b"},
    {"streams that run ahead of each other: two steps that touch in time are two", "105 106", NULL, 2, 1, 0, 0,
     "refused: crosses gpu, pass 0: 105 to 106", .gpu = "0+100 100+100 0+110 110+100", .streams = "9 7",
     .gpu_streams = "7 7 9 9"},
    {"... half of the shorter one is not enough", "10 29", NULL, 2, 1, 0, 0, "refused: crosses gpu, pass 0: 10 to 29",
     .gpu = "0+20 10+20", .streams = "7 9", .gpu_streams = "7 9"},
    {"... more than that is one step", "10 25", NULL, 2, 1, 0, 0, "0.L0@10+15n 0.L1@25+0p", .gpu = "0+20 9+20",
     .streams = "7 9", .gpu_streams = "7 9"},
    {"... and a short one inside is, too", "10 25", NULL, 2, 1, 0, 0, "0.L0@10+15n 0.L1@25+0p", .gpu = "0+100 24+2",
     .streams = "7 9", .gpu_streams = "7 9"},
    {"... all of them, beside one that spans as much under another name", "10 20 30", NULL, 3, 1, 0, 0,
     "0.L0@10+10n 0.L1@20+10n 0.L2@30+0p", .gpu = "5+40 5+40", .streams = "8 8 8", .gpu_streams = "7a 9b"},
    {"... before the scope that another's stream tells", "10 20 30", NULL, 3, 1, 0, 0,
     "refused: crosses gpu, pass 0: 10 to 30", .gpu = "15+40 0+90", .streams = "8 7 7", .gpu_streams = "7a 9b"},
};

#define MAX 64

static struct decimal number(const char *text, size_t len)
{
    struct decimal out;
    assert_int_equal(decimal_parse(&out, text, len), DECIMAL_OK);
    return out;
}

static size_t read_anchors(const char *text, struct anchor *anchors)
{
    size_t count = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t len = strcspn(text, " ");
        struct decimal ts = number(text, len);
        anchors[count++] = (struct anchor){.ts = decimal_pack(&ts), .ts_scale = ts.scale};
        text += len;
    }
    return count;
}

static size_t read_terminals(const char *text, struct terminal *terminals)
{
    size_t count = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t len = strcspn(text, " "), plus = strcspn(text, "+");
        struct decimal ts = number(text, plus), dur = number(text + plus + 1, len - plus - 1), end;
        assert_int_equal(decimal_add(&end, &ts, &dur), DECIMAL_OK);
        terminals[count++] = (struct terminal){
            .ts = decimal_pack(&ts), .ts_scale = ts.scale, .end = decimal_pack(&end), .end_scale = end.scale};
        text += len;
    }
    return count;
}

static size_t read_landmarks(const char *text, struct landmark *landmarks)
{
    size_t count = 0;
    for (; text != NULL; count++) {
        struct landmark *landmark = &landmarks[count];
        *landmark = (struct landmark){.marks = calloc(MAX, sizeof *landmark->marks),
                                      .long_times = calloc(MAX, sizeof *landmark->long_times)};
        for (text += strspn(text, " "); *text != '='; text += strspn(text, " ")) {
            size_t len = strcspn(text, " ");
            struct decimal ts = number(text, len);
            struct mark *mark = &landmark->marks[landmark->count++];
            mark->ts_scale = ts.scale;
            mark->is_long = ts.coefficient != (int64_t)ts.coefficient;
            mark->ts = mark->is_long ? (int64_t)landmark->long_count : (int64_t)ts.coefficient;
            if (mark->is_long)
                landmark->long_times[landmark->long_count++] = decimal_pack(&ts);
            text += len;
        }
        landmark->wanted = strtoull(text + 1, NULL, 10);
        text = strchr(text, ';');
        text = text == NULL ? NULL : text + 1;
    }
    return count;
}

static void read_instances(const char *text, uint64_t *instances)
{
    for (char *end; *text != '\0'; text = end)
        *instances++ = strtoull(text, &end, 10);
}

static void read_streams(const char *text, struct anchor *anchors)
{
    for (char *end; text != NULL && *text != '\0'; text = end)
        (anchors++)->tid = (uint32_t)strtoul(text, &end, 10);
}

static void read_scopes(const struct row *row, struct gpu_scopes *scopes)
{
    struct terminal spans[MAX];
    size_t count = row->gpu == NULL ? 0 : read_terminals(row->gpu, spans);
    const char *streams = row->gpu_streams;
    scopes->pid = 3;
    scopes->tids = malloc(MAX * sizeof *scopes->tids);
    assert_non_null(scopes->tids);
    for (size_t i = 0; i < count; i++) {
        char *end = NULL;
        struct scope scope = {.start = spans[i].ts,
                              .end = spans[i].end,
                              .pid = 3,
                              .tid = streams == NULL ? 1000 + (uint32_t)i : (uint32_t)strtoul(streams, &end, 10),
                              .start_scale = spans[i].ts_scale,
                              .end_scale = spans[i].end_scale};
        /* "7b": stream 7, and another name. */
        if (streams != NULL && *end >= 'a')
            scope.name = (uint32_t)*end++;
        streams = end;
        scopes->tids[scopes->tid_count++] = scope.tid;
        assert_true(scopes_add(&scopes->own, &scope));
    }
    assert_true(gpu_scopes_settle(scopes));
}

static void add_number(struct text *out, const char *before, uint64_t value)
{
    text_puts(out, before);
    text_u64(out, value);
}

static void describe_refusal(struct text *out, const struct plan *plan)
{
    static const char *const words[] = {
        [PLAN_EQUAL_TIMES] = "equal times",
        [PLAN_NO_TERMINAL] = "no terminal",
        [PLAN_MANY_TERMINALS] = "many terminals",
        [PLAN_LATE_TERMINAL] = "late terminal",
        [PLAN_TIME_RANGE] = "time range",
        [PLAN_NO_MEMORY] = "no memory",
        [PLAN_CROSSES] = "crosses",
        [PLAN_CROSSES_GPU] = "crosses gpu",
    };
    text_puts(out, "refused: ");
    if (plan->refusal == PLAN_TOO_FEW) {
        add_number(out, "need ", plan->need);
        add_number(out, ", found ", plan->found);
        return;
    }
    if (plan->refusal == PLAN_LANDMARK) {
        add_number(out, "landmark ", plan->landmark);
        add_number(out, ", pass ", plan->pass);
        add_number(out, " layer ", plan->layer);
        add_number(out, ": need ", plan->need);
        add_number(out, ", found ", plan->found);
        return;
    }
    text_puts(out, words[plan->refusal]);
    if (plan->refusal == PLAN_CROSSES_GPU) {
        add_number(out, ", pass ", plan->pass);
        text_puts(out, ": ");
        text_decimal(out, &plan->ts);
        text_puts(out, " to ");
        text_decimal(out, &plan->limit);
        return;
    }
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
        uint64_t stride = plan->request.stride, extras = plan->request.extras;
        assert_int_equal(guide.anchor_index,
                         plan->request.anchor_offset + i * stride + i / plan->request.num_layers * extras);
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
    struct anchor anchors[MAX];
    struct terminal terminals[MAX];
    struct landmark landmarks[8];
    uint64_t instances[MAX];
    struct gpu_scopes scopes = {0};
    size_t count = read_anchors(row->anchors, anchors);
    size_t outside = row->outside == NULL ? 0 : read_anchors(row->outside, anchors + count);
    struct plan_request request = {
        .anchors = anchors,
        .anchor_count = count,
        .outside_count = outside,
        .terminals = terminals,
        .terminal_count = row->terminals == NULL ? 0 : read_terminals(row->terminals, terminals),
        .has_terminal = row->terminals != NULL,
        .num_layers = row->num_layers,
        .passes = row->passes,
        .anchor_offset = row->offset,
        .first_layer = row->first_layer,
        .stride = row->stride,
        .extras = row->extras,
        .landmarks = landmarks,
        .landmark_count = read_landmarks(row->landmarks, landmarks),
        .instances = row->instances == NULL ? NULL : instances,
        .gpu_scopes = row->gpu == NULL ? NULL : &scopes,
    };
    if (row->instances != NULL)
        read_instances(row->instances, instances);
    read_streams(row->streams, anchors);
    read_scopes(row, &scopes);
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
    gpu_scopes_free(&scopes);
    for (size_t i = 0; i < request.landmark_count; i++) {
        free(landmarks[i].marks);
        free(landmarks[i].long_times);
    }
}

/* No quadratic step: a hundred thousand anchors with terminals, in the worst orders. */
static void many(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct anchor *anchors = calloc(COUNT, sizeof *anchors);
    struct terminal *terminals = calloc(COUNT, sizeof *terminals);
    struct landmark landmark = {.wanted = 1, .marks = calloc(COUNT, sizeof *landmark.marks), .count = COUNT};
    for (int order = 0; order < 3; order++) {
        for (int64_t i = 0; i < COUNT; i++) {
            int64_t at = order == 0 ? i : order == 1 ? COUNT - 1 - i : (i * 7919) % COUNT;
            struct decimal ts = decimal_from_int(at * 10), start = decimal_from_int(at * 10 + 5),
                           end = decimal_from_int(at * 10 + 7);
            anchors[i] = (struct anchor){.ts = decimal_pack(&ts), .name = (uint32_t)at};
            terminals[i] = (struct terminal){.ts = decimal_pack(&start), .end = decimal_pack(&end)};
            landmark.marks[i] = (struct mark){.ts = at * 10 + 6};
        }
        struct plan_request request = {.anchors = anchors,
                                       .anchor_count = COUNT,
                                       .terminals = terminals,
                                       .terminal_count = COUNT,
                                       .has_terminal = true,
                                       .landmarks = &landmark,
                                       .landmark_count = 1,
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
    free(landmark.marks);
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
