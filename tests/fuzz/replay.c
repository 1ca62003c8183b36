/*
 * replay.c - runs files through a fuzz target without a fuzzer
 *
 *   replay [--mutate N] [--seed S] FILES...
 *
 * Gives each file to LLVMFuzzerTestOneInput(), and then N mutations of it:
 * bytes changed, removed and doubled, pieces of the other files put in. Prints
 * how many inputs there were; a target that finds something aborts, after
 * the input was written to replay-failed.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No mutation grows beyond this. */
#define LARGEST ((size_t)1 << 16)

struct file {
    const char *name;
    uint8_t *data;
    size_t size;
};

static uint64_t state = 1;

static size_t below(size_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit == 0 ? 0 : (size_t)(state >> 11) % limit;
}

static const uint8_t *current;
static size_t current_size;

/* Keeps the input that a target aborted on. */
static void on_abort(int sig)
{
    FILE *out = fopen("replay-failed", "wb");
    if (out != NULL) {
        fwrite(current, 1, current_size, out);
        fclose(out);
    }
    signal(sig, SIG_DFL);
    raise(sig);
}

static void run(const uint8_t *data, size_t size)
{
    current = data;
    current_size = size;
    LLVMFuzzerTestOneInput(data, size);
}

/* Replaces data[at..at+gone) by `more` bytes. Returns the new size, or the old one when it would be too large. */
static size_t replace(uint8_t *data, size_t size, size_t at, size_t gone, const uint8_t *more, size_t len)
{
    if (size - gone + len > LARGEST)
        return size;
    memmove(data + at + len, data + at + gone, size - at - gone);
    memmove(data + at, more, len);
    return size - gone + len;
}

static size_t mutate(uint8_t *data, size_t size, const struct file *files, size_t count)
{
    static const char *const pieces[] = {"\"", "\\", "{", "}", "[",   "]",    ":",   ",",   " ",        "\n",
                                         "0",  "-",  ".", "e", "nan", "true", ",\"", "\\u", "\xc3\xa9", "\xff"};
    for (size_t rounds = 1 + below(4); rounds > 0; rounds--) {
        size_t at = below(size + 1);
        size_t gone = below(3) == 0 ? below(size - at + 1) : below(2) < size - at ? below(2) : 0;
        switch (below(5)) {
        case 0:
            if (at < size)
                data[at] = (uint8_t)below(256);
            break;
        case 1: {
            const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
            size = replace(data, size, at, gone, (const uint8_t *)piece, strlen(piece));
            break;
        }
        case 2:
            size = replace(data, size, at, gone < 64 ? gone : 64, (const uint8_t *)"", 0);
            break;
        case 3: {
            /* A piece of this input again, from another place. */
            uint8_t copy[256];
            size_t from = below(size + 1);
            size_t len = below((size - from < sizeof copy ? size - from : sizeof copy) + 1);
            memcpy(copy, data + from, len);
            size = replace(data, size, at, 0, copy, len);
            break;
        }
        default: {
            const struct file *other = &files[below(count)];
            size_t from = below(other->size + 1);
            size = replace(data, size, at, gone, other->data + from, below(other->size - from + 1));
        }
        }
    }
    return size;
}

static int load(struct file *file, const char *name)
{
    file->name = name;
    FILE *in = fopen(name, "rb");
    file->data = malloc(LARGEST);
    if (in == NULL || file->data == NULL) {
        perror(name);
        return -1;
    }
    file->size = fread(file->data, 1, LARGEST, in);
    fclose(in);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long mutations = 0;
    int arg = 1;
    for (; arg + 1 < argc && argv[arg][0] == '-'; arg += 2)
        if (strcmp(argv[arg], "--mutate") == 0)
            mutations = strtoul(argv[arg + 1], NULL, 10);
        else if (strcmp(argv[arg], "--seed") == 0)
            state = strtoull(argv[arg + 1], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) | 1;
        else
            break;
    size_t count = (size_t)(argc - arg);
    if (arg >= argc || argv[arg][0] == '-') {
        fprintf(stderr, "usage: replay [--mutate N] [--seed S] FILES...\n");
        return 2;
    }
    signal(SIGABRT, on_abort);
    struct file *files = calloc(count, sizeof *files);
    uint8_t *data = malloc(LARGEST);
    if (files == NULL || data == NULL)
        return 1;
    for (size_t i = 0; i < count; i++)
        if (load(&files[i], argv[arg + (int)i]) != 0)
            return 1;
    unsigned long inputs = 0;
    for (size_t i = 0; i < count; i++) {
        run(files[i].data, files[i].size);
        inputs++;
        for (unsigned long m = 0; m < mutations; m++) {
            memcpy(data, files[i].data, files[i].size);
            size_t size = mutate(data, files[i].size, files, count);
            run(data, size);
            inputs++;
        }
    }
    for (size_t i = 0; i < count; i++)
        free(files[i].data);
    free(files);
    free(data);
    printf("%lu inputs\n", inputs);
    return 0;
}
