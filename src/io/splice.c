#include "io/splice.h"

#include "gzip/gzip_write.h"

/*
 * Four ways, by what comes in and what goes out:
 *
 *   plain -> plain  the kernel copies both sides of the insertion
 *   gzip  -> gzip   gzip_splice(): compressed bytes are copied, a block or two are made anew
 *   plain -> gzip   read again and compressed, in parallel
 *   gzip  -> plain  inflated again, the inflating thread ahead of the writing one
 */

/* Counts what passes through an insertion. */
struct counted {
    insertion_fn *insertion;
    void *insertion_ctx;
    emit_fn *emit;
    void *emit_ctx;
    uint64_t bytes;
};

static bool count_piece(void *ctx, const void *data, size_t len)
{
    struct counted *counted = ctx;
    counted->bytes += len;
    return counted->emit(counted->emit_ctx, data, len);
}

static bool counted_insertion(void *ctx, emit_fn *emit, void *emit_ctx)
{
    struct counted *counted = ctx;
    counted->emit = emit;
    counted->emit_ctx = emit_ctx;
    return counted->insertion(counted->insertion_ctx, count_piece, counted);
}

static bool write_plain(void *ctx, const void *data, size_t len)
{
    return sink_write(ctx, data, len);
}

static bool write_gzip(void *ctx, const void *data, size_t len)
{
    return gzip_writer_write(ctx, data, len);
}

static enum lt_status changed(const struct splice *splice, struct lt_error *error)
{
    return fail_as(error, LT_CLASS_SOURCE_CHANGED, "%s: changed while it was read; wait until it is complete",
                   source_name(splice->source));
}

static enum lt_status copy_plain(const struct splice *splice, struct counted *counted, struct lt_error *error)
{
    int fd = source_fd(splice->source);
    uint64_t size = source_stored_size(splice->source);
    bool short_read = false;
    bool ok = sink_copy(splice->sink, fd, 0, splice->insert_offset, &short_read) &&
              counted_insertion(counted, write_plain, splice->sink) &&
              sink_copy(splice->sink, fd, splice->insert_offset, size - splice->insert_offset, &short_read);
    if (ok)
        return LT_OK;
    if (short_read)
        return changed(splice, error);
    return sink_error(splice->sink, error) != LT_OK ? error->status : fail_memory(error);
}

/* Reads the source again, block by block, and hands everything on. False when `emit` or the insertion failed. */
static enum lt_status stream(const struct splice *splice, struct counted *counted, emit_fn *emit, void *emit_ctx,
                             bool *emitted, struct lt_error *error)
{
    uint64_t at = 0;
    bool inserted = false;
    enum lt_status status = source_rewind(splice->source, error);
    *emitted = true;
    while (status == LT_OK && *emitted) {
        const unsigned char *data;
        size_t len;
        status = source_next(splice->source, &data, &len, error);
        if (status != LT_OK)
            break;
        size_t before = len;
        if (!inserted && splice->insert_offset - at <= len)
            before = (size_t)(splice->insert_offset - at);
        /* At the very end the insertion must wait until that is known to be the end. */
        bool here = !inserted && splice->insert_offset == at + before && (before < len || len == 0);
        *emitted = before == 0 || emit(emit_ctx, data, before);
        if (*emitted && here) {
            inserted = true;
            *emitted = counted_insertion(counted, emit, emit_ctx);
        }
        if (*emitted && before < len)
            *emitted = emit(emit_ctx, data + before, len - before);
        at += len;
        if (len == 0)
            break;
    }
    if (status == LT_OK && *emitted && !inserted)
        status = changed(splice, error);
    return status;
}

static enum lt_status inflate_plain(const struct splice *splice, struct counted *counted, struct lt_error *error)
{
    bool emitted;
    enum lt_status status = stream(splice, counted, write_plain, splice->sink, &emitted, error);
    if (status == LT_OK && !emitted)
        status = sink_error(splice->sink, error) != LT_OK ? error->status : fail_memory(error);
    return status;
}

static enum lt_status deflate_plain(const struct splice *splice, struct counted *counted, struct lt_error *error)
{
    struct gzip_writer *writer = gzip_writer_new(sink_output(splice->sink), splice->level, splice->threads);
    if (writer == NULL)
        return fail_memory(error);
    bool emitted;
    enum lt_status status = stream(splice, counted, write_gzip, writer, &emitted, error);
    if (status == LT_OK && emitted)
        emitted = gzip_writer_finish(writer);
    if (status == LT_OK && !emitted)
        status = gzip_writer_error(writer, error) != LT_OK ? error->status : fail_memory(error);
    gzip_writer_free(writer);
    return status;
}

static enum lt_status splice_gzip(const struct splice *splice, struct counted *counted, struct lt_error *error)
{
    struct gzip_splice job = {
        .name = source_name(splice->source),
        .fd = source_fd(splice->source),
        .stored_size = source_stored_size(splice->source),
        .point = source_splice_point(splice->source, splice->insert_offset),
        .insert_offset = splice->insert_offset,
        .level = splice->level,
        .insertion = counted_insertion,
        .insertion_ctx = counted,
    };
    return gzip_splice(&job, sink_output(splice->sink), error);
}

enum lt_status splice_run(const struct splice *splice, uint64_t *insert_bytes, struct lt_error *error)
{
    struct counted counted = {.insertion = splice->insertion, .insertion_ctx = splice->insertion_ctx};
    bool from_gzip = source_is_gzip(splice->source);
    enum lt_status status;
    if (from_gzip)
        status = splice->gzip ? splice_gzip(splice, &counted, error) : inflate_plain(splice, &counted, error);
    else
        status = splice->gzip ? deflate_plain(splice, &counted, error) : copy_plain(splice, &counted, error);
    if (status == LT_OK)
        status = source_check_unchanged(splice->source, error);
    *insert_bytes = counted.bytes;
    return status;
}
