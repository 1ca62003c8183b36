/* Inserting into gzip files: any file, any offset, nothing else touched. */
#define _POSIX_C_SOURCE 200809L
#include "gzip_samples.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gzip/gzip_splice.h"

static char folder[64];
static char in_path[128];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test_gzip_splice-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(in_path, sizeof in_path, "%s/in.gz", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(in_path);
    return rmdir(folder);
}

static ptrdiff_t read_fd(void *ctx, unsigned char *buf, size_t size)
{
    return read(*(int *)ctx, buf, size);
}

/* What is inserted, in which pieces. */
struct buffer {
    const unsigned char *data;
    size_t len, piece;
    bool refuse; /* says that it failed, at its end */
    int calls;
};

static bool insert_text(void *ctx, emit_fn *emit, void *emit_ctx)
{
    struct buffer *text = ctx;
    text->calls++;
    for (size_t at = 0; at < text->len;) {
        size_t n = text->len - at < text->piece ? text->len - at : text->piece;
        if (!emit(emit_ctx, text->data + at, n))
            return false;
        at += n;
    }
    return !text->refuse;
}

/* A file on disk that pass one has read. */
struct source {
    int fd;
    struct bytes file;
    struct gunzip *gz;
};

static struct source open_source(struct bytes file, size_t spacing, uint64_t insert_offset)
{
    struct source source = {.file = file};
    source.fd = open(in_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(source.fd >= 0);
    assert_int_equal(write(source.fd, file.data, file.len), file.len);
    lseek(source.fd, 0, SEEK_SET);
    source.gz = gunzip_new(read_fd, &source.fd);
    gunzip_note_points(source.gz, spacing);
    static unsigned char piece[5000];
    size_t got;
    enum gunzip_status status;
    while ((status = gunzip_read(source.gz, piece, sizeof piece, &got)) == GUNZIP_OK) {
        uint64_t done = gunzip_out_offset(source.gz);
        gunzip_forget(source.gz, done < insert_offset ? done : insert_offset);
    }
    assert_int_equal(status, GUNZIP_END);
    return source;
}

static void close_source(struct source *source)
{
    close(source->fd);
    gunzip_free(source->gz);
}

/* An output in memory. */
static bool write_bytes(void *ctx, const void *data, size_t len)
{
    append(ctx, data, len);
    return true;
}

static bool copy_bytes(void *ctx, int fd, uint64_t offset, uint64_t len, bool *short_read)
{
    static unsigned char piece[1 << 16];
    while (len > 0) {
        ssize_t n = pread(fd, piece, len < sizeof piece ? len : sizeof piece, (off_t)offset);
        *short_read = n <= 0;
        if (n <= 0)
            return false;
        append(ctx, piece, (size_t)n);
        offset += (uint64_t)n;
        len -= (uint64_t)n;
    }
    return true;
}

static enum lt_status never_fails(void *ctx, struct lt_error *error)
{
    (void)ctx;
    (void)error;
    return LT_OK;
}

static enum lt_status run(const struct source *source, bool with_point, uint64_t offset, int level, struct buffer *text,
                          struct bytes *out, struct lt_error *error)
{
    struct gzip_splice job = {
        .name = in_path,
        .fd = source->fd,
        .stored_size = source->file.len,
        .point = with_point ? gunzip_point_before(source->gz, offset) : NULL,
        .insert_offset = offset,
        .level = level,
        .insertion = insert_text,
        .insertion_ctx = text,
    };
    *error = (struct lt_error){0};
    struct output output = {write_bytes, copy_bytes, never_fails, out};
    enum lt_status status = gzip_splice(&job, output, error);
    assert_int_equal(status, error->status);
    return status;
}

/* What the tests have seen, so that they cannot pass by seeing nothing. */
static struct {
    size_t resumed[8], cut[8], ends;
} seen;

/*
 * Which block start the file was cut at: the last one at or before the
 * offset. Where one member ends and the next begins, either is right: so the
 * first that all bytes outside its member agree with, start_count if none.
 */
static size_t find_cut(const struct bytes *out, const struct bytes *file, uint64_t offset,
                       const struct block_start *starts, size_t start_count)
{
    size_t cut = 0;
    while (cut + 1 < start_count && starts[cut].out_offset < offset && starts[cut + 1].out_offset <= offset &&
           !(starts[cut + 1].member > starts[cut].member && starts[cut + 1].out_offset == offset))
        cut++;
    for (; cut < start_count && starts[cut].out_offset <= offset; cut++) {
        size_t before = starts[cut].in_offset, after = file->len - starts[cut].member_end;
        if (out->len >= before + after && memcmp(out->data, file->data, before) == 0 &&
            memcmp(out->data + out->len - after, file->data + file->len - after, after) == 0)
            return cut;
    }
    return start_count;
}

/*
 * Splices at one offset and checks: the result stands for the original with
 * the insertion, the bytes before the cut and (when copying could resume)
 * from the resumption to the trailer, and all further members, are the same.
 */
static void check(const char *what, const struct source *source, const struct bytes *plain, bool with_point,
                  uint64_t offset, struct buffer *text, const struct block_start *starts, size_t start_count)
{
    struct bytes out = {0}, back = {0};
    struct lt_error error;
    text->calls = 0;
    if (run(source, with_point, offset, 6, text, &out, &error) != LT_OK)
        failed("%s at %llu: %s", what, (unsigned long long)offset, error.message);
    assert_int_equal(text->calls, 1);
    if (!reference_gunzip(&out, &back, NULL, 0, NULL))
        failed("%s at %llu: zlib refuses the result", what, (unsigned long long)offset);
    bool ok = back.len == plain->len + text->len && memcmp(back.data, plain->data, offset) == 0 &&
              memcmp(back.data + offset, text->data, text->len) == 0 &&
              memcmp(back.data + offset + text->len, plain->data + offset, plain->len - offset) == 0;
    if (!ok)
        failed("%s at %llu: other bytes", what, (unsigned long long)offset);

    const struct bytes *file = &source->file;
    size_t cut = find_cut(&out, file, offset, starts, start_count);
    if (cut == start_count)
        failed("%s at %llu: stored bytes differ", what, (unsigned long long)offset);
    seen.cut[starts[cut].in_bit]++;

    size_t end = starts[cut].member_end;
    const struct gunzip_point *point = gunzip_point_before(source->gz, offset);
    size_t resume = cut;
    while (resume < start_count && starts[resume].member == starts[cut].member &&
           starts[resume].out_offset < offset + GUNZIP_WINDOW)
        resume++;
    if (point->place.member == starts[cut].member && resume < start_count &&
        starts[resume].member == starts[cut].member) {
        size_t same = end - 8 - starts[resume].in_offset - 1;
        assert_memory_equal(out.data + out.len - (file->len - end) - 8 - same, file->data + end - 8 - same, same);
        seen.resumed[starts[resume].in_bit]++;
    } else {
        seen.ends++;
    }
    release(&out);
    release(&back);
}

#define MAX_STARTS 200000
static struct block_start starts[MAX_STARTS];

static size_t find_starts(const struct bytes *file)
{
    struct bytes ignored = {0};
    size_t count;
    assert_true(reference_gunzip(file, &ignored, starts, MAX_STARTS, &count));
    release(&ignored);
    return count;
}

static const unsigned char insertion[] = ",\n{\"ph\": \"X\", \"name\": \"L0\", \"ts\": 17}";

static void every_offset_of_small_files(void **state)
{
    (void)state;
    struct buffer text = {insertion, sizeof insertion - 1, 5, false, 0};
    for (size_t s = 0; s < SAMPLES; s++)
        for (int kind = 0; kind < 2; kind++) {
            struct bytes plain = kind == 0 ? json_like(300, s) : random_bytes(300, s);
            struct bytes file = make_sample(&samples[s], &plain);
            size_t count = find_starts(&file);
            for (size_t offset = 0; offset <= plain.len; offset++) {
                struct source source = open_source(file, 1 + offset % 100, offset);
                check(samples[s].name, &source, &plain, offset % 2 == 0, offset, &text, starts, count);
                close_source(&source);
            }
            release(&file);
            release(&plain);
        }
}

/* At, just before and just behind block starts; where copying resumes, at each of the eight bits. */
static void around_block_starts(void **state)
{
    (void)state;
    struct recipe how[] = {
        {.level = 6, .flush_every = 900, .flush = Z_BLOCK, .vary = true},
        {.level = 1, .strategy = Z_FIXED, .flush_every = 5000, .flush = Z_BLOCK, .vary = true},
        {.level = 0, .flush_every = 300, .flush = Z_BLOCK, .vary = true},
        {.level = 6, .flush_every = 2000, .flush = Z_PARTIAL_FLUSH, .vary = true},
        {.level = 9, .mem_level = 1},
        {.level = 1},
    };
    struct buffer text = {insertion, sizeof insertion - 1, 1000, false, 0};
    for (size_t h = 0; h < sizeof how / sizeof how[0]; h++)
        for (int kind = 0; kind < 2; kind++) {
            struct bytes plain = kind == 0 ? json_like(120000, h) : random_bytes(120000, h);
            struct bytes file = {0};
            add_member(&file, &how[h], plain.data, plain.len);
            size_t count = find_starts(&file);
            uint64_t seed = h + 1;
            for (int i = 0; i < 40; i++) {
                size_t start = starts[i < 3   ? (size_t)i % count
                                      : i < 6 ? count - 1 - ((size_t)i - 3) % count
                                              : next_random(&seed) % count]
                                   .out_offset;
                for (int around = -1; around <= 1; around++) {
                    if ((start == 0 && around < 0) || (start == plain.len && around > 0))
                        continue;
                    size_t offset = start + (size_t)around;
                    struct source source = open_source(file, 20000, offset);
                    check("blocks", &source, &plain, true, offset, &text, starts, count);
                    close_source(&source);
                }
            }
            release(&file);
            release(&plain);
        }
    for (size_t bit = 0; bit < 8; bit++) {
        assert_true(seen.resumed[bit] > 5);
        assert_true(seen.cut[bit] > 5);
    }
    assert_true(seen.ends > 5);
}

/* Members of all sizes, the insertion at their edges and inside. */
static void edges_of_members(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 70000, 0, 0, 3, 150000, 20, 90000, 0};
    struct buffer text = {insertion, sizeof insertion - 1, 1000, false, 0};
    struct bytes plain = json_like(310024, 5), file = {0};
    size_t at = 0;
    struct recipe how[] = {{.level = 6, .hcrc = true}, {.level = 1, .name = true, .extra = true}, {.level = 0}};
    for (size_t i = 0; i < 10; i++) {
        add_member(&file, &how[i % 3], plain.data + at, sizes[i]);
        at += sizes[i];
    }
    assert_int_equal(at, plain.len);
    size_t count = find_starts(&file);
    for (size_t spacing = 1000; spacing <= 1000000; spacing *= 10) {
        at = 0;
        for (size_t i = 0; i < 10; at += sizes[i++])
            for (int around = -2; around <= 2; around++) {
                if ((around < 0 && at < 2) || at + 2 > plain.len)
                    continue;
                size_t offset = at + (size_t)around;
                struct source source = open_source(file, spacing, offset);
                check("members", &source, &plain, around != 0, offset, &text, starts, count);
                close_source(&source);
            }
        struct source source = open_source(file, spacing, plain.len);
        check("members", &source, &plain, true, plain.len, &text, starts, count);
        close_source(&source);
    }
    release(&file);
    release(&plain);
}

/* Long insertions, in large and in tiny pieces, into a file of some size. */
static void long_insertions(void **state)
{
    (void)state;
    struct bytes plain = json_like(3000000, 5), file = {0};
    add_member(&file, &(struct recipe){.level = 6}, plain.data, plain.len);
    size_t count = find_starts(&file);
    for (int kind = 0; kind < 2; kind++) {
        struct bytes much = kind == 0 ? json_like(5000000, 9) : random_bytes(2000000, 9);
        for (int i = 0; i <= 4; i++) {
            uint64_t offset = plain.len * (size_t)i / 4;
            struct source source = open_source(file, (size_t)1 << 20, offset);
            struct buffer text = {much.data, much.len, i % 2 == 0 ? 37 : SIZE_MAX, false, 0};
            check("long", &source, &plain, true, offset, &text, starts, count);
            text.len = 0;
            check("empty insertion", &source, &plain, true, offset, &text, starts, count);
            close_source(&source);
        }
        release(&much);
    }
    release(&file);
    release(&plain);
}

static void levels(void **state)
{
    (void)state;
    struct bytes plain = json_like(100000, 5), file = {0};
    add_member(&file, &(struct recipe){.level = 6}, plain.data, plain.len);
    struct source source = open_source(file, 1 << 20, plain.len);
    struct buffer text = {insertion, sizeof insertion - 1, 1000, false, 0};
    for (int level = 1; level <= 9; level++) {
        struct bytes out = {0}, back = {0};
        struct lt_error error;
        assert_int_equal(run(&source, true, plain.len, level, &text, &out, &error), LT_OK);
        assert_true(reference_gunzip(&out, &back, NULL, 0, NULL));
        assert_int_equal(back.len, plain.len + text.len);
        release(&out);
        release(&back);
    }
    close_source(&source);
    release(&file);
    release(&plain);
}

static void expect_changed(const struct source *source, uint64_t offset)
{
    struct buffer text = {insertion, sizeof insertion - 1, 1000, false, 0};
    struct bytes out = {0};
    struct lt_error error;
    assert_int_equal(run(source, true, offset, 6, &text, &out, &error), LT_IO);
    assert_non_null(strstr(error.message, "changed while it was read"));
    assert_non_null(strstr(error.message, in_path));
    release(&out);
}

/* Another file under the same descriptor: noticed wherever it is looked at. */
static void changed_files(void **state)
{
    (void)state;
    struct bytes plain = json_like(2000000, 5), file = {0};
    add_member(&file, &(struct recipe){.level = 6}, plain.data, plain.len);
    uint64_t offset = 1000000;
    struct source source = open_source(file, 1 << 18, offset);
    /*
     * A block that is read again. Where copying resumes behind it, that shows only when it is no deflate data any more;
     * where the member's end is read too, its check values tell.
     */
    uint64_t late = plain.len - 1000;
    struct source before_end = open_source(file, 1 << 18, late);
    off_t near = (off_t)gunzip_point_before(before_end.gz, late)->place.in_offset + 3000;
    unsigned char zeros[2000] = {0}, kept[2000];
    assert_int_equal(pread(source.fd, kept, sizeof kept, near), sizeof kept);
    assert_int_equal(pwrite(source.fd, zeros, sizeof zeros, near), sizeof zeros);
    expect_changed(&before_end, late);
    assert_int_equal(pwrite(source.fd, kept, sizeof kept, near), sizeof kept);
    close_source(&before_end);

    /* The trailer. */
    for (size_t i = 1; i <= 8; i++) {
        unsigned char byte = file.data[file.len - i] ^ 0x10;
        assert_int_equal(pwrite(source.fd, &byte, 1, (off_t)(file.len - i)), 1);
        expect_changed(&source, offset);
        expect_changed(&source, plain.len);
        assert_int_equal(pwrite(source.fd, file.data + file.len - i, 1, (off_t)(file.len - i)), 1);
    }

    /* Behind the end. */
    expect_changed(&source, plain.len + 1);

    /* Cut. */
    static const int permille[] = {0, 1, 300, 490, 510, 900, 999};
    for (size_t i = 0; i < sizeof permille / sizeof permille[0]; i++) {
        assert_int_equal(ftruncate(source.fd, (off_t)(file.len * (size_t)permille[i] / 1000)), 0);
        expect_changed(&source, offset);
        expect_changed(&source, plain.len);
        assert_int_equal(pwrite(source.fd, file.data, file.len, 0), file.len);
    }
    close_source(&source);
    release(&file);
    release(&plain);
}

/* An output that has room for so many bytes. */
struct limited {
    uint64_t room;
    bool failed;
};

static bool take(struct limited *limited, uint64_t len)
{
    limited->failed |= len > limited->room;
    limited->room -= limited->failed ? 0 : len;
    return !limited->failed;
}

static bool limited_write(void *ctx, const void *data, size_t len)
{
    (void)data;
    return take(ctx, len);
}

static bool limited_copy(void *ctx, int fd, uint64_t offset, uint64_t len, bool *short_read)
{
    (void)fd;
    (void)offset;
    *short_read = false;
    return take(ctx, len);
}

static enum lt_status limited_error(void *ctx, struct lt_error *error)
{
    struct limited *limited = ctx;
    return limited->failed ? fail(error, LT_IO, "no room") : LT_OK;
}

/* The output gives up at any byte; the insertion fails. */
static void failures(void **state)
{
    (void)state;
    struct bytes plain = json_like(200000, 5), file = {0};
    add_member(&file, &(struct recipe){.level = 6, .flush_every = 9000, .flush = Z_BLOCK}, plain.data, plain.len);
    uint64_t offset = 100000;
    struct source source = open_source(file, 1 << 16, offset);
    struct bytes much = random_bytes(300000, 1);
    for (uint64_t limit = 1; limit < file.len + much.len; limit += 20011) {
        struct buffer text = {much.data, much.len, 1000, false, 0};
        struct gzip_splice job = {in_path, source.fd, file.len,    gunzip_point_before(source.gz, offset),
                                  offset,  6,         insert_text, &text};
        struct lt_error error = {0};
        struct limited limited = {.room = limit};
        struct output output = {limited_write, limited_copy, limited_error, &limited};
        assert_int_equal(gzip_splice(&job, output, &error), LT_IO);
        assert_string_equal(error.message, "no room");
    }
    struct buffer text = {much.data, much.len, 1000, true, 0};
    struct bytes out = {0};
    struct lt_error error;
    assert_int_equal(run(&source, true, offset, 6, &text, &out, &error), LT_NO_MEMORY);
    close_source(&source);
    release(&out);
    release(&much);
    release(&file);
    release(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_offset_of_small_files),
        cmocka_unit_test(around_block_starts),
        cmocka_unit_test(edges_of_members),
        cmocka_unit_test(long_insertions),
        cmocka_unit_test(levels),
        cmocka_unit_test(changed_files),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
