/*
 * fields.h - what the fields of an event mean
 *
 * Here alone is decided what a kernel, a guide, a scope or a call is, when
 * an event takes place, and which correlation it has.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"
#include "json/scan.h"

/*
 * What an event is by the words of its category; it may be several. Whatever else it has bears on none: a guide that is
 * no slice, or on no tid of guides, is a broken guide.
 */
enum event_kind {
    EVENT_KERNEL = 1 << 0,    /* kernel */
    EVENT_GUIDE = 1 << 1,     /* layer_guide */
    EVENT_CPU_SCOPE = 1 << 2, /* user_annotation, cpu_op, python_function */
    EVENT_GPU_SCOPE = 1 << 3, /* gpu_user_annotation, and none of those */
    EVENT_CALL = 1 << 4       /* a runtime's or driver's call, of any vendor: cuda_runtime, hip_runtime, Runtime ... */
};

/* A correlation that is absent, or is no whole number below 2^63. */
#define CORRELATION_NONE UINT64_MAX

/* Memory for what is decoded of one event. */
struct fields {
    char *scratch;
    size_t scratch_capacity;
};

void fields_free(struct fields *fields);

/* `size` bytes, until the next call of this or fields_text(). NULL when memory is out. */
char *fields_scratch(struct fields *fields, size_t size);

/* A string's characters, in memory that the next call uses again when it holds escapes. NULL when memory is out. */
const char *fields_text(struct fields *fields, const struct scan_value *value, size_t *len);

/* Which of the kinds `asked` (of enum event_kind) an event is. False when memory is out. */
bool fields_kinds(struct fields *fields, const struct scan_event *event, unsigned asked, unsigned *kinds);

/* Whether an event is a slice with a length of its own: ph "X". False when memory is out. */
bool fields_complete(struct fields *fields, const struct scan_event *event, bool *complete);

/* A finite number, or a string that is one. DECIMAL_TOO_LONG and DECIMAL_NO_MEMORY besides. */
enum decimal_status fields_time(struct fields *fields, const struct scan_value *value, struct decimal *time);

/* Start and end of a slice. DECIMAL_NOT_A_NUMBER too for a dur below 0. */
enum decimal_status fields_span(struct fields *fields, const struct scan_event *event, struct decimal *start,
                                struct decimal *end);

/* A whole number from 0 up, or a string that holds one; else CORRELATION_NONE. */
uint64_t fields_correlation(struct fields *fields, const struct scan_value *value);

/* Whether `cat`, split at commas, holds `word`; blanks around a word do not count. */
bool has_word(const char *cat, size_t len, const char *word, size_t word_len);

#endif
