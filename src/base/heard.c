#include "base/heard.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"

/* ---- what is refused --------------------------------------------------------------------------------------- */

static enum lt_status refuse_word(const char *word, size_t len, struct lt_error *error)
{
    char shown[64];
    struct text text = {0};
    for (int id = LT_CLASS_NONE + 1; id < LT_CLASS_COUNT; id++) {
        if (!class_is_warning((enum lt_class)id))
            continue;
        text_puts(&text, text.len == 0 ? "" : ", ");
        text_puts(&text, lt_class_word((enum lt_class)id));
    }
    text_add(&text, "", 1);
    enum lt_status status =
        text.failed ? fail_memory(error)
                    : fail(error, LT_USAGE, "%s: '%s' is no class of warnings; there are %s",
                           error_name(error, "fail_on_warning"), printable(shown, sizeof shown, word, len), text.data);
    text_free(&text);
    return status;
}

enum lt_status heard_begin(struct heard *heard, struct listener out, const char *refused, struct lt_error *error)
{
    *heard = (struct heard){.out = out};
    if (refused == NULL)
        return LT_OK;
    if (refused[0] == '\0')
        memset(heard->is_refused, true, sizeof heard->is_refused);
    for (const char *word = refused; *word != '\0';) {
        size_t len = strcspn(word, ",");
        enum lt_class class_id = class_of_word(word, len);
        if (!class_is_warning(class_id))
            return refuse_word(word, len, error);
        heard->is_refused[class_id] = true;
        word += len;
        if (*word == ',' && *++word == '\0')
            return refuse_word(word, 0, error);
    }
    return LT_OK;
}

/* ---- what is heard ----------------------------------------------------------------------------------------- */

/* The message without the trace's name in front of it. */
static const char *sentence_of(const char *trace, const char *message)
{
    char shown[512];
    size_t len = strlen(printable(shown, sizeof shown, trace, strlen(trace)));
    return strncmp(message, shown, len) == 0 && strncmp(message + len, ": ", 2) == 0 ? message + len + 2 : message;
}

static bool keep(struct heard *heard, const struct lt_warning *warning)
{
    const char *sentence = sentence_of(heard->trace, warning->message);
    if (!array_grow(&heard->items, &heard->capacity, heard->count, sizeof *heard->items))
        return false;
    struct heard_warning *item = &heard->items[heard->count++];
    *item = (struct heard_warning){.class_id = warning->class_id,
                                   .count = warning->count,
                                   .event = warning->event,
                                   .offset = warning->offset,
                                   .sentence = arena_string(&heard->texts, sentence, strlen(sentence))};
    return item->sentence != NULL;
}

/* A lt_warning_fn. */
static void hear(void *ctx, const struct lt_warning *warning)
{
    struct heard *heard = ctx;
    heard->failed |= !keep(heard, warning);
    if (heard->out.warning != NULL)
        heard->out.warning(heard->out.ctx, warning);
}

struct listener heard_listener(struct heard *heard, const char *trace)
{
    heard->trace = trace;
    return (struct listener){hear, heard};
}

enum lt_status heard_end(const struct heard *heard, struct lt_error *error)
{
    char shown[512];
    const struct heard_warning *first = NULL;
    struct text words = {0};
    if (heard->failed)
        return fail_memory(error);
    bool told[LT_CLASS_COUNT] = {false};
    for (size_t i = 0; i < heard->count; i++) {
        const struct heard_warning *item = &heard->items[i];
        if (!heard->is_refused[item->class_id] || told[item->class_id])
            continue;
        told[item->class_id] = true;
        text_puts(&words, first == NULL ? "" : ", ");
        text_puts(&words, lt_class_word(item->class_id));
        first = first == NULL ? item : first;
    }
    text_add(&words, "", 1);
    enum lt_status status = LT_OK;
    if (words.failed)
        status = fail_memory(error);
    else if (first != NULL)
        status =
            fail_refused(error, first->class_id, (struct error_place){.event = first->event, .offset = first->offset},
                         "%s: refused for what is warned about (%s); correct that, or leave it out of %s",
                         printable(shown, sizeof shown, heard->trace, strlen(heard->trace)), words.data,
                         error_name(error, "fail_on_warning"));
    text_free(&words);
    return status;
}

void heard_free(struct heard *heard)
{
    free(heard->items);
    arena_free(&heard->texts);
    *heard = (struct heard){0};
}
