/* Reading gzip: members, headers, checks, damage, points. */
#include "gzip_samples.h"

#include <errno.h>
#include <stdio.h>

#include "gzip/gunzip.h"

/* Gives a file in pieces of at most `most` bytes. */
struct feed {
    const struct bytes *file;
    size_t at, most;
    size_t fail_at; /* 0: never */
};

static ptrdiff_t give(void *ctx, unsigned char *buf, size_t size)
{
    struct feed *feed = ctx;
    size_t n = feed->file->len - feed->at;
    n = n < size ? n : size;
    n = n < feed->most ? n : feed->most;
    if (feed->fail_at != 0 && feed->at >= feed->fail_at) {
        errno = EIO;
        return -1;
    }
    if (n > 0)
        memcpy(buf, feed->file->data + feed->at, n);
    feed->at += n;
    return (ptrdiff_t)n;
}

struct outcome {
    enum gunzip_status status;
    uint64_t members, in_offset;
    struct bytes out;
};

static struct outcome gunzip_all(const struct bytes *file, size_t in_most, size_t out_most, size_t spacing)
{
    struct feed feed = {file, 0, in_most, 0};
    struct gunzip *gz = gunzip_new(give, &feed);
    assert_non_null(gz);
    if (spacing > 0)
        gunzip_note_points(gz, spacing);
    struct outcome outcome = {0};
    unsigned char *piece = malloc(out_most);
    size_t got;
    while ((outcome.status = gunzip_read(gz, piece, out_most, &got)) == GUNZIP_OK) {
        assert_true(got > 0 && got <= out_most);
        append(&outcome.out, piece, got);
        assert_int_equal(gunzip_out_offset(gz), outcome.out.len);
        gunzip_forget(gz, outcome.out.len);
    }
    assert_int_equal(got, 0);
    /* The end is final. */
    assert_int_equal(gunzip_read(gz, piece, out_most, &got), outcome.status);
    outcome.members = gunzip_members(gz);
    outcome.in_offset = gunzip_in_offset(gz);
    free(piece);
    gunzip_free(gz);
    return outcome;
}

static bool same(const struct bytes *a, const struct bytes *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static bool is_prefix(const struct bytes *a, const struct bytes *of)
{
    return a->len <= of->len && (a->len == 0 || memcmp(a->data, of->data, a->len) == 0);
}

static void every_sample(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 100, 700, 70000, 400000};
    for (size_t s = 0; s < SAMPLES; s++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (int kind = 0; kind < 2; kind++) {
                struct bytes plain = kind == 0 ? json_like(sizes[i], s + 1) : random_bytes(sizes[i], s + 1);
                struct bytes file = make_sample(&samples[s], &plain);
                static const size_t ways[][3] = {
                    {SIZE_MAX, 262144, 0}, {SIZE_MAX, 65536, 5000}, {1, 1000, 1}, {7, 3, 0}, {777, 33333, 40000}};
                for (size_t w = 0; w < 5; w++) {
                    if (sizes[i] > 100000 && (w == 2 || w == 3))
                        continue;
                    struct outcome outcome = gunzip_all(&file, ways[w][0], ways[w][1], ways[w][2]);
                    if (outcome.status != GUNZIP_END || !same(&outcome.out, &plain))
                        failed("%s, %zu bytes, way %zu: status %d", samples[s].name, sizes[i], w, outcome.status);
                    assert_int_equal(outcome.in_offset, file.len);
                    release(&outcome.out);
                }
                release(&file);
                release(&plain);
            }
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    struct bytes plain = json_like(500, 1);
    for (size_t s = 0; s < SAMPLES; s++) {
        struct bytes file = make_sample(&samples[s], &plain);
        /* Where members end, a cut cannot be noticed. */
        static struct block_start starts[5000];
        size_t count;
        struct bytes ignored = {0};
        assert_true(reference_gunzip(&file, &ignored, starts, 5000, &count));
        release(&ignored);
        for (size_t len = 0; len <= file.len; len++) {
            bool whole = false;
            for (size_t i = 0; i < count; i++)
                whole = whole || starts[i].member_end == len;
            struct bytes cut = {file.data, len, 0};
            struct outcome outcome = gunzip_all(&cut, SIZE_MAX, 4096, 1);
            if (outcome.status != (whole ? GUNZIP_END : GUNZIP_TRUNCATED))
                failed("%s, cut at %zu of %zu: status %d", samples[s].name, len, file.len, outcome.status);
            assert_true(is_prefix(&outcome.out, &plain));
            assert_int_equal(outcome.in_offset, len);
            release(&outcome.out);
        }
        release(&file);
    }
    release(&plain);
}

/* All that can be made of a cut file is given: as much as zlib gives. */
static void cut_gives_all_before(void **state)
{
    (void)state;
    struct bytes plain = json_like(60000, 1);
    struct bytes file = {0};
    add_member(&file, &(struct recipe){.level = 6}, plain.data, plain.len);
    for (size_t len = 20; len < file.len; len += 101) {
        struct bytes cut = {file.data, len, 0}, expected = {0};
        reference_gunzip(&cut, &expected, NULL, 0, NULL);
        struct outcome outcome = gunzip_all(&cut, 1000, 4096, 0);
        assert_int_equal(outcome.status, GUNZIP_TRUNCATED);
        assert_true(same(&outcome.out, &expected));
        release(&expected);
        release(&outcome.out);
    }
    release(&file);
    release(&plain);
}

static void every_bit_flipped(void **state)
{
    (void)state;
    struct bytes plain = json_like(300, 1);
    for (size_t s = 0; s < SAMPLES; s++) {
        struct bytes file = make_sample(&samples[s], &plain);
        for (size_t bit = 0; bit < file.len * 8; bit++) {
            file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            struct outcome outcome = gunzip_all(&file, SIZE_MAX, 4096, 1);
            /* Unnoticed only where nothing depends on it: a time, a name. */
            if (outcome.status == GUNZIP_END && !same(&outcome.out, &plain))
                failed("%s, bit %zu: accepted with other bytes", samples[s].name, bit);
            release(&outcome.out);
            file.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        release(&file);
    }
    release(&plain);
}

static void expect(const struct bytes *file, enum gunzip_status status, uint64_t members, const struct bytes *out)
{
    struct outcome outcome = gunzip_all(file, SIZE_MAX, 4096, 0);
    assert_int_equal(outcome.status, status);
    assert_int_equal(outcome.members, members);
    assert_true(same(&outcome.out, out));
    release(&outcome.out);
}

static void what_is_refused(void **state)
{
    (void)state;
    struct bytes plain = json_like(1000, 1), nothing = {0}, file = {0};
    struct recipe how = {.level = 6, .name = true, .extra = true, .hcrc = true};
    add_member(&file, &how, plain.data, plain.len);
    size_t len = file.len;

    static const struct {
        const char *bytes;
        size_t len;
        enum gunzip_status status;
    } trailing[] = {
        {"\0", 1, GUNZIP_TRAILING},
        {"\0\0\0\0\0\0\0\0", 8, GUNZIP_TRAILING},
        {"\n", 1, GUNZIP_TRAILING},
        {"\x1f", 1, GUNZIP_TRUNCATED},
        {"\x1f\x8c", 2, GUNZIP_TRAILING},
        {"\x1f\x8b", 2, GUNZIP_TRUNCATED},
        {"\x1f\x8b\x07", 3, GUNZIP_TRUNCATED},
        {"\x1f\x8b\x07\0\0\0\0\0\0\0", 10, GUNZIP_BAD_HEADER},
        {"PK\3\4", 4, GUNZIP_TRAILING},
    };
    for (size_t i = 0; i < sizeof trailing / sizeof trailing[0]; i++) {
        append(&file, trailing[i].bytes, trailing[i].len);
        expect(&file, trailing[i].status, 1, &plain);
        if (trailing[i].status == GUNZIP_TRAILING) {
            struct outcome outcome = gunzip_all(&file, 1, 4096, 0);
            assert_int_equal(outcome.in_offset, len);
            release(&outcome.out);
        }
        file.len = len;
    }

    for (size_t i = 0; i < 4; i++) {
        file.data[len - 8 + i] ^= 1;
        expect(&file, GUNZIP_BAD_CRC, 0, &plain);
        file.data[len - 8 + i] ^= 1;
        file.data[len - 4 + i] ^= 1;
        expect(&file, GUNZIP_BAD_LENGTH, 0, &plain);
        file.data[len - 4 + i] ^= 1;
    }

    /* The header: all bytes are under its CRC; reserved flags stand for fields that nobody knows. */
    for (size_t i = 0; i < 10 + 7 + 21 + 2; i++) {
        file.data[i] ^= 4;
        struct outcome outcome = gunzip_all(&file, SIZE_MAX, 4096, 0);
        if (i == 3 || i == 10 || i == 11) /* other fields, other lengths: any error will do */
            assert_int_not_equal(outcome.status, GUNZIP_END);
        else
            assert_int_equal(outcome.status, GUNZIP_BAD_HEADER);
        assert_int_equal(outcome.out.len, 0);
        release(&outcome.out);
        file.data[i] ^= 4;
    }
    for (unsigned flag = 0x20; flag <= 0x80; flag *= 2) {
        struct bytes plain_header = {0};
        add_member(&plain_header, &(struct recipe){.level = 6}, plain.data, plain.len);
        plain_header.data[3] = (unsigned char)flag;
        expect(&plain_header, GUNZIP_BAD_HEADER, 0, &nothing);
        plain_header.data[3] = 1; /* FTEXT is only a remark */
        expect(&plain_header, GUNZIP_END, 1, &plain);
        release(&plain_header);
    }
    expect(&(struct bytes){(unsigned char *)(uintptr_t) "{\"traceEvents\"", 14, 0}, GUNZIP_BAD_HEADER, 0, &nothing);
    release(&file);
    release(&plain);
}

static void read_failure(void **state)
{
    (void)state;
    struct bytes plain = json_like(200000, 1), file = {0};
    add_member(&file, &(struct recipe){.level = 6}, plain.data, plain.len);
    struct feed feed = {&file, 0, 1000, file.len / 2};
    struct gunzip *gz = gunzip_new(give, &feed);
    unsigned char piece[4096];
    size_t got;
    enum gunzip_status status;
    while ((status = gunzip_read(gz, piece, sizeof piece, &got)) == GUNZIP_OK)
        continue;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(status, GUNZIP_READ_ERROR);
        assert_int_equal(errno, EIO);
        errno = 0;
        status = gunzip_read(gz, piece, sizeof piece, &got);
    }
    gunzip_free(gz);
    release(&file);
    release(&plain);
}

/* From every kept point on, the rest of the stream is the same, and it knows its member's end. */
static void points_lead_in(void **state)
{
    (void)state;
    for (size_t s = 0; s < SAMPLES; s++) {
        struct bytes plain = json_like(150000, 7);
        struct bytes file = make_sample(&samples[s], &plain);
        static struct block_start starts[200000];
        size_t count;
        struct bytes ignored = {0};
        assert_true(reference_gunzip(&file, &ignored, starts, 200000, &count));
        release(&ignored);
        for (uint64_t want = 0; want <= plain.len; want += 7001) {
            struct feed feed = {&file, 0, SIZE_MAX, 0};
            struct gunzip *gz = gunzip_new(give, &feed);
            gunzip_note_points(gz, 20000);
            static unsigned char piece[4096];
            size_t got;
            while (gunzip_read(gz, piece, sizeof piece, &got) == GUNZIP_OK) {
                uint64_t done = gunzip_out_offset(gz);
                gunzip_forget(gz, done < want ? done : want);
            }
            const struct gunzip_point *point = gunzip_point_before(gz, want);
            assert_non_null(point);
            const struct gunzip_place *place = &point->place;
            assert_true(place->out_offset <= want);
            bool found = false;
            for (size_t i = 0; i < count && !found; i++)
                found = starts[i].in_offset == place->in_offset && starts[i].in_bit == place->in_bit &&
                        starts[i].out_offset == place->out_offset && starts[i].member == place->member &&
                        starts[i].member_end == point->member_in_end;
            assert_true(found);
            size_t back = (size_t)(place->out_offset - place->member_out);
            assert_int_equal(point->window_len, back < GUNZIP_WINDOW ? back : GUNZIP_WINDOW);
            assert_memory_equal(point->window, plain.data + place->out_offset - point->window_len, point->window_len);
            assert_int_equal(place->crc, crc32_z(0, plain.data + place->member_out, back));

            struct feed again = {&file, (size_t)place->in_offset, 999, 0};
            struct gunzip *from = gunzip_new_at(give, &again, point);
            uint64_t at = place->out_offset;
            enum gunzip_status status;
            while ((status = gunzip_read(from, piece, sizeof piece, &got)) == GUNZIP_OK) {
                assert_memory_equal(piece, plain.data + at, got);
                at += got;
            }
            assert_int_equal(status, GUNZIP_END);
            assert_int_equal(at, plain.len);
            gunzip_free(from);
            gunzip_free(gz);
        }
        release(&file);
        release(&plain);
    }
}

/* Stepping shows every block's start that zlib shows. */
static void steps_stop_at_blocks(void **state)
{
    (void)state;
    for (size_t s = 0; s < SAMPLES; s++) {
        struct bytes plain = json_like(50000, 7), out = {0}, ignored = {0};
        struct bytes file = make_sample(&samples[s], &plain);
        static struct block_start starts[100000];
        size_t count, seen = 0, members = 0, got;
        assert_true(reference_gunzip(&file, &ignored, starts, 100000, &count));
        struct feed feed = {&file, 0, 13, 0};
        struct gunzip *gz = gunzip_new(give, &feed);
        unsigned char piece[1000], window[GUNZIP_WINDOW];
        enum gunzip_event event;
        enum gunzip_status status;
        while ((status = gunzip_step(gz, piece, sizeof piece, &got, &event)) == GUNZIP_OK) {
            append(&out, piece, got);
            struct gunzip_place here = gunzip_here(gz);
            members += event == GUNZIP_MEMBER_END;
            if (event == GUNZIP_MEMBER_END)
                assert_int_equal(here.in_offset, starts[seen - 1].member_end);
            if (event != GUNZIP_AT_BLOCK)
                continue;
            assert_true(seen < count);
            assert_int_equal(here.in_offset, starts[seen].in_offset);
            assert_int_equal(here.in_bit, starts[seen].in_bit);
            assert_int_equal(here.out_offset, starts[seen].out_offset);
            assert_int_equal(here.member, starts[seen].member);
            seen++;
            size_t len = gunzip_window(gz, window);
            size_t back = out.len - (size_t)here.member_out;
            assert_int_equal(len, back < GUNZIP_WINDOW ? back : GUNZIP_WINDOW);
            if (len > 0)
                assert_memory_equal(window, out.data + out.len - len, len);
        }
        assert_int_equal(status, GUNZIP_END);
        assert_int_equal(seen, count);
        assert_int_equal(members, gunzip_members(gz));
        assert_true(same(&out, &plain));
        gunzip_free(gz);
        release(&file);
        release(&plain);
        release(&out);
        release(&ignored);
    }
}

/* Input that makes no output: millions of empty blocks, thousands of empty members. */
static void much_of_nothing(void **state)
{
    (void)state;
    struct bytes file = {0}, nothing = {0};
    append(&file, "\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
    for (int i = 0; i < 1000000; i++)
        append(&file, "\0\0\0\xff\xff", 5);
    append(&file, "\3\0\0\0\0\0\0\0\0\0", 10);
    for (int i = 0; i < 100000; i++)
        append(&file, "\x1f\x8b\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0", 20);
    struct outcome outcome = gunzip_all(&file, SIZE_MAX, 4096, 1);
    assert_int_equal(outcome.status, GUNZIP_END);
    assert_int_equal(outcome.members, 100001);
    assert_int_equal(outcome.out.len, 0);
    release(&outcome.out);
    release(&file);
    release(&nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample),         cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(cut_gives_all_before), cmocka_unit_test(every_bit_flipped),
        cmocka_unit_test(what_is_refused),      cmocka_unit_test(read_failure),
        cmocka_unit_test(points_lead_in),       cmocka_unit_test(steps_stop_at_blocks),
        cmocka_unit_test(much_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
