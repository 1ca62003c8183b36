#include "report_check.h"

#include <inttypes.h>
#include <string.h>

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
    return member == NULL                  ? "missing"
           : member->kind == MEMBER_NESTED ? "an object or array"
                                           : printable(out, size, member->text, member->len);
}

bool report_check_init(struct report_check *check, const struct report *report, size_t number,
                       struct findings *findings)
{
    const struct members *own = &report->tracks[number].members;
    const struct members *members = own->count > 0 ? own : &report->members;
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

bool report_check_row(struct report_check *check, const struct members *row)
{
    bool good = true;
    for (size_t i = 0; i < ROW_KEYS; i++)
        if (members_find(row, row_keys[i]) == NULL) {
            finding(check->findings, LT_FINDING_DIFFERS, "the report's track %zu, row %" PRIu64 ": has no %s",
                    check->number, check->rows, row_keys[i]);
            good = false;
        }
    if (check->known)
        good &= check_counts(check, row);
    check->rows++;
    return good;
}

bool report_check_added(const struct report *report, struct findings *findings)
{
    char text[80];
    uint64_t expected = 0, added;
    const struct member *member = members_find(&report->members, "added_event_count");
    for (size_t i = 0; i < report->track_count; i++)
        expected += report->tracks[i].rows + 2;
    if (member_count(member, &added) && added == expected)
        return true;
    finding(findings, LT_FINDING_DIFFERS, "the report's added_event_count is %s, its rows come to %" PRIu64,
            shown(text, sizeof text, member), expected);
    return false;
}
