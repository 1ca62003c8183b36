#include "trace/reading.h"

#include <string.h>

#include "base/cpus.h"
#include "trace/reading_messages.h"

/* Progress is told whenever so many bytes more of a file were read; a pipe may be slow. */
#define PROGRESS_STEP ((uint64_t)2 << 20)

#define MAX_THREADS 64

static unsigned thread_count(unsigned wanted)
{
    if (wanted == 0)
        wanted = cpus_usable();
    return wanted < MAX_THREADS ? wanted : MAX_THREADS;
}

enum lt_status reading_open(struct reading *reading, const struct reading_options *options, struct lt_error *error)
{
    *reading = (struct reading){.options = *options, .threads = thread_count(options->threads)};
    struct source_options source = {.path = options->path,
                                    .threads = reading->threads,
                                    .hash = options->hash,
                                    .skip_from = options->skip_from,
                                    .skip_to = options->skip_to};
    reading->source = source_open(&source, error);
    if (reading->source == NULL)
        return error->status;
    reading->scan =
        scan_new(options->parser == LT_PARSER_STRICT ? SCAN_STRICT : SCAN_FAST, options->event, options->event_ctx);
    return reading->scan == NULL ? fail_memory(error) : LT_OK;
}

static enum lt_status scan_trouble(struct reading *reading, enum scan_status status, struct lt_error *error)
{
    if (status == SCAN_NO_MEMORY)
        return fail_memory(error);
    if (status == SCAN_STOPPED)
        return error->status;
    return message_for_scan(reading->source, scan_problem(reading->scan), error);
}

/* A gzip file that ends too early: what the scan saw of it says more than the stored offset. */
static enum lt_status source_trouble(struct reading *reading, struct lt_error *error)
{
    if (!source_is_truncated(reading->source))
        return error->status;
    error_reset(error);
    return message_for_cut_gzip(reading->source, scan_problem(reading->scan), error);
}

/* ---- the bytes of an event, which may lie in two blocks or more -------------------------------------------- */

/* Adds what the block of `len` bytes holds from `from` on. */
static void carry(struct reading *reading, uint64_t from, size_t len)
{
    size_t more = (size_t)(reading->block_offset + len - from);
    text_add(&reading->carried, (const char *)reading->block + (from - reading->block_offset), more);
}

/* Forgets all that was carried but its last `len` bytes. */
static void carry_less(struct reading *reading, size_t len)
{
    struct text *carried = &reading->carried;
    len = carried->failed ? 0 : len < carried->len ? len : carried->len;
    if (len > 0)
        memmove(carried->data, carried->data + carried->len - len, len);
    carried->len = len;
    carried->failed = false;
    reading->carried_offset = reading->block_offset - len;
}

/* Keeps what has come of an event that the block ends in, and what stands before the one that comes next. False when
 * memory is out. */
static bool carry_on(struct reading *reading, size_t len)
{
    const struct scan_problem *at = scan_problem(reading->scan);
    uint64_t end = reading->block_offset + len;
    if (reading->carries && at->in_event && at->last_end <= reading->carried_event) {
        /* All but the first part is the event's own. */
        reading->carried_more += len;
        reading->carried.failed |= reading->carried_more > READING_MAX_TEXT;
        carry(reading, reading->block_offset, len);
        return true;
    }
    /* What reading_text() took of this block goes, so that the carried bytes end where it begins. */
    if (!reading->carried.failed && reading->carried_offset + reading->carried.len > reading->block_offset)
        reading->carried.len = (size_t)(reading->block_offset - reading->carried_offset);
    reading->carries = at->in_event;
    reading->carried_event = !at->in_event                          ? end
                             : at->last_end > reading->block_offset ? at->last_end
                                                                    : reading->block_offset;
    uint64_t before = reading->carried_event - reading->block_offset;
    carry_less(reading, before < READING_BEFORE ? (size_t)(READING_BEFORE - before) : 0);
    uint64_t from = before < READING_BEFORE ? reading->block_offset : reading->carried_event - READING_BEFORE;
    if (from > reading->block_offset)
        reading->carried_offset = from;
    carry(reading, from, len);
    reading->carried_more = 0;
    return !reading->carried.failed;
}

const char *reading_text(struct reading *reading, const struct scan_event *event, size_t *len)
{
    struct text *carried = &reading->carried;
    *len = (size_t)(event->end - event->offset);
    if (event->offset >= reading->block_offset)
        return (const char *)reading->block + (event->offset - reading->block_offset);
    if (!reading->carries || event->offset < reading->carried_offset || *len > READING_MAX_TEXT || carried->failed)
        return NULL;
    /* It may have been asked for before. */
    uint64_t known = reading->carried_offset + carried->len;
    if (known < event->end)
        text_add(carried, (const char *)reading->block + (known - reading->block_offset), (size_t)(event->end - known));
    return carried->failed ? NULL : carried->data + (event->offset - reading->carried_offset);
}

unsigned char reading_before(const struct reading *reading, const struct scan_event *event, unsigned back)
{
    if (event->offset < back)
        return 0;
    uint64_t at = event->offset - back;
    if (at >= reading->block_offset)
        return reading->block[at - reading->block_offset];
    bool known = !reading->carried.failed && at >= reading->carried_offset &&
                 at - reading->carried_offset < reading->carried.len;
    return known ? (unsigned char)reading->carried.data[at - reading->carried_offset] : 0;
}

enum lt_status reading_again(struct reading *reading, scan_event_fn *event, void *event_ctx, struct lt_error *error)
{
    scan_free(reading->scan);
    reading->options.event = event;
    reading->options.event_ctx = event_ctx;
    reading->block_offset = reading->carried_offset = 0;
    reading->carries = false;
    reading->carried.len = 0;
    reading->carried.failed = false;
    reading->scan = scan_new(reading->options.parser == LT_PARSER_STRICT ? SCAN_STRICT : SCAN_FAST, event, event_ctx);
    return reading->scan == NULL ? fail_memory(error) : source_rewind(reading->source, error);
}

/* Tells of progress when it is time; false to cancel. */
static bool tell(struct reading *reading, uint64_t *told, uint64_t step)
{
    const struct reading_options *options = &reading->options;
    if (options->progress == NULL || reading->block_offset - *told < step)
        return true;
    *told = reading->block_offset;
    return options->progress(options->progress_ctx, LT_STAGE_SCAN, source_stored_read(reading->source),
                             source_expected_size(reading->source));
}

enum lt_status reading_run(struct reading *reading, struct lt_error *error)
{
    const struct reading_options *options = &reading->options;
    uint64_t told = 0, step = source_expected_size(reading->source) == 0 ? 1 : PROGRESS_STEP;
    for (;;) {
        const unsigned char *data;
        size_t len;
        if (source_next(reading->source, &data, &len, error) != LT_OK)
            return source_trouble(reading, error);
        if (len == 0)
            break;
        reading->block = data;
        if (options->block != NULL)
            options->block(options->event_ctx, data, len, reading->block_offset);
        enum scan_status status = scan_feed(reading->scan, data, len);
        if (status != SCAN_OK)
            return scan_trouble(reading, status, error);
        if (options->texts && !carry_on(reading, len))
            return fail_memory(error);
        reading->block_offset += len;
        if (scan_insert_offset(reading->scan) != UINT64_MAX)
            source_insertion(reading->source, scan_insert_offset(reading->scan));
        if (!tell(reading, &told, step))
            return fail_cancelled(error, source_name(reading->source));
    }
    if (!tell(reading, &told, 1))
        return fail_cancelled(error, source_name(reading->source));
    enum scan_status status = scan_finish(reading->scan, &reading->layout);
    if (status != SCAN_OK)
        return scan_trouble(reading, status, error);
    return source_check_unchanged(reading->source, error);
}

void reading_close(struct reading *reading)
{
    scan_free(reading->scan);
    source_free(reading->source);
    text_free(&reading->carried);
}
