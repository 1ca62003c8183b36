#include "jobs/report_align.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "jobs/ranks_messages.h"

/* So many ranks are told by name. */
#define MOST_NAMES 8

/* ---- what cannot be laid side by side ---------------------------------------------------------------------- */

static enum lt_status check_names(const struct report_list *list, struct lt_error *error)
{
    char first[512], second[512];
    for (size_t i = 1; i < list->count; i++) {
        const struct report_item *a = &list->items[i - 1], *b = &list->items[i];
        if (strcmp(a->name, b->name) == 0)
            return fail(error, LT_SELECTION, "%s: is of %s, as '%s' is; name one report of each rank",
                        printable(second, sizeof second, b->path, strlen(b->path)), b->name,
                        printable(first, sizeof first, a->path, strlen(a->path)));
    }
    return LT_OK;
}

static bool same_tracks(const struct report_item *a, const struct report_item *b)
{
    bool same = a->track_count == b->track_count;
    for (size_t i = 0; i < a->track_count && same; i++)
        same = strcmp(a->tracks[i].phase, b->tracks[i].phase) == 0;
    return same;
}

/* The phases of a report, as far as they fit. */
static const char *phases(char *out, size_t size, const struct report_item *item)
{
    char phase[64];
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < item->track_count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", i > 0 ? ", " : "",
                                 printable(phase, sizeof phase, item->tracks[i].phase, strlen(item->tracks[i].phase)));
    return out;
}

static enum lt_status check_tracks(const struct report_list *list, struct lt_error *error)
{
    char name[512], own[512], others[512];
    for (size_t i = 1; i < list->count; i++) {
        const struct report_item *item = &list->items[i];
        if (!same_tracks(&list->items[0], item))
            return fail(error, LT_SELECTION,
                        "%s: has the tracks %s, the first report has %s; only reports of the same tracks in the same "
                        "order can be laid side by side",
                        printable(name, sizeof name, item->path, strlen(item->path)), phases(own, sizeof own, item),
                        phases(others, sizeof others, &list->items[0]));
    }
    return LT_OK;
}

static enum lt_status check_clocks(const struct report_list *list, struct lt_error *error)
{
    char name[512];
    for (size_t i = 0; i < list->count && list->count > 1; i++) {
        const struct report_item *item = &list->items[i];
        if (item->clock == REPORT_CLOCK_UNKNOWN)
            return fail(error, LT_SELECTION,
                        "%s: its clock is not known: its base_time_ns (the trace's baseTimeNanoseconds) does not say "
                        "where its times count from since 1970, and they are not since then themselves; annotate the "
                        "trace again if this report is of an earlier version, else its skew cannot be told",
                        printable(name, sizeof name, item->path, strlen(item->path)));
    }
    return LT_OK;
}

/* ---- what is said ------------------------------------------------------------------------------------------ */

static void say(const struct align *align, const char *phase, const struct ranks_finding *finding,
                const struct rank_result *results, struct lt_error *error)
{
    struct text sentence = {0};
    char name[128];
    ranks_finding_text(&sentence, finding, results, align->list->count);
    text_add(&sentence, "", 1);
    if (sentence.failed)
        fail_memory(error);
    else if (align->list->items[0].track_count == 1)
        warn_of(align->listener, LT_CLASS_DIFFERENT, 1, error_nowhere, "%s", sentence.data);
    else
        warn_of(align->listener, LT_CLASS_DIFFERENT, 1, error_nowhere, "track '%s': %s",
                printable(name, sizeof name, phase, strlen(phase)), sentence.data);
    text_free(&sentence);
}

/* What ranks differ in, in one track. */
static enum lt_status compare(const struct align *align, size_t track, struct lt_error *error)
{
    const struct report_list *list = align->list;
    struct ranks_comparison comparison = {0};
    struct rank_result *results = calloc(list->count, sizeof *results);
    if (results == NULL)
        return fail_memory(error);
    for (size_t i = 0; i < list->count; i++)
        results[i] = list->items[i].tracks[track].result;
    if (!ranks_compare(&comparison, results, list->count))
        fail_memory(error);
    for (size_t i = 0; i < comparison.finding_count && error->status == LT_OK; i++)
        say(align, list->items[0].tracks[track].phase, &comparison.findings[i], results, error);
    ranks_comparison_free(&comparison);
    free(results);
    return error->status;
}

/* ---- columns ----------------------------------------------------------------------------------------------- */

static const char *const common[] = {"phase", "pass_index", "layer_id", "label"};
#define COMMON    (sizeof common / sizeof *common)
#define OF_A_RANK 2

static const char *column(struct align *align, const char *name, const char *what)
{
    size_t len = strlen(name), more = strlen(what);
    char *text = arena_take(&align->arena, len + more + 1);
    if (text == NULL)
        return NULL;
    memcpy(text, name, len);
    memcpy(text + len, what, more + 1);
    return text;
}

static bool name_columns(struct align *align)
{
    const struct report_list *list = align->list;
    const char **columns = calloc(COMMON + OF_A_RANK * list->count, sizeof *columns);
    align->columns = columns;
    if (columns == NULL)
        return false;
    align->column_count = COMMON + OF_A_RANK * list->count;
    memcpy(columns, common, sizeof common);
    for (size_t i = 0; i < list->count; i++) {
        const char **own = &columns[COMMON + OF_A_RANK * i];
        own[0] = column(align, list->items[i].name, "_start_us");
        own[1] = column(align, list->items[i].name, "_skew_us");
        if (own[0] == NULL || own[1] == NULL)
            return false;
    }
    return true;
}

/* Opens a report once more, which must be the one that is in the list. */
static enum lt_status open_again(struct report_rows *reader, const struct report_item *item, struct lt_error *error)
{
    char name[512];
    uint64_t rows = 0;
    if (report_rows_open(reader, item->path, error) != LT_OK)
        return error->status;
    bool same = reader->report.track_count == item->track_count;
    for (size_t i = 0; i < reader->report.track_count; i++)
        rows += reader->report.tracks[i].rows;
    if (same && rows == item->rows)
        return LT_OK;
    return fail_as(error, LT_CLASS_SOURCE_CHANGED, "%s: changed while it was read; wait until it is complete",
                   printable(name, sizeof name, item->path, strlen(item->path)));
}

static enum lt_status open_all(struct align *align, struct lt_error *error)
{
    size_t count = align->list->count;
    align->readers = calloc(count, sizeof *align->readers);
    align->at = calloc(count, sizeof *align->at);
    align->tracks = calloc(count, sizeof *align->tracks);
    if (align->readers == NULL || align->at == NULL || align->tracks == NULL || !name_columns(align))
        return fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct report_rows *reader = &align->readers[align->opened++];
        if (open_again(reader, &align->list->items[i], error) != LT_OK ||
            report_rows_next(reader, &align->tracks[i], &align->at[i], error) != LT_OK)
            return error->status;
    }
    return LT_OK;
}

enum lt_status align_begin(struct align *align, const struct report_list *list, const struct listener *listener,
                           struct lt_error *error)
{
    *align = (struct align){.list = list, .listener = listener};
    if (check_names(list, error) != LT_OK || check_tracks(list, error) != LT_OK || check_clocks(list, error) != LT_OK)
        return error->status;
    for (size_t track = 0; track < list->items[0].track_count; track++)
        if (compare(align, track, error) != LT_OK)
            return error->status;
    return open_all(align, error);
}

void align_comment(const struct align *align, struct text *out)
{
    const struct report_list *list = align->list;
    size_t counts[] = {[REPORT_CLOCK_UNKNOWN] = 0, [REPORT_CLOCK_TOLD] = 0, [REPORT_CLOCK_SINCE] = 0};
    for (size_t i = 0; i < list->count; i++)
        counts[list->items[i].clock]++;
    text_puts(out, " Skews are us behind the first rank's start of the same layer, by the hosts' clocks");
    text_puts(out, counts[REPORT_CLOCK_TOLD] > 0 ? " (baseTimeNanoseconds)" : "");
    if (counts[REPORT_CLOCK_SINCE] > 0) {
        text_puts(out, "; times of ");
        text_u64(out, counts[REPORT_CLOCK_SINCE]);
        text_puts(out, counts[REPORT_CLOCK_SINCE] == 1 ? " rank without that are" : " ranks without that are");
        text_puts(out, " plainly us since 1970, and taken as such");
    }
    text_puts(out, ".");
}

/* ---- rows -------------------------------------------------------------------------------------------------- */

/* Where a row stands among those of its report. */
struct key {
    size_t track;
    uint64_t pass, layer;
};

static struct key key_of(const struct align *align, size_t rank)
{
    struct key key = {.track = align->tracks[rank]};
    member_count(members_find(align->at[rank], "pass_index"), &key.pass);
    member_count(members_find(align->at[rank], "layer_id"), &key.layer);
    return key;
}

static bool is_before(struct key a, struct key b)
{
    if (a.track != b.track)
        return a.track < b.track;
    return a.pass != b.pass ? a.pass < b.pass : a.layer < b.layer;
}

/* The next row of all; false when there is none. */
static bool next_key(const struct align *align, struct key *next)
{
    bool found = false;
    for (size_t i = 0; i < align->list->count; i++) {
        if (align->at[i] == NULL)
            continue;
        struct key key = key_of(align, i);
        if (!found || is_before(key, *next))
            *next = key;
        found = true;
    }
    return found;
}

static bool is_at(const struct align *align, size_t rank, struct key key)
{
    if (align->at[rank] == NULL)
        return false;
    struct key own = key_of(align, rank);
    return !is_before(own, key) && !is_before(key, own);
}

static bool start_of(const struct align *align, size_t rank, struct decimal *out)
{
    const struct member *start = members_find(align->at[rank], "start_us");
    return decimal_parse(out, start->text, start->len) == DECIMAL_OK;
}

/*
 * How much later a start is than the first rank's. Starts and bases are
 * subtracted by themselves: of equal bases, the usual case, no digit is needed.
 */
static bool skew_of(const struct align *align, size_t rank, const struct decimal *first, struct decimal *out)
{
    struct decimal start, apart, base;
    struct decimal own_base = decimal_from_int(align->list->items[rank].base_ns);
    struct decimal first_base = decimal_from_int(align->list->items[0].base_ns);
    if (decimal_subtract(&base, &own_base, &first_base) != DECIMAL_OK || !start_of(align, rank, &start) ||
        decimal_subtract(&apart, &start, first) != DECIMAL_OK)
        return false;
    base = decimal_shift(&base, 3);
    if (decimal_add(out, &apart, &base) != DECIMAL_OK)
        return false;
    *out = decimal_shift(out, 0);
    return true;
}

static enum lt_status refuse_long(const struct align *align, size_t rank, struct key key, struct lt_error *error)
{
    char name[512];
    const char *path = align->list->items[rank].path;
    return fail_as(error, LT_CLASS_TIME_RANGE,
                   "%s: the skew of layer %" PRIu64 " in pass %" PRIu64
                   " has more than 38 digits; its start cannot be compared with the first rank's",
                   printable(name, sizeof name, path, strlen(path)), key.layer, key.pass);
}

static enum lt_status put_rank(const struct align *align, struct table *table, size_t rank, struct key key,
                               const struct decimal *first, struct lt_error *error)
{
    struct decimal skew;
    char digits[DECIMAL_SIZE];
    if (!is_at(align, rank, key)) {
        table_empty(table);
        table_empty(table);
        return LT_OK;
    }
    const struct member *exact = members_find(align->at[rank], "start_us");
    table_spelled(table, exact->text, exact->len);
    if (first == NULL) {
        table_empty(table);
        return LT_OK;
    }
    if (!skew_of(align, rank, first, &skew))
        return refuse_long(align, rank, key, error);
    table_spelled(table, digits, decimal_print(&skew, digits));
    return LT_OK;
}

static enum lt_status put_row(const struct align *align, struct table *table, struct key key, struct lt_error *error)
{
    const char *phase = align->list->items[0].tracks[key.track].phase;
    char label[24];
    struct decimal first;
    bool has_first = is_at(align, 0, key);
    if (has_first && !start_of(align, 0, &first))
        return refuse_long(align, 0, key, error);
    table_text(table, phase, strlen(phase));
    table_u64(table, key.pass);
    table_u64(table, key.layer);
    table_text(table, label, (size_t)snprintf(label, sizeof label, "L%" PRIu64, key.layer));
    for (size_t i = 0; i < align->list->count; i++)
        if (put_rank(align, table, i, key, has_first ? &first : NULL, error) != LT_OK)
            return error->status;
    table_end_row(table);
    return LT_OK;
}

/* On to the next row, in the reports that were at this one. */
static enum lt_status step(struct align *align, struct key key, struct lt_error *error)
{
    for (size_t i = 0; i < align->list->count; i++)
        if (is_at(align, i, key) &&
            report_rows_next(&align->readers[i], &align->tracks[i], &align->at[i], error) != LT_OK)
            return error->status;
    return LT_OK;
}

/* Which ranks have not all rows. */
static enum lt_status warn_of_gaps(const struct align *align, struct lt_error *error)
{
    struct text names = {0};
    char name[128];
    size_t ranks = 0;
    uint64_t cells = 0;
    for (size_t i = 0; i < align->list->count; i++) {
        const struct report_item *item = &align->list->items[i];
        if (item->rows == align->rows)
            continue;
        cells += align->rows - item->rows;
        if (ranks++ >= MOST_NAMES)
            continue;
        text_puts(&names, ranks > 1 ? ", " : "");
        text_u64(&names, align->rows - item->rows);
        text_puts(&names, " of ");
        text_puts(&names, printable(name, sizeof name, item->name, strlen(item->name)));
    }
    if (ranks > MOST_NAMES) {
        text_puts(&names, ", and of ");
        text_u64(&names, ranks - MOST_NAMES);
        text_puts(&names, " more");
    }
    text_add(&names, "", 1);
    if (names.failed)
        fail_memory(error);
    else if (ranks > 0)
        warn_of(align->listener, LT_CLASS_DIFFERENT, cells, error_nowhere,
                "not all ranks have the same passes and layers: of %" PRIu64
                " rows, some have empty cells (%s); those of one name are side by side, whether they are the same step "
                "is for you to see",
                align->rows, names.data);
    text_free(&names);
    return error->status;
}

enum lt_status align_write(struct align *align, struct table *table, struct lt_error *error)
{
    struct key key = {0};
    while (next_key(align, &key) && !table->out->failed) {
        if (put_row(align, table, key, error) != LT_OK || step(align, key, error) != LT_OK)
            return error->status;
        align->rows++;
    }
    return table->out->failed ? LT_OK : warn_of_gaps(align, error);
}

void align_end(struct align *align)
{
    for (size_t i = 0; i < align->opened; i++)
        report_rows_close(&align->readers[i]);
    free(align->readers);
    free(align->at);
    free(align->tracks);
    free((void *)(uintptr_t)align->columns);
    arena_free(&align->arena);
}
