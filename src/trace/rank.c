#include "trace/rank.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A part of a path. */
struct part {
    const char *text;
    size_t len;
};

/* What one part tells. */
struct told {
    int64_t rank, worker, leading;
    int64_t axes[RANK_AXES];
    bool two_ranks, two_workers, two_of_axis[RANK_AXES];
};

static const char *const axis_names[RANK_AXES] = {"TP", "DP", "PP", "EP"};

/* Words before `rank` that make it another thing than the rank in the job. */
static const char *const other_ranks[] = {"local", "node", "group", "lora", "low", "mp", "cp", "dcp", "sp"};

static const struct rank unknown = {.number = RANK_NONE,
                                    .axes = {RANK_NONE, RANK_NONE, RANK_NONE, RANK_NONE},
                                    .world_size = RANK_NONE,
                                    .named = RANK_NONE,
                                    .source = RANK_UNKNOWN};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_separator(char c)
{
    return c == '[' || c == '_' || c == '-' || c == '.';
}

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

/*
 * The number that begins at `at` and has no letter behind it; RANK_NONE when
 * there is none. *end is the place behind it.
 */
static int64_t number_at(struct part part, size_t at, size_t *end)
{
    int64_t number = 0;
    size_t i = at;
    for (; i < part.len && is_digit(part.text[i]); i++)
        if (number <= INT32_MAX)
            number = number * 10 + (part.text[i] - '0');
    *end = i;
    bool letter_behind = i < part.len && is_letter(part.text[i]);
    return i == at || letter_behind || number > INT32_MAX ? RANK_NONE : number;
}

/* The number of a word that ends at `at`: at once, or behind a separator. */
static int64_t number_of_word(struct part part, size_t at, size_t *end)
{
    size_t from = at < part.len && is_separator(part.text[at]) ? at + 1 : at;
    return number_at(part, from, end);
}

static void tell(int64_t *slot, bool *two, int64_t number)
{
    if (number == RANK_NONE)
        return;
    *two = *two || (*slot != RANK_NONE && *slot != number);
    *slot = number;
}

/* The axis that a word names; RANK_AXES for none. */
static enum rank_axis axis_of(const char *word, size_t len)
{
    for (int axis = 0; axis < RANK_AXES; axis++)
        if (is_word(word, len, axis_names[axis]))
            return (enum rank_axis)axis;
    return RANK_AXES;
}

/* `rank` stands at `at`, and its number was read. */
static void tell_rank(struct told *told, struct part part, size_t at, int64_t number)
{
    size_t end = at > 0 && is_separator(part.text[at - 1]) ? at - 1 : at;
    size_t start = end;
    while (start > 0 && is_letter(part.text[start - 1]))
        start--;
    enum rank_axis axis = axis_of(part.text + start, end - start);
    if (axis != RANK_AXES) {
        tell(&told->axes[axis], &told->two_of_axis[axis], number);
        return;
    }
    for (size_t i = 0; i < sizeof other_ranks / sizeof *other_ranks; i++)
        if (is_word(part.text + start, end - start, other_ranks[i]))
            return;
    tell(&told->rank, &told->two_ranks, number);
}

/* Whether _PID.NS. stands at `at`: what stands before it is a host's name. */
static bool is_behind_host(struct part part, size_t at)
{
    size_t end;
    if (at >= part.len || part.text[at] != '_')
        return false;
    size_t digits = at + 1;
    while (digits < part.len && is_digit(part.text[digits]))
        digits++;
    if (digits == at + 1 || digits >= part.len || part.text[digits] != '.')
        return false;
    number_at(part, digits + 1, &end);
    return end > digits + 1 && end < part.len && part.text[end] == '.';
}

/* Whether -ba and digits stand at `at`: an epoch stands before it. */
static bool is_behind_epoch(struct part part, size_t at)
{
    return at + 3 < part.len && strncasecmp(part.text + at, "-ba", 3) == 0 && is_digit(part.text[at + 3]);
}

/* A word of letters from `at` to `end`. */
static void tell_word(struct told *told, struct part part, size_t at, size_t end)
{
    const char *word = part.text + at;
    size_t len = end - at, behind;
    if (is_word(word, len, "rank")) {
        tell_rank(told, part, at, number_of_word(part, end, &behind));
    } else if (is_word(word, len, "worker")) {
        int64_t number = number_at(part, end, &behind);
        if (!is_behind_host(part, behind))
            tell(&told->worker, &told->two_workers, number);
    } else if (axis_of(word, len) != RANK_AXES && (at == 0 || !is_digit(word[-1]))) {
        enum rank_axis axis = axis_of(word, len);
        int64_t number = number_of_word(part, end, &behind);
        if (axis != RANK_EP || !is_behind_epoch(part, behind))
            tell(&told->axes[axis], &told->two_of_axis[axis], number);
    } else if (at == 0 && len == 1 && word[0] == 'r') {
        int64_t number = number_at(part, end, &behind);
        if (behind < part.len && part.text[behind] == '-')
            told->leading = number;
    }
}

static struct told read_part(struct part part)
{
    struct told told = {RANK_NONE, RANK_NONE, RANK_NONE, {RANK_NONE, RANK_NONE, RANK_NONE, RANK_NONE}, 0, 0, {0}};
    for (size_t at = 0; at < part.len;) {
        size_t end = at;
        while (end < part.len && is_letter(part.text[end]))
            end++;
        if (end > at)
            tell_word(&told, part, at, end);
        at = end > at ? end : at + 1;
    }
    return told;
}

/* The last part before `end`, a place in `path`; "." is none. */
static struct part part_before(const char *path, size_t end)
{
    while (true) {
        while (end > 0 && path[end - 1] == '/')
            end--;
        size_t start = end;
        while (start > 0 && path[start - 1] != '/')
            start--;
        if (end - start != 1 || path[start] != '.')
            return (struct part){path + start, end - start};
        end = start;
    }
}

/* Takes the rank that a part tells, unless there is one. */
static void take_rank(struct rank *rank, const struct told *told, enum rank_source source)
{
    if (rank->number != RANK_NONE || rank->ambiguous)
        return;
    int64_t number = told->rank != RANK_NONE     ? told->rank
                     : told->worker != RANK_NONE ? told->worker
                     : source == RANK_FROM_NAME  ? told->leading
                                                 : RANK_NONE;
    if (number == RANK_NONE)
        return;
    rank->ambiguous = told->rank != RANK_NONE ? told->two_ranks : told->two_workers;
    if (rank->ambiguous)
        return;
    rank->number = number;
    rank->source = source;
}

/* Takes the axes that a part tells, unless there are some. */
static void take_axes(struct rank *rank, const struct told *told)
{
    for (int axis = 0; axis < RANK_AXES; axis++)
        if (rank->axes[axis] != RANK_NONE)
            return;
    for (int axis = 0; axis < RANK_AXES; axis++)
        rank->axes[axis] = told->two_of_axis[axis] ? RANK_NONE : told->axes[axis];
}

struct rank rank_of_path(const char *path)
{
    struct rank rank = unknown;
    struct part name = part_before(path, strlen(path));
    struct part folder = part_before(path, (size_t)(name.text - path));
    if (is_word(folder.text, folder.len, "ASCEND_PROFILER_OUTPUT"))
        folder = part_before(path, (size_t)(folder.text - path));
    struct told by_name = read_part(name);
    struct told by_folder = read_part(folder);
    take_rank(&rank, &by_name, RANK_FROM_NAME);
    take_rank(&rank, &by_folder, RANK_FROM_FOLDER);
    take_axes(&rank, &by_name);
    take_axes(&rank, &by_folder);
    return rank;
}

struct rank rank_with_content(struct rank named, int64_t number, int64_t world_size)
{
    struct rank rank = named;
    if (world_size >= 1 && world_size <= INT32_MAX)
        rank.world_size = world_size;
    if (number < 0 || number > INT32_MAX)
        return rank;
    rank.named = named.number != number ? named.number : RANK_NONE;
    rank.number = number;
    rank.source = RANK_FROM_CONTENT;
    rank.ambiguous = false;
    return rank;
}

bool rank_of_merged_pid(const char *pid, size_t len, struct rank *rank)
{
    const char *end = len > 0 && pid[0] == '[' ? memchr(pid, ']', len) : NULL;
    *rank = unknown;
    if (end == NULL || end + 1 == pid + len || end[1] != ' ')
        return false;
    struct told told = read_part((struct part){pid + 1, (size_t)(end - pid) - 1});
    take_rank(rank, &told, RANK_FROM_CONTENT);
    take_axes(rank, &told);
    char label[RANK_TEXT_SIZE];
    return rank_text(rank, label)[0] != '\0';
}

const char *rank_label(const struct rank *rank, char out[RANK_TEXT_SIZE])
{
    size_t used = 0;
    out[0] = '\0';
    for (int axis = 0; axis < RANK_AXES; axis++) {
        if (rank->axes[axis] == RANK_NONE)
            continue;
        int len = snprintf(out + used, RANK_TEXT_SIZE - used, "%s%s%" PRId64, used > 0 ? " " : "", axis_names[axis],
                           rank->axes[axis]);
        used += (size_t)len;
    }
    return out;
}

const char *rank_text(const struct rank *rank, char out[RANK_TEXT_SIZE])
{
    if (rank->number == RANK_NONE)
        return rank_label(rank, out);
    snprintf(out, RANK_TEXT_SIZE, "%" PRId64, rank->number);
    return out;
}
