/*
 * truth.c - the record of what was planted
 *
 * Tab-separated lines, in the order of the file: the first field says what a
 * line is (see the comment lines at the top of every record). Rows are
 * written as soon as the next layer is known; what is known only at the end
 * (`fact`) comes last.
 */
#include <inttypes.h>
#include <string.h>

#include "mktrace.h"

static uint64_t round_half_even(const struct maker *m, struct moment t)
{
    uint64_t twice = 2 * t.frac;
    return t.us + (twice > m->scale || (twice == m->scale && t.us % 2 == 1));
}

static void put_moment(struct maker *m, struct moment t)
{
    char s[64];
    fprintf(m->truth, "\t%.*s", (int)moment_text(m, t, s), s);
}

void truth_begin(struct maker *m)
{
    if (!m->truth)
        return;
    fputs("#layer\tpid\tdevice\tanchor_index\tpass\tlayer\thalf\trole\tcomplete\ttid\tts\tdur\tterminal_tid\t"
          "terminal_ts\tterminal_dur\tterminal_end\tguide_start\tguide_dur\tguide_dur_terminal\tevent\toffset\n"
          "#pass\tpid\tdevice\tpass\tanchor_offset\tanchors\tcomplete\n"
          "#scope\twhere\tname\tpid\ttid\tts\tdur\tpass\n"
          "#group\tpid\tdevice\tanchors\tterminals\n"
          "#fact\tname\tvalue\n",
          m->truth);
}

void truth_anchor(struct maker *m, struct group *g, const struct row *row)
{
    uint64_t index = g->anchors++;
    if (!m->truth)
        return;
    g->row[g->rows] = *row;
    g->row[g->rows++].anchor_index = index;
}

void truth_layer_end(struct maker *m, struct group *g, const struct moment *next)
{
    for (unsigned i = 0; i < g->rows; i++) {
        const struct row *r = &g->row[i];
        /* The terminal stands in the row of the anchor before it, the guide in that of the layer's first anchor. */
        const struct row *closing = &g->row[g->rows - 1];
        struct moment terminal_end = moment_add(m, closing->terminal_ts, closing->terminal_dur);

        fprintf(m->truth, "layer\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%s\t%d\t%s", g->pid.s, g->device.s,
                r->anchor_index, r->pass, r->layer, r->half, r->role, r->complete, m->stream[r->stream].s);
        put_moment(m, r->ts);
        put_moment(m, r->dur);
        if (r->has_terminal) {
            fprintf(m->truth, "\t%s", m->stream[r->terminal_stream].s);
            put_moment(m, r->terminal_ts);
            put_moment(m, r->terminal_dur);
            put_moment(m, terminal_end);
        } else {
            fputs("\t-\t-\t-\t-", m->truth);
        }
        if (!r->complete || r->half || strcmp(r->role, "layer") != 0) {
            fputs("\t-\t-\t-", m->truth);
        } else {
            uint64_t start = round_half_even(m, r->ts);
            uint64_t dur = next ? round_half_even(m, *next) - start : 0;
            fprintf(m->truth, "\t%" PRIu64 "\t%" PRIu64, start, dur);
            if (!closing->has_terminal)
                fputs("\t-", m->truth);
            else
                fprintf(m->truth, "\t%" PRIu64, next ? dur : round_half_even(m, terminal_end) - start);
        }
        if (m->opt.odd[ODD_SHUFFLED])
            fputs("\t-\t-\n", m->truth);
        else
            fprintf(m->truth, "\t%" PRIu64 "\t%" PRIu64 "\n", r->event_index, r->event_offset);
    }
    g->rows = 0;
}

void truth_pass(struct maker *m, const struct group *g, uint64_t pass, bool complete)
{
    if (m->truth)
        fprintf(m->truth, "pass\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%d\n", g->pid.s, g->device.s, pass,
                g->pass_first_anchor, g->anchors - g->pass_first_anchor, complete);
}

void truth_scope(struct maker *m, const char *kind, const char *name, const struct text *pid, const struct text *tid,
                 struct moment ts, struct moment dur, uint64_t pass)
{
    if (!m->truth)
        return;
    fprintf(m->truth, "scope\t%s\t%s\t%s\t%s", kind, name, pid->s, tid->s);
    put_moment(m, ts);
    put_moment(m, dur);
    fprintf(m->truth, "\t%" PRIu64 "\n", pass);
}

static void fact(struct maker *m, const char *name, uint64_t value)
{
    fprintf(m->truth, "fact\t%s\t%" PRIu64 "\n", name, value);
}

static void fact_text(struct maker *m, const char *name, const char *value)
{
    fprintf(m->truth, "fact\t%s\t%s\n", name, value);
}

/* What --cut leaves: how many whole elements, and where the last of them ends. */
static void whole_events(struct maker *m, uint64_t total)
{
    uint64_t n = m->events - (m->opt.odd[ODD_CUT] ? 1 : 0);

    while (n > 0 && m->events - n < EVENT_ENDS && m->event_end[(n - 1) % EVENT_ENDS] > total)
        n--;
    if (n > 0 && m->events - n < EVENT_ENDS && !m->opt.odd[ODD_SHUFFLED]) {
        fact(m, "whole_events", n);
        fact(m, "last_event_end", m->event_end[(n - 1) % EVENT_ENDS]);
    }
}

void truth_finish(struct maker *m)
{
    static const char *const warnings[WARNINGS] = {
        "warn_control",        "warn_utf8",           "warn_escape",     "warn_nonfinite",
        "warn_nonfinite_time", "warn_trailing_comma", "warn_open_array",
    };
    const struct options *opt = &m->opt;
    const bool *odd = opt->odd;
    const struct group *g = &m->group[0];
    uint64_t written = m->total - (opt->cut < m->total ? opt->cut : m->total), guide_tid = 1000000;
    bool contiguous = !opt->extra && !(opt->draft && opt->draft_shares_anchor) && !opt->halves;

    if (!m->truth)
        return;
    for (unsigned i = 0; i < m->groups; i++)
        fprintf(m->truth, "group\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\n", m->group[i].pid.s, m->group[i].device.s,
                m->group[i].anchors, m->group[i].terminals);
    fputs("fact\toddities\t", m->truth);
    oddities_list(odd, m->truth);
    fputs("\n", m->truth);
    fact(m, "exit_default", (uint64_t)(opt->cut ? 3 : oddities_exit(odd, false)));
    fact(m, "exit_strict", (uint64_t)(opt->cut ? 3 : oddities_exit(odd, true)));
    fact(m, "events", m->events);
    fact_text(m, "pid", g->pid.s);
    fact_text(m, "device", odd[ODD_NO_DEVICE] || odd[ODD_NO_ARGS] ? "-" : g->device.s);
    fact_text(m, "anchor_regex", ANCHOR_REGEX);
    fact_text(m, "anchor_name_json", m->anchor_name);
    if (opt->terminals) {
        fact_text(m, "terminal_regex", TERMINAL_REGEX);
        fact_text(m, "terminal_family_regex", TERMINAL_FAMILY_REGEX);
    }
    fact(m, "layers", opt->layers);
    fact(m, "passes", opt->passes);
    fact(m, "complete_passes",
         opt->passes - (opt->cut_front ? 1 : 0) - (opt->cut_back && (opt->passes > 1 || !opt->cut_front) ? 1 : 0));
    /* Whether one run with --passes covers them all: nothing else has the anchor's name. */
    fact(m, "contiguous", contiguous);
    fact(m, "anchors", g->anchors);
    fact(m, "terminals", g->terminals);
    fact(m, "guide_tid", guide_tid + (odd[ODD_GUIDE_TID_TAKEN] || odd[ODD_ALREADY_ANNOTATED] ? 1 : 0));
    fact(m, "bare", opt->bare);
    fact(m, "open", odd[ODD_OPEN_ARRAY] || odd[ODD_OPEN_ARRAY_COMMA]);
    if (!odd[ODD_CUT] && m->insert_offset < written)
        fact(m, "insert_offset", m->insert_offset);
    else if (odd[ODD_OPEN_ARRAY] || odd[ODD_OPEN_ARRAY_COMMA])
        fact(m, "insert_offset", m->insert_offset);
    fact(m, "total_bytes", written);
    fputs("fact\ttrace_origin", m->truth);
    put_moment(m, m->origin);
    fputs("\n", m->truth);
    whole_events(m, written);
    if (m->has_bad && !odd[ODD_SHUFFLED]) {
        fact(m, "bad_event", m->bad_event);
        fact(m, "bad_offset", m->bad_offset);
    }
    for (unsigned i = 0; i < WARNINGS; i++)
        if (m->warnings[i])
            fact(m, warnings[i], m->warnings[i]);
}
