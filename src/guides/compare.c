#include "guides/compare.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum lt_status compare_open(struct compare *compare, const char *path, unsigned threads, struct lt_error *error)
{
    struct source_options options = {.path = path, .threads = threads};
    compare->source = source_open(&options, error);
    return compare->source == NULL ? error->status : LT_OK;
}

/* Makes sure that there are bytes of the source. False at its end. */
static bool more(struct compare *compare)
{
    if (compare->used < compare->len)
        return true;
    if (compare->ended)
        return false;
    compare->used = 0;
    if (source_next(compare->source, &compare->block, &compare->len, &compare->trouble) != LT_OK)
        compare->len = 0;
    compare->ended = compare->len == 0;
    return !compare->ended;
}

static void note(struct compare *compare, const unsigned char *data, size_t len, uint64_t offset)
{
    size_t left = compare->len - compare->used;
    compare->differs = true;
    compare->here = offset;
    compare->there = compare->at;
    compare->shown_here = len < COMPARE_SHOWN ? len : COMPARE_SHOWN;
    compare->shown_there = compare->ended ? 0 : left < COMPARE_SHOWN ? left : COMPARE_SHOWN;
    memcpy(compare->text_here, data, compare->shown_here);
    if (compare->shown_there > 0)
        memcpy(compare->text_there, compare->block + compare->used, compare->shown_there);
}

static size_t same_length(const unsigned char *a, const unsigned char *b, size_t len)
{
    if (memcmp(a, b, len) == 0)
        return len;
    size_t same = 0;
    while (a[same] == b[same])
        same++;
    return same;
}

void compare_bytes(struct compare *compare, const unsigned char *data, size_t len, uint64_t offset)
{
    while (len > 0 && !compare->differs && compare->trouble.status == LT_OK) {
        bool any = more(compare);
        size_t left = compare->len - compare->used, n = !any ? 0 : left < len ? left : len;
        size_t same = n == 0 ? 0 : same_length(data, compare->block + compare->used, n);
        compare->used += same;
        compare->at += same;
        data += same;
        offset += same;
        len -= same;
        if ((!any || same < n) && compare->trouble.status == LT_OK)
            note(compare, data, len, offset);
    }
}

unsigned char compare_next(struct compare *compare)
{
    return more(compare) ? compare->block[compare->used] : 0;
}

void compare_event(struct compare *compare, uint64_t offset, uint64_t index)
{
    if (compare->differs && offset > compare->here)
        return;
    compare->event = index;
    compare->in_events = true;
}

static void tell(struct compare *compare, struct reading *reading, struct findings *findings)
{
    char here[128], there[128], event[64] = "before the first event";
    uint64_t line = 1;
    source_look_at(reading->source, compare->here, NULL, 0, compare->here, &line);
    if (compare->in_events)
        snprintf(event, sizeof event, "event %llu", (unsigned long long)compare->event);
    finding(findings, LT_FINDING_DIFFERS, "byte %llu (line %llu, %s) is not SOURCE's byte %llu: '%s', in SOURCE '%s'",
            (unsigned long long)compare->here, (unsigned long long)line, event, (unsigned long long)compare->there,
            printable(here, sizeof here, (const char *)compare->text_here, compare->shown_here),
            compare->shown_there == 0
                ? "(its end)"
                : printable(there, sizeof there, (const char *)compare->text_there, compare->shown_there));
}

enum lt_status compare_end(struct compare *compare, bool whole, struct reading *reading, struct findings *findings,
                           struct lt_error *error)
{
    bool goes_on = whole && !compare->differs && more(compare);
    if (source_check_unchanged(compare->source, error) != LT_OK)
        return error->status;
    if (compare->trouble.status != LT_OK)
        return fail_again(error, &compare->trouble);
    if (compare->differs)
        tell(compare, reading, findings);
    else if (goes_on)
        finding(findings, LT_FINDING_DIFFERS, "the trace ends, SOURCE goes on at its byte %llu",
                (unsigned long long)compare->at);
    else if (whole)
        finding(findings, LT_FINDING_OK, "every other byte is SOURCE's (%llu bytes)", (unsigned long long)compare->at);
    return LT_OK;
}

const char *compare_sha256(const struct compare *compare)
{
    return compare->ended ? source_sha256(compare->source) : NULL;
}

void compare_close(struct compare *compare)
{
    source_free(compare->source);
}
