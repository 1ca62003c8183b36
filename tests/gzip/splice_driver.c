/*
 * splice_driver FILE.gz OFFSET TEXT [SPACING [LEVEL]]
 *
 * Reads FILE.gz as pass one does and writes it to standard output with TEXT
 * inserted at the uncompressed OFFSET ("end": behind the last byte).
 *
 * splice_driver --blocks FILE.gz
 *
 * Prints where deflate blocks begin: uncompressed offset, stored offset, member.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gzip/gunzip.h"
#include "gzip/gzip_splice.h"
#include "io/sink.h"

static ptrdiff_t read_fd(void *ctx, unsigned char *buf, size_t size)
{
    return read(*(int *)ctx, buf, size);
}

static bool insert_text(void *ctx, emit_fn *emit, void *emit_ctx)
{
    return emit(emit_ctx, ctx, strlen(ctx));
}

static int print_blocks(int fd)
{
    struct gunzip *gz = gunzip_new(read_fd, &fd);
    if (gz == NULL)
        return 5;
    static unsigned char block[64 << 10];
    enum gunzip_event event;
    enum gunzip_status status;
    size_t got;
    while ((status = gunzip_step(gz, block, sizeof block, &got, &event)) == GUNZIP_OK) {
        struct gunzip_place here = gunzip_here(gz);
        if (event == GUNZIP_AT_BLOCK)
            printf("%llu %llu %llu\n", (unsigned long long)here.out_offset, (unsigned long long)here.in_offset,
                   (unsigned long long)here.member);
    }
    gunzip_free(gz);
    return status == GUNZIP_END ? 0 : 3;
}

int main(int argc, char **argv)
{
    bool blocks = argc == 3 && strcmp(argv[1], "--blocks") == 0;
    if (argc < 4 && !blocks) {
        fprintf(stderr, "usage: splice_driver FILE.gz OFFSET TEXT [SPACING [LEVEL]]\n");
        return 2;
    }
    const char *path = blocks ? argv[2] : argv[1];
    int fd = open(path, O_RDONLY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 5;
    }
    if (blocks)
        return print_blocks(fd);
    bool at_end = strcmp(argv[2], "end") == 0;
    uint64_t offset = at_end ? UINT64_MAX : strtoull(argv[2], NULL, 10);
    size_t spacing = argc > 4 ? strtoul(argv[4], NULL, 10) : (size_t)1 << 20;

    struct gunzip *gz = gunzip_new(read_fd, &fd);
    if (gz == NULL)
        return 5;
    gunzip_note_points(gz, spacing);
    static unsigned char block[256 << 10];
    enum gunzip_status status;
    size_t got;
    while ((status = gunzip_read(gz, block, sizeof block, &got)) == GUNZIP_OK) {
        uint64_t done = gunzip_out_offset(gz);
        gunzip_forget(gz, done < offset ? done : offset);
    }
    if (status != GUNZIP_END) {
        fprintf(stderr, "%s: gunzip status %d at stored byte %llu\n", argv[1], (int)status,
                (unsigned long long)gunzip_in_offset(gz));
        return 3;
    }
    if (at_end)
        offset = gunzip_out_offset(gz);

    struct lt_error error = {0};
    struct sink *sink = sink_open(NULL, &error);
    struct gzip_splice job = {
        .name = argv[1],
        .fd = fd,
        .stored_size = (uint64_t)st.st_size,
        .point = gunzip_point_before(gz, offset),
        .insert_offset = offset,
        .level = argc > 5 ? atoi(argv[5]) : 6,
        .insertion = insert_text,
        .insertion_ctx = argv[3],
    };
    if (sink != NULL)
        gzip_splice(&job, sink_output(sink), &error);
    if (error.status != LT_OK)
        fprintf(stderr, "%s\n", error.message);
    sink_free(sink);
    gunzip_free(gz);
    close(fd);
    return (int)error.status;
}
