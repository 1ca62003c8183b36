/*
 * scan_fast.c - our own scanner, at memory speed
 *
 * A trace is some hundred bytes of head, millions of events, and some bytes of
 * tail. Nearly all of its bytes lie in events that are strict JSON and whole
 * within one block of input. So there are two ways to go on, with one state:
 *
 * Step by step (scan_fast_step.c, scan_fast_token.c). A machine that takes one
 * byte after the other, can stop behind any of them and knows all there is to
 * know: the grammar, where in the trace it is, everything that is tolerated or
 * refused, and where exactly. It takes the head and the tail, the event that
 * straddles two blocks, and every event that is not plain. It alone refuses.
 *
 * By index (scan_fast_walk.c, simd/). When the machine stands before the `{`
 * of an event, the next 16 KiB of the block are indexed, and as many whole
 * plain events as lie in them are handed over with all their texts still in
 * the block: nothing is copied. The machine goes on behind the last of them, as
 * if it had read them itself. An index of the cut event at the end is thrown
 * away; the next one starts with that event. An event that is larger than the
 * window is tried again with one of 64 KiB. At the end of a block
 * the machine takes what is left and keeps copies of the few fields that it
 * has seen of the event, if any: that is all the memory that there is.
 *
 * The index (simd/json_index_template.h) finds with vector instructions, for
 * each class of bytes (quotes, colons, digits ...), one bit for each byte; 64
 * bytes make a word. All that follows is arithmetic on these words, several at
 * once. The bits between an odd and an even quote are strings; structural
 * characters outside of strings, white space and what is left, numbers and
 * literals, come out by simple logic. The grammar is then checked without
 * looking at any single token. Most of it is about neighbours, "behind a comma
 * stands a value": put a bit behind each comma, add the bits of white space,
 * and the carries run through the spaces to where the value has to start, for
 * all commas of a word in one addition. The same with all that is no
 * structural character in place of white space gives each one's successor: that
 * finds items with two colons, and those without (`keyless`), which may stand
 * in arrays only. Numbers are checked likewise; literals, exponents,
 * escapes and bytes that are not ASCII are looked at one by one, as they are
 * rare. The first byte at which any of this fails ends the index (`good`).
 *
 * What bits cannot tell needs a stack: whether brackets match, and whether a
 * colon or a keyless item stands in the right kind of them. For this the walk
 * goes over the positions of brackets and colons (most commas need no
 * look), and as it comes by each key it finds the fields. It works on bytes
 * that are known to be good, hence the short cuts: a key is told by the
 * eight bytes before its colon, a value ends at the next bit of a bitmap. An
 * event is plain when the walk gets to its end; what it finds odd
 * on the way it leaves to the machine, from the event's first byte on. Things
 * that are only warned about (nan, control bytes, bad UTF-8, unknown escapes)
 * are listed by the index and counted when their event is handed over, since
 * files that have one usually have thousands.
 *
 * So that a mistake in the clever part shows, tests and fuzzers hold the
 * outcomes of all ways of indexing against that of the machine alone
 * (SIMD_NONE), to the last offset and warning, and that against yajl.
 */
#include "json/scan_fast.h"

#include <stdlib.h>

static enum scan_status feed(struct scan *scan, const unsigned char *data, size_t len, uint64_t offset)
{
    struct fast *f = (struct fast *)scan;
    struct block block = {.data = data, .len = len, .offset = offset};
    size_t at = 0;
    f->capture_from = 0;
    f->index_from = KEY_MARGIN;
    enum scan_status status = fast_step(f, &block, &at);
    if (status != SCAN_OK)
        return status;
    return f->closed ? scan_after(scan, data + at, len - at, offset + at) : fast_keep(f, &block);
}

static enum scan_status finish(struct scan *scan, uint64_t total)
{
    struct fast *f = (struct fast *)scan;
    if (f->closed)
        return SCAN_OK;
    if (!scan->layout.bare || f->depth != 1)
        return fast_refuse(f, SCAN_TRUNCATED, total, NULL);
    /* A number that ends with the input may have lost digits; a literal that is complete has lost nothing. */
    if (f->token == TOKEN_WORD && fast_word_complete(f)) {
        enum scan_status status = fast_last_word(f, total);
        if (status != SCAN_OK)
            return status;
    }
    if (f->token != TOKEN_NONE)
        return fast_refuse(f, SCAN_TRUNCATED, total, NULL);
    bool comma = f->expect == EXPECT_ITEM;
    if (comma)
        scan_warn(scan, SCAN_WARN_TRAILING_COMMA, f->comma);
    scan_warn(scan, SCAN_WARN_OPEN_ARRAY, total);
    scan->array_closed = true;
    scan->layout.open = true;
    scan->layout.insert_offset = total;
    scan->layout.needs_comma = scan->problem.events > 0 && !comma;
    return SCAN_OK;
}

static void free_fast(struct scan *scan)
{
    struct fast *f = (struct fast *)scan;
    for (size_t i = 0; i < FIELDS; i++)
        free(f->texts[i].bytes);
    free(f->key.bytes);
    free(f->index);
    free(f);
}

static const struct scan_ops ops = {.feed = feed, .finish = finish, .free = free_fast};

struct scan *scan_fast_new_with(enum json_simd simd)
{
    json_index_fn *make_index = json_index_of(simd);
    if (make_index == NULL && simd != SIMD_NONE)
        return NULL;
    struct fast *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->scan.ops = &ops;
    f->expect = EXPECT_VALUE;
    f->make_index = make_index;
    f->window = USUAL_WINDOW;
    f->usual = USUAL_WINDOW;
    if (make_index != NULL) {
        f->index = malloc(sizeof *f->index);
        if (f->index == NULL) {
            free(f);
            return NULL;
        }
    }
    return &f->scan;
}

struct scan *scan_fast_new(void)
{
    return scan_fast_new_with(json_simd_best());
}
