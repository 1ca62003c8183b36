/*
 * json_index_template.h - how an index is made, for every instruction set
 *
 * Included once by each json_index_*.c, which defines before:
 *
 *   INDEX_NAME     the function to define
 *   INDEX_TARGET   attributes for every function here
 *   struct tables, load_tables()  constants that classify() wants in registers
 *   classify()     64 bytes -> struct classes
 *   prefix_xor()   bit i of the result: the parity of bits 0..i
 *   put_positions() writes the positions of all set bits, may write up to 64 entries too many; returns how many
 *
 * "Behind A, over W" is done by addition: a bit put where a run of ones (W)
 * begins makes the sum carry through the run and come out behind it. That
 * gives for all A's of a word together the next byte that is not white space,
 * or the next structural character; what carries out of the word is put into
 * the next one.
 */
#include "json_index.h"

#include <string.h>

/* What has to be known of the words before. Flags are 0 or 1. */
struct carry {
    uint64_t escape; /* the next byte is escaped */
    uint64_t string; /* all ones inside a string */
    uint64_t lead;   /* the next byte that is no white space stands behind an opening bracket, colon or comma */
    uint64_t item;   /* the next structural character is the first one behind an opening bracket or comma */
    uint64_t open;   /* the last byte was an opening bracket ... */
    uint64_t scalar; /* ... of a scalar ... */
    uint64_t point;  /* ... of one, but no digit ... */
    uint64_t dot;    /* ... a number's dot, digit, or leading zero */
    uint64_t digit;
    uint64_t zero;
    uint64_t decimal; /* the digits up to here stand behind a dot */
};

/* Adds a and b, where b's runs of ones are to be passed through. */
INDEX_TARGET static inline uint64_t pass(uint64_t a, uint64_t b, uint64_t *overflow)
{
    uint64_t sum = a + b;
    *overflow = sum < a;
    return sum;
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
        if (at >= len) {
            break;
        }
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

/* Looks closely at the scalars that are no plain decimal numbers. *done is where the last one that was looked at ended.
 */
INDEX_TARGET static inline uint64_t bad_scalars(uint64_t odd, const unsigned char *data, size_t base, size_t len,
                                                size_t *done)
{
    uint64_t bad = 0;
    for (; odd != 0; odd &= odd - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(odd);
        size_t at = base + bit;
        if (at < *done) {
            continue;
        }
        /* Odd may also be the byte behind a scalar, which then ends too early. */
        size_t start = at < len ? at : len;
        while (start > 0 && of_scalar(data[start - 1])) {
            start--;
        }
        size_t end = at;
        while (end < len && of_scalar(data[end])) {
            end++;
        }
        bad |= (uint64_t)!json_scalar_valid(data + start, (end < len ? end : len) - start) << bit;
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
        while (at > 0 && !of_scalar(data[at - 1]) && (data[at - 1] <= ' ')) {
            at--;
        }
        bad |= (uint64_t)(at == 0 || (data[at - 1] | 0x20) != '{') << bit;
    }
    return bad;
}

INDEX_TARGET void INDEX_NAME(struct json_index *index, const unsigned char *data, size_t len)
{
    /* The first byte stands where a value may stand: as behind a comma. */
    struct carry carry = {.lead = 1, .item = 1};
    size_t utf8_done = 0;
    size_t scalar_done = 0;
    size_t count = 0;
    uint64_t any_slash = 0;
    uint64_t bad = 0;
    size_t base = 0;
    size_t word = 0;
    unsigned char tail[64];
    struct tables tables;
    load_tables(&tables);

    for (; base < len && bad == 0; base += 64, word++) {
        const unsigned char *bytes = data + base;
        if (len - base < 64) {
            memset(tail, ' ', sizeof tail);
            memcpy(tail, bytes, len - base);
            bytes = tail;
        }
        struct classes c;
        classify(&c, bytes, &tables);

        /* Strings: from the opening quote up to, not including, the closing one. */
        uint64_t escaped = 0;
        if (__builtin_expect((c.slash | carry.escape) != 0, 0)) {
            any_slash = 1;
            escaped = find_escaped(c.slash, &carry.escape);
            bad |= bad_escapes(escaped, data, base, len);
        }
        uint64_t quote = c.quote & ~escaped;
        uint64_t string = prefix_xor(quote) ^ carry.string;
        carry.string = 0 - (string >> 63);
        bad |= c.control & string;
        if (__builtin_expect(c.high != 0, 0)) {
            bad |= bad_utf8(c.high, data, base, len, &utf8_done);
        }

        uint64_t scalar = ~(string | quote | c.colon | c.comma | c.open | c.close | c.space);
        uint64_t colon = c.colon & ~string;
        uint64_t comma = c.comma & ~string;
        uint64_t open = c.open & ~string;
        uint64_t close = c.close & ~string;
        uint64_t separator = colon | comma | open | close;
        uint64_t scalar_start = scalar & ~(scalar << 1 | carry.scalar);
        carry.scalar = scalar >> 63;

        /* A value stands behind an opening bracket, a colon or a comma; a colon or comma stands behind none of these.
         */
        uint64_t lead = colon | comma | open;
        uint64_t overflow;
        uint64_t behind_lead = pass(lead << 1 | carry.lead, c.space, &overflow) & ~c.space;
        carry.lead = lead >> 63 | overflow;
        uint64_t value_start = (quote & string) | scalar_start | open;
        bad |= value_start & ~behind_lead;
        bad |= (colon | comma) & behind_lead;

        /* A closing bracket may directly follow only an opening one, mostly without white space between. */
        uint64_t empty = close & behind_lead;
        uint64_t odd_empty = empty & ~(open << 1 | carry.open);
        carry.open = open >> 63;
        if (__builtin_expect(odd_empty != 0, 0)) {
            bad |= bad_empties(odd_empty, data, base);
        }

        /* A colon is the first separator behind an opening bracket or comma: no item has two. */
        uint64_t item = comma | open;
        uint64_t behind_item = pass(item << 1 | carry.item, ~separator, &overflow);
        carry.item = item >> 63 | overflow;
        bad |= colon & ~behind_item;
        uint64_t keyless = behind_item & (comma | open | close) & ~empty;

        /*
         * Numbers: -?[0-9]+(\.[0-9]+)? without a leading zero is checked here, all
         * else (exponents, literals, mistakes) is looked at one by one.
         */
        uint64_t digit = c.digit & scalar;
        uint64_t point = scalar & ~c.digit; /* when all is well: minus or dot */
        uint64_t dot = c.dot & scalar;
        uint64_t behind_dot = dot << 1 | carry.dot;
        uint64_t behind_digit = digit << 1 | carry.digit;
        uint64_t lead_zero = c.zero & digit & ~(behind_digit | behind_dot);
        uint64_t odd = point & ~c.minus_dot;
        odd |= point & ~dot & ~scalar_start;
        odd |= (point << 1 | carry.point) & ~digit;
        odd |= dot & ~behind_digit;
        odd |= (lead_zero << 1 | carry.zero) & digit;
        odd |= pass(dot << 1 | carry.decimal, digit, &overflow) & ~digit & dot;
        carry.decimal = dot >> 63 | overflow;
        carry.point = point >> 63;
        carry.dot = dot >> 63;
        carry.digit = digit >> 63;
        carry.zero = lead_zero >> 63;
        if (__builtin_expect(odd != 0, 0)) {
            bad |= bad_scalars(odd, data, base, len, &scalar_done);
        }

        index->quote[word] = quote;
        index->scalar[word] = scalar;
        index->keyless[word] = keyless;
        uint64_t stops = colon | open | close | (comma & keyless);
        if (__builtin_expect(bad != 0, 0)) {
            stops &= (bad & (0 - bad)) - 1;
        }
        count += put_positions(index->at + count, stops, base);
    }
    /* No string and no number goes on behind the end. */
    index->quote[word] = ~UINT64_C(0);
    index->scalar[word] = 0;
    index->count = count;
    index->backslash = any_slash != 0;
    size_t good = bad != 0 ? base - 64 + (size_t)__builtin_ctzll(bad) : len;
    index->good = good < len ? good : len;
}
