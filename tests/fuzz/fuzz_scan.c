/*
 * fuzz_scan.c - the parsers agree, however the bytes are cut
 *
 * The input goes to each of them in blocks whose sizes follow from the input
 * itself. What must hold:
 *
 * - yajl gives the same for any cut;
 * - the fast scanner gives the same for any cut and any instruction set,
 *   to the last offset and warning;
 * - what yajl accepts, the fast scanner accepts with the same events and no
 *   warning;
 * - what yajl refuses, the fast scanner refuses for the same reason at the
 *   same place, or it has warned. The exceptions are in excused().
 *
 * Strings with surrogates in escapes are compared but for their text: yajl
 * decodes unpaired ones differently (see scan_yajl.c).
 */
#include "json/json_text.h"
#include "json/scan.h"
#include "json/scan_fast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct buffer {
    char *bytes;
    size_t len;
    size_t size;
};

/* All that came out of one scan. */
struct outcome {
    const char *name;
    enum scan_status status;
    struct scan_problem problem;
    struct scan_warnings warnings;
    struct scan_layout layout;
    uint64_t insert_offset;
    bool in_token;
    struct buffer shape;   /* events without texts */
    struct buffer decoded; /* texts, decoded */
    struct buffer raw;     /* texts as they came */
};

static void put(struct buffer *b, const void *bytes, size_t len)
{
    if (len > b->size - b->len) {
        b->size = b->size * 2 + len + 256;
        b->bytes = realloc(b->bytes, b->size);
        if (b->bytes == NULL)
            abort();
    }
    if (len > 0)
        memcpy(b->bytes + b->len, bytes, len);
    b->len += len;
}

static bool take(void *ctx, const struct scan_event *event)
{
    struct outcome *o = ctx;
    char line[200];
    int n = snprintf(line, sizeof line, "\n#%llu %llu..%llu %d:", (unsigned long long)event->index,
                     (unsigned long long)event->offset, (unsigned long long)event->end, event->is_object);
    put(&o->shape, line, (size_t)n);
    put(&o->decoded, "\n", 1);
    put(&o->raw, "\n", 1);
    struct scan_event copy = *event;
    for (enum scan_field field = 0; field < FIELDS; field++) {
        const struct scan_value *value = scan_field_value(&copy, field);
        n = snprintf(line, sizeof line, " %s=%d", scan_field_key(field), value->kind);
        put(&o->shape, line, (size_t)n);
        bool has_text = value->kind == SCAN_NUMBER || value->kind == SCAN_STRING || value->kind == SCAN_NONFINITE;
        if (!has_text) {
            if (value->len != 0 || value->escaped) {
                fprintf(stderr, "%s: %s has a text\n", o->name, scan_field_key(field));
                abort();
            }
            continue;
        }
        char *text = malloc(value->len + 1);
        if (text == NULL)
            abort();
        size_t len = value->len;
        if (value->escaped)
            len = json_unescape(text, value->text, value->len);
        else if (len > 0)
            memcpy(text, value->text, len);
        put(&o->decoded, text, len);
        put(&o->decoded, ";", 1);
        put(&o->raw, value->escaped ? "e" : "-", 1);
        put(&o->raw, value->text, value->len);
        put(&o->raw, ";", 1);
        free(text);
    }
    return true;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Cuts: 0 whole, 1 single bytes, else random blocks of up to that size. */
static void run(struct outcome *o, const char *name, struct scan *scan, const uint8_t *data, size_t size, size_t cut,
                uint64_t seed)
{
    memset(o, 0, sizeof *o);
    o->name = name;
    if (scan == NULL)
        abort();
    scan->event = take;
    scan->ctx = o;
    enum scan_status status = SCAN_OK;
    for (size_t at = 0; at < size && status == SCAN_OK;) {
        size_t len = cut == 0 ? size : cut == 1 ? 1 : 1 + next_random(&seed) % cut;
        len = len < size - at ? len : size - at;
        /* A block of exactly its size, so that a byte read behind it is noticed. */
        uint8_t *block = malloc(len);
        if (block == NULL)
            abort();
        memcpy(block, data + at, len);
        status = scan_feed(scan, block, len);
        free(block);
        at += len;
    }
    if (status == SCAN_OK)
        status = scan_finish(scan, &o->layout);
    o->status = status;
    o->insert_offset = scan_insert_offset(scan);
    o->problem = *scan_problem(scan);
    o->warnings = *scan_warnings(scan);
    if (strcmp(name, "yajl") != 0)
        o->in_token = ((struct fast *)scan)->token != TOKEN_NONE;
    scan_free(scan);
}

static void drop(struct outcome *o)
{
    free(o->shape.bytes);
    free(o->decoded.bytes);
    free(o->raw.bytes);
}

static void show(const struct outcome *o)
{
    const struct scan_problem *p = &o->problem;
    fprintf(stderr, "--- %s: status %d, problem %d at %llu (%s) in_event %d event %llu last_end %llu key '%s'\n",
            o->name, o->status, p->what, (unsigned long long)p->offset, p->detail != NULL ? p->detail : "", p->in_event,
            (unsigned long long)p->event, (unsigned long long)p->last_end, p->key);
    fprintf(stderr, "    layout: events %llu insert %llu total %llu bare %d open %d comma %d\n",
            (unsigned long long)o->layout.events, (unsigned long long)o->layout.insert_offset,
            (unsigned long long)o->layout.total, o->layout.bare, o->layout.open, o->layout.needs_comma);
    for (int i = 0; i < SCAN_WARN_KINDS; i++) {
        if (o->warnings.count[i] > 0) {
            fprintf(stderr, "    warning %d: %llu, first at %llu\n", i, (unsigned long long)o->warnings.count[i],
                    (unsigned long long)o->warnings.first_offset[i]);
        }
    }
    fprintf(stderr, "%.*s\n%.*s\n", (int)o->shape.len, o->shape.len > 0 ? o->shape.bytes : "", (int)o->raw.len,
            o->raw.len > 0 ? o->raw.bytes : "");
}

static void disagree(const char *what, const struct outcome *a, const struct outcome *b)
{
    fprintf(stderr, "DISAGREEMENT: %s\n", what);
    show(a);
    show(b);
    abort();
}

static bool same(const struct buffer *a, const struct buffer *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

static bool same_facts(const struct scan_facts *a, const struct scan_facts *b)
{
    bool same = true;
    for (int i = 0; i < FACTS; i++)
        same = same && a->known[i] == b->known[i] && (!a->known[i] || a->value[i] == b->value[i]);
    return same;
}

static bool same_layout(const struct scan_layout *a, const struct scan_layout *b)
{
    return a->events == b->events && a->insert_offset == b->insert_offset && a->total == b->total &&
           a->bare == b->bare && a->open == b->open && a->needs_comma == b->needs_comma &&
           same_facts(&a->facts, &b->facts);
}

static bool same_place(const struct scan_problem *a, const struct scan_problem *b)
{
    return a->what == b->what && a->offset == b->offset;
}

/* Two scans by the same parser. */
static void check_same(const struct outcome *a, const struct outcome *b)
{
    const struct scan_problem *p = &a->problem;
    const struct scan_problem *q = &b->problem;
    if (a->status != b->status || !same_place(p, q) || p->in_event != q->in_event || p->event != q->event ||
        p->last_end != q->last_end || p->events != q->events || strcmp(p->key, q->key) != 0 ||
        (p->detail == NULL) != (q->detail == NULL) || (p->detail != NULL && strcmp(p->detail, q->detail) != 0))
        disagree("status or problem", a, b);
    if (memcmp(&a->warnings, &b->warnings, sizeof a->warnings) != 0)
        disagree("warnings", a, b);
    if (!same_layout(&a->layout, &b->layout) || a->insert_offset != b->insert_offset)
        disagree("layout", a, b);
    if (!same(&a->shape, &b->shape) || !same(&a->raw, &b->raw))
        disagree("events", a, b);
}

static bool has_surrogate_escape(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 3 < size; i++)
        if (data[i] == '\\' && data[i + 1] == 'u' && (data[i + 2] | 0x20) == 'd')
            return true;
    return false;
}

static bool starts_with(const struct buffer *whole, const struct buffer *part)
{
    return whole->len >= part->len && (part->len == 0 || memcmp(whole->bytes, part->bytes, part->len) == 0);
}

/* Whether the byte at `to` belongs to the token that starts at `from`, or directly follows it. */
static bool in_token(const uint8_t *data, size_t size, uint64_t from, uint64_t to)
{
    if (from >= size || to < from)
        return false;
    bool string = data[from] == '"';
    for (uint64_t i = from + 1; i < to && i < size; i++) {
        if (string ? data[i] == '"' : memchr(" \t\r\n\",:[]{}", data[i], 11) != NULL)
            return false;
        i += string && data[i] == '\\';
    }
    return true;
}

/* Refused by both with no warning, but not in the same words. */
static bool excused(const struct outcome *strict, const struct outcome *fast, const uint8_t *data, size_t size)
{
    const struct scan_problem *p = &strict->problem;
    const struct scan_problem *q = &fast->problem;
    /* A string is warned about at its end, a bare word accepted at its end: here the input ended before. */
    if (q->what == SCAN_TRUNCATED)
        return p->what == SCAN_SYNTAX && fast->in_token;
    /* yajl looks at a token's inside before it asks whether the token may stand there. */
    if (q->what == SCAN_SYNTAX || q->what == SCAN_EVENTS_NO_ARRAY || q->what == SCAN_TWO_ARRAYS) {
        if ((p->what == SCAN_SYNTAX || p->what == SCAN_TRUNCATED) && in_token(data, size, q->offset, p->offset))
            return true;
    }
    /* What might have become a nan or inf breaks later; one in the event array itself is refused as a whole. */
    return p->what == SCAN_SYNTAX && q->what == SCAN_SYNTAX && in_token(data, size, p->offset, q->offset);
}

static bool only_space(const uint8_t *data, size_t size, uint64_t from, uint64_t to)
{
    while (from < to && from < size && scan_is_space(data[from]))
        from++;
    return from >= to || from >= size;
}

/* Whether a warning of this kind, first given for `first`, is about what yajl refused. */
static bool warning_explains(enum scan_warning kind, uint64_t first, const struct scan_problem *refused,
                             const uint8_t *data, size_t size)
{
    switch (kind) {
    case SCAN_WARN_TRAILING_COMMA:
        return refused->offset > first && only_space(data, size, first + 1, refused->offset);
    case SCAN_WARN_OPEN_ARRAY:
        return refused->what == SCAN_TRUNCATED;
    default:
        return in_token(data, size, first, refused->offset);
    }
}

static bool explained(const struct outcome *strict, const struct outcome *fast, const uint8_t *data, size_t size)
{
    for (int i = 0; i < SCAN_WARN_KINDS; i++)
        if (fast->warnings.count[i] > 0 &&
            warning_explains((enum scan_warning)i, fast->warnings.first_offset[i], &strict->problem, data, size))
            return true;
    return false;
}

static void check_parsers(const struct outcome *strict, const struct outcome *fast, const uint8_t *data, size_t size)
{
    bool texts = !has_surrogate_escape(data, size);
    uint64_t warned = 0;
    for (int i = 0; i < SCAN_WARN_KINDS; i++)
        warned += fast->warnings.count[i];
    if (!starts_with(&fast->shape, &strict->shape) || (texts && !starts_with(&fast->decoded, &strict->decoded)))
        disagree("events", strict, fast);
    if (strict->status == SCAN_OK) {
        if (fast->status != SCAN_OK || warned > 0 || !same(&fast->shape, &strict->shape) ||
            !same_layout(&strict->layout, &fast->layout))
            disagree("yajl accepts it", strict, fast);
        return;
    }
    if (warned > 0 && explained(strict, fast, data, size))
        return;
    if (fast->status != SCAN_REFUSED)
        disagree("yajl refuses it, and no warning explains that", strict, fast);
    if (!same_place(&strict->problem, &fast->problem) && !excused(strict, fast, data, size))
        disagree("refused for different reasons", strict, fast);
}

static struct scan *fast_scan(enum json_simd simd, size_t window)
{
    struct scan *scan = scan_fast_new_with(simd);
    if (scan != NULL && window != 0) {
        struct fast *f = (struct fast *)scan;
        f->window = window;
        f->usual = window;
    }
    return scan;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[SIMD_KINDS] = {"bytewise", "portable", "avx2", "avx512", "neon"};
    uint64_t seed = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        seed = (seed ^ data[i]) * UINT64_C(0x100000001b3);
    seed |= 1;
    static const size_t cuts[] = {0, 1, 3, 17, 100, 700};
    size_t cut = cuts[seed >> 20 & 3 ? 2 + (seed >> 24) % 4 : (seed >> 24) % 2];

    struct outcome strict, fast, other;
    run(&strict, "yajl", scan_yajl_new(), data, size, 0, seed);
    run(&other, "yajl", scan_yajl_new(), data, size, cut, seed);
    check_same(&strict, &other);
    drop(&other);

    run(&fast, names[SIMD_NONE], scan_fast_new_with(SIMD_NONE), data, size, 0, seed);
    check_parsers(&strict, &fast, data, size);
    run(&other, names[SIMD_NONE], scan_fast_new_with(SIMD_NONE), data, size, cut, seed);
    check_same(&fast, &other);
    drop(&other);
    for (int simd = SIMD_NONE + 1; simd < SIMD_KINDS; simd++) {
        if (json_index_of((enum json_simd)simd) == NULL)
            continue;
        size_t window = seed >> 32 & 1 ? 64 + (seed >> 33) % 512 : 0;
        run(&other, names[simd], fast_scan((enum json_simd)simd, window), data, size, 0, seed);
        check_same(&fast, &other);
        drop(&other);
        run(&other, names[simd], fast_scan((enum json_simd)simd, 0), data, size, cut, seed);
        check_same(&fast, &other);
        drop(&other);
    }
    drop(&strict);
    drop(&fast);
    return 0;
}
