/*
 * emit.c - bytes: the buffer, numbers, and events in either layout
 *
 * Text is put together in one buffer that always has room for an event, so
 * that nothing on the way checks for space; event_begin() sees to the room.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mktrace.h"

#define BUFFER_BYTES ((size_t)256 << 10)
#define EVENT_ROOM   ((size_t)64 << 10)
/* An event is longer than this. */
#define EVENT_LEAST 2

bool out_open(struct out *out, const char *path, bool shuffle, uint64_t hold)
{
    memset(out, 0, sizeof *out);
    out->hold = hold;
    out->cap = BUFFER_BYTES + (size_t)hold;
    out->buf = malloc(out->cap);
    if (!out->buf)
        return false;
    if (shuffle) {
        out->max_starts = out->cap / EVENT_LEAST;
        out->shuffled = malloc(out->cap);
        out->start = malloc(out->max_starts * sizeof *out->start);
        if (!out->shuffled || !out->start)
            return false;
    }
    out->fd = strcmp(path, "-") == 0 ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return out->fd >= 0;
}

/* Puts the events that stand in the buffer into another order. A generator of its own: the trace stays the same. */
static void shuffle(struct out *out)
{
    uint64_t state = out->flushed + 1;
    size_t n = out->starts, at = out->start[0], end = out->len;
    size_t *order = malloc(n * sizeof *order);

    out->starts = 0;
    if (!order) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n - 1; i > 0; i--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t j = (size_t)((state >> 33) % (i + 1)), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    memcpy(out->shuffled, out->buf, at);
    for (size_t i = 0; i < n; i++) {
        size_t from = out->start[order[i]], to = order[i] + 1 < n ? out->start[order[i] + 1] : end;
        memcpy(out->shuffled + at, out->buf + from, to - from);
        at += to - from;
    }
    free(order);
    char *t = out->buf;
    out->buf = out->shuffled;
    out->shuffled = t;
}

void out_flush(struct out *out)
{
    if (out->starts > 1)
        shuffle(out);
    out->starts = 0;

    size_t done = 0, n = out->len > out->hold ? out->len - (size_t)out->hold : 0;
    while (done < n && !out->failed) {
        ssize_t r = write(out->fd, out->buf + done, n - done);
        if (r > 0)
            done += (size_t)r;
        else if (r == 0 || errno != EINTR)
            out->failed = true;
    }
    memmove(out->buf, out->buf + n, out->len - n);
    out->len -= n;
    out->flushed += n;
}

bool out_close(struct out *out)
{
    out_flush(out);
    bool ok = !out->failed && close(out->fd) == 0;
    int error = errno;
    free(out->buf);
    free(out->shuffled);
    free(out->start);
    errno = error;
    return ok;
}

void out_room(struct out *out, size_t n)
{
    if (out->cap - out->len >= n)
        return;
    out_flush(out);
    if (out->cap - out->len >= n)
        return;
    /* A name of a megabyte: once in a trace, so let the buffer grow. */
    size_t cap = out->len + n;
    char *buf = realloc(out->buf, cap);
    if (buf)
        out->buf = buf;
    char *shuffled = out->shuffled && buf ? realloc(out->shuffled, cap) : NULL;
    if (shuffled)
        out->shuffled = shuffled;
    if (!buf || (out->start && !shuffled)) {
        fputs("mktrace: out of memory\n", stderr);
        exit(5);
    }
    out->cap = cap;
}

void put_bytes(struct out *out, const char *s, size_t n)
{
    memcpy(out->buf + out->len, s, n);
    out->len += n;
}

void put_str(struct out *out, const char *s)
{
    put_bytes(out, s, strlen(s));
}

static void put_text(struct out *out, const struct text *t)
{
    put_bytes(out, t->s, t->n);
}

static size_t u64_text(uint64_t v, char *dst)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char tmp[20];
    size_t at = sizeof tmp;

    while (v >= 100) {
        at -= 2;
        memcpy(tmp + at, pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10) {
        at -= 2;
        memcpy(tmp + at, pairs + 2 * v, 2);
    } else {
        tmp[--at] = (char)('0' + v);
    }
    memcpy(dst, tmp + at, sizeof tmp - at);
    return sizeof tmp - at;
}

void put_u64(struct out *out, uint64_t v)
{
    out->len += u64_text(v, out->buf + out->len);
}

static size_t frac_text(const struct maker *m, uint64_t frac, char *dst)
{
    size_t n = (size_t)m->opt.decimals;
    for (size_t i = n; i-- > 0; frac /= 10)
        dst[i] = (char)('0' + frac % 10);
    return n;
}

/* At most 20 + 1 + MAX_DECIMALS bytes. */
size_t moment_text(const struct maker *m, struct moment t, char *dst)
{
    size_t n = u64_text(t.us, dst);
    if (m->scale > 1) {
        dst[n++] = '.';
        n += frac_text(m, t.frac, dst + n);
    }
    return n;
}

/* 4203669603771.648 as 4.203669603771648e12: the same digits, the point moved. */
static void put_exponent(struct maker *m, struct moment t)
{
    char digits[20 + MAX_DECIMALS];
    size_t whole = u64_text(t.us, digits), n = whole + frac_text(m, t.frac, digits + whole);

    put_bytes(&m->out, digits, 1);
    if (n > 1) {
        PUT(&m->out, ".");
        put_bytes(&m->out, digits + 1, n - 1);
    }
    PUT(&m->out, "e");
    put_u64(&m->out, whole - 1);
}

void put_ts(struct maker *m, struct moment t)
{
    if (!m->has_origin || moment_before(t, m->origin)) {
        m->origin = t;
        m->has_origin = true;
    }
    if (m->opt.odd[ODD_TS_STRING])
        PUT(&m->out, "\"");
    if (m->opt.odd[ODD_TS_EXPONENT])
        put_exponent(m, t);
    else
        m->out.len += moment_text(m, t, m->out.buf + m->out.len);
    if (m->odd_zero)
        put_str(&m->out, m->scale == 1 ? ".0" : "0");
    if (m->opt.odd[ODD_TS_STRING])
        PUT(&m->out, "\"");
}

void put_dur(struct maker *m, struct moment t)
{
    if (m->opt.odd[ODD_TS_EXPONENT]) {
        /* 12.345 as 12345e-3; no zeros in front, which JSON forbids. */
        char digits[20 + MAX_DECIMALS];
        size_t n = u64_text(t.us, digits), skip = 0;
        n += frac_text(m, t.frac, digits + n);
        while (skip + 1 < n && digits[skip] == '0')
            skip++;
        put_bytes(&m->out, digits + skip, n - skip);
        PUT(&m->out, "e-");
        put_u64(&m->out, m->opt.decimals);
        return;
    }
    if (m->opt.odd[ODD_DUR_STRING])
        PUT(&m->out, "\"");
    m->out.len += moment_text(m, t, m->out.buf + m->out.len);
    if (m->opt.odd[ODD_DUR_STRING])
        PUT(&m->out, "\"");
}

static void set_text(struct text *t, const char *s)
{
    t->n = strlen(s);
    memcpy(t->s, s, t->n + 1);
}

void spacing_init(struct spacing *sp, enum layout layout, bool lines)
{
    bool k = layout == LAYOUT_KINETO;
    set_text(&sp->open, k ? "  {\n    " : "{");
    set_text(&sp->line, k ? "\n    " : " ");
    set_text(&sp->args_open, k ? "\n      " : "");
    set_text(&sp->args_line, k ? "\n      " : " ");
    set_text(&sp->args_close, k ? "\n    " : "");
    set_text(&sp->close, k ? "\n  }" : "}");
    set_text(&sp->comma, lines ? "\n" : k ? ",\n" : ", ");
}

void event_begin(struct maker *m)
{
    struct out *out = &m->out;

    out_room(out, EVENT_ROOM);
    if (out->shuffling && out->starts < out->max_starts)
        out->start[out->starts++] = out->len;
    if (m->events)
        put_text(out, &m->sp.comma);
    /* The indent in front of `{` is not the element's. */
    m->event_offset = out_pos(out) + (m->sp.open.n > 1 ? 2 : 0);
    m->events++;
}

void event_end(struct maker *m)
{
    m->event_end[(m->events - 1) % EVENT_ENDS] = out_pos(&m->out);
}

void slice_begin(struct maker *m, const char *cat, const char *name, const struct text *pid, const struct text *tid,
                 struct moment ts, struct moment dur)
{
    struct out *out = &m->out;

    event_begin(m);
    put_text(out, &m->sp.open);
    PUT(out, "\"ph\": \"X\", \"cat\": \"");
    put_str(out, cat);
    PUT(out, "\", \"name\": \"");
    put_str(out, name);
    PUT(out, "\", \"pid\": ");
    put_text(out, pid);
    PUT(out, ", \"tid\": ");
    put_text(out, tid);
    PUT(out, ",");
    put_text(out, &m->sp.line);
    PUT(out, "\"ts\": ");
    put_ts(m, ts);
    PUT(out, ", \"dur\": ");
    put_dur(m, dur);
}

void args_begin(struct maker *m)
{
    PUT(&m->out, ",");
    put_text(&m->out, &m->sp.line);
    PUT(&m->out, "\"args\": {");
    put_text(&m->out, &m->sp.args_open);
}

void args_end(struct maker *m)
{
    put_text(&m->out, &m->sp.args_close);
    PUT(&m->out, "}");
    put_text(&m->out, &m->sp.close);
    event_end(m);
}

void flow(struct maker *m, char ph, uint64_t id, const struct text *pid, const struct text *tid, struct moment ts)
{
    struct out *out = &m->out;

    event_begin(m);
    put_text(out, &m->sp.open);
    if (ph == 's')
        PUT(out, "\"ph\": \"s\", \"id\": ");
    else
        PUT(out, "\"ph\": \"f\", \"id\": ");
    put_u64(out, id);
    PUT(out, ", \"pid\": ");
    put_text(out, pid);
    PUT(out, ", \"tid\": ");
    put_text(out, tid);
    PUT(out, ", \"ts\": ");
    put_ts(m, ts);
    PUT(out, ",");
    put_text(out, &m->sp.line);
    PUT(out, "\"cat\": \"ac2g\", \"name\": \"ac2g\"");
    if (ph == 'f')
        PUT(out, ", \"bp\": \"e\"");
    put_text(out, &m->sp.close);
    event_end(m);
}

/* `value` is JSON. */
void metadata(struct maker *m, const char *name, const char *key, const char *value, const struct text *pid,
              const struct text *tid)
{
    struct out *out = &m->out;

    event_begin(m);
    put_text(out, &m->sp.open);
    PUT(out, "\"name\": \"");
    put_str(out, name);
    PUT(out, "\", \"ph\": \"M\", \"ts\": ");
    put_ts(m, moment_add(m, m->base, (struct moment){50, m->scale / 3}));
    PUT(out, ", \"pid\": ");
    put_text(out, pid);
    PUT(out, ", \"tid\": ");
    put_text(out, tid);
    args_begin(m);
    PUT(out, "\"");
    put_str(out, key);
    PUT(out, "\": ");
    put_str(out, value);
    args_end(m);
}
