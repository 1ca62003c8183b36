#include "cli/summary_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "cli/columns.h"
#include "jobs/ranks_messages.h"

enum column { RANK, PID, DEVICE, ANCHORS, OFFSET, PASSES, FIRST, LAST, WARNINGS, VERDICT, FILE_NAME, COLUMNS };

static const struct {
    const char *title;
    bool is_number; /* aligned to the right */
} columns[COLUMNS] = {
    [RANK] = {"rank", false},       [PID] = {"pid", true},         [DEVICE] = {"device", true},
    [ANCHORS] = {"anchors", true},  [OFFSET] = {"offset", true},   [PASSES] = {"passes", true},
    [FIRST] = {"first (us)", true}, [LAST] = {"last (us)", true},  [WARNINGS] = {"warnings", true},
    [VERDICT] = {"verdict", false}, [FILE_NAME] = {"file", false},
};

/* ---- cells -------------------------------------------------------------------------------------------------- */

static void add_safe(struct text *out, const char *string)
{
    line_add(out, string, strlen(string));
}

static void add_rank(struct text *out, const struct rank *rank)
{
    char name[RANK_TEXT_SIZE], label[RANK_TEXT_SIZE];
    text_puts(out, rank_text(rank, name));
    if (rank->number == RANK_NONE || rank_label(rank, label)[0] == '\0')
        return;
    text_puts(out, " (");
    text_puts(out, label);
    text_puts(out, ")");
}

/* done; refused: anchors-too-few; differs in anchors, runs. */
static void add_verdict(struct text *out, const struct summary *summary, size_t i)
{
    const struct rank_result *result = &summary->results[i];
    const char *before = "; differs in ";
    add_safe(out, result->verdict);
    if (result->class != NULL) {
        text_puts(out, ": ");
        add_safe(out, result->class);
    }
    for (size_t j = 0; j < summary->comparison->finding_count; j++) {
        const struct ranks_finding *finding = &summary->comparison->findings[j];
        if (ranks_standing(finding, i) != RANKS_DIFFERS)
            continue;
        text_puts(out, before);
        text_puts(out, ranks_what_name(finding->what));
        before = ", ";
    }
}

static void add_known(struct text *out, enum column column, const struct summary *summary, size_t i)
{
    const struct rank_result *result = &summary->results[i];
    switch (column) {
    case RANK:
        add_rank(out, &result->rank);
        break;
    case PID:
        add_safe(out, result->pid == NULL ? "" : result->pid);
        break;
    case DEVICE:
        add_safe(out, result->device == NULL ? "" : result->device);
        break;
    case ANCHORS:
        if (result->counted)
            text_u64(out, result->anchors);
        break;
    case OFFSET:
        if (result->accepted)
            text_u64(out, result->offset);
        break;
    case PASSES:
        if (result->accepted)
            text_u64(out, result->passes);
        break;
    case FIRST:
        if (result->accepted)
            text_decimal(out, &result->first_us);
        break;
    case LAST:
        if (result->accepted)
            text_decimal(out, &result->last_us);
        break;
    case WARNINGS:
        text_u64(out, result->warnings);
        break;
    case VERDICT:
        add_verdict(out, summary, i);
        break;
    default:
        add_safe(out, result->file);
        break;
    }
}

/* Makes a cell in `cell`, which is emptied before, with a NUL at its end. False when memory is out. */
static bool make_cell(struct text *cell, enum column column, const struct summary *summary, size_t i)
{
    cell->len = 0;
    add_known(cell, column, summary, i);
    if (cell->len == 0)
        text_puts(cell, "-");
    text_add(cell, "", 1);
    return !cell->failed;
}

/* ---- table -------------------------------------------------------------------------------------------------- */

static bool measure(const struct summary *summary, struct text *cell, size_t widths[COLUMNS])
{
    for (int column = 0; column < COLUMNS; column++)
        widths[column] = columns_width(columns[column].title);
    for (size_t i = 0; i < summary->count; i++)
        for (int column = 0; column < COLUMNS; column++) {
            if (!make_cell(cell, (enum column)column, summary, i))
                return false;
            size_t width = columns_width(cell->data);
            widths[column] = width > widths[column] ? width : widths[column];
        }
    return true;
}

static void add_blanks(struct text *out, size_t count)
{
    while (count-- > 0)
        text_puts(out, " ");
}

/* A cell in its column, two blanks behind the one before; behind the last one there is none. */
static void add_cell(struct text *out, enum column column, const char *cell, const size_t widths[COLUMNS])
{
    size_t blanks = widths[column] - columns_width(cell);
    if (column > 0)
        text_puts(out, "  ");
    if (columns[column].is_number)
        add_blanks(out, blanks);
    text_puts(out, cell);
    if (!columns[column].is_number && column != COLUMNS - 1)
        add_blanks(out, blanks);
}

bool summary_table(const struct summary *summary, struct text *out)
{
    size_t widths[COLUMNS];
    struct text cell = {0};
    size_t *order = ranks_order(summary->results, summary->count);
    bool room = order != NULL && measure(summary, &cell, widths);
    for (int column = 0; column < COLUMNS && room; column++)
        add_cell(out, (enum column)column, columns[column].title, widths);
    text_puts(out, "\n");
    for (size_t i = 0; i < summary->count && room; i++) {
        for (int column = 0; column < COLUMNS && room; column++) {
            room = make_cell(&cell, (enum column)column, summary, order[i]);
            if (room)
                add_cell(out, (enum column)column, cell.data, widths);
        }
        text_puts(out, "\n");
    }
    free(order);
    text_free(&cell);
    out->failed = out->failed || !room;
    return !out->failed;
}

/* ---- notes -------------------------------------------------------------------------------------------------- */

size_t summary_note_count(const struct summary *summary)
{
    return summary->comparison->finding_count + 3;
}

void summary_note(struct text *note, const struct summary *summary, size_t number)
{
    size_t findings = summary->comparison->finding_count;
    note->len = 0;
    if (number < findings) {
        ranks_finding_text(note, &summary->comparison->findings[number], summary->results, summary->count);
    } else if (number == findings) {
        ranks_present_text(note, summary->comparison);
        if (note->len > 0)
            text_puts(note, " are here");
    } else if (number == findings + 1) {
        size_t resumed = summary_resumed(summary);
        if (resumed == 0)
            return;
        text_u64(note, resumed);
        text_puts(note, " of ");
        text_u64(note, summary->count);
        text_puts(note, resumed == 1 ? " traces was done before and is as it was"
                                     : " traces were done before and are as they were");
    } else {
        struct text kinds = {0};
        file_kinds_text(&kinds, summary->passed_over);
        if (kinds.len > 0)
            text_puts(note, "passed over: ");
        text_add(note, kinds.data, kinds.len);
        note->failed = note->failed || kinds.failed;
        text_free(&kinds);
    }
}

/* ---- Markdown ----------------------------------------------------------------------------------------------- */

/* Kept for the lines that say what was left out. */
#define MARKDOWN_TAIL  256
#define MARKDOWN_LEAST 4096

/* Text as it is: every sign that may mean something gets a backslash. */
static void add_markdown(struct text *out, const char *string, size_t len)
{
    struct text safe = {0};
    line_add(&safe, string, len);
    for (size_t i = 0; i < safe.len; i++) {
        if (strchr("\\`*_{}[]<>()#+!|~&:$@", safe.data[i]) != NULL)
            text_puts(out, "\\");
        text_add(out, safe.data + i, 1);
    }
    out->failed = out->failed || safe.failed;
    text_free(&safe);
}

static void add_markdown_row(struct text *out, struct text *cell, const struct summary *summary, size_t i)
{
    for (int column = 0; column < COLUMNS; column++) {
        text_puts(out, column == 0 ? "| " : " | ");
        if (make_cell(cell, (enum column)column, summary, i))
            add_markdown(out, cell->data, cell->len - 1);
    }
    text_puts(out, " |\n");
}

static void add_left_out(struct text *out, uint64_t count, const char *one, const char *many)
{
    text_u64(out, count);
    text_puts(out, count == 1 ? one : many);
    text_puts(out, " left out for want of room; the JSON of --summary has all\n");
}

static void add_markdown_head(struct text *out, const struct summary *summary)
{
    text_puts(out, "### layertrack ");
    text_puts(out, summary->command);
    text_puts(out, ": ");
    text_u64(out, summary->count - summary_refused(summary));
    text_puts(out, " of ");
    text_u64(out, summary->count);
    text_puts(out, summary->count == 1 ? " trace done\n\n" : " traces done\n\n");
}

/* A line of a list, as long as the list stays within `most` bytes from `start` on; else it is counted. */
static void add_markdown_note(struct text *out, const struct text *note, size_t start, size_t most, uint64_t *left_out)
{
    struct text line = {0};
    text_puts(&line, "- ");
    add_markdown(&line, note->data, note->len);
    text_puts(&line, "\n");
    if (out->len - start + line.len > most)
        (*left_out)++;
    else
        text_add(out, line.data, line.len);
    out->failed = out->failed || line.failed || note->failed;
    text_free(&line);
}

/* The notes, and why which rank was refused, as far as they leave half of the room to the table. */
static void add_markdown_notes(struct text *out, const struct summary *summary, const size_t *order, size_t most)
{
    struct text note = {0};
    uint64_t left_out = 0;
    size_t start = out->len;
    for (size_t i = 0; i < summary_note_count(summary); i++) {
        summary_note(&note, summary, i);
        if (note.len > 0)
            add_markdown_note(out, &note, start, most / 2, &left_out);
    }
    for (size_t i = 0; i < summary->count; i++) {
        const struct rank_result *result = &summary->results[order[i]];
        if (result->message == NULL)
            continue;
        note.len = 0;
        text_puts(&note, result->file);
        text_puts(&note, ": ");
        text_puts(&note, result->message);
        add_markdown_note(out, &note, start, most / 2, &left_out);
    }
    if (left_out > 0) {
        text_puts(out, "- ");
        add_left_out(out, left_out, " finding was", " findings were");
    }
    if (out->len > start)
        text_puts(out, "\n");
    out->failed = out->failed || note.failed;
    text_free(&note);
}

static bool is_important(const struct summary *summary, size_t i)
{
    bool important = summary->results[i].exit_code != 0 || summary->results[i].warnings > 0;
    for (size_t j = 0; j < summary->comparison->finding_count && !important; j++)
        important = ranks_standing(&summary->comparison->findings[j], i) == RANKS_DIFFERS;
    return important;
}

/* Which rows fit `room` bytes: all of them, or as many as can be of the important ones, then of others. */
static bool choose_rows(const struct summary *summary, const size_t *order, size_t room, bool *chosen)
{
    struct text row = {0}, cell = {0};
    for (int important = 1; important >= 0; important--)
        for (size_t i = 0; i < summary->count; i++) {
            if (is_important(summary, order[i]) != (important == 1))
                continue;
            row.len = 0;
            add_markdown_row(&row, &cell, summary, order[i]);
            chosen[i] = row.len <= room;
            room -= chosen[i] ? row.len : 0;
        }
    bool made = !row.failed && !cell.failed;
    text_free(&row);
    text_free(&cell);
    return made;
}

static void add_markdown_rows(struct text *out, const struct summary *summary, const size_t *order, const bool *chosen)
{
    struct text cell = {0};
    uint64_t left_out = 0;
    for (size_t i = 0; i < summary->count; i++) {
        if (chosen[i])
            add_markdown_row(out, &cell, summary, order[i]);
        else
            left_out++;
    }
    if (left_out > 0) {
        text_puts(out, "\n");
        add_left_out(out, left_out, " row was", " rows were");
    }
    out->failed = out->failed || cell.failed;
    text_free(&cell);
}

bool summary_markdown(const struct summary *summary, size_t most, struct text *out)
{
    size_t room = (most < MARKDOWN_LEAST ? MARKDOWN_LEAST : most) - MARKDOWN_TAIL, start = out->len;
    size_t *order = ranks_order(summary->results, summary->count);
    bool *chosen = calloc(summary->count + 1, sizeof *chosen);
    add_markdown_head(out, summary);
    if (order != NULL)
        add_markdown_notes(out, summary, order, room);
    for (int column = 0; column < COLUMNS; column++) {
        text_puts(out, column == 0 ? "| " : " | ");
        text_puts(out, columns[column].title);
    }
    text_puts(out, " |\n");
    for (int column = 0; column < COLUMNS; column++)
        text_puts(out, columns[column].is_number ? "|--:" : "|---");
    text_puts(out, "|\n");
    bool made = !out->failed && order != NULL && chosen != NULL &&
                choose_rows(summary, order, room - (out->len - start), chosen);
    if (made)
        add_markdown_rows(out, summary, order, chosen);
    free(order);
    free(chosen);
    out->failed = out->failed || !made;
    return !out->failed;
}
