/*
 * bench_scan.c - how fast the scanners go over one trace in memory
 *
 *   bench_scan FILE [BLOCK_KIB [ROUNDS]]
 *
 * Prints, for yajl alone, for each parser and for each instruction set, the
 * best of ROUNDS rounds.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "json/scan.h"
#include "json/scan_fast.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <yajl/yajl_parse.h>

struct sum {
    uint64_t events;
    uint64_t bytes; /* of all fields, so that they are looked at */
};

static bool count(void *ctx, const struct scan_event *event)
{
    struct sum *sum = ctx;
    sum->events++;
    sum->bytes += event->cat.len + event->ts.len + event->name.len + event->dur.len + event->correlation.len;
    return true;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double one_round(struct scan *scan, const unsigned char *data, size_t len, size_t block, struct sum *sum)
{
    if (scan == NULL) {
        fprintf(stderr, "bench_scan: no memory\n");
        exit(1);
    }
    *sum = (struct sum){0};
    scan->event = count;
    scan->ctx = sum;
    struct scan_layout layout;
    double start = now();
    enum scan_status status = SCAN_OK;
    for (size_t at = 0; status == SCAN_OK && at < len; at += block)
        status = scan_feed(scan, data + at, len - at < block ? len - at : block);
    if (status == SCAN_OK)
        status = scan_finish(scan, &layout);
    double seconds = now() - start;
    if (status != SCAN_OK) {
        fprintf(stderr, "bench_scan: refused (%d) at %llu\n", scan_problem(scan)->what,
                (unsigned long long)scan_problem(scan)->offset);
        exit(1);
    }
    scan_free(scan);
    return seconds;
}

static int ignore_null(void *ctx)
{
    (void)ctx;
    return 1;
}

static int ignore_boolean(void *ctx, int value)
{
    (void)ctx;
    (void)value;
    return 1;
}

static int ignore_number(void *ctx, const char *text, size_t len)
{
    struct sum *sum = ctx;
    (void)text;
    sum->bytes += len;
    return 1;
}

static int ignore_string(void *ctx, const unsigned char *text, size_t len)
{
    return ignore_number(ctx, (const char *)text, len);
}

/* yajl with callbacks that do nothing: the least that any program built on it needs. */
static double yajl_round(const unsigned char *data, size_t len, size_t block, struct sum *sum)
{
    static const yajl_callbacks callbacks = {
        .yajl_null = ignore_null,
        .yajl_boolean = ignore_boolean,
        .yajl_number = ignore_number,
        .yajl_string = ignore_string,
        .yajl_start_map = ignore_null,
        .yajl_map_key = ignore_string,
        .yajl_end_map = ignore_null,
        .yajl_start_array = ignore_null,
        .yajl_end_array = ignore_null,
    };
    *sum = (struct sum){0};
    double start = now();
    yajl_handle yajl = yajl_alloc(&callbacks, NULL, sum);
    for (size_t at = 0; at < len; at += block) {
        if (yajl_parse(yajl, data + at, len - at < block ? len - at : block) != yajl_status_ok) {
            fprintf(stderr, "bench_scan: yajl refuses\n");
            exit(1);
        }
    }
    yajl_complete_parse(yajl);
    yajl_free(yajl);
    return now() - start;
}

static void report(const char *name, double seconds, size_t len, const struct sum *sum)
{
    printf("%-12s %7.3f GB/s  %7.3f s/GB  %llu events\n", name, (double)len / seconds * 1e-9,
           seconds / (double)len * 1e9, (unsigned long long)sum->events);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_scan FILE [BLOCK_KIB [ROUNDS]]\n");
        return 2;
    }
    FILE *file = fopen(argv[1], "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(argv[1]);
        return 1;
    }
    size_t len = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(len + 1);
    if (data == NULL || fread(data, 1, len, file) != len) {
        perror(argv[1]);
        return 1;
    }
    fclose(file);
    size_t block = (argc > 2 ? strtoul(argv[2], NULL, 10) : 256) << 10;
    unsigned long rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 5;

    static const char *const names[SIMD_KINDS] = {"bytewise", "portable", "avx2", "avx512", "neon"};
    for (int kind = -2; kind < SIMD_KINDS; kind++) {
        if (kind > SIMD_NONE && json_index_of((enum json_simd)kind) == NULL)
            continue;
        double best = 1e9;
        struct sum sum;
        for (unsigned long round = 0; round < rounds; round++) {
            double seconds = kind == -2   ? yajl_round(data, len, block, &sum)
                             : kind == -1 ? one_round(scan_yajl_new(), data, len, block, &sum)
                                          : one_round(scan_fast_new_with((enum json_simd)kind), data, len, block, &sum);
            best = seconds < best ? seconds : best;
        }
        report(kind == -2 ? "yajl alone" : kind == -1 ? "scan_yajl" : names[kind], best, len, &sum);
    }
    free(data);
    return 0;
}
