#include "trace/fields.h"

#include <stdlib.h>
#include <string.h>

#include "json/json_text.h"

void fields_free(struct fields *fields)
{
    free(fields->scratch);
    *fields = (struct fields){0};
}

char *fields_scratch(struct fields *fields, size_t size)
{
    if (fields->scratch_capacity < size) {
        char *data = realloc(fields->scratch, size * 2);
        if (data == NULL)
            return NULL;
        fields->scratch = data;
        fields->scratch_capacity = size * 2;
    }
    return fields->scratch;
}

const char *fields_text(struct fields *fields, const struct scan_value *value, size_t *len)
{
    *len = value->len;
    if (!value->escaped)
        return value->len == 0 ? "" : value->text;
    char *out = fields_scratch(fields, value->len);
    if (out != NULL)
        *len = json_unescape(out, value->text, value->len);
    return out;
}

/* ---- kinds ------------------------------------------------------------------------------------------------- */

bool has_word(const char *cat, size_t len, const char *word, size_t word_len)
{
    const char *end = cat + len;
    for (const char *at = cat;; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma != NULL ? comma : end;
        while (at < stop && *at == ' ')
            at++;
        const char *last = stop;
        while (last > at && last[-1] == ' ')
            last--;
        if ((size_t)(last - at) == word_len && memcmp(at, word, word_len) == 0)
            return true;
        if (comma == NULL)
            return false;
        at = comma;
    }
}

static bool ends_with(const char *cat, size_t len, const char *ending)
{
    size_t end = strlen(ending);
    return len >= end && memcmp(cat + len - end, ending, end) == 0;
}

static bool is_call(const char *cat, size_t len)
{
    return ends_with(cat, len, "_runtime") || ends_with(cat, len, "_driver") || has_word(cat, len, "runtime", 7) ||
           has_word(cat, len, "Runtime", 7) || has_word(cat, len, "cuda_runtime", 12) ||
           has_word(cat, len, "cuda_driver", 11);
}

static unsigned scope_kind(const char *cat, size_t len)
{
    if (has_word(cat, len, "user_annotation", 15) || has_word(cat, len, "cpu_op", 6) ||
        has_word(cat, len, "python_function", 15))
        return EVENT_CPU_SCOPE;
    return has_word(cat, len, "gpu_user_annotation", 19) ? EVENT_GPU_SCOPE : 0;
}

bool fields_kinds(struct fields *fields, const struct scan_event *event, unsigned asked, unsigned *kinds)
{
    *kinds = 0;
    if (event->cat.kind != SCAN_STRING)
        return true;
    size_t len;
    const char *cat = fields_text(fields, &event->cat, &len);
    if (cat == NULL)
        return false;
    if ((asked & EVENT_GUIDE) != 0 && has_word(cat, len, "layer_guide", 11))
        *kinds |= EVENT_GUIDE;
    if ((asked & EVENT_KERNEL) != 0 && has_word(cat, len, "kernel", 6))
        *kinds |= EVENT_KERNEL;
    if ((asked & (EVENT_CPU_SCOPE | EVENT_GPU_SCOPE)) != 0)
        *kinds |= scope_kind(cat, len) & asked;
    if ((asked & EVENT_CALL) != 0 && is_call(cat, len))
        *kinds |= EVENT_CALL;
    return true;
}

bool fields_complete(struct fields *fields, const struct scan_event *event, bool *complete)
{
    *complete = false;
    if (event->ph.kind != SCAN_STRING)
        return true;
    size_t len;
    const char *ph = fields_text(fields, &event->ph, &len);
    *complete = ph != NULL && len == 1 && ph[0] == 'X';
    return ph != NULL;
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

enum decimal_status fields_time(struct fields *fields, const struct scan_value *value, struct decimal *time)
{
    if (value->kind != SCAN_NUMBER && value->kind != SCAN_STRING)
        return DECIMAL_NOT_A_NUMBER;
    size_t len;
    const char *text = fields_text(fields, value, &len);
    return text == NULL ? DECIMAL_NO_MEMORY : decimal_parse(time, text, len);
}

enum decimal_status fields_span(struct fields *fields, const struct scan_event *event, struct decimal *start,
                                struct decimal *end)
{
    struct decimal dur;
    enum decimal_status status = fields_time(fields, &event->ts, start);
    if (status == DECIMAL_OK)
        status = fields_time(fields, &event->dur, &dur);
    if (status == DECIMAL_OK && decimal_is_negative(&dur))
        return DECIMAL_NOT_A_NUMBER;
    return status == DECIMAL_OK ? decimal_add(end, start, &dur) : status;
}

uint64_t fields_correlation(struct fields *fields, const struct scan_value *value)
{
    struct decimal number;
    int64_t whole;
    bool fits = fields_time(fields, value, &number) == DECIMAL_OK && decimal_whole(&number, &whole) && whole >= 0;
    return fits ? (uint64_t)whole : CORRELATION_NONE;
}
