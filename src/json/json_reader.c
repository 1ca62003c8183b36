#define _POSIX_C_SOURCE 200809L
#include "json/json_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

/* ---- what yajl finds --------------------------------------------------------------------------------------- */

static int give(struct json_reader *reader, enum json_kind kind, const char *text, size_t len)
{
    reader->found++;
    return reader->item(reader->ctx, kind, text, len);
}

static int on_null(void *ctx)
{
    return give(ctx, JSON_WORD, "null", 4);
}

static int on_boolean(void *ctx, int yes)
{
    return give(ctx, JSON_WORD, yes ? "true" : "false", yes ? 4 : 5);
}

static int on_number(void *ctx, const char *text, size_t len)
{
    return give(ctx, JSON_NUMBER, text, len);
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
    return give(ctx, JSON_STRING, (const char *)text, len);
}

static int on_key(void *ctx, const unsigned char *text, size_t len)
{
    struct json_reader *reader = ctx;
    if (len >= reader->key_capacity) {
        const yajl_alloc_funcs *memory = &reader->memory.functions;
        reader->key = memory->realloc(memory->ctx, reader->key, 2 * len + 64);
        reader->key_capacity = 2 * len + 64;
    }
    reader->key_len = len;
    memcpy(reader->key, text, len);
    reader->key[len] = '\0';
    if (reader->depth <= JSON_LEVELS) {
        struct json_level *level = &reader->level[reader->depth];
        size_t size = len < sizeof level->key ? len : sizeof level->key - 1;
        memcpy(level->key, text, size);
        level->key[size] = '\0';
        level->key_len = len;
    }
    return give(reader, JSON_KEY, reader->key, len);
}

static int open_nested(struct json_reader *reader, bool is_object)
{
    if (reader->depth < JSON_LEVELS)
        reader->level[reader->depth + 1] = (struct json_level){.is_object = is_object};
    int go_on = give(reader, JSON_NESTED, "", 0);
    reader->depth++;
    return go_on;
}

static int on_object(void *ctx)
{
    return open_nested(ctx, true);
}

static int on_array(void *ctx)
{
    return open_nested(ctx, false);
}

static int on_close(void *ctx)
{
    struct json_reader *reader = ctx;
    int go_on = give(reader, JSON_CLOSE, "", 0);
    reader->depth--;
    return go_on;
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close,
    .yajl_start_array = on_array,
    .yajl_end_array = on_close,
};

/* ---- half of a character ----------------------------------------------------------------------------------- */

/* Takes the next byte of the JSON text. False when it leaves half a pair alone. */
static bool take_byte(struct json_pairs *at, unsigned char c)
{
    bool high = at->high;
    if (!at->in_string) {
        at->in_string = c == '"';
        return true;
    }
    if (at->hex_left > 0) {
        at->code = at->code * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        if (--at->hex_left > 0)
            return true;
        at->high = at->code >= 0xd800 && at->code < 0xdc00;
        return high == (at->code >= 0xdc00 && at->code < 0xe000);
    }
    if (at->escaped || c == '\\') {
        bool starts = !at->escaped, unicode = at->escaped && c == 'u';
        at->escaped = starts;
        if (unicode) {
            at->hex_left = 4;
            at->code = 0;
        }
        return starts || unicode || !high;
    }
    at->in_string = c != '"';
    return !high;
}

static bool has_half_pair(struct json_reader *reader, const unsigned char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!take_byte(&reader->pairs, data[i])) {
            reader->offset += i;
            return true;
        }
    return false;
}

/* ---- feeding yajl ------------------------------------------------------------------------------------------ */

static void tell_error(struct json_reader *reader)
{
    const char *message = (const char *)yajl_get_error(reader->yajl, 0, NULL, 0);
    size_t len = strcspn(message, "\n");
    while (len > 0 && message[len - 1] == '.')
        len--;
    printable(reader->why, sizeof reader->why, message, len);
}

/* Nothing is the end. In a function of its own: what a jump out of yajl leaves is not in registers of another. */
static enum json_status feed(struct json_reader *reader, const unsigned char *data, size_t len)
{
    if (reader->no_half_pairs && has_half_pair(reader, data, len))
        return JSON_HALF_PAIR;
    if (reader->yajl == NULL)
        yajl_memory_init(&reader->memory);
    if (setjmp(reader->memory.out) != 0)
        return JSON_NO_MEMORY;
    if (reader->yajl == NULL) {
        reader->yajl = yajl_alloc(&callbacks, &reader->memory.functions, reader);
        yajl_config(reader->yajl, yajl_dont_validate_strings, reader->any_bytes ? 1 : 0);
    }
    reader->parsing = len > 0;
    yajl_status status = len > 0 ? yajl_parse(reader->yajl, data, len) : yajl_complete_parse(reader->yajl);
    if (status == yajl_status_client_canceled)
        return JSON_STOPPED;
    if (status != yajl_status_ok) {
        tell_error(reader);
        return len > 0 ? JSON_SYNTAX : JSON_CUT;
    }
    reader->parsing = false;
    reader->offset += len;
    return len > 0 ? JSON_OK : JSON_END;
}

enum json_status json_reader_text(struct json_reader *reader, const char *text, size_t len)
{
    return len == 0 ? JSON_OK : feed(reader, (const unsigned char *)text, len);
}

uint64_t json_reader_offset(const struct json_reader *reader)
{
    return reader->offset + (reader->parsing ? yajl_get_bytes_consumed(reader->yajl) : 0);
}

/* ---- a file ------------------------------------------------------------------------------------------------ */

#define PIECE_MOST ((size_t)1 << 20)

/* Longer than any string of ours: a name of 1 MiB of which every byte is an escape of six. */
#define LONGEST ((uint64_t)8 << 20)

/*
 * Makes room for the next piece. Of a string or number that goes on behind a
 * piece yajl looks at all that came so far once more with every piece:
 * pieces of one size would take quadratic time. So they double while yajl
 * finds nothing.
 */
static int make_room(struct json_reader *reader)
{
    bool goes_on = reader->len > 0 && reader->found == reader->found_before;
    reader->unfinished = goes_on ? reader->unfinished + reader->len : 0;
    reader->found_before = reader->found;
    if (reader->unfinished > LONGEST)
        return EFBIG;
    reader->size = !goes_on ? reader->piece : reader->size * 2 < PIECE_MOST ? reader->size * 2 : PIECE_MOST;
    if (reader->size <= reader->capacity)
        return 0;
    free(reader->data);
    reader->data = malloc(reader->size);
    reader->capacity = reader->data == NULL ? 0 : reader->size;
    return reader->data == NULL ? ENOMEM : 0;
}

static int read_piece(struct json_reader *reader, int fd)
{
    int errnum = make_room(reader);
    reader->len = 0;
    while (errnum == 0 && reader->len < reader->size) {
        ssize_t n = read(fd, reader->data + reader->len, reader->size - reader->len);
        if (n == 0)
            break;
        if (n > 0)
            reader->len += (size_t)n;
        else if (errno != EINTR)
            errnum = errno;
    }
    return errnum;
}

enum json_status json_reader_file(struct json_reader *reader, int fd)
{
    reader->errnum = read_piece(reader, fd);
    switch (reader->errnum) {
    case 0:
        return feed(reader, reader->data, reader->len);
    case ENOMEM:
        return JSON_NO_MEMORY;
    case EFBIG:
        return JSON_TOO_LONG;
    default:
        return JSON_UNREADABLE;
    }
}

void json_reader_end(struct json_reader *reader)
{
    yajl_memory_free(&reader->memory);
    free(reader->data);
    reader->data = NULL;
}
