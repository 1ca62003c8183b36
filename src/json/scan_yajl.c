/*
 * scan_yajl.c - the strict parser: yajl, and what yajl lets through
 *
 * yajl knows the grammar; this file knows the layout of a trace. Offsets come
 * from yajl_get_bytes_consumed(), which inside a callback stands just behind
 * the token that caused it. Three things are added:
 *
 * - yajl takes overlong UTF-8, encoded surrogates and characters beyond
 *   U+10FFFF, and counts \v and \f as white space. All bytes of the document
 *   are therefore checked before yajl sees them: a byte that is not ASCII can
 *   only stand in a string, and \v and \f nowhere, so no knowledge of the
 *   grammar is needed. yajl's own check is switched off.
 *
 * - yajl collects a token that straddles two blocks in memory, however long
 *   it is. A string or number that is too long to matter is therefore
 *   checked here and kept from yajl, from one block's edge up to its end.
 *   Blocks are cut into pieces so that this also works for large ones.
 *
 * - yajl does not tell where a token starts. For a token within a piece it is
 *   found by going back from its end; for one that straddles pieces
 *   it is noted at the piece's end.
 *
 * Known difference from json_unescape(): for an unpaired high surrogate
 * (`\ud83d` with no low one behind it) yajl makes `?` and drops the character
 * behind it, joins it with whatever `\u` follows, and for an unpaired low
 * surrogate it writes three bytes that are not UTF-8; json_unescape() makes
 * U+FFFD. No key that layertrack reads can come out of this by mistake, as
 * each of these results holds a character that is in none of them.
 */
#include "json/scan_yajl.h"

#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)64 << 10)
/* From which length on a straddling token is kept from yajl: when it may be a field's value (then it is over the
 * limit, and will be refused), and when it is none. */
#define LONG_FIELD (SCAN_MAX_FIELD + 16)
#define LONG_OTHER ((size_t)4 << 10)

/* ---- offsets ---- */

static void token_done(struct strict *y)
{
    y->seen = true;
    y->last = strict_consumed(y);
    y->partial = PARTIAL_NONE;
    y->keep_back = false;
}

/* ---- events ---- */

static int cancel(struct strict *y, enum scan_status result)
{
    y->result = result;
    return 0;
}

static int refuse(struct strict *y, enum scan_refusal what, uint64_t offset)
{
    return cancel(y, scan_refuse(&y->scan, what, offset, NULL));
}

static bool at_element(const struct strict *y)
{
    return y->array_depth != 0 && y->depth == y->array_depth;
}

/* The field that a value here belongs to. */
static enum scan_field field_here(const struct strict *y)
{
    if (y->array_depth == 0 || !y->current.is_object)
        return FIELD_NONE;
    if (y->depth == y->array_depth + 1)
        return y->field;
    return y->depth == y->array_depth + 2 && y->in_args ? y->args_field : FIELD_NONE;
}

static enum scan_fact fact_here(const struct strict *y)
{
    bool beside = y->array_depth == 0 && y->depth == (y->in_info ? 2 : 1);
    return beside ? y->fact : FACT_NONE;
}

static void set_key(struct strict *y)
{
    enum scan_field field = y->in_args && y->args_field != FIELD_NONE ? y->args_field : y->field;
    strcpy(y->scan.problem.key, scan_field_key(field));
}

static void begin_element(struct strict *y, uint64_t offset, bool is_object)
{
    memset(&y->current, 0, sizeof y->current);
    y->current.index = y->scan.problem.events;
    y->current.offset = offset;
    y->current.is_object = is_object;
    y->field = FIELD_NONE;
    y->in_args = false;
    y->args_field = FIELD_NONE;
    y->scan.problem.in_event = true;
    set_key(y);
}

static int end_element(struct strict *y, uint64_t end)
{
    struct scan_problem *problem = &y->scan.problem;
    y->current.end = end;
    y->in_args = false;
    y->field = FIELD_NONE;
    problem->in_event = false;
    problem->key[0] = '\0';
    problem->events++;
    problem->last_end = end;
    return y->scan.event(y->scan.ctx, &y->current) ? 1 : cancel(y, SCAN_STOPPED);
}

/* What holds for every value before it is looked at; false when refused. */
static bool value_allowed(struct strict *y, uint64_t start, bool is_array)
{
    if (y->depth == 1 && y->events_key) {
        if (!is_array) {
            refuse(y, SCAN_EVENTS_NO_ARRAY, start);
            return false;
        }
    }
    return true;
}

/* Keeps a field; `written` is its length as written. */
static int keep(struct strict *y, enum scan_kind kind, const char *text, size_t len, uint64_t start, size_t written)
{
    enum scan_field field = field_here(y);
    if (field == FIELD_NONE)
        return 1;
    if (field == FIELD_ARGS) {
        memset(&y->current.device, 0, sizeof y->current.device);
        memset(&y->current.correlation, 0, sizeof y->current.correlation);
        return 1;
    }
    struct scan_value *value = scan_field_value(&y->current, field);
    struct text *copy = &y->texts[field];
    if (written > scan_field_limit(field))
        return refuse(y, field == FIELD_NAME ? SCAN_LONG_NAME : SCAN_LONG_FIELD, start);
    if (len > copy->size) {
        char *bytes = realloc(copy->bytes, len);
        if (bytes == NULL)
            return cancel(y, SCAN_NO_MEMORY);
        copy->bytes = bytes;
        copy->size = len;
    }
    if (len > 0)
        memcpy(copy->bytes, text, len);
    *value = (struct scan_value){.kind = kind, .text = len > 0 ? copy->bytes : "", .len = len};
    return 1;
}

static int scalar(struct strict *y, enum scan_kind kind, const char *text, size_t len, uint64_t start, size_t written)
{
    token_done(y);
    if (!value_allowed(y, start, false))
        return 0;
    if (at_element(y)) {
        begin_element(y, start, false);
        return end_element(y, strict_end(y));
    }
    return keep(y, kind, text, len, start, written);
}

static int on_null(void *ctx)
{
    struct strict *y = ctx;
    return scalar(y, SCAN_NULL, NULL, 0, strict_end(y) - 4, 0);
}

static int on_boolean(void *ctx, int is_true)
{
    struct strict *y = ctx;
    return scalar(y, is_true ? SCAN_TRUE : SCAN_FALSE, NULL, 0, strict_end(y) - (is_true ? 4 : 5), 0);
}

static int on_number(void *ctx, const char *text, size_t len)
{
    struct strict *y = ctx;
    uint64_t start = y->partial == PARTIAL_NUMBER ? y->partial_start : strict_end(y) - len;
    scan_fact_set(&y->scan.layout.facts, fact_here(y), text, len);
    return scalar(y, SCAN_NUMBER, text, len, start, (size_t)(strict_end(y) - start));
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
    struct strict *y = ctx;
    uint64_t start = strict_string_start(y);
    return scalar(y, SCAN_STRING, (const char *)text, len, start, (size_t)(strict_end(y) - start) - 2);
}

static int on_key(void *ctx, const unsigned char *key, size_t len)
{
    struct strict *y = ctx;
    uint64_t start = strict_string_start(y);
    token_done(y);
    if (y->depth == 1 && !y->scan.layout.bare) {
        y->events_key = len == 11 && memcmp(key, "traceEvents", 11) == 0;
        if (y->events_key && y->had_array)
            return refuse(y, SCAN_TWO_ARRAYS, start);
        y->fact = scan_fact_of(&y->scan.layout.facts, (const char *)key, len, false);
    } else if (y->in_info && y->depth == 2) {
        y->fact = scan_fact_of(&y->scan.layout.facts, (const char *)key, len, true);
    } else if (y->array_depth != 0 && y->depth == y->array_depth + 1) {
        y->field = scan_field_of((const char *)key, len, false);
        set_key(y);
    } else if (y->in_args && y->depth == y->array_depth + 2) {
        y->args_field = scan_field_of((const char *)key, len, true);
        set_key(y);
    }
    return 1;
}

static int open_nested(struct strict *y, bool is_array)
{
    token_done(y);
    uint64_t start = strict_end(y) - 1;
    if (!value_allowed(y, start, is_array))
        return 0;
    if (y->depth == SCAN_MAX_DEPTH) {
        if (at_element(y))
            begin_element(y, start, !is_array);
        return refuse(y, SCAN_TOO_DEEP, start);
    }
    if (at_element(y)) {
        begin_element(y, start, !is_array);
    } else if (field_here(y) != FIELD_NONE) {
        keep(y, SCAN_NESTED, NULL, 0, start, 0);
        y->in_args = y->depth == y->array_depth + 1 ? y->field == FIELD_ARGS && !is_array : y->in_args;
        y->args_field = y->depth == y->array_depth + 1 ? FIELD_NONE : y->args_field;
    }
    if (y->depth == 1)
        y->in_info = !is_array && fact_here(y) == FACT_INFO;
    y->depth++;
    if (is_array && (y->depth == 1 || (y->depth == 2 && y->events_key))) {
        y->array_depth = y->depth;
        y->had_array = true;
        y->events_key = false;
    }
    return 1;
}

static int close_nested(struct strict *y)
{
    token_done(y);
    uint64_t end = strict_end(y);
    if (y->array_depth != 0) {
        if (at_element(y)) {
            y->array_depth = 0;
            y->scan.array_closed = true;
            y->scan.layout.insert_offset = end - 1;
            y->scan.layout.needs_comma = y->scan.problem.events > 0;
        } else if (y->depth == y->array_depth + 1) {
            y->depth--;
            return end_element(y, end);
        } else if (y->depth == y->array_depth + 2 && y->in_args) {
            y->in_args = false;
            set_key(y);
        }
    }
    if (y->depth == 2)
        y->in_info = false;
    if (--y->depth == 0) {
        y->closed = true;
        return y->had_array ? cancel(y, SCAN_OK) : refuse(y, SCAN_NO_EVENTS, end - 1);
    }
    return 1;
}

static int on_start_map(void *ctx)
{
    return open_nested(ctx, false);
}

static int on_start_array(void *ctx)
{
    return open_nested(ctx, true);
}

static int on_end(void *ctx)
{
    return close_nested(ctx);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end,
};

/* ---- what yajl lets through ---- */

/* The first byte that cannot stand in any document, or `len`. */
static size_t find_bad_byte(struct strict *y, const unsigned char *data, size_t len)
{
    size_t i = 0;
    while (i < len) {
        if (y->utf8_more == 0 && len - i >= 64) {
            unsigned char odd = 0;
            for (size_t j = 0; j < 64; j++) {
                unsigned char c = data[i + j];
                odd |= (unsigned char)((c & 0x80) | (c == '\v') | (c == '\f'));
            }
            if (odd == 0) {
                i += 64;
                continue;
            }
        }
        for (size_t stop = len - i >= 64 ? i + 64 : len; i < stop; i++) {
            unsigned char c = data[i];
            if (y->utf8_more > 0) {
                if (c < y->utf8_low || c > y->utf8_high)
                    return i;
                y->utf8_more--;
                y->utf8_low = 0x80;
                y->utf8_high = 0xBF;
            } else if (c >= 0x80) {
                if (c < 0xC2 || c > 0xF4)
                    return i;
                y->utf8_more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
                y->utf8_low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
                y->utf8_high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
            } else if (c == '\v' || c == '\f') {
                return i;
            }
        }
    }
    return len;
}

static bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Goes on in a string up to its closing quote, or `len`. Stops at what must
 * not stand in a string, and says it in *bad as strict_syntax_error() does.
 */
static size_t walk_string(struct strict *y, const unsigned char *data, size_t len, const char **bad)
{
    *bad = NULL;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = data[i];
        if (y->escape == ESCAPE_NONE) {
            if (c == '"')
                return i;
            *bad = c < 0x20 ? "control character in a string" : NULL;
            y->escape = c == '\\' ? ESCAPE_SLASH : ESCAPE_NONE;
        } else if (y->escape == ESCAPE_SLASH) {
            *bad = c == '\0' || strchr("\"\\/bfnrtu", c) == NULL ? "unknown escape in a string" : NULL;
            y->escape = c == 'u' ? ESCAPE_HEX4 : ESCAPE_NONE;
        } else {
            *bad = is_hex(c) ? NULL : "'\\u' without four hexadecimal digits";
            y->escape--;
        }
        if (*bad != NULL)
            return i;
    }
    return len;
}

/* Notes which token is unfinished at the end of what yajl had of a piece, and whether more of it is worth keeping. */
static void note_partial(struct strict *y, size_t len)
{
    const unsigned char *p = y->piece;
    const char *bad;
    if (y->partial == PARTIAL_NONE) {
        size_t i = y->seen ? y->last : 0;
        while (i < len && (scan_is_space(p[i]) || p[i] == ',' || p[i] == ':'))
            i++;
        if (i == len)
            return;
        if (p[i] == '"') {
            y->partial = PARTIAL_STRING;
            y->escape = ESCAPE_NONE;
            walk_string(y, p + i + 1, len - i - 1, &bad);
        } else if (p[i] == '-' || is_digit(p[i])) {
            y->partial = PARTIAL_NUMBER;
        } else {
            y->partial = PARTIAL_WORD;
        }
        y->partial_start = y->piece_offset + i;
    } else if (y->partial == PARTIAL_STRING) {
        walk_string(y, p, len, &bad);
    }
    if (y->partial == PARTIAL_WORD)
        return;
    uint64_t so_far = y->piece_offset + len - y->partial_start;
    if (so_far > (field_here(y) == FIELD_NONE ? LONG_OTHER : LONG_FIELD))
        y->keep_back = y->partial == PARTIAL_STRING ? y->escape == ESCAPE_NONE : is_digit(p[len - 1]);
}

/* ---- the parser ---- */

/* Gives one piece to yajl. What follows the document in it is data[*rest..]. */
static enum scan_status feed_piece(struct strict *y, const unsigned char *data, size_t len, uint64_t offset,
                                   size_t *rest)
{
    *rest = len;
    size_t i = 0;
    size_t good = find_bad_byte(y, data, len);
    if (y->keep_back && y->partial == PARTIAL_STRING) {
        const char *bad;
        i = walk_string(y, data, good, &bad);
        if (bad != NULL) {
            y->scan.problem.only_strict = true;
            return scan_refuse(&y->scan, SCAN_SYNTAX, offset + i, bad);
        }
    } else if (y->keep_back) {
        while (i < good && is_digit(data[i]))
            i++;
    }
    if (i < good) {
        y->piece = data + i;
        y->piece_offset = offset + i;
        y->seen = false;
        y->keep_back = false;
        yajl_status status = yajl_parse(y->yajl, data + i, good - i);
        if (status == yajl_status_client_canceled) {
            *rest = i + strict_consumed(y);
            return y->result;
        }
        if (status != yajl_status_ok)
            return strict_syntax_error(y);
        note_partial(y, good - i);
    }
    if (good < len) {
        y->scan.problem.only_strict = true;
        return scan_refuse(&y->scan, SCAN_SYNTAX, offset + good,
                           data[good] < 0x80 && y->utf8_more == 0 ? "control character" : "invalid UTF-8");
    }
    return SCAN_OK;
}

/* Gives what belongs to the document to yajl; *rest as above. */
static enum scan_status feed_pieces(struct strict *y, const unsigned char *data, size_t len, uint64_t offset,
                                    size_t *rest)
{
    size_t i = 0;
    while (i < len && !y->closed) {
        size_t size = len - i < PIECE ? len - i : PIECE;
        if (y->partial == PARTIAL_STRING && y->escape != ESCAPE_NONE && size > 1) {
            /* Only between escapes a string can be kept from yajl: without this, one whose escapes lie across
             * the edges of all pieces never would be. */
            size = 1;
        }
        size_t taken;
        enum scan_status status = feed_piece(y, data + i, size, offset + i, &taken);
        if (status != SCAN_OK)
            return status;
        i += taken;
    }
    *rest = i;
    return SCAN_OK;
}

static enum scan_status feed(struct scan *scan, const unsigned char *data, size_t len, uint64_t offset)
{
    struct strict *y = (struct strict *)scan;
    if (setjmp(y->memory.out) != 0)
        return SCAN_NO_MEMORY;
    size_t rest;
    enum scan_status status = feed_pieces(y, data, len, offset, &rest);
    return status == SCAN_OK ? scan_after(scan, data + rest, len - rest, offset + rest) : status;
}

static enum scan_status finish(struct scan *scan, uint64_t total)
{
    struct strict *y = (struct strict *)scan;
    return y->closed ? SCAN_OK : scan_refuse(scan, SCAN_TRUNCATED, total, NULL);
}

static void free_strict(struct scan *scan)
{
    struct strict *y = (struct strict *)scan;
    for (size_t i = 0; i < FIELDS; i++)
        free(y->texts[i].bytes);
    yajl_memory_free(&y->memory);
    free(y);
}

static const struct scan_ops ops = {.feed = feed, .finish = finish, .free = free_strict};

struct scan *scan_yajl_new(void)
{
    struct strict *y = calloc(1, sizeof *y);
    if (y == NULL)
        return NULL;
    y->scan.ops = &ops;
    yajl_memory_init(&y->memory);
    if (setjmp(y->memory.out) != 0) {
        yajl_memory_free(&y->memory);
        free(y);
        return NULL;
    }
    y->yajl = yajl_alloc(&callbacks, &y->memory.functions, y);
    yajl_config(y->yajl, yajl_dont_validate_strings, 1);
    return &y->scan;
}
