/* Compressing in parallel blocks: any input, any pieces, any number of threads, any failure. */
#define _POSIX_C_SOURCE 200809L
#include "gzip_samples.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "gzip/gzip_write.h"

/* What gzip_write.c cuts its input into. */
#define BLOCK ((size_t)128 << 10)

/* ---- an output in memory -------------------------------------------------------------------------------------- */

struct memory {
    struct bytes out;
    size_t room; /* takes no more than this */
    bool failed;
    int after; /* calls after it failed */
    pthread_t thread;
};

static bool memory_write(void *ctx, const void *data, size_t len)
{
    struct memory *memory = ctx;
    assert_true(pthread_equal(pthread_self(), memory->thread));
    memory->after += memory->failed;
    if (memory->failed || len > memory->room - memory->out.len) {
        memory->failed = true;
        return false;
    }
    append(&memory->out, data, len);
    return true;
}

static enum lt_status memory_error(void *ctx, struct lt_error *error)
{
    struct memory *memory = ctx;
    assert_true(memory->failed);
    error->status = LT_IO;
    return LT_IO;
}

static struct memory new_memory(size_t room)
{
    return (struct memory){.room = room, .thread = pthread_self()};
}

static struct output output_of(struct memory *memory)
{
    return (struct output){.write = memory_write, .error = memory_error, .ctx = memory};
}

/* ---- failing calls, and what workers are made with ------------------------------------------------------------ */

static int callocs_left = -1, deflates_left = -1, threads_left = -1; /* so many succeed; -1: all */
static int threads_made;
static atomic_int open_to_signals;

static bool is_over(int *left)
{
    if (*left == 0)
        return true;
    *left -= *left > 0;
    return false;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return is_over(&callocs_left) ? NULL : __real_calloc(count, size);
}

int __real_deflateInit2_(z_streamp, int, int, int, int, int, const char *, int);
int __wrap_deflateInit2_(z_streamp, int, int, int, int, int, const char *, int);
int __wrap_deflateInit2_(z_streamp z, int level, int method, int bits, int mem, int strategy, const char *version,
                         int size)
{
    return is_over(&deflates_left) ? Z_MEM_ERROR
                                   : __real_deflateInit2_(z, level, method, bits, mem, strategy, version, size);
}

struct start {
    void *(*run)(void *);
    void *arg;
};

static void *look_at_mask(void *ctx)
{
    struct start start = *(struct start *)ctx;
    free(ctx);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGUSR1, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        open_to_signals += !sigismember(&mask, signals[i]);
    return start.run(start.arg);
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    if (is_over(&threads_left))
        return EAGAIN;
    struct start *start = malloc(sizeof *start);
    assert_non_null(start);
    *start = (struct start){run, arg};
    threads_made++;
    return __real_pthread_create(thread, attr, look_at_mask, start);
}

/* ---- properties ----------------------------------------------------------------------------------------------- */

/* Writes in pieces of 1 to `piece` bytes. False when the writer said so, at whatever call. */
static bool write_all(struct memory *memory, const struct bytes *plain, size_t piece, int level, unsigned threads)
{
    struct gzip_writer *writer = gzip_writer_new(output_of(memory), level, threads);
    assert_non_null(writer);
    uint64_t seed = plain->len + piece;
    bool ok = true;
    for (size_t at = 0; at < plain->len && ok;) {
        size_t n = 1 + next_random(&seed) % piece;
        n = n < plain->len - at ? n : plain->len - at;
        ok = gzip_writer_write(writer, plain->data + at, n);
        at += n;
    }
    ok = gzip_writer_finish(writer) && ok;
    struct lt_error error = {0};
    assert_int_equal(gzip_writer_error(writer, &error), ok ? LT_OK : LT_IO);
    assert_int_equal(error.status, ok ? LT_OK : LT_IO);
    gzip_writer_free(writer);
    return ok;
}

static void check(const struct bytes *plain, size_t piece, int level, unsigned threads, struct bytes *file)
{
    struct memory memory = new_memory(SIZE_MAX);
    assert_true(write_all(&memory, plain, piece, level, threads));
    struct bytes back = {0};
    static struct block_start starts[20000];
    size_t count;
    if (!reference_gunzip(&memory.out, &back, starts, 20000, &count) || back.len != plain->len ||
        (back.len > 0 && memcmp(back.data, plain->data, back.len) != 0))
        failed("%zu bytes, pieces of %zu, level %d, %u threads", plain->len, piece, level, threads);
    assert_int_equal(starts[count - 1].member, 0);
    release(&back);
    *file = memory.out;
}

static void any_length(void **state)
{
    (void)state;
    static const size_t lengths[] = {0,         1,     2,         100,           32767,         32768,     32769,
                                     BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK + 1, 5 * BLOCK, 1500001};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int kind = 0; kind < 2; kind++) {
            struct bytes plain = kind == 0 ? json_like(lengths[i], i) : random_bytes(lengths[i], i);
            struct bytes one, more;
            check(&plain, SIZE_MAX / 2, 6, 1, &one);
            for (unsigned threads = 2; threads <= 8; threads += 1 + threads / 3) {
                check(&plain, i % 2 == 0 ? 70000 : BLOCK, 6, threads, &more);
                assert_int_equal(one.len, more.len);
                assert_memory_equal(one.data, more.data, one.len);
                release(&more);
            }
            release(&one);
            release(&plain);
        }
}

static void any_pieces(void **state)
{
    (void)state;
    static const size_t pieces[] = {1, 2, 17, 4096, BLOCK - 1, BLOCK + 1, 3 * BLOCK, SIZE_MAX / 2};
    struct bytes plain = json_like(3 * BLOCK + 77, 5), first = {0};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct bytes file;
        check(&plain, pieces[i], 1, 1 + (unsigned)i % 3, &file);
        if (i == 0)
            append(&first, file.data, file.len);
        assert_int_equal(first.len, file.len);
        assert_memory_equal(first.data, file.data, file.len);
        release(&file);
    }
    release(&first);
    release(&plain);
}

static void any_level(void **state)
{
    (void)state;
    struct bytes plain = json_like(2 * BLOCK + 4321, 9);
    for (int level = 1; level <= 9; level++) {
        struct bytes one, more;
        check(&plain, 50000, level, 1, &one);
        check(&plain, 50000, level, 8, &more);
        assert_int_equal(one.len, more.len);
        assert_memory_equal(one.data, more.data, one.len);
        assert_int_equal(one.data[8], level == 9 ? 2 : level == 1 ? 4 : 0);
        release(&one);
        release(&more);
    }
    release(&plain);
}

/* Little is lost against one stream: the window goes along. */
static void as_small_as_one_stream(void **state)
{
    (void)state;
    struct bytes plain = json_like(10 * BLOCK, 3), one = {0}, blocks;
    add_member(&one, &(struct recipe){.level = 6}, plain.data, plain.len);
    check(&plain, BLOCK, 6, 4, &blocks);
    assert_true(blocks.len < one.len + one.len / 50 + 200);
    release(&one);
    release(&blocks);
    release(&plain);
}

static void sink_fails(void **state)
{
    (void)state;
    struct bytes plain = json_like(9 * BLOCK, 2);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct bytes file;
        check(&plain, BLOCK, 1, threads, &file);
        for (size_t room = 0; room <= file.len; room += room < 20 || room + 20 > file.len ? 1 : file.len / 40) {
            struct memory memory = new_memory(room);
            assert_true(write_all(&memory, &plain, 30000, 1, threads) == (room == file.len));
            assert_int_equal(memory.after, 0);
            assert_true(memory.out.len <= room);
            if (memory.out.len > 0)
                assert_memory_equal(memory.out.data, file.data, memory.out.len);
            release(&memory.out);
            if (room < file.len - 20 && room + file.len / 40 > file.len - 20)
                room = file.len - 20 - file.len / 40;
        }
        release(&file);
    }
    release(&plain);
}

/* Given up in the middle, as after another failure: nothing hangs, nothing leaks. */
static void freed_early(void **state)
{
    (void)state;
    struct bytes plain = random_bytes(6 * BLOCK, 2);
    for (size_t len = 0; len <= plain.len; len += BLOCK / 2) {
        struct memory memory = new_memory(SIZE_MAX);
        struct gzip_writer *writer = gzip_writer_new(output_of(&memory), 1, 3);
        assert_true(gzip_writer_write(writer, plain.data, len));
        gzip_writer_free(writer);
        release(&memory.out);
    }
    gzip_writer_free(NULL);
    release(&plain);
}

static void workers_block_signals(void **state)
{
    (void)state;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    struct memory memory = new_memory(SIZE_MAX);
    threads_made = 0;
    open_to_signals = 0;
    struct gzip_writer *writer = gzip_writer_new(output_of(&memory), 1, 5);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    gzip_writer_free(writer);
    assert_int_equal(threads_made, 5);
    assert_int_equal(open_to_signals, 0);
    for (int sig = 1; sig < 32; sig++)
        assert_int_equal(sigismember(&before, sig), sigismember(&after, sig));
}

static void memory_fails(void **state)
{
    (void)state;
    struct memory memory = new_memory(SIZE_MAX);
    for (int n = 0; n < 3; n++) {
        callocs_left = n;
        assert_null(gzip_writer_new(output_of(&memory), 6, 4));
    }
    callocs_left = -1;
    for (int n = 0; n < 4; n++) {
        deflates_left = n;
        assert_null(gzip_writer_new(output_of(&memory), 6, 4));
    }
    deflates_left = -1;
}

/* Fewer threads than asked for, or none: the same bytes. */
static void threads_fail(void **state)
{
    (void)state;
    struct bytes plain = json_like(7 * BLOCK + 1, 4), all, some;
    check(&plain, 40000, 6, 4, &all);
    for (int n = 0; n < 4; n++) {
        threads_left = n;
        check(&plain, 40000, 6, 4, &some);
        threads_left = -1;
        assert_int_equal(all.len, some.len);
        assert_memory_equal(all.data, some.data, all.len);
        release(&some);
    }
    release(&all);
    release(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_length),   cmocka_unit_test(any_pieces),
        cmocka_unit_test(any_level),    cmocka_unit_test(as_small_as_one_stream),
        cmocka_unit_test(sink_fails),   cmocka_unit_test(freed_early),
        cmocka_unit_test(memory_fails), cmocka_unit_test(workers_block_signals),
        cmocka_unit_test(threads_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
