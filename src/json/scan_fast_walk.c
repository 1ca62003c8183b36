/*
 * scan_fast_walk.c - whole events, by an index of their structure
 */
#include "json/scan_fast.h"

#include <assert.h>
#include <string.h>

/* A field is reached by its number: the event's values lie one behind the other, in the order of enum scan_field. */
#define VALUE_AT(field) (offsetof(struct scan_event, ph) + (field) * sizeof(struct scan_value))
static_assert(VALUE_AT(FIELD_CAT) == offsetof(struct scan_event, cat), "order of fields");
static_assert(VALUE_AT(FIELD_NAME) == offsetof(struct scan_event, name), "order of fields");
static_assert(VALUE_AT(FIELD_PID) == offsetof(struct scan_event, pid), "order of fields");
static_assert(VALUE_AT(FIELD_TID) == offsetof(struct scan_event, tid), "order of fields");
static_assert(VALUE_AT(FIELD_TS) == offsetof(struct scan_event, ts), "order of fields");
static_assert(VALUE_AT(FIELD_DUR) == offsetof(struct scan_event, dur), "order of fields");
static_assert(VALUE_AT(FIELD_ID) == offsetof(struct scan_event, id), "order of fields");
static_assert(VALUE_AT(FIELD_DEVICE) == offsetof(struct scan_event, device), "order of fields");
static_assert(VALUE_AT(FIELD_CORRELATION) == offsetof(struct scan_event, correlation), "order of fields");

/* Deepest nesting within an event that is walked: one bit for each level. */
#define WALK_DEPTH 60

struct walk {
    struct fast *f;
    const struct json_index *index;
    const unsigned char *data; /* of the index */
    uint64_t offset;           /* of data[0] */
    const uint16_t *at;        /* the current stop ... */
    const uint16_t *end;       /* ... and where they end */
    size_t odd;                /* how many of index->odd lie before the current event */
    struct scan_event event;
    uint16_t time_words[4]; /* where ts or dur is no number */
    size_t time_count;
};

static inline bool keyless(const struct walk *w, size_t at)
{
    return w->index->keyless[at / 64] >> (at % 64) & 1;
}

/* ---- keys ---- */

/*
 * A key is known by the eight bytes before its colon: `"name"` with the
 * quotes. Three of them, those before the closing quote, tell which key it
 * can be at most. KEY_FACTOR was searched for so that each of these has a
 * place of its own.
 */
struct known_key {
    uint64_t mask;
    uint64_t bytes;
    size_t len; /* with quotes */
    enum scan_field field;
};

#define KEY_PLACES 16
#define KEY_FACTOR UINT32_C(0x0741c7a9)

static inline size_t key_place(uint64_t bytes)
{
    return ((uint32_t)(bytes >> 32) & 0xFFFFFF) * KEY_FACTOR >> 28;
}

#define BYTE(c, i)       ((uint64_t)(unsigned char)(c) << 8 * (i))
#define TOP(n)           (~UINT64_C(0) << (64 - 8 * (n)))
#define KEY2(a, b)       TOP(4), BYTE('"', 4) | BYTE(a, 5) | BYTE(b, 6) | BYTE('"', 7), 4
#define KEY3(a, b, c)    TOP(5), BYTE('"', 3) | BYTE(a, 4) | BYTE(b, 5) | BYTE(c, 6) | BYTE('"', 7), 5
#define KEY4(a, b, c, d) TOP(6), BYTE('"', 2) | BYTE(a, 3) | BYTE(b, 4) | BYTE(c, 5) | BYTE(d, 6) | BYTE('"', 7), 6

static const struct known_key known_keys[KEY_PLACES] = {
    [13] = {KEY2('p', 'h'), FIELD_PH},
    [3] = {KEY3('c', 'a', 't'), FIELD_CAT},
    [8] = {KEY4('n', 'a', 'm', 'e'), FIELD_NAME},
    [2] = {KEY3('p', 'i', 'd'), FIELD_PID},
    [4] = {KEY3('t', 'i', 'd'), FIELD_TID},
    [7] = {KEY2('t', 's'), FIELD_TS},
    [12] = {KEY3('d', 'u', 'r'), FIELD_DUR},
    [14] = {KEY2('i', 'd'), FIELD_ID},
    [6] = {KEY4('a', 'r', 'g', 's'), FIELD_ARGS},
    /* Never equal: a mask that lets nothing through and bytes that are not zero. */
    [0] = {0, 1, 0, FIELD_NONE},
    [1] = {0, 1, 0, FIELD_NONE},
    [5] = {0, 1, 0, FIELD_NONE},
    [9] = {0, 1, 0, FIELD_NONE},
    [10] = {0, 1, 0, FIELD_NONE},
    [11] = {0, 1, 0, FIELD_NONE},
    [15] = {0, 1, 0, FIELD_NONE},
};

static inline uint64_t eight_before(const unsigned char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p - 8, 8);
    return bytes;
}

/* The position behind the key (before white space and the colon at `colon`), or 0 when no string is there. */
static inline size_t key_end(const struct walk *w, size_t colon)
{
    size_t at = colon;
    while (at > 0 && scan_is_space(w->data[at - 1]))
        at--;
    return at > 0 && w->data[at - 1] == '"' ? at : 0;
}

/* The opening quote of the string that ends before `end`. */
static size_t string_begin(const struct walk *w, size_t end)
{
    size_t word = (end - 1) / 64;
    uint64_t bits = w->index->quote[word] & ((UINT64_C(1) << ((end - 1) % 64)) - 1);
    while (bits == 0)
        bits = w->index->quote[--word];
    return word * 64 + 63 - (size_t)__builtin_clzll(bits);
}

/* A key with escapes may be one of ours: such an event is left to the step by step scanner. */
static bool key_has_escape(const struct walk *w, size_t end)
{
    if (!w->index->backslash)
        return false;
    size_t begin = string_begin(w, end);
    return memchr(w->data + begin, '\\', end - begin) != NULL;
}

/* ---- values ---- */

/*
 * The next bit that is set (or, with `flip` all ones, is not) at or behind
 * `at`. The 64 bits from there on are looked at first: whether one word of the
 * bitmap is enough changes from value to value and cannot be predicted.
 */
static inline size_t next_bit(const uint64_t *bits, size_t at, uint64_t flip)
{
    size_t word = at / 64;
    uint64_t window = (bits[word] ^ flip) >> (at % 64) | (bits[word + 1] ^ flip) << 1 << (63 - at % 64);
    if (window != 0)
        return at + (size_t)__builtin_ctzll(window);
    word++;
    uint64_t rest = (bits[word] ^ flip) & ~UINT64_C(0) << (at % 64);
    while (rest == 0)
        rest = bits[++word] ^ flip;
    return word * 64 + (size_t)__builtin_ctzll(rest);
}

/* What a value is that starts with no digit, and is no literal: -1, or a word like -inf. */
static enum scan_kind signed_kind(const char *text)
{
    return *text == '-' && text[1] >= '0' && text[1] <= '9' ? SCAN_NUMBER : SCAN_NONFINITE;
}

/* Reads the value behind the colon. One that goes on behind the index does so in the next try as well. */
static inline __attribute__((always_inline)) void read_value(const struct walk *w, struct scan_value *value,
                                                             size_t colon)
{
    size_t at = colon + 1;
    while (at < w->index->good && scan_is_space(w->data[at]))
        at++;
    if (at + 1 >= w->index->good)
        return;
    const char *text = (const char *)w->data + at;
    switch (*text) {
    case '"': {
        size_t len = next_bit(w->index->quote, at + 1, 0) - at - 1;
        value->kind = SCAN_STRING;
        value->text = text + 1;
        value->len = len;
        value->escaped = w->index->backslash && at + 1 + len <= w->index->good && memchr(text + 1, '\\', len) != NULL;
        break;
    }
    case '{':
    case '[':
        *value = (struct scan_value){.kind = SCAN_NESTED};
        break;
    case 't':
        *value = (struct scan_value){.kind = SCAN_TRUE};
        break;
    case 'f':
        *value = (struct scan_value){.kind = SCAN_FALSE};
        break;
    default:
        if (*text == 'n' && text[1] == 'u') {
            *value = (struct scan_value){.kind = SCAN_NULL};
            break;
        }
        value->kind = *text >= '0' && *text <= '9' ? SCAN_NUMBER : signed_kind(text);
        value->escaped = false;
        value->text = text;
        value->len = next_bit(w->index->scalar, at, ~UINT64_C(0)) - at;
    }
}

/* ---- brackets and colons ---- */

/* Walks over the array or object that opens at *w->at, and leaves w->at on its end. False: not plain. */
static bool skip_nested(struct walk *w)
{
    /* Bit 0: the current level is an object; the bits above: the levels around it. */
    uint64_t objects = w->data[*w->at] == '{';
    unsigned depth = 1;
    while (++w->at < w->end) {
        size_t at = *w->at;
        switch (w->data[at]) {
        case ':':
            if (!(objects & 1) || (w->data[at - 1] != '"' && key_end(w, at) == 0))
                return false;
            break;
        case ',':
            if (objects & 1)
                return false;
            break;
        case '{':
        case '[':
            if (((objects & 1) && keyless(w, at)) || ++depth > WALK_DEPTH)
                return false;
            objects = objects << 1 | (w->data[at] == '{');
            break;
        default: {
            bool object = w->data[at] == '}';
            if (object != (objects & 1) || (object && keyless(w, at)))
                return false;
            objects >>= 1;
            if (--depth == 0)
                return true;
        }
        }
    }
    return false;
}

#define ICE BYTE('v', 3) | BYTE('i', 4) | BYTE('c', 5) | BYTE('e', 6) | BYTE('"', 7)
#define ION BYTE('t', 3) | BYTE('i', 4) | BYTE('o', 5) | BYTE('n', 6) | BYTE('"', 7)

static inline bool is_key(const struct walk *w, size_t end, const char *key, size_t len)
{
    return end > len && memcmp(w->data + end - len, key, len) == 0 && w->data[end - len - 1] != '\\';
}

/* The object under `args` that opens at *w->at. */
static bool walk_args(struct walk *w)
{
    w->event.device = (struct scan_value){0};
    w->event.correlation = (struct scan_value){0};
    while (++w->at < w->end) {
        size_t at = *w->at;
        switch (w->data[at]) {
        case ':': {
            size_t end = at;
            uint64_t bytes = eight_before(w->data + at);
            if (bytes >> 56 != '"') {
                end = key_end(w, at);
                if (end == 0)
                    return false;
                bytes = eight_before(w->data + end);
            }
            if ((bytes & TOP(5)) == (ICE) && is_key(w, end, "\"device\"", 8))
                read_value(w, &w->event.device, at);
            else if ((bytes & TOP(5)) == (ION) && is_key(w, end, "\"correlation\"", 13))
                read_value(w, &w->event.correlation, at);
            else if (key_has_escape(w, end))
                return false;
            break;
        }
        case '{':
        case '[':
            if (keyless(w, at) || !skip_nested(w))
                return false;
            break;
        case '}':
            return !keyless(w, at);
        default:
            return false;
        }
    }
    return false;
}

/* Remembers a ts or dur that is no number: it is warned about in another way. False: too many. */
static inline bool note_time(struct walk *w, const struct scan_value *value)
{
    if (__builtin_expect(value->kind == SCAN_NONFINITE, 0)) {
        if (w->time_count == sizeof w->time_words / sizeof *w->time_words)
            return false;
        w->time_words[w->time_count++] = (uint16_t)(value->text - (const char *)w->data);
    }
    return true;
}

/* The event that opens at *w->at. */
static bool walk_event(struct walk *w)
{
    /* In small pieces, which compilers turn into a few wide stores. */
    for (enum scan_field i = 0; i < FIELDS; i++)
        memset((char *)&w->event + VALUE_AT(i), 0, sizeof(struct scan_value));
    w->time_count = 0;
    enum scan_field field = FIELD_NONE;
    while (++w->at < w->end) {
        size_t at = *w->at;
        switch (w->data[at]) {
        case ':': {
            size_t end = at;
            uint64_t bytes = eight_before(w->data + at);
            if (bytes >> 56 != '"') {
                end = key_end(w, at);
                if (end == 0)
                    return false;
                bytes = eight_before(w->data + end);
            }
            const struct known_key *key = &known_keys[key_place(bytes)];
            field = FIELD_NONE;
            if ((bytes & key->mask) == key->bytes && w->data[end - key->len - 1] != '\\') {
                field = key->field;
                if (field < FIELDS) {
                    void *value = (char *)&w->event + VALUE_AT(field);
                    read_value(w, value, at);
                    if ((field == FIELD_TS || field == FIELD_DUR) && !note_time(w, value))
                        return false;
                } else {
                    w->event.device = (struct scan_value){0};
                    w->event.correlation = (struct scan_value){0};
                }
            } else if (key_has_escape(w, end)) {
                return false;
            }
            break;
        }
        case '{':
            if (keyless(w, at))
                return false;
            if (field == FIELD_ARGS) {
                if (!walk_args(w))
                    return false;
                break;
            }
            if (!skip_nested(w))
                return false;
            break;
        case '[':
            if (keyless(w, at) || !skip_nested(w))
                return false;
            break;
        case '}':
            return !keyless(w, at);
        default:
            return false;
        }
    }
    return false;
}

/* ---- what is tolerated ---- */

static void warn_word(const struct walk *w, size_t at)
{
    while (at > 0 && w->index->scalar[(at - 1) / 64] >> ((at - 1) % 64) & 1)
        at--;
    enum scan_warning kind = SCAN_WARN_NONFINITE;
    for (size_t i = 0; i < w->time_count; i++)
        kind = w->time_words[i] == at ? SCAN_WARN_NONFINITE_TIME : kind;
    scan_warn(&w->f->scan, kind, w->offset + at);
}

/* Warns about what is odd in the event at [begin, end), once for each string and kind. */
static void warn_odd(struct walk *w, size_t begin, size_t end)
{
    static const enum scan_warning kinds[] = {
        [ODD_CONTROL] = SCAN_WARN_CONTROL, [ODD_UTF8] = SCAN_WARN_UTF8, [ODD_ESCAPE] = SCAN_WARN_ESCAPE};
    size_t last[] = {[ODD_CONTROL] = SIZE_MAX, [ODD_UTF8] = SIZE_MAX, [ODD_ESCAPE] = SIZE_MAX};
    const struct json_odd *odd = w->index->odd;
    size_t i = w->odd;
    for (; i < w->index->odd_count && odd[i].at < end + INDEX_ODD_MIXED; i++) {
        if (odd[i].at < begin || odd[i].at >= end)
            continue;
        if (odd[i].kind == ODD_WORD) {
            warn_word(w, odd[i].at);
            continue;
        }
        size_t string = string_begin(w, (size_t)odd[i].at + 1);
        if (string != last[odd[i].kind]) {
            last[odd[i].kind] = string;
            scan_warn(&w->f->scan, kinds[odd[i].kind], w->offset + string);
        }
    }
    while (w->odd < i && odd[w->odd].at + (size_t)INDEX_ODD_MIXED < end)
        w->odd++;
}

size_t fast_walk(struct fast *f, const struct block *block, size_t at, enum scan_status *status)
{
    struct json_index *index = f->index;
    size_t left = block->len - at;
    size_t len = left < f->window ? left : f->window;
    f->make_index(index, block->data + at, len);
    struct walk w = {
        .f = f,
        .index = index,
        .data = block->data + at,
        .offset = block->offset + at,
        .at = index->at,
        .end = index->at + index->count,
    };
    struct scan_problem *problem = &f->scan.problem;
    size_t done = 0;
    size_t begin = 0;
    bool plain = true;
    while (w.at < w.end) {
        begin = *w.at;
        plain = w.data[begin] == '{' && walk_event(&w);
        if (!plain)
            break;
        done = (size_t)*w.at + 1;
        w.at++;
        w.event.index = problem->events++;
        w.event.offset = w.offset + begin;
        w.event.end = w.offset + done;
        w.event.is_object = true;
        if (__builtin_expect(w.odd < index->odd_count, 0))
            warn_odd(&w, begin, done);
        problem->last_end = w.event.end;
        if (!f->scan.event(f->scan.ctx, &w.event)) {
            *status = SCAN_STOPPED;
            break;
        }
    }
    /*
     * Where to try again. An event that stopped the walk is taken step by
     * step; but one that was only cut by the end of the index is not, unless
     * it would be cut again.
     */
    bool cut = w.at >= w.end && index->good == len;
    if (cut && len < left) {
        f->window = done > 0 ? f->usual : INDEX_BYTES;
        f->index_from = done > 0 || len < INDEX_BYTES ? at + done : at + 1;
        return at + done;
    }
    f->index_from = cut ? block->len : at + (begin > done ? begin : done) + 1;
    if (!cut && done < index->good / 4 && f->window > SMALLEST_WINDOW)
        f->window /= 2;
    return at + done;
}
