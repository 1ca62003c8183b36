#include "picture/picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/utf8.h"
#include "trace/fields.h"
#include "trace/wanted.h"
#include "json/json_text.h"

/* ---- times ------------------------------------------------------------------------------------------------- */

#define PICTURE_DIGITS 9
#define BOUND          (PICTURE_US * PICTURE_US * PICTURE_US * 10)

femtoseconds picture_time(const struct decimal *us)
{
    femtoseconds time = decimal_floor(us, PICTURE_DIGITS);
    return time > BOUND ? BOUND : time < -BOUND ? -BOUND : time;
}

femtoseconds picture_begin(const struct guide_row *row)
{
    struct decimal start = decimal_unpack(row->start, row->start_scale);
    return picture_time(&start);
}

femtoseconds picture_end(const struct guide_row *row)
{
    struct decimal end = decimal_unpack(row->end, row->end_scale);
    return picture_time(&end);
}

void picture_print(struct text *text, femtoseconds time, unsigned digits)
{
    struct decimal us = {.coefficient = time, .scale = PICTURE_DIGITS}, shifted = decimal_shift(&us, digits);
    text_decimal(text, &shifted);
}

/* ---- names ------------------------------------------------------------------------------------------------- */

static size_t skipped(const char *text, size_t len)
{
    static const char *const words[] = {"(anonymous namespace)::", "(anonymous class)::"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) <= len && memcmp(text, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}

size_t picture_short_name(char *out, size_t size, const char *name, size_t len)
{
    size_t at = 0, depth = 0;
    for (size_t i = 0; i < len; i++) {
        char c = name[i];
        size_t skip = c == '(' ? skipped(name + i, len - i) : 0;
        if (skip > 0) {
            i += skip - 1;
            continue;
        }
        if (c == '(' && depth == 0)
            break;
        if (c == '<')
            depth++;
        else if (c == '>' && depth > 0)
            depth--;
        else if (depth == 0 && c == ':' && i + 1 < len && name[i + 1] == ':')
            at = 0, i++;
        else if (depth == 0 && c == ' ' && at == 4 && memcmp(out, "void", 4) == 0)
            at = 0;
        else if (depth == 0 && at < size)
            out[at++] = c;
    }
    if (at == 0) {
        at = len < size ? len : size;
        if (at > 0)
            memcpy(out, name, at);
    }
    return at;
}

/* FNV-1a: the same colour in every picture. */
uint8_t picture_colour(const char *name, size_t len)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return (uint8_t)((hash ^ hash >> 16) % PICTURE_COLOURS);
}

/* ---- fields of events -------------------------------------------------------------------------------------- */

/* A string's characters; NULL when memory is out. Valid as long as the event. */
static const char *decoded(struct picture *picture, const struct scan_value *value, size_t *len)
{
    *len = value->len;
    if (!value->escaped)
        return value->text == NULL ? "" : value->text;
    char *out = arena_take(&picture->passing, value->len);
    if (out != NULL)
        *len = json_unescape(out, value->text, value->len);
    return out;
}

/* A number without what is only spelling: 7.0 becomes 7. */
static const char *canonical(struct picture *picture, const struct scan_value *value, size_t *len)
{
    if (value->kind != SCAN_NUMBER ||
        (memchr(value->text, '.', value->len) == NULL && memchr(value->text, 'e', value->len) == NULL &&
         memchr(value->text, 'E', value->len) == NULL))
        return decoded(picture, value, len);
    char *out = arena_take(&picture->passing, value->len + NUMBER_ROOM);
    if (out == NULL)
        return NULL;
    *len = number_canonical(out, value->text, value->len);
    return *len > 0 ? out : decoded(picture, value, len);
}

/* A string field's characters; NULL when it is none or memory is out (*error is set). */
static const char *text_of(struct picture *picture, const struct scan_value *value, size_t *len)
{
    const char *text = value->kind == SCAN_STRING ? decoded(picture, value, len) : NULL;
    if (text == NULL && value->kind == SCAN_STRING)
        fail_memory(picture->error);
    return text;
}

static bool is_kernel(struct picture *picture, const struct scan_event *event)
{
    size_t len;
    const char *text = text_of(picture, &event->cat, &len);
    if (text == NULL || !has_word(text, len, "kernel", 6))
        return false;
    text = text_of(picture, &event->ph, &len);
    return text != NULL && len == 1 && text[0] == 'X';
}

static bool has_text(const struct scan_value *value)
{
    return value->kind == SCAN_NUMBER || value->kind == SCAN_STRING;
}

/* Of a number, or a string that holds one. */
static enum decimal_status time_of(struct picture *picture, const struct scan_value *value, femtoseconds *out)
{
    struct decimal number;
    size_t len;
    if (!has_text(value))
        return DECIMAL_NOT_A_NUMBER;
    const char *text = decoded(picture, value, &len);
    if (text == NULL)
        return DECIMAL_NO_MEMORY;
    enum decimal_status status = decimal_parse(&number, text, len);
    if (status != DECIMAL_OK && status != DECIMAL_TOO_LONG)
        return status;
    *out = picture_time(&number);
    return DECIMAL_OK;
}

/* ---- streams ----------------------------------------------------------------------------------------------- */

/* The key of a stream: tag of the tid, number of the device, text of the tid. */
static uint32_t stream_number(struct picture *picture, const struct scan_event *event, uint32_t device, int *is_new)
{
    size_t len;
    const char *tid = canonical(picture, &event->tid, &len);
    char *key = tid == NULL ? NULL : arena_take(&picture->passing, sizeof device + len);
    if (key == NULL)
        return INTERN_NONE;
    memcpy(key, &device, sizeof device);
    if (len > 0)
        memcpy(key + sizeof device, tid, len);
    return intern(&picture->keys, event->tid.kind == SCAN_NUMBER ? 'n' : 's', key, sizeof device + len, is_new);
}

static struct picture_stream *stream_of(struct picture *picture, const struct scan_event *event, uint32_t device)
{
    int is_new;
    uint32_t number = stream_number(picture, event, device, &is_new);
    if (number == INTERN_NONE)
        return NULL;
    if (!is_new)
        return &picture->streams[number];
    char file[512];
    if (picture->stream_count == PICTURE_MAX_STREAMS) {
        fail(picture->error, LT_SELECTION,
             "%s: the kernels of the window lie on more than %d streams; choose fewer layers with %s",
             printable(file, sizeof file, picture->trace_name, strlen(picture->trace_name)), PICTURE_MAX_STREAMS,
             error_name(picture->error, "first_layer-last_layer"));
        return NULL;
    }
    if (!array_reserve(&picture->streams, &picture->stream_capacity, number, sizeof *picture->streams))
        return NULL;
    struct picture_column *columns = calloc(picture->width, sizeof *columns);
    if (columns == NULL)
        return NULL;
    const struct intern_entry *key = &picture->keys.entries[number];
    picture->streams[number] = (struct picture_stream){
        .device = device,
        .tid = key->text + sizeof device,
        .tid_len = key->len - sizeof device,
        .tid_is_number = key->tag == 'n',
        .columns = columns,
    };
    picture->stream_count = number + 1;
    return &picture->streams[number];
}

/* ---- kernels ----------------------------------------------------------------------------------------------- */

int64_t picture_x(const struct picture *picture, femtoseconds time)
{
    femtoseconds x = time - picture->start, width = (femtoseconds)picture->width * PICTURE_UNIT;
    if (x <= 0)
        return 0;
    if (x >= picture->length)
        return (int64_t)width;
    return (int64_t)((2 * x * width + picture->length) / (2 * picture->length));
}

static void add_other(struct picture_stream *stream, struct picture_column *column, femtoseconds length, uint8_t colour)
{
    if (column->others == 0 || length > column->longest) {
        column->longest = length;
        column->colour = colour;
    }
    if (column->others < UINT32_MAX)
        column->others++;
    stream->others++;
}

static uint8_t colour_of(const char *name, size_t len)
{
    char brief[PICTURE_MAX_NAME];
    return picture_colour(brief, picture_short_name(brief, sizeof brief, name, len));
}

static bool add_kernel(struct picture *picture, struct picture_stream *stream, const struct picture_kernel *kernel,
                       const char *name)
{
    int64_t last = (int64_t)picture->width - 1, begin = kernel->x0 / PICTURE_UNIT;
    struct picture_column *column = &stream->columns[begin < last ? begin : last];
    struct picture_kernel *there = column->kernel;
    femtoseconds length = kernel->dur;
    stream->kernels++;
    if (kernel->x1 - kernel->x0 < PICTURE_UNIT || (there != NULL && there->dur >= length)) {
        add_other(stream, column, length, colour_of(name, kernel->len));
        return true;
    }
    size_t len = guide_reader_cut_name(name, kernel->len);
    struct picture_kernel *copy = malloc(sizeof *copy + len);
    if (copy == NULL)
        return false;
    *copy = *kernel;
    copy->len = len;
    if (len > 0)
        memcpy(copy->name, name, len);
    if (there != NULL)
        add_other(stream, column, there->dur, colour_of(there->name, there->len));
    free(there);
    column->kernel = copy;
    return true;
}

/* The first guide of the window that begins then or later, or `row_count`. */
static size_t first_guide(const struct picture *picture, femtoseconds start)
{
    size_t low = 0, high = picture->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (picture_begin(&picture->rows[middle]) < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool picture_begins_guide(const struct picture *picture, femtoseconds start)
{
    size_t i = first_guide(picture, start);
    return i < picture->row_count && picture_begin(&picture->rows[i]) == start;
}

/* In a guide's args what is not UTF-8 became U+FFFD. */
static bool has_name(const struct picture_kernel *kernel, const struct intern_entry *name)
{
    if (name->len == kernel->len && memcmp(name->text, kernel->name, name->len) == 0)
        return true;
    for (size_t i = 0; i + 3 <= name->len; i++)
        if (memcmp(name->text + i, "\xef\xbf\xbd", 3) == 0)
            return !utf8_valid(kernel->name, kernel->len);
    return false;
}

bool picture_is_anchor(const struct picture *picture, const struct picture_kernel *kernel)
{
    for (size_t i = first_guide(picture, kernel->start);
         i < picture->row_count && picture_begin(&picture->rows[i]) == kernel->start; i++) {
        uint32_t number = picture->rows[i].name;
        if (number == INTERN_NONE || has_name(kernel, &picture->names->entries[number]))
            return true;
    }
    return false;
}

/* The device's number, INTERN_NONE for none; false when memory is out. */
static bool device_of(struct picture *picture, const struct scan_value *value, uint32_t *out)
{
    size_t len;
    *out = INTERN_NONE;
    if (!has_text(value))
        return true;
    const char *text = canonical(picture, value, &len);
    if (text == NULL)
        return false;
    *out = intern(&picture->devices, value->kind == SCAN_NUMBER ? 'n' : 's', text, len, NULL);
    return *out != INTERN_NONE &&
           array_reserve(&picture->anchors, &picture->anchors_capacity, *out, sizeof *picture->anchors);
}

static bool is_wanted(const struct picture *picture, uint32_t device)
{
    if (picture->device == NULL || device == INTERN_NONE)
        return true;
    const struct intern_entry *entry = &picture->devices.entries[device];
    return wanted_is(picture->device, entry->text, entry->len, entry->tag == 'n');
}

static bool take_kernel(struct picture *picture, const struct scan_event *event, femtoseconds start, femtoseconds dur)
{
    uint32_t device;
    size_t len;
    if (!device_of(picture, &event->device, &device))
        return false;
    if (!is_wanted(picture, device))
        return true;
    const char *name = event->name.kind == SCAN_STRING ? decoded(picture, &event->name, &len) : (len = 0, "");
    struct picture_stream *stream = name == NULL ? NULL : stream_of(picture, event, device);
    if (stream == NULL)
        return false;
    if (device != INTERN_NONE)
        picture->anchors[device] += picture_begins_guide(picture, start);
    femtoseconds end = start + dur, window_end = picture->start + picture->length;
    femtoseconds from = start > picture->start ? start : picture->start, to = end < window_end ? end : window_end;
    stream->busy += to - from;
    struct picture_kernel kernel = {
        .start = start, .dur = dur, .x0 = picture_x(picture, start), .x1 = picture_x(picture, end), .len = len};
    return add_kernel(picture, stream, &kernel, name);
}

/* Whether a kernel shows in the window; one without length does where it begins. */
static bool shows(const struct picture *picture, femtoseconds start, femtoseconds dur)
{
    femtoseconds end = picture->start + picture->length;
    return dur >= 0 && start < end && (start + dur > picture->start || start == picture->start);
}

static bool take_event(struct picture *picture, const struct scan_event *event)
{
    femtoseconds start, dur;
    bool failed = false;
    if (!is_kernel(picture, event) || !guide_value_is(picture->pid, &event->pid, &failed))
        return !failed;
    enum decimal_status ts = time_of(picture, &event->ts, &start), length = time_of(picture, &event->dur, &dur);
    if (ts == DECIMAL_NO_MEMORY || length == DECIMAL_NO_MEMORY)
        return false;
    if (ts != DECIMAL_OK || length != DECIMAL_OK || !shows(picture, start, dur))
        return true;
    return take_kernel(picture, event, start, dur);
}

bool picture_event(void *ctx, const struct scan_event *event)
{
    struct picture *picture = ctx;
    bool taken = !event->is_object || take_event(picture, event);
    if (picture->passing.last != NULL)
        arena_free(&picture->passing);
    if (!taken && picture->error->status == LT_OK)
        fail_memory(picture->error);
    return picture->error->status == LT_OK;
}

/* ---- which streams are drawn ------------------------------------------------------------------------------- */

static int natural(bool a_number, const char *a, size_t a_len, bool b_number, const char *b, size_t b_len)
{
    struct number x, y;
    if (a_number != b_number)
        return a_number ? -1 : 1;
    int order = a_number && number_read(&x, a, a_len) && number_read(&y, b, b_len) ? number_compare(&x, &y) : 0;
    if (order == 0)
        order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

/* Streams lie in order of their first kernel in the file, so this order is the same for every reading. */
static int by_place(const void *left, const void *right)
{
    const struct picture_stream *a = *(struct picture_stream *const *)left, *b = *(struct picture_stream *const *)right;
    int order = natural(a->tid_is_number, a->tid, a->tid_len, b->tid_is_number, b->tid, b->tid_len);
    return a->device != b->device ? (a->device < b->device ? -1 : 1) : order;
}

static int by_busy(const void *left, const void *right)
{
    const struct picture_stream *a = *(struct picture_stream *const *)left, *b = *(struct picture_stream *const *)right;
    return a->busy != b->busy ? (a->busy > b->busy ? -1 : 1) : by_place(left, right);
}

struct picture_stream **picture_streams(struct picture *picture, size_t most, size_t *count, size_t *left_out)
{
    struct picture_stream **list = calloc(picture->stream_count + 1, sizeof *list);
    uint64_t best = 0;
    *count = *left_out = 0;
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < picture->anchors_capacity; i++)
        if (picture->anchors[i] > best)
            best = picture->anchors[i];
    for (size_t i = 0; i < picture->stream_count; i++) {
        struct picture_stream *stream = &picture->streams[i];
        if (stream->device == INTERN_NONE || picture->anchors[stream->device] == best)
            list[(*count)++] = stream;
    }
    qsort(list, *count, sizeof *list, by_busy);
    if (*count > most) {
        *left_out = *count - most;
        *count = most;
    }
    qsort(list, *count, sizeof *list, by_place);
    return list;
}

void picture_free(struct picture *picture)
{
    for (size_t i = 0; i < picture->stream_count; i++) {
        for (unsigned x = 0; x < picture->width; x++)
            free(picture->streams[i].columns[x].kernel);
        free(picture->streams[i].columns);
    }
    free(picture->streams);
    free(picture->anchors);
    intern_free(&picture->keys);
    intern_free(&picture->devices);
    arena_free(&picture->passing);
}
