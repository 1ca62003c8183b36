#define _POSIX_C_SOURCE       200809L /* clock_gettime */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/match.h"

#include <pcre2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"

/*
 * Bounds on the work for one name, from one place in it on. A pattern that
 * needs more than this backtracks without end. Code from the JIT does not
 * count what it runs through in a loop over single characters, which is
 * fine for a short name.
 */
#define MATCH_LIMIT 1000000u

/*
 * A longer name goes to the interpreter, which counts every step, and may
 * take so many for each of its bytes. As that is again from one place on,
 * the whole search is watched as well: the pattern is compiled once more with
 * a callout before each of its items, which looks at the clock.
 */
#define LONG_NAME      ((size_t)4096)
#define STEPS_PER_BYTE 64u
#define LONG_SECONDS   5.0 /* of processor time */
#define CALLS_PER_LOOK 64u
#define DEPTH_LIMIT    100000u
#define HEAP_LIMIT_KIB 4096u
#define JIT_STACK_MAX  ((size_t)1 << 20)

struct matcher {
    const char *option;
    char *pattern;
    pcre2_code *code;
    pcre2_code
        *watched[2]; /* with callouts: [0] for long names, [1] for those that are not UTF-8; NULL: not needed so far */
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    int result; /* of the last search, when negative */
    /* While a long name is searched: */
    uint32_t calls;
    double began;
};

static pcre2_code *compile(const char *pattern, uint32_t options, int *code, PCRE2_SIZE *where)
{
    return pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | options, code, where, NULL);
}

struct matcher *matcher_new(const char *option, const char *pattern, struct lt_error *error)
{
    struct matcher *matcher = calloc(1, sizeof *matcher);
    if (matcher == NULL || (matcher->pattern = malloc(strlen(pattern) + 1)) == NULL)
        goto no_memory;
    matcher->option = option;
    memcpy(matcher->pattern, pattern, strlen(pattern) + 1);
    int code;
    PCRE2_SIZE where;
    matcher->code = compile(pattern, 0, &code, &where);
    if (matcher->code == NULL && code == PCRE2_ERROR_HEAP_FAILED)
        goto no_memory;
    if (matcher->code == NULL) {
        PCRE2_UCHAR why[256] = "";
        char shown[256];
        pcre2_get_error_message(code, why, sizeof why);
        fail_as(error, LT_CLASS_PATTERN, "%s '%s': %s at position %zu; correct the pattern", option,
                printable(shown, sizeof shown, pattern, strlen(pattern)), (const char *)why, (size_t)where);
        matcher_free(matcher);
        return NULL;
    }
    matcher->data = pcre2_match_data_create(1, NULL);
    matcher->context = pcre2_match_context_create(NULL);
    if (matcher->data == NULL || matcher->context == NULL)
        goto no_memory;
    pcre2_set_depth_limit(matcher->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(matcher->context, HEAP_LIMIT_KIB);
    /* Where there is no JIT the interpreter does the same, slower. */
    if (pcre2_jit_compile(matcher->code, PCRE2_JIT_COMPLETE) == 0) {
        matcher->stack = pcre2_jit_stack_create(32 * 1024, JIT_STACK_MAX, NULL);
        if (matcher->stack != NULL)
            pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
    }
    return matcher;
no_memory:
    fail_memory(error);
    matcher_free(matcher);
    return NULL;
}

static double processor_seconds(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec + (double)now.tv_nsec / 1e9 : 0;
}

/* A pcre2_callout: 0 goes on, a negative number ends the search with it. */
static int watch(pcre2_callout_block *block, void *ctx)
{
    (void)block;
    struct matcher *matcher = ctx;
    if (++matcher->calls % CALLS_PER_LOOK != 0)
        return 0;
    return processor_seconds() - matcher->began > LONG_SECONDS ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static int search(struct matcher *matcher, const pcre2_code *code, const char *name, size_t len, uint32_t options)
{
    return pcre2_match(code, (PCRE2_SPTR)name, len, 0, options, matcher->data, matcher->context);
}

/*
 * Of a pattern that begins with `.*` PCRE2 takes it that only the name's start
 * need be tried, which is not so behind a byte that nothing matches.
 */
static int search_watched(struct matcher *matcher, const char *name, size_t len, bool is_utf8)
{
    int code;
    PCRE2_SIZE where;
    pcre2_code **watched = &matcher->watched[!is_utf8];
    if (*watched == NULL)
        *watched =
            compile(matcher->pattern, PCRE2_AUTO_CALLOUT | (is_utf8 ? 0 : PCRE2_NO_DOTSTAR_ANCHOR), &code, &where);
    uint32_t limit = len > MATCH_LIMIT / STEPS_PER_BYTE ? (uint32_t)len * STEPS_PER_BYTE : MATCH_LIMIT;
    pcre2_set_match_limit(matcher->context, limit);
    pcre2_set_callout(matcher->context, watch, matcher);
    matcher->began = processor_seconds();
    /* A pattern of tens of kilobytes may be too large with callouts; then only the steps are counted. */
    int result = search(matcher, *watched != NULL ? *watched : matcher->code, name, len, PCRE2_NO_JIT);
    pcre2_set_callout(matcher->context, NULL, NULL);
    return result;
}

static int search_short(struct matcher *matcher, const char *name, size_t len)
{
    pcre2_set_match_limit(matcher->context, MATCH_LIMIT);
    int result = search(matcher, matcher->code, name, len, 0);
    return result == PCRE2_ERROR_JIT_STACKLIMIT ? search(matcher, matcher->code, name, len, PCRE2_NO_JIT) : result;
}

int matcher_search(struct matcher *matcher, const char *name, size_t len)
{
    bool is_utf8 = utf8_valid(name, len);
    matcher->result =
        is_utf8 && len <= LONG_NAME ? search_short(matcher, name, len) : search_watched(matcher, name, len, is_utf8);
    if (matcher->result >= 0)
        return 1;
    return matcher->result == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

enum lt_status matcher_error(const struct matcher *matcher, const char *file, const char *kind, const char *name,
                             size_t len, struct lt_error *error)
{
    PCRE2_UCHAR why[256] = "";
    char shown_pattern[256], shown_name[128], shown_file[512];
    pcre2_get_error_message(matcher->result, why, sizeof why);
    return fail_as(error, LT_CLASS_PATTERN_GAVE_UP,
                   "%s: %s '%s' gave up on the %s name '%s' (%s); write a pattern that backtracks less",
                   printable(shown_file, sizeof shown_file, file, strlen(file)), matcher->option,
                   printable(shown_pattern, sizeof shown_pattern, matcher->pattern, strlen(matcher->pattern)), kind,
                   printable(shown_name, sizeof shown_name, name, len), (const char *)why);
}

const char *matcher_pattern(const struct matcher *matcher)
{
    return matcher->pattern;
}

void matcher_free(struct matcher *matcher)
{
    if (matcher == NULL)
        return;
    pcre2_match_data_free(matcher->data);
    pcre2_match_context_free(matcher->context);
    pcre2_jit_stack_free(matcher->stack);
    pcre2_code_free(matcher->code);
    pcre2_code_free(matcher->watched[0]);
    pcre2_code_free(matcher->watched[1]);
    free(matcher->pattern);
    free(matcher);
}
