#define _POSIX_C_SOURCE 200809L
#include "jobs/summary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/line.h"
#include "jobs/ranks_messages.h"
#include "layertrack.h"

size_t summary_refused(const struct summary *summary)
{
    size_t refused = 0;
    for (size_t i = 0; i < summary->count; i++)
        refused += summary->results[i].exit_code != 0;
    return refused;
}

size_t summary_resumed(const struct summary *summary)
{
    size_t resumed = 0;
    for (size_t i = 0; i < summary->count; i++)
        resumed += summary->results[i].exit_code == 0 && summary->results[i].as_before;
    return resumed;
}

/* ---- values ------------------------------------------------------------------------------------------------ */

/* A further member of an object; the functions behind it add one too. */
static void add_key(struct text *out, const char *key)
{
    text_puts(out, ", ");
    text_key(out, key);
}

static void add_string(struct text *out, const char *key, const char *string)
{
    text_puts(out, ", ");
    text_key_string(out, key, string);
}

static void add_count(struct text *out, const char *key, bool known, uint64_t count)
{
    add_key(out, key);
    if (known)
        text_u64(out, count);
    else
        text_puts(out, "null");
}

static void add_number(struct text *out, const char *key, int64_t number)
{
    add_count(out, key, number != RANK_NONE, (uint64_t)number);
}

static void add_time(struct text *out, const char *key, bool known, const struct decimal *time)
{
    add_key(out, key);
    if (known)
        text_decimal(out, time);
    else
        text_puts(out, "null");
}

/* [[3, 36], [1, 20]]: three runs of 36, one of 20. */
static void add_runs(struct text *out, const struct rank_result *result)
{
    if (result->runs == NULL) {
        text_puts(out, "null");
        return;
    }
    text_puts(out, "[");
    for (size_t i = 0, end; i < result->run_count; i = end) {
        for (end = i + 1; end < result->run_count && result->runs[end] == result->runs[i];)
            end++;
        text_puts(out, i > 0 ? ", [" : "[");
        text_u64(out, end - i);
        text_puts(out, ", ");
        text_u64(out, result->runs[i]);
        text_puts(out, "]");
    }
    text_puts(out, "]");
}

/* ---- findings ---------------------------------------------------------------------------------------------- */

/* What a group's ranks have in common. */
static void add_value(struct text *out, const struct summary *summary, const struct ranks_finding *finding,
                      size_t group)
{
    const struct rank_result *result = &summary->results[finding->first[group]];
    switch (finding->what) {
    case RANKS_ANCHORS:
        text_u64(out, result->anchors);
        break;
    case RANKS_PASSES:
        text_u64(out, result->passes);
        break;
    case RANKS_RUNS:
        add_runs(out, result);
        break;
    case RANKS_NAME:
        text_json(out, result->anchor_name, strlen(result->anchor_name));
        break;
    case RANKS_TIME:
        text_i64(out, group == 0 ? 0 : ranks_time_apart(finding, summary->results, summary->count, group));
        break;
    case RANKS_WORLD:
        text_i64(out, result->rank.world_size);
        break;
    default:
        text_puts(out, "null");
        break;
    }
}

static void add_finding(struct text *out, const struct summary *summary, const struct ranks_finding *finding,
                        const size_t *order)
{
    struct text sentence = {0};
    ranks_finding_text(&sentence, finding, summary->results, summary->count);
    text_add(&sentence, "", 1);
    text_puts(out, "{");
    text_key_string(out, "what", ranks_what_name(finding->what));
    text_puts(out, finding->tie ? ", \"tie\": true, " : ", \"tie\": false, ");
    text_key_string(out, "sentence", sentence.data);
    text_puts(out, ", \"groups\": [");
    for (size_t group = 0; group < finding->group_count; group++) {
        const char *between = "";
        text_puts(out, group > 0 ? ", {\"value\": " : "{\"value\": ");
        add_value(out, summary, finding, group);
        text_puts(out, ", \"ranks\": [");
        for (size_t i = 0; i < summary->count; i++) {
            if (finding->group_of[order[i]] != group)
                continue;
            text_puts(out, between);
            text_u64(out, i);
            between = ", ";
        }
        text_puts(out, "]}");
    }
    text_puts(out, "]}");
    out->failed = out->failed || sentence.failed;
    text_free(&sentence);
}

/* ---- ranks ------------------------------------------------------------------------------------------------- */

static void add_rank(struct text *out, const struct rank *rank)
{
    static const char *const sources[] = {[RANK_UNKNOWN] = NULL,
                                          [RANK_FROM_NAME] = "name",
                                          [RANK_FROM_FOLDER] = "folder",
                                          [RANK_FROM_CONTENT] = "content"};
    char label[RANK_TEXT_SIZE];
    rank_label(rank, label);
    add_number(out, "rank", rank->number);
    add_string(out, "rank_from", sources[rank->source]);
    add_number(out, "named_rank", rank->named);
    add_string(out, "label", label[0] == '\0' ? NULL : label);
}

static void add_differences(struct text *out, const struct ranks_comparison *comparison, size_t rank)
{
    const char *between = "";
    add_key(out, "differs_in");
    text_puts(out, "[");
    for (size_t i = 0; i < comparison->finding_count; i++) {
        if (ranks_standing(&comparison->findings[i], rank) != RANKS_DIFFERS)
            continue;
        text_puts(out, between);
        text_puts(out, "\"");
        text_puts(out, ranks_what_name(comparison->findings[i].what));
        text_puts(out, "\"");
        between = ", ";
    }
    text_puts(out, "]");
}

static void add_result(struct text *out, const struct summary *summary, size_t i)
{
    const struct rank_result *result = &summary->results[i];
    text_puts(out, "{");
    text_key_string(out, "file", result->file);
    add_string(out, "output", result->output);
    add_rank(out, &result->rank);
    add_string(out, "pid", result->pid);
    add_string(out, "device", result->device);
    add_count(out, "anchors", result->counted, result->anchors);
    add_string(out, "anchor_name", result->anchor_name);
    add_key(out, "runs");
    add_runs(out, result);
    add_count(out, "offset", result->accepted, result->offset);
    add_count(out, "passes", result->accepted, result->passes);
    add_time(out, "first_us", result->accepted, &result->first_us);
    add_time(out, "last_us", result->accepted, &result->last_us);
    add_key(out, "base_time_ns");
    if (result->has_base)
        text_i64(out, result->base_ns);
    else
        text_puts(out, "null");
    add_count(out, "warnings", true, result->warnings);
    add_differences(out, summary->comparison, i);
    add_string(out, "verdict", result->verdict);
    add_string(out, "class", result->class);
    add_string(out, "message", result->message);
    add_count(out, "exit_code", true, (uint64_t)result->exit_code);
    text_puts(out, "}");
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

#define BEGINNING "{\n\"schema_version\": 1, \"tool_version\": "

bool summary_is_ours(const char *path)
{
    char begun[sizeof BEGINNING - 1];
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ours = fd >= 0 && pread(fd, begun, sizeof begun, 0) == (ssize_t)sizeof begun &&
                memcmp(begun, BEGINNING, sizeof begun) == 0;
    if (fd >= 0)
        close(fd);
    return ours;
}

static void add_head(struct text *out, const struct summary *summary)
{
    size_t refused = summary_refused(summary);
    uint64_t warnings = 0;
    for (size_t i = 0; i < summary->count; i++)
        warnings += summary->results[i].warnings;
    text_puts(out, BEGINNING);
    text_json(out, lt_version(), strlen(lt_version()));
    add_string(out, "command", summary->command);
    add_count(out, "exit_code", true, (uint64_t)summary->exit_code);
    text_puts(out, ",\n");
    text_key_u64(out, "traces", summary->count);
    size_t resumed = summary_resumed(summary);
    add_count(out, "done", true, summary->count - refused - resumed);
    add_count(out, "refused", true, refused);
    add_count(out, "resumed", true, resumed);
    add_count(out, "warnings", true, warnings);
    add_count(out, "ranks_present", true, summary->comparison->present);
    add_number(out, "world_size", summary->comparison->world_size);
    text_puts(out, ",\n");
}

static void add_passed_over(struct text *out, const struct summary *summary)
{
    const char *between = "";
    text_puts(out, "\"passed_over\": {");
    for (int kind = 0; kind < FILE_KINDS; kind++) {
        if (summary->passed_over[kind] == 0)
            continue;
        text_puts(out, between);
        text_key_u64(out, file_kind_key((enum file_kind)kind), summary->passed_over[kind]);
        between = ", ";
    }
    text_puts(out, "},\n");
}

bool summary_json(const struct summary *summary, struct text *out)
{
    struct text json = {0};
    size_t *order = ranks_order(summary->results, summary->count);
    if (order == NULL)
        return false;
    add_head(&json, summary);
    add_passed_over(&json, summary);
    text_puts(&json, "\"findings\": [");
    for (size_t i = 0; i < summary->comparison->finding_count; i++) {
        text_puts(&json, i > 0 ? ",\n" : "\n");
        add_finding(&json, summary, &summary->comparison->findings[i], order);
    }
    text_puts(&json, "],\n\"ranks\": [");
    for (size_t i = 0; i < summary->count; i++) {
        text_puts(&json, i > 0 ? ",\n" : "\n");
        add_result(&json, summary, order[i]);
    }
    text_puts(&json, "]\n}\n");
    free(order);
    line_add_json(out, json.data, json.len);
    out->failed = out->failed || json.failed;
    text_free(&json);
    return !out->failed;
}
