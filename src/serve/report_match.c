#include "serve/report_match.h"

#include <string.h>

#include "guides/report_reader.h"

/* Of a gzip file that ends in so many zeros, or is so large, nothing is said. */
#define TAIL    ((size_t)4 << 10)
#define LARGEST ((uint64_t)256 << 20)

static bool is_gzip(const struct served_file *trace)
{
    unsigned char magic[2];
    return file_read(trace, magic, sizeof magic, 0) == sizeof magic && magic[0] == 0x1f && magic[1] == 0x8b;
}

/* Whether nothing in a gzip file looks like the head of a second member. */
static bool has_one_member(const struct served_file *trace)
{
    static unsigned char block[1 << 16];
    uint64_t size = (uint64_t)trace->opened.st_size;
    for (uint64_t at = 1; at < size && size <= LARGEST; at += sizeof block - 3) {
        ssize_t got = file_read(trace, block, sizeof block, at);
        if (got < 0 || ((size_t)got < sizeof block && at + (uint64_t)got != size))
            return false;
        for (ssize_t i = 0; i + 3 < got; i++)
            if (block[i] == 0x1f && block[i + 1] == 0x8b && block[i + 2] == 8 && (block[i + 3] & 0xe0) == 0)
                return false;
    }
    return size <= LARGEST;
}

/* Whether the length at the end of a gzip file can be this one; zeros may follow it. */
static bool ends_in(const struct served_file *trace, uint64_t length)
{
    unsigned char tail[TAIL];
    uint64_t size = (uint64_t)trace->opened.st_size;
    size_t wanted = size < TAIL ? (size_t)size : TAIL;
    if (file_read(trace, tail, wanted, size - wanted) != (ssize_t)wanted)
        return true;
    for (size_t end = wanted; end >= 4; end--) {
        uint32_t told = 0;
        for (size_t i = 0; i < 4; i++)
            told |= (uint32_t)tail[end - 4 + i] << 8 * i;
        if (told == (uint32_t)length)
            return true;
        if (tail[end - 1] != 0)
            return false;
    }
    return true;
}

static bool may_have(const struct served_file *trace, uint64_t unpacked)
{
    if (!is_gzip(trace))
        return (uint64_t)trace->opened.st_size == unpacked;
    return ends_in(trace, unpacked) || !has_one_member(trace);
}

static void number(struct text *text, const char *before, uint64_t value)
{
    text_puts(text, before);
    text_u64(text, value);
}

static void compare(const struct served_file *trace, uint64_t source, uint64_t insert, struct text *doubt)
{
    if (may_have(trace, source + insert))
        return;
    if (may_have(trace, source)) {
        number(doubt, "the report's guides are not in this trace: it is as long as what was annotated, ", source);
        number(doubt, " bytes, and the annotated trace has ", source + insert);
        text_puts(doubt, " bytes");
        return;
    }
    number(doubt, "the report is of another trace, or this one was changed: its own has ", source + insert);
    if (is_gzip(trace))
        text_puts(doubt, " bytes unpacked, this one has not");
    else
        number(doubt, " bytes, this one ", (uint64_t)trace->opened.st_size);
    text_puts(doubt, "; do not rely on the layers that it lists");
}

enum lt_status report_match_check(const struct served_file *trace, const char *trace_path, const char *report_path,
                                  struct text *doubt, struct lt_error *error)
{
    struct report report;
    struct lt_error missing = {0};
    uint64_t source, insert;
    bool exists;
    enum lt_status status = report_open(&report, report_path, trace_path, &exists, error);
    /* A report without sizes is not annotate's own; the page says what else is missing. */
    if (status == LT_OK && exists && report_count(&report, "source_bytes", &source, &missing) == LT_OK &&
        report_count(&report, "insert_bytes", &insert, &missing) == LT_OK)
        compare(trace, source, insert, doubt);
    if (doubt->len > 0)
        text_add(doubt, "", 1);
    report_close(&report);
    return status == LT_OK && doubt->failed ? fail_memory(error) : status;
}
