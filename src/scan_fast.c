/*
 * scan_fast.c - our own scanner, at memory speed
 *
 * PROSE
 */
#include "scan_fast.h"

#include <stdlib.h>

static enum scan_status feed(struct scan *scan, const unsigned char *data, size_t len, uint64_t offset)
{
    struct fast *f = (struct fast *)scan;
    struct block block = {.data = data, .len = len, .offset = offset};
    size_t at = 0;
    f->capture_from = 0;
    f->index_from = KEY_MARGIN;
    enum scan_status status = fast_step(f, &block, &at);
    if (status != SCAN_OK) {
        return status;
    }
    return f->closed ? scan_after(scan, data + at, len - at, offset + at) : fast_keep(f, &block);
}

static enum scan_status finish(struct scan *scan, uint64_t total)
{
    struct fast *f = (struct fast *)scan;
    if (f->closed) {
        return SCAN_OK;
    }
    if (!scan->layout.bare || f->depth != 1) {
        return fast_refuse(f, SCAN_TRUNCATED, total, NULL);
    }
    /* A number that ends with the input may have lost digits; a literal that is complete has lost nothing. */
    if (f->token == TOKEN_WORD && fast_word_complete(f)) {
        enum scan_status status = fast_last_word(f, total);
        if (status != SCAN_OK) {
            return status;
        }
    }
    if (f->token != TOKEN_NONE) {
        return fast_refuse(f, SCAN_TRUNCATED, total, NULL);
    }
    bool comma = f->expect == EXPECT_ITEM;
    if (comma) {
        scan_warn(scan, SCAN_WARN_TRAILING_COMMA, f->comma);
    }
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
    for (size_t i = 0; i < FIELDS; i++) {
        free(f->texts[i].bytes);
    }
    free(f->key.bytes);
    free(f->index);
    free(f);
}

static const struct scan_ops ops = {.feed = feed, .finish = finish, .free = free_fast};

struct scan *scan_fast_new_with(enum json_simd simd)
{
    json_index_fn *make_index = json_index_of(simd);
    if (make_index == NULL && simd != SIMD_NONE) {
        return NULL;
    }
    struct fast *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    f->scan.ops = &ops;
    f->expect = EXPECT_VALUE;
    f->make_index = make_index;
    f->window = INDEX_BYTES;
    f->widest = INDEX_BYTES;
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
