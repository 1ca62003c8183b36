/*
 * gzip_samples.h - gzip files of many kinds, made in memory
 *
 * Shared by the tests that read, splice and write gzip. What a file stands
 * for is always found by zlib's own gzip reader, never by the code tested.
 */
#ifndef GZIP_SAMPLES_H
#define GZIP_SAMPLES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* cmocka's fail() is a macro, and error.h has a function of that name. */
#undef fail
#define failed(...)                                                                                                    \
    do {                                                                                                               \
        print_error(__VA_ARGS__);                                                                                      \
        _fail(__FILE__, __LINE__);                                                                                     \
    } while (0)

struct bytes {
    unsigned char *data;
    size_t len, room;
};

static inline void append(struct bytes *to, const void *data, size_t len)
{
    if (to->len + len > to->room) {
        to->room = (to->len + len) * 2 + 64;
        to->data = realloc(to->data, to->room);
        assert_non_null(to->data);
    }
    if (len > 0)
        memcpy(to->data + to->len, data, len);
    to->len += len;
}

static inline void release(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

static inline uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Text like a trace's events. */
static inline struct bytes json_like(size_t len, uint64_t seed)
{
    static const char *const parts[] = {"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"",
                                        "void at::native::vectorized_elementwise_kernel<4>",
                                        "\", \"pid\": 0, \"tid\": 7, \"ts\": ",
                                        ", \"dur\": ",
                                        "}, ",
                                        "\"args\": {\"device\": 0, \"stream\": 7}, ",
                                        "\n"};
    struct bytes out = {0};
    while (out.len < len) {
        uint32_t r = next_random(&seed);
        const char *part = parts[r % 7];
        append(&out, part, strlen(part));
        for (uint32_t n = r >> 8 & 7; n > 0; n--)
            append(&out, &"0123456789."[next_random(&seed) % 11], 1);
    }
    out.len = len;
    return out;
}

static inline struct bytes random_bytes(size_t len, uint64_t seed)
{
    struct bytes out = {0};
    while (out.len < len) {
        unsigned char c = (unsigned char)next_random(&seed);
        append(&out, &c, 1);
    }
    return out;
}

/* How a member is made; all zero but the level: as gzip does. */
struct recipe {
    int level, strategy, mem_level;
    size_t flush_every;     /* 0: never */
    int flush;              /* Z_BLOCK, Z_SYNC_FLUSH, ... */
    bool vary;              /* flush after 1 to flush_every bytes, changing */
    bool name, extra, hcrc; /* header fields; name: with a comment */
};

static inline void add_member_header(struct bytes *to, const struct recipe *how)
{
    size_t from = to->len;
    unsigned char header[10] = {0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 0, 3};
    header[3] = (unsigned char)((how->name ? 8 | 16 : 0) | (how->extra ? 4 : 0) | (how->hcrc ? 2 : 0));
    append(to, header, sizeof header);
    if (how->extra)
        append(to,
               "\x05\x00"
               "ab\x01\x00z",
               7);
    if (how->name)
        append(to, "trace.json\0by a test", 21);
    if (how->hcrc) {
        unsigned long crc = crc32(0, to->data + from, (uInt)(to->len - from));
        append(to, (unsigned char[]){(unsigned char)crc, (unsigned char)(crc >> 8)}, 2);
    }
}

static inline void add_member(struct bytes *to, const struct recipe *how, const unsigned char *data, size_t len)
{
    add_member_header(to, how);
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, how->level, Z_DEFLATED, -15, how->mem_level ? how->mem_level : 8, how->strategy),
                     Z_OK);
    unsigned char piece[1024];
    uint64_t seed = 3;
    size_t at = 0;
    int flush;
    do {
        size_t n = len - at;
        size_t step = how->vary ? 1 + next_random(&seed) % how->flush_every : how->flush_every;
        flush = Z_FINISH;
        if (how->flush_every != 0 && n > step) {
            n = step;
            flush = how->flush;
        }
        z.next_in = (z_const Bytef *)(uintptr_t)(n > 0 ? data + at : data);
        z.avail_in = (uInt)n;
        at += n;
        do {
            z.next_out = piece;
            z.avail_out = sizeof piece;
            deflate(&z, flush);
            append(to, piece, sizeof piece - z.avail_out);
        } while (z.avail_out == 0);
    } while (flush != Z_FINISH);
    deflateEnd(&z);
    uint32_t ends[2] = {(uint32_t)crc32_z(0, data, len), (uint32_t)len};
    for (int i = 0; i < 8; i++)
        append(to, &(unsigned char){(unsigned char)(ends[i / 4] >> 8 * (i % 4))}, 1);
}

/* Where a deflate block begins, as zlib tells it. */
struct block_start {
    size_t in_offset, out_offset, member, member_end; /* member_end: compressed offset behind the trailer */
    unsigned in_bit;
};

/*
 * What a gzip file stands for, by zlib; all its block starts too when
 * `starts` is not NULL. False when zlib refuses it or it is cut.
 */
static inline bool reference_gunzip(const struct bytes *file, struct bytes *out, struct block_start *starts,
                                    size_t max_starts, size_t *start_count)
{
    z_stream z = {0};
    assert_int_equal(inflateInit2(&z, 31), Z_OK);
    z.next_in = file->data;
    z.avail_in = (uInt)file->len;
    int result = Z_OK;
    size_t count = 0, member = 0, member_first = 0;
    static unsigned char piece[1 << 16];
    do {
        z.next_out = piece;
        z.avail_out = sizeof piece;
        result = inflate(&z, Z_BLOCK);
        append(out, piece, sizeof piece - z.avail_out);
        if (starts != NULL && (z.data_type & (128 | 64)) == 128 && result != Z_STREAM_END) {
            unsigned unused = (unsigned)z.data_type & 7;
            assert_true(count < max_starts);
            starts[count++] = (struct block_start){(size_t)(z.next_in - file->data) - (unused != 0), out->len, member,
                                                   0, (8 - unused) & 7};
        }
        if (result == Z_BUF_ERROR && z.avail_in > 0)
            result = Z_OK;
        if (result == Z_STREAM_END) {
            while (starts != NULL && member_first < count)
                starts[member_first++].member_end = (size_t)(z.next_in - file->data);
            member++;
            if (z.avail_in > 0)
                result = inflateReset(&z);
        }
    } while (result == Z_OK);
    inflateEnd(&z);
    if (start_count != NULL)
        *start_count = count;
    return result == Z_STREAM_END;
}

/* Kinds of files; more of them by adding a row. */
struct sample {
    const char *name;
    struct recipe how;
    int members; /* 0: one; the data is divided */
    bool empty_first, empty_between, empty_last;
};

static const struct sample samples[] = {
    {.name = "level 1", .how = {.level = 1}},
    {.name = "level 6", .how = {.level = 6}},
    {.name = "level 9", .how = {.level = 9, .mem_level = 9}},
    {.name = "stored", .how = {.level = 0}},
    {.name = "fixed code", .how = {.level = 6, .strategy = Z_FIXED}},
    {.name = "huffman only", .how = {.level = 6, .strategy = Z_HUFFMAN_ONLY}},
    {.name = "runs", .how = {.level = 6, .strategy = Z_RLE}},
    {.name = "full flush", .how = {.level = 6, .flush_every = 37, .flush = Z_FULL_FLUSH}},
    {.name = "sync flush", .how = {.level = 6, .flush_every = 41, .flush = Z_SYNC_FLUSH, .vary = true}},
    {.name = "partial flush", .how = {.level = 6, .flush_every = 29, .flush = Z_PARTIAL_FLUSH, .vary = true}},
    {.name = "blocks", .how = {.level = 6, .flush_every = 23, .flush = Z_BLOCK, .vary = true}},
    {.name = "blocks, fixed",
     .how = {.level = 6, .strategy = Z_FIXED, .flush_every = 5, .flush = Z_BLOCK, .vary = true}},
    {.name = "stored blocks", .how = {.level = 0, .flush_every = 19, .flush = Z_BLOCK, .vary = true}},
    {.name = "all header fields", .how = {.level = 6, .name = true, .extra = true, .hcrc = true}},
    {.name = "name only", .how = {.level = 6, .name = true}},
    {.name = "ten members", .how = {.level = 6}, .members = 10},
    {.name = "members of blocks", .how = {.level = 6, .flush_every = 17, .flush = Z_BLOCK, .vary = true}, .members = 4},
    {.name = "empty between", .how = {.level = 6, .hcrc = true}, .members = 2, .empty_between = true},
    {.name = "empty around",
     .how = {.level = 6},
     .members = 3,
     .empty_first = true,
     .empty_between = true,
     .empty_last = true},
};

#define SAMPLES (sizeof samples / sizeof samples[0])

static inline struct bytes make_sample(const struct sample *sample, const struct bytes *plain)
{
    struct bytes file = {0};
    size_t members = sample->members > 0 ? (size_t)sample->members : 1;
    if (sample->empty_first)
        add_member(&file, &sample->how, NULL, 0);
    for (size_t i = 0; i < members; i++) {
        size_t from = plain->len * i / members, to = plain->len * (i + 1) / members;
        if (i > 0 && sample->empty_between)
            add_member(&file, &sample->how, NULL, 0);
        add_member(&file, &sample->how, from < to ? plain->data + from : NULL, to - from);
    }
    if (sample->empty_last)
        add_member(&file, &sample->how, NULL, 0);
    return file;
}

#endif
