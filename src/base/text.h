/*
 * text.h - build text piece by piece, JSON above all
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"

/* Takes a piece of text; false when it could not be taken. */
typedef bool emit_fn(void *ctx, const void *data, size_t len);

/*
 * Text in the making. Set to zero: it grows in memory. With `emit` set it
 * is handed on in pieces of some 64 KiB, the last one by text_flush().
 */
struct text {
    char *data;
    size_t len, capacity;
    bool failed; /* memory is out, or `emit` said no; whatever is added is dropped */
    emit_fn *emit;
    void *ctx;
};

void text_add(struct text *text, const char *data, size_t len);
void text_puts(struct text *text, const char *string);
void text_u64(struct text *text, uint64_t number);
void text_i64(struct text *text, int64_t number);
void text_decimal(struct text *text, const struct decimal *number);

/* A finite number from 0 up with two digits behind a point, whatever the host's locale has in its place. */
void text_hundredths(struct text *text, double number);

/*
 * A JSON string with its quotes: control bytes, quotes and backslashes
 * escaped, everything else raw UTF-8. Bytes that are not UTF-8 become U+FFFD.
 */
void text_json(struct text *text, const char *string, size_t len);

/* The same, save that bytes that are not UTF-8 are kept. */
void text_json_raw(struct text *text, const char *string, size_t len);

/* A member: `"name": `, and a value behind it. A string that is NULL is null. */
void text_key(struct text *text, const char *name);
void text_key_string(struct text *text, const char *name, const char *string);
void text_key_u64(struct text *text, const char *name, uint64_t number);
void text_key_decimal(struct text *text, const char *name, const struct decimal *number);

/* Hands on what is left. False when anything failed. */
bool text_flush(struct text *text);
void text_free(struct text *text);

#endif
