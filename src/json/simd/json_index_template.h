/*
 * json_index_template.h - how an index is made, for every instruction set
 *
 * Included once by each json_index_*.c, which defines before:
 *
 *   INDEX_NAME       the function to define
 *   INDEX_TARGET     attributes for every function here
 *   LANES            how many words of 64 bytes go through the logic at once: 2, 4 or 8
 *   struct tables, load_tables()  constants that classify() wants in registers
 *   classify()       64 bytes -> one word in each of the arrays of struct classes
 *   any()            whether any bit of a vector is set
 *   put_positions()  writes the positions of all set bits, may write up to 64 entries too many; returns how many
 *
 * First the bytes of some thousand bytes are sorted into classes, one bitmap
 * for each; then the bitmaps are combined, LANES words at once.
 *
 * "Behind A, over W" is done by addition: a bit put where a run of ones (W)
 * begins makes the sum carry through the run and come out behind it. That
 * gives for all A's of a word together the next byte that is not white space,
 * or the next structural character. What carries out of a word is added to
 * the next one.
 */
#include "json/simd/json_index.h"

#include <string.h>

typedef uint64_t vec __attribute__((vector_size(8 * LANES)));

/* PREVIOUS(p, v): lane i is v's lane before it, lane 0 is p's last one. EARLIER: the same by more lanes, zeros first.
 */
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vec){__VA_ARGS__})
#endif
#if LANES == 8
#define PREVIOUS(p, v) SHUFFLE(p, v, 7, 8, 9, 10, 11, 12, 13, 14)
#define EARLIER2(v)    SHUFFLE((vec){0}, v, 6, 7, 8, 9, 10, 11, 12, 13)
#define EARLIER4(v)    SHUFFLE((vec){0}, v, 4, 5, 6, 7, 8, 9, 10, 11)
#elif LANES == 4
#define PREVIOUS(p, v) SHUFFLE(p, v, 3, 4, 5, 6)
#define EARLIER2(v)    SHUFFLE((vec){0}, v, 2, 3, 4, 5)
#else
#define PREVIOUS(p, v) SHUFFLE(p, v, 1, 2)
#endif

/* How many words are sorted at once. */
#define SORTED 64

struct classes {
    uint64_t quote[SORTED], slash[SORTED], colon[SORTED], comma[SORTED], open[SORTED], close[SORTED], space[SORTED],
        digit[SORTED], minus_dot[SORTED], dot[SORTED], zero[SORTED], control[SORTED], high[SORTED];
};

INDEX_TARGET static inline __attribute__((always_inline)) void
classify(struct classes *c, size_t word, const unsigned char *bytes, const struct tables *t);

/* What has to be known of the words before: the last vector of each kind. */
struct carry {
    vec lead;   /* opening brackets, colons and commas */
    vec item;   /* opening brackets and commas */
    vec open;   /* opening brackets */
    vec scalar; /* bytes of scalars ... */
    vec point;  /* ... of them, those that are no digit ... */
    vec dot;    /* ... dots, digits, leading zeros */
    vec digit;
    vec zero;
    vec over_lead; /* sums that carried out of their lanes: behind a lead, ... */
    vec over_item;
    vec over_decimal;
    uint64_t string; /* all ones inside a string */
    uint64_t escape; /* 1: the next byte is escaped */
};

INDEX_TARGET static inline vec load(const uint64_t *words)
{
    vec v;
    memcpy(&v, words, sizeof v);
    return v;
}

INDEX_TARGET static inline void store(uint64_t *words, vec v)
{
    memcpy(words, &v, sizeof v);
}

/* One byte later. */
INDEX_TARGET static inline vec later(vec v, vec before)
{
    return v << 1 | PREVIOUS(before, v) >> 63;
}

/* Adds a and b, where b's runs of ones are to be passed through. *over: all ones where a lane's sum carries out. */
INDEX_TARGET static inline vec pass(vec a, vec b, vec *over)
{
    vec sum = a + b;
    vec out = (vec)(sum < a);
    vec in = PREVIOUS(*over, out);
    vec ripple = (vec)(sum == ~(vec){0}) & in;
    if (__builtin_expect(any(ripple), 0)) {
        /* A lane of nothing but ones passes on what comes in. */
        uint64_t carry = (*over)[LANES - 1] & 1;
        for (int i = 0; i < LANES; i++) {
            uint64_t with = sum[i] + carry;
            carry = (out[i] & 1) | (with < sum[i]);
            sum[i] = with;
            out[i] = 0 - carry;
        }
        *over = out;
        return sum;
    }
    *over = out;
    return sum - in;
}

/* Bit i: the parity of all bits up to i; `carry` is all ones when it was odd before. */
INDEX_TARGET static inline vec parity(vec v, uint64_t *carry)
{
    v ^= v << 1;
    v ^= v << 2;
    v ^= v << 4;
    v ^= v << 8;
    v ^= v << 16;
    v ^= v << 32;
    /* All ones in the lanes whose own parity is odd; then the parity of the lanes before. */
    vec lanes = PREVIOUS((vec){0}, (vec)((0 - (v >> 63))));
    vec whole = lanes;
#if LANES >= 4
    lanes ^= PREVIOUS((vec){0}, lanes);
    whole = lanes ^ EARLIER2(lanes);
#endif
#if LANES == 8
    whole ^= EARLIER4(whole);
#endif
    v ^= whole ^ ((vec){0} + *carry);
    *carry = 0 - (v[LANES - 1] >> 63);
    return v;
}

INDEX_TARGET static inline bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The bytes that are escaped; for words that hold a backslash or follow one. */
INDEX_TARGET static inline uint64_t find_escaped(uint64_t slash, uint64_t *carry)
{
    uint64_t escaped = *carry;
    uint64_t rest = slash & ~escaped;
    *carry = 0;
    while (rest != 0) {
        uint64_t bit = rest & (0 - rest);
        *carry |= bit >> 63;
        escaped |= bit << 1;
        rest &= ~(bit | bit << 1);
    }
    return escaped;
}

/* Which of the escaped bytes make no valid escape. */
INDEX_TARGET static inline uint64_t bad_escapes(uint64_t escaped, const unsigned char *data, size_t base, size_t len)
{
    uint64_t bad = 0;
    for (; escaped != 0; escaped &= escaped - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(escaped);
        size_t at = base + bit;
        if (at >= len)
            break;
        bool ok;
        switch (data[at]) {
        case '"':
        case '\\':
        case '/':
        case 'b':
        case 'f':
        case 'n':
        case 'r':
        case 't':
            ok = true;
            break;
        case 'u':
            ok = len - at > 4 && is_hex(data[at + 1]) && is_hex(data[at + 2]) && is_hex(data[at + 3]) &&
                 is_hex(data[at + 4]);
            break;
        default:
            ok = false;
        }
        bad |= (uint64_t)!ok << bit;
    }
    return bad;
}

/* Which bytes are not UTF-8. *done is where the last sequence ended, as one may lie across words. */
INDEX_TARGET static inline uint64_t bad_utf8(uint64_t high, const unsigned char *data, size_t base, size_t len,
                                             size_t *done)
{
    uint64_t bad = 0;
    while (high != 0) {
        unsigned bit = (unsigned)__builtin_ctzll(high);
        size_t at = base + bit;
        if (at >= *done) {
            size_t n = json_utf8_length(data + at, len - at);
            bad |= (uint64_t)(n == 0) << bit;
            *done = at + n;
        }
        high &= high - 1;
    }
    return bad;
}

INDEX_TARGET static inline bool of_scalar(unsigned char c)
{
    switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t':
    case '"':
    case ':':
    case ',':
    case '[':
    case ']':
    case '{':
    case '}':
        return false;
    default:
        return true;
    }
}

/*
 * Looks closely at the scalars that are no plain decimal numbers. *done is
 * where the last one that was looked at ended. Words for what is no number are
 * added to *words.
 */
INDEX_TARGET static inline uint64_t bad_scalars(uint64_t odd, const unsigned char *data, size_t base, size_t len,
                                                size_t *done, uint64_t *words)
{
    uint64_t bad = 0;
    for (; odd != 0; odd &= odd - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(odd);
        size_t at = base + bit;
        /* Odd may also be the byte behind a scalar, which then ends too early. */
        bool behind = at >= len || !of_scalar(data[at]);
        if (at < *done || (at == *done && behind))
            continue;
        if (at > 0 && len - at > 4 && !of_scalar(data[at - 1]) && !of_scalar(data[at + 4]) &&
            (memcmp(data + at, "null", 4) == 0 || memcmp(data + at, "true", 4) == 0)) {
            *done = at + 4;
            continue;
        }
        size_t start = at < len ? at : len;
        while (start > 0 && of_scalar(data[start - 1]))
            start--;
        size_t end = at < len ? at : len;
        while (end < len && of_scalar(data[end]))
            end++;
        if (!json_scalar_valid(data + start, end - start)) {
            /* Noted under the byte that is at hand: the start may lie in an earlier word. */
            if (json_word_nonfinite(data + start, end - start))
                *words |= UINT64_C(1) << bit;
            else
                bad |= UINT64_C(1) << bit;
        }
        *done = end;
    }
    return bad;
}

/* Which of the brackets that close nothing, and do not directly follow a byte that opens, follow another one. */
INDEX_TARGET static inline uint64_t bad_empties(uint64_t empty, const unsigned char *data, size_t base)
{
    uint64_t bad = 0;
    for (; empty != 0; empty &= empty - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(empty);
        size_t at = base + bit;
        while (at > 0 && !of_scalar(data[at - 1]) && (data[at - 1] <= ' '))
            at--;
        bad |= (uint64_t)(at == 0 || (data[at - 1] | 0x20) != '{') << bit;
    }
    return bad;
}

/* A classes' word of white space, for what is behind the end. */
INDEX_TARGET static inline void classify_end(struct classes *c, size_t word, const unsigned char *bytes, size_t len,
                                             const struct tables *t)
{
    unsigned char padded[64];
    memset(padded, ' ', sizeof padded);
    memcpy(padded, bytes, len);
    classify(c, word, padded, t);
}

/* Where the index is being made. */
struct place {
    struct json_index *index;
    const unsigned char *data;
    size_t len;
    size_t utf8_done;
    size_t scalar_done;
};

/* Lists odd bytes. Those for which there is no room are bad. */
INDEX_TARGET static uint64_t list_odd(struct json_index *index, uint64_t odd, size_t base, enum json_odd_kind kind)
{
    for (; odd != 0; odd &= odd - 1) {
        if (index->odd_count == INDEX_ODD)
            return odd;
        index->odd[index->odd_count++] =
            (struct json_odd){.at = (uint16_t)(base + (size_t)__builtin_ctzll(odd)), .kind = (uint16_t)kind};
    }
    return 0;
}

/* Escapes: which bytes are escaped, and which of these badly. Only for words that have or follow a backslash. */
INDEX_TARGET static void find_escapes(const struct place *p, const uint64_t *slash, size_t base, uint64_t *carry,
                                      vec *escaped, vec *bad)
{
    for (size_t i = 0; i < LANES; i++) {
        size_t at = base + 64 * i;
        uint64_t found = find_escaped(slash[i], carry);
        (*escaped)[i] = found;
        (*bad)[i] |= list_odd(p->index, bad_escapes(found, p->data, at, p->len), at, ODD_ESCAPE);
    }
}

/* What needs a closer look than a bitmap allows. */
INDEX_TARGET static void look_closely(struct place *p, size_t base, vec control, vec high, vec empty, vec scalars,
                                      vec *bad)
{
    for (size_t i = 0; i < LANES; i++) {
        size_t at = base + 64 * i;
        uint64_t words = 0;
        (*bad)[i] |= bad_empties(empty[i], p->data, at);
        (*bad)[i] |= bad_scalars(scalars[i], p->data, at, p->len, &p->scalar_done, &words);
        (*bad)[i] |= list_odd(p->index, words, at, ODD_WORD);
        (*bad)[i] |= list_odd(p->index, bad_utf8(high[i], p->data, at, p->len, &p->utf8_done), at, ODD_UTF8);
        (*bad)[i] |= list_odd(p->index, control[i], at, ODD_CONTROL);
    }
}

INDEX_TARGET void INDEX_NAME(struct json_index *index, const unsigned char *data, size_t len)
{
    struct carry carry;
    memset(&carry, 0, sizeof carry);
    /* The first byte stands where a value may stand: as behind a comma. */
    carry.lead[LANES - 1] = UINT64_C(1) << 63;
    carry.item[LANES - 1] = UINT64_C(1) << 63;
    struct place place = {.index = index, .data = data, .len = len};
    struct tables tables;
    load_tables(&tables);
    struct classes classes;
    const struct classes *c = &classes;
    size_t words = (len + 63) / 64;
    size_t count = 0;
    uint64_t any_slash = 0;

    index->good = len;
    index->odd_count = 0;
    size_t word = 0;
    for (; word < words; word += LANES) {
        size_t w = word % SORTED;
        if (w == 0) {
            size_t whole = len / 64;
            size_t to = words - word < SORTED ? words - word : SORTED;
            size_t i = 0;
            for (; i < to && word + i < whole; i++)
                classify(&classes, i, data + 64 * (word + i), &tables);
            for (; i < to || i % LANES != 0; i++) {
                bool some = word + i < words;
                classify_end(&classes, i, some ? data + 64 * (word + i) : data, some ? len % 64 : 0, &tables);
            }
        }
        size_t base = 64 * word;
        vec bad = {0};

        /* Strings: from the opening quote up to, not including, the closing one. */
        vec quote = load(&c->quote[w]);
        vec slash = load(&c->slash[w]);
        if (__builtin_expect(any(slash) | (carry.escape != 0), 0)) {
            any_slash = 1;
            vec escaped = {0};
            find_escapes(&place, &c->slash[w], base, &carry.escape, &escaped, &bad);
            quote &= ~escaped;
        }
        vec string = parity(quote, &carry.string);
        vec control = load(&c->control[w]) & string;
        vec high = load(&c->high[w]);

        vec space = load(&c->space[w]);
        vec colon = load(&c->colon[w]);
        vec comma = load(&c->comma[w]);
        vec open = load(&c->open[w]);
        vec close = load(&c->close[w]);
        vec scalar = ~(string | quote | colon | comma | open | close | space);
        colon &= ~string;
        comma &= ~string;
        open &= ~string;
        close &= ~string;
        vec item = comma | open;
        vec lead = colon | item;
        vec separator = lead | close;
        vec scalar_start = scalar & ~later(scalar, carry.scalar);
        carry.scalar = scalar;

        /* A value stands behind an opening bracket, a colon or a comma; a colon or comma stands behind none of these.
         */
        vec behind_lead = pass(later(lead, carry.lead), space, &carry.over_lead) & ~space;
        carry.lead = lead;
        bad |= ((quote & string) | scalar_start | open) & ~behind_lead;
        bad |= (colon | comma) & behind_lead;

        /* A closing bracket may directly follow only an opening one, mostly without white space between. */
        vec empty = close & behind_lead;
        vec odd_empty = empty & ~later(open, carry.open);
        carry.open = open;

        /* A colon is the first separator behind an opening bracket or comma: no item has two. */
        vec behind_item = pass(later(item, carry.item), ~separator, &carry.over_item);
        carry.item = item;
        bad |= colon & ~behind_item;
        vec keyless = behind_item & (item | close) & ~empty;

        /*
         * Numbers: -?[0-9]+(\.[0-9]+)? without a leading zero is checked here, all
         * else (exponents, literals, mistakes) is looked at one by one.
         */
        vec digit = load(&c->digit[w]);
        vec point = scalar & ~digit; /* when all is well: minus or dot */
        vec dot = load(&c->dot[w]) & scalar;
        digit &= scalar;
        vec behind_dot = later(dot, carry.dot);
        vec behind_digit = later(digit, carry.digit);
        vec lead_zero = load(&c->zero[w]) & digit & ~(behind_digit | behind_dot);
        vec odd = point & ~load(&c->minus_dot[w]);
        odd |= point & ~dot & ~scalar_start;
        odd |= later(point, carry.point) & ~digit;
        odd |= dot & ~behind_digit;
        odd |= later(lead_zero, carry.zero) & digit;
        odd |= pass(behind_dot, digit, &carry.over_decimal) & ~digit & dot;
        carry.point = point;
        carry.dot = dot;
        carry.digit = digit;
        carry.zero = lead_zero;

        if (__builtin_expect(any(control | high | odd_empty | odd), 0))
            look_closely(&place, base, control, high, odd_empty, odd, &bad);

        store(&index->quote[word], quote);
        store(&index->scalar[word], scalar);
        store(&index->keyless[word], keyless);
        uint64_t stops[LANES];
        store(stops, colon | open | close | (comma & keyless));
        if (__builtin_expect(any(bad), 0)) {
            size_t i = 0;
            while (bad[i] == 0)
                i++;
            size_t good = base + 64 * i + (size_t)__builtin_ctzll(bad[i]);
            index->good = good < len ? good : len;
            stops[i] &= (bad[i] & (0 - bad[i])) - 1;
            for (i++; i < LANES; i++)
                stops[i] = 0;
            words = 0;
        }
        for (size_t i = 0; i < LANES; i++)
            count += put_positions(index->at + count, stops[i], base + 64 * i);
    }
    /* No string and no number goes on behind the end. */
    index->quote[word] = ~UINT64_C(0);
    index->quote[word + 1] = ~UINT64_C(0);
    index->scalar[word] = 0;
    index->scalar[word + 1] = 0;
    index->count = count;
    index->backslash = any_slash != 0;
}
