#include "gzip_write.h"

#include <stdlib.h>
#include <zlib.h>

#define PIECE ((size_t)64 << 10)

struct gzip_writer {
    struct sink *sink;
    z_stream z;
    unsigned char out[PIECE];
};

struct gzip_writer *gzip_writer_new(struct sink *sink, int level, unsigned threads)
{
    (void)threads;
    struct gzip_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return NULL;
    writer->sink = sink;
    if (deflateInit2(&writer->z, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(writer);
        return NULL;
    }
    return writer;
}

static bool run(struct gzip_writer *writer, const void *data, size_t len, int flush)
{
    int code = Z_OK;
    writer->z.next_in = (z_const Bytef *)data;
    do {
        uInt piece = len > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)len;
        writer->z.avail_in = piece;
        len -= piece;
        do {
            writer->z.next_out = writer->out;
            writer->z.avail_out = sizeof writer->out;
            code = deflate(&writer->z, len == 0 ? flush : Z_NO_FLUSH);
            if (code == Z_STREAM_ERROR ||
                !sink_write(writer->sink, writer->out, sizeof writer->out - writer->z.avail_out))
                return false;
        } while (writer->z.avail_out == 0);
    } while (len > 0);
    return true;
}

bool gzip_writer_write(struct gzip_writer *writer, const void *data, size_t len)
{
    return len == 0 || run(writer, data, len, Z_NO_FLUSH);
}

bool gzip_writer_finish(struct gzip_writer *writer)
{
    return run(writer, NULL, 0, Z_FINISH);
}

enum lt_status gzip_writer_error(const struct gzip_writer *writer, struct lt_error *error)
{
    return sink_error(writer->sink, error);
}

void gzip_writer_free(struct gzip_writer *writer)
{
    if (writer == NULL)
        return;
    deflateEnd(&writer->z);
    free(writer);
}
