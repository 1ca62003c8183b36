#include "guides/report_check.h"

#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/number.h"
#include "base/utf8.h"

static const char *const row_keys[] = {
    "pass_index", "layer_id",       "anchor_index", "anchor_name",       "anchor_tid",      "start_us",
    "end_us",     "guide_start_us", "guide_end_us", "start_relative_ms", "end_relative_ms", "boundary_kind",
};
#define ROW_KEYS (sizeof row_keys / sizeof *row_keys)

bool report_check_is_key(const struct member *member)
{
    for (size_t i = 0; i < ROW_KEYS; i++)
        if (strlen(row_keys[i]) == member->key_len && memcmp(row_keys[i], member->key, member->key_len) == 0)
            return true;
    return false;
}

static const char *shown(char *out, size_t size, const struct member *member)
{
    return member == NULL                ? "missing"
           : member->kind == JSON_NESTED ? "an object or array"
                                         : printable(out, size, member->text, member->len);
}

bool report_check_init(struct report_check *check, const struct report *report, size_t number,
                       struct findings *findings)
{
    const struct members *members = report_members(report, number);
    *check = (struct report_check){.number = number, .findings = findings, .known = true};
    const struct {
        const char *key;
        uint64_t *to;
        uint64_t least;
        bool newer; /* reports of earlier versions have it not, and mean the least */
    } counts[] = {
        {"num_layers", &check->num_layers, 1, false},         {"passes", &check->passes, 1, false},
        {"first_layer", &check->first_layer, 0, false},       {"anchor_offset", &check->anchor_offset, 0, false},
        {"matching_anchor_count", &check->anchors, 0, false}, {"anchor_stride", &check->stride, 1, true},
        {"extra_anchors_per_pass", &check->extras, 0, true}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[80];
        const struct member *member = members_find(members, counts[i].key);
        *counts[i].to = counts[i].least;
        if (member == NULL && counts[i].newer)
            continue;
        if (member_count(member, counts[i].to) && *counts[i].to >= counts[i].least)
            continue;
        check->known = false;
        finding(findings, LT_FINDING_DIFFERS,
                "the report's track %zu: %s is %s, not a whole number from %" PRIu64 " up", number, counts[i].key,
                shown(text, sizeof text, member), counts[i].least);
    }
    check->origin = members_find(&report->members, "trace_origin_us");
    const struct member *terminal = members_find(members, "end_anchor_regex");
    check->has_terminal = terminal != NULL && terminal->kind == JSON_STRING;
    uint64_t rows = report->tracks[number].rows;
    if (check->known && (unsigned __int128)check->num_layers * check->passes != rows) {
        check->known = false;
        finding(findings, LT_FINDING_DIFFERS,
                "the report's track %zu: num_layers %" PRIu64 " and passes %" PRIu64 ", but %" PRIu64 " rows of layers",
                number, check->num_layers, check->passes, rows);
    }
    return check->known;
}

/* A number of the row. */
static bool check_number(const struct report_check *check, const struct members *row, const char *key,
                         unsigned __int128 expected)
{
    char text[80];
    uint64_t number;
    const struct member *member = members_find(row, key);
    if (member == NULL || (member_count(member, &number) && number == expected))
        return true;
    if (expected > UINT64_MAX)
        expected = UINT64_MAX;
    finding(check->findings, LT_FINDING_DIFFERS,
            "the report's track %zu, row %" PRIu64 ": %s is %s, by the track's counts it is %" PRIu64, check->number,
            check->rows, key, shown(text, sizeof text, member), (uint64_t)expected);
    return false;
}

static bool check_counts(const struct report_check *check, const struct members *row)
{
    uint64_t pass = check->rows / check->num_layers, layer = check->rows % check->num_layers;
    unsigned __int128 per_pass = (unsigned __int128)check->num_layers * check->stride + check->extras;
    unsigned __int128 anchor = check->anchor_offset;
    /* What is beyond all anchors is wrong, whatever it is. */
    bool far = per_pass > UINT64_MAX;
    anchor += far ? UINT64_MAX : per_pass * pass + (unsigned __int128)layer * check->stride;
    bool good = check_number(check, row, "pass_index", pass);
    good &= check_number(check, row, "layer_id", (unsigned __int128)check->first_layer + layer);
    good &= check_number(check, row, "anchor_index", anchor);
    if (anchor < check->anchors)
        return good;
    finding(check->findings, LT_FINDING_DIFFERS,
            "the report's track %zu, row %" PRIu64 ": its anchor is beyond matching_anchor_count, %" PRIu64,
            check->number, check->rows, check->anchors);
    return false;
}

static bool row_differs(const struct report_check *check, const char *key, const char *why)
{
    finding(check->findings, LT_FINDING_DIFFERS, "the report's track %zu, row %" PRIu64 ": %s is not %s", check->number,
            check->rows, key, why);
    return false;
}

static bool check_boundary(const struct report_check *check, const struct members *row)
{
    const struct member *kind = members_find(row, "boundary_kind");
    bool last = (check->rows + 1) % check->num_layers == 0;
    const char *expected = !last                 ? "next_layer_anchor"
                           : check->has_terminal ? "terminal_kernel_end"
                                                 : "anchor_point_only";
    if (kind == NULL || (kind->kind == JSON_STRING && strcmp(kind->text, expected) == 0))
        return true;
    return row_differs(check, "boundary_kind", expected);
}

static enum decimal_status number_of(const struct member *member, struct decimal *out)
{
    return member->kind == JSON_NUMBER ? decimal_parse(out, member->text, member->len) : DECIMAL_NOT_A_NUMBER;
}

/* Whether the exact time less the origin, in ms, is the number. */
static bool is_since(const struct member *origin, const struct decimal *time, const struct member *ms)
{
    struct decimal start, since;
    char digits[DECIMAL_SIZE];
    if (ms->kind != JSON_NUMBER || number_of(origin, &start) != DECIMAL_OK ||
        decimal_subtract(&since, time, &start) != DECIMAL_OK)
        return false;
    since = decimal_shift(&since, 3);
    return number_same(digits, decimal_print(&since, digits), ms->text, ms->len);
}

/* What follows from an exact time; keys that are missing are told elsewhere. */
static bool check_time(const struct report_check *check, const struct members *row, const char *key,
                       const char *rounded_key, const char *relative_key)
{
    struct decimal time;
    const struct member *member = members_find(row, key), *rounded = members_find(row, rounded_key),
                        *ms_member = members_find(row, relative_key);
    int64_t number, expected;
    if (member == NULL)
        return true;
    enum decimal_status status = number_of(member, &time);
    if (status != DECIMAL_OK)
        return row_differs(check, key, status == DECIMAL_TOO_LONG ? "a number of at most 38 digits" : "a number");
    if (rounded != NULL && (!member_whole(rounded, &number) || !decimal_round(&time, &expected) || number != expected))
        return row_differs(check, rounded_key, "the exact time rounded");
    if (ms_member != NULL && check->origin != NULL && !is_since(check->origin, &time, ms_member))
        return row_differs(check, relative_key, "the exact time less trace_origin_us");
    return true;
}

bool report_check_row(struct report_check *check, const struct members *row)
{
    bool good = true;
    for (size_t i = 0; i < ROW_KEYS; i++)
        if (members_find(row, row_keys[i]) == NULL) {
            finding(check->findings, LT_FINDING_DIFFERS, "the report's track %zu, row %" PRIu64 ": has no %s",
                    check->number, check->rows, row_keys[i]);
            good = false;
        }
    if (check->known) {
        good &= check_counts(check, row);
        good &= check_boundary(check, row);
    }
    good &= check_time(check, row, "start_us", "guide_start_us", "start_relative_ms");
    good &= check_time(check, row, "end_us", "guide_end_us", "end_relative_ms");
    check->rows++;
    return good;
}

bool report_check_whole(const struct report *report, struct findings *findings)
{
    char text[80];
    uint64_t expected = 0, added;
    const struct member *member = members_find(&report->members, "added_event_count");
    bool good = true;
    if (members_find(&report->members, "trace_origin_us") == NULL) {
        finding(findings, LT_FINDING_DIFFERS, "the report has no trace_origin_us");
        good = false;
    }
    for (size_t i = 0; i < report->track_count; i++)
        expected += report->tracks[i].rows + 2;
    if (member_count(member, &added) && added == expected)
        return good;
    finding(findings, LT_FINDING_DIFFERS, "the report's added_event_count is %s, its rows come to %" PRIu64,
            shown(text, sizeof text, member), expected);
    return false;
}
