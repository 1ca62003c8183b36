#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define PIECE ((size_t)64 << 10)

static char *room(struct text *text, size_t len)
{
    if (text->failed)
        return NULL;
    if (text->emit != NULL && text->len > 0 && text->len + len > PIECE && !text_flush(text))
        return NULL;
    if (text->data == NULL || text->capacity - text->len < len) {
        size_t capacity = text->capacity == 0 ? (text->emit != NULL ? PIECE : 256) : text->capacity;
        while (capacity - text->len < len)
            capacity *= 2;
        char *data = realloc(text->data, capacity);
        if (data == NULL) {
            text->failed = true;
            return NULL;
        }
        text->data = data;
        text->capacity = capacity;
    }
    return text->data + text->len;
}

void text_add(struct text *text, const char *data, size_t len)
{
    char *at = room(text, len);
    if (at != NULL && len > 0) {
        memcpy(at, data, len);
        text->len += len;
    }
}

void text_puts(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_u64(struct text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    text_add(text, digits + at, sizeof digits - at);
}

void text_i64(struct text *text, int64_t number)
{
    if (number < 0)
        text_add(text, "-", 1);
    text_u64(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void text_hundredths(struct text *text, double number)
{
    char digits[330]; /* the largest double has 309 before the point */
    size_t len = (size_t)snprintf(digits, sizeof digits, "%.2f", number);
    text_add(text, digits, strspn(digits, "0123456789"));
    text_puts(text, ".");
    text_add(text, digits + len - 2, 2);
}

void text_decimal(struct text *text, const struct decimal *number)
{
    char digits[DECIMAL_SIZE];
    text_add(text, digits, decimal_print(number, digits));
}

/* Length of the well-formed UTF-8 character at `text`, 0 when there is none. */
static size_t character(const char *text, size_t len)
{
    for (size_t n = 2; n <= 4 && n <= len; n++)
        if (utf8_valid(text, n))
            return n;
    return 0;
}

static void add_json(struct text *text, const char *string, size_t len, bool keep_invalid)
{
    static const char hex[] = "0123456789abcdef";
    text_add(text, "\"", 1);
    size_t plain = 0; /* start of what needs no change */
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)string[i];
        if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
            i++;
            continue;
        }
        size_t n = c >= 0x80 ? character(string + i, len - i) : 0;
        if (n != 0 || (c >= 0x80 && keep_invalid)) {
            i += n != 0 ? n : 1;
            continue;
        }
        text_add(text, string + plain, i - plain);
        if (c >= 0x80)
            text_puts(text, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\')
            text_add(text, (char[]){'\\', (char)c}, 2);
        else if (c == '\n')
            text_puts(text, "\\n");
        else if (c == '\t')
            text_puts(text, "\\t");
        else
            text_add(text, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
        plain = ++i;
    }
    text_add(text, string + plain, len - plain);
    text_add(text, "\"", 1);
}

void text_json(struct text *text, const char *string, size_t len)
{
    add_json(text, string, len, false);
}

void text_json_raw(struct text *text, const char *string, size_t len)
{
    add_json(text, string, len, true);
}

void text_key(struct text *text, const char *name)
{
    text_puts(text, "\"");
    text_puts(text, name);
    text_puts(text, "\": ");
}

void text_key_string(struct text *text, const char *name, const char *string)
{
    text_key(text, name);
    if (string == NULL)
        text_puts(text, "null");
    else
        text_json(text, string, strlen(string));
}

void text_key_u64(struct text *text, const char *name, uint64_t number)
{
    text_key(text, name);
    text_u64(text, number);
}

void text_key_decimal(struct text *text, const char *name, const struct decimal *number)
{
    text_key(text, name);
    text_decimal(text, number);
}

bool text_flush(struct text *text)
{
    if (!text->failed && text->emit != NULL && text->len > 0) {
        if (!text->emit(text->ctx, text->data, text->len))
            text->failed = true;
        text->len = 0;
    }
    return !text->failed;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}
