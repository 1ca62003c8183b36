/*
 * scan_fast_step.c - the fast scanner byte by byte
 *
 * This is the scanner's full grammar: all that is tolerated is tolerated
 * here, all that is refused is refused here, and any byte may be the last of
 * a block. Whole plain events are left to scan_fast_walk.c.
 */
#include "json/json_text.h"
#include "json/scan_fast.h"

#include <string.h>

enum scan_status fast_refuse(struct fast *f, enum scan_refusal what, uint64_t offset, const char *detail)
{
    enum scan_field field = FIELD_NONE;
    if (f->scan.problem.in_event && f->current.is_object)
        field = f->in_args && f->args_field != FIELD_NONE ? f->args_field : f->field;
    strcpy(f->scan.problem.key, scan_field_key(field));
    return scan_refuse(&f->scan, what, offset, detail);
}

enum scan_status fast_event(struct fast *f, uint64_t end)
{
    struct scan_problem *problem = &f->scan.problem;
    f->current.end = end;
    problem->in_event = false;
    problem->events++;
    problem->last_end = end;
    return f->scan.event(f->scan.ctx, &f->current) ? SCAN_OK : SCAN_STOPPED;
}

static void begin_element(struct fast *f, uint64_t offset, bool is_object)
{
    memset(&f->current, 0, sizeof f->current);
    f->current.index = f->scan.problem.events;
    f->current.offset = offset;
    f->current.is_object = is_object;
    f->field = FIELD_NONE;
    f->in_args = false;
    f->args_field = FIELD_NONE;
    f->scan.problem.in_event = true;
}

/* ---- values ---- */

/* What holds for every value, at its first byte. */
static enum scan_status begin_value(struct fast *f, uint64_t offset, unsigned char first)
{
    if (f->depth == 1 && f->events_key && first != '[')
        return fast_refuse(f, SCAN_EVENTS_NO_ARRAY, offset, NULL);
    if (fast_at_element(f))
        begin_element(f, offset, first == '{');
    return SCAN_OK;
}

/* Notes a value under its key; a field's text is set by the caller. */
static void set_kind(struct fast *f, enum scan_kind kind)
{
    enum scan_field field = fast_field_here(f);
    if (field == FIELD_ARGS) {
        memset(&f->current.device, 0, sizeof f->current.device);
        memset(&f->current.correlation, 0, sizeof f->current.correlation);
    } else if (field != FIELD_NONE) {
        *scan_field_value(&f->current, field) = (struct scan_value){.kind = kind};
    }
}

/* A scalar is complete: its text ends before block->data[text_end], it itself before block->data[end]. */
static enum scan_status end_scalar(struct fast *f, enum scan_kind kind, const struct block *block, size_t text_end,
                                   size_t end)
{
    f->token = TOKEN_NONE;
    f->expect = EXPECT_COMMA_OR_CLOSE;
    if (fast_at_element(f))
        return fast_event(f, block->offset + end);
    if (f->capture == CAPTURE_FACT) {
        size_t len;
        const char *text = fast_captured(f, block, text_end, &len);
        f->capture = CAPTURE_NONE;
        if (text == NULL)
            return SCAN_NO_MEMORY;
        if (kind == SCAN_NUMBER)
            scan_fact_set(&f->scan.layout.facts, f->fact, text, len);
        return SCAN_OK;
    }
    if (f->capture != CAPTURE_FIELD) {
        set_kind(f, kind);
        return SCAN_OK;
    }
    f->capture = CAPTURE_NONE;
    set_kind(f, kind);
    if (kind != SCAN_NUMBER && kind != SCAN_STRING && kind != SCAN_NONFINITE)
        return SCAN_OK;
    enum scan_field field = f->capture_field;
    struct scan_value *value = scan_field_value(&f->current, field);
    value->text = fast_captured(f, block, text_end, &value->len);
    value->escaped = kind == SCAN_STRING && f->slash;
    if (value->text == NULL)
        return SCAN_NO_MEMORY;
    if (value->len > scan_field_limit(field))
        return fast_refuse(f, field == FIELD_NAME ? SCAN_LONG_NAME : SCAN_LONG_FIELD, f->token_start, NULL);
    return SCAN_OK;
}

static enum scan_status end_word(struct fast *f, const struct block *block, size_t end)
{
    enum scan_kind kind = fast_word_kind(f);
    if (kind == SCAN_NONFINITE) {
        if (fast_at_element(f))
            return fast_refuse(f, SCAN_SYNTAX, f->token_start, "no JSON value starts like this");
        enum scan_field field = fast_field_here(f);
        bool is_time = field == FIELD_TS || field == FIELD_DUR;
        scan_warn(&f->scan, is_time ? SCAN_WARN_NONFINITE_TIME : SCAN_WARN_NONFINITE, f->token_start);
    }
    return end_scalar(f, kind, block, end, end);
}

enum scan_status fast_last_word(struct fast *f, uint64_t offset)
{
    struct block none = {.data = (const unsigned char *)"", .offset = offset};
    return end_word(f, &none, 0);
}

/* ---- keys ---- */

static enum scan_status end_key(struct fast *f, const struct block *block, size_t text_end)
{
    f->token = TOKEN_NONE;
    f->expect = EXPECT_COLON;
    const char *key = "";
    size_t len = 0;
    char decoded[LONGEST_KEY];
    bool wanted = f->capture == CAPTURE_KEY;
    if (wanted) {
        key = fast_captured(f, block, text_end, &len);
        f->capture = CAPTURE_NONE;
        if (key == NULL)
            return SCAN_NO_MEMORY;
        wanted = len <= LONGEST_KEY;
    }
    if (!wanted) {
        len = 0;
    } else if (f->slash) {
        len = json_unescape(decoded, key, len);
        key = decoded;
    }
    if (f->depth == 1 && !f->scan.layout.bare) {
        f->events_key = len == 11 && memcmp(key, "traceEvents", 11) == 0;
        if (f->events_key && f->had_array)
            return fast_refuse(f, SCAN_TWO_ARRAYS, f->token_start, NULL);
        f->fact = scan_fact_of(&f->scan.layout.facts, key, len, false);
    } else if (f->in_info && f->depth == 2) {
        f->fact = scan_fact_of(&f->scan.layout.facts, key, len, true);
    } else if (f->array_depth != 0 && f->depth == f->array_depth + 1) {
        f->field = scan_field_of(key, len, false);
    } else if (f->in_args && f->depth == f->array_depth + 2) {
        f->args_field = scan_field_of(key, len, true);
    }
    return SCAN_OK;
}

static void begin_key(struct fast *f, const struct block *block, size_t at)
{
    fast_begin_string(f, block, at);
    f->is_key = true;
    f->capture = CAPTURE_NONE;
    bool wanted = f->depth == 1 || (f->array_depth != 0 && f->depth == f->array_depth + 1) ||
                  (f->in_args && f->depth == f->array_depth + 2) || (f->in_info && f->depth == 2);
    if (wanted) {
        f->capture = CAPTURE_KEY;
        f->key.len = 0;
    }
}

static enum scan_status end_string(struct fast *f, const struct block *block, size_t end)
{
    f->odd_utf8 |= f->utf8_more > 0;
    if (f->odd_control)
        scan_warn(&f->scan, SCAN_WARN_CONTROL, f->token_start);
    if (f->odd_utf8)
        scan_warn(&f->scan, SCAN_WARN_UTF8, f->token_start);
    if (f->odd_escape)
        scan_warn(&f->scan, SCAN_WARN_ESCAPE, f->token_start);
    return f->is_key ? end_key(f, block, end - 1) : end_scalar(f, SCAN_STRING, block, end - 1, end);
}

/* ---- brackets ---- */

static enum scan_status open_bracket(struct fast *f, uint64_t offset, bool is_object)
{
    if (f->depth == SCAN_MAX_DEPTH)
        return fast_refuse(f, SCAN_TOO_DEEP, offset, NULL);
    if (f->depth > 0 && !fast_at_element(f)) {
        set_kind(f, SCAN_NESTED);
        if (f->array_depth != 0 && f->depth == f->array_depth + 1) {
            f->in_args = f->field == FIELD_ARGS && is_object;
            f->args_field = FIELD_NONE;
        }
    }
    if (f->depth == 1)
        f->in_info = is_object && fast_fact_here(f) == FACT_INFO;
    f->depth++;
    uint64_t bit = UINT64_C(1) << (f->depth % 64);
    f->objects[f->depth / 64] = is_object ? f->objects[f->depth / 64] | bit : f->objects[f->depth / 64] & ~bit;
    f->expect = is_object ? EXPECT_KEY_OR_CLOSE : EXPECT_ITEM_OR_CLOSE;
    if (!is_object && (f->depth == 1 || (f->depth == 2 && f->events_key))) {
        f->array_depth = f->depth;
        f->had_array = true;
        f->events_key = false;
    }
    return SCAN_OK;
}

static enum scan_status close_bracket(struct fast *f, uint64_t offset)
{
    bool comma = f->expect == EXPECT_ITEM || f->expect == EXPECT_KEY;
    if (comma)
        scan_warn(&f->scan, SCAN_WARN_TRAILING_COMMA, f->comma);
    f->expect = EXPECT_COMMA_OR_CLOSE;
    if (f->array_depth != 0) {
        if (fast_at_element(f)) {
            f->array_depth = 0;
            f->scan.array_closed = true;
            f->scan.layout.insert_offset = offset;
            f->scan.layout.needs_comma = f->scan.problem.events > 0 && !comma;
        } else if (f->depth == f->array_depth + 1) {
            f->depth--;
            return fast_event(f, offset + 1);
        } else if (f->depth == f->array_depth + 2) {
            f->in_args = false;
        }
    }
    if (f->depth == 2)
        f->in_info = false;
    if (--f->depth == 0) {
        f->closed = true;
        return f->had_array ? SCAN_OK : fast_refuse(f, SCAN_NO_EVENTS, offset, NULL);
    }
    return SCAN_OK;
}

/* ---- between tokens ---- */

static const char *expected(const struct fast *f)
{
    switch (f->expect) {
    case EXPECT_KEY_OR_CLOSE:
    case EXPECT_KEY:
        return "expected a string as key";
    case EXPECT_COLON:
        return "expected ':'";
    case EXPECT_COMMA_OR_CLOSE:
        return fast_in_object(f) ? "expected ',' or '}'" : "expected ',' or ']'";
    default:
        return "expected a value";
    }
}

static void take_comma(struct fast *f, uint64_t offset)
{
    f->comma = offset;
    f->expect = fast_in_object(f) ? EXPECT_KEY : EXPECT_ITEM;
    if (f->array_depth != 0 && f->depth == f->array_depth + 1)
        f->field = FIELD_NONE;
    else if (f->in_args && f->depth == f->array_depth + 2)
        f->args_field = FIELD_NONE;
}

/* A value's first byte. */
static enum scan_status start_value(struct fast *f, const struct block *block, size_t *at)
{
    size_t i = *at;
    unsigned char c = block->data[i];
    enum scan_status status = SCAN_OK;
    if (c == '{' && f->make_index != NULL && i >= f->index_from && fast_at_element(f)) {
        do {
            /* Again with a larger window, when it was too small for this event. */
            *at = fast_walk(f, block, i, &status);
        } while (*at == i && f->index_from == i);
        if (*at > i) {
            f->expect = EXPECT_COMMA_OR_CLOSE;
            return status;
        }
    }
    if (memchr(",:]}", c, 4) != NULL)
        return fast_refuse(f, SCAN_SYNTAX, block->offset + i, expected(f));
    status = begin_value(f, block->offset + i, c);
    if (status != SCAN_OK)
        return status;
    *at = i + 1;
    if (c == '{' || c == '[')
        return open_bracket(f, block->offset + i, c == '{');
    if (c == '"') {
        fast_begin_string(f, block, i);
        return SCAN_OK;
    }
    if (fast_begin_number(f, block, i) || fast_begin_word(f, block, i))
        return SCAN_OK;
    return fast_refuse(f, SCAN_SYNTAX, block->offset + i, "no JSON value starts like this");
}

static enum scan_status between(struct fast *f, const struct block *block, size_t *at)
{
    unsigned char c = block->data[*at];
    uint64_t offset = block->offset + *at;
    switch (f->expect) {
    case EXPECT_ITEM_OR_CLOSE:
    case EXPECT_ITEM:
        if (c == ']') {
            ++*at;
            return close_bracket(f, offset);
        }
        return start_value(f, block, at);
    case EXPECT_VALUE:
        return start_value(f, block, at);
    case EXPECT_KEY_OR_CLOSE:
    case EXPECT_KEY:
        if (c == '"') {
            begin_key(f, block, *at);
            ++*at;
            return SCAN_OK;
        }
        if (c == '}') {
            ++*at;
            return close_bracket(f, offset);
        }
        break;
    case EXPECT_COLON:
        if (c == ':') {
            f->expect = EXPECT_VALUE;
            ++*at;
            return SCAN_OK;
        }
        break;
    case EXPECT_COMMA_OR_CLOSE:
        if (c == ',') {
            take_comma(f, offset);
            ++*at;
            return SCAN_OK;
        }
        if (c == (fast_in_object(f) ? '}' : ']')) {
            ++*at;
            return close_bracket(f, offset);
        }
        break;
    }
    return fast_refuse(f, SCAN_SYNTAX, offset, expected(f));
}

enum scan_status fast_step(struct fast *f, const struct block *block, size_t *at)
{
    enum scan_status status = SCAN_OK;
    size_t i = *at;
    while (status == SCAN_OK && i < block->len && !f->closed) {
        switch (f->token) {
        case TOKEN_NONE:
            if (scan_is_space(block->data[i])) {
                i++;
            } else if (f->depth == 0) {
                status = open_bracket(f, block->offset + i, block->data[i] == '{');
                i++;
            } else {
                status = between(f, block, &i);
            }
            break;
        case TOKEN_STRING:
            if (fast_string(f, block, &i))
                status = end_string(f, block, i);
            break;
        case TOKEN_NUMBER:
            if (fast_number(f, block, &i, &status))
                status = end_scalar(f, SCAN_NUMBER, block, i, i);
            break;
        case TOKEN_WORD:
            if (fast_word(f, block, &i, &status))
                status = end_word(f, block, i);
            break;
        }
    }
    *at = i;
    return status;
}
