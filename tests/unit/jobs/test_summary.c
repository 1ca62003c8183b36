/* The summary of many ranks as JSON, byte by byte, and read back by another parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before cmocka, whose fail() is a macro. */
#include "jobs/summary.h"
#include "layertrack.h"

#include <cmocka.h>
#include <yajl/yajl_tree.h>

static const uint64_t runs[] = {36, 36, 36, 20};

static void make(struct rank_result results[3])
{
    for (int i = 0; i < 3; i++)
        results[i] = (struct rank_result){.counted = true, .anchors = 128, .pid = "7", .verdict = "done"};
    results[0].file = "t/r0-b.json";
    results[0].rank = rank_with_content(rank_of_path("t/r0-b.json"), 2, 4);
    results[0].output = "out/r0-b.layers.trace.json";
    results[0].device = "2";
    results[0].anchor_name = "rms";
    results[0].runs = runs;
    results[0].run_count = 4;
    results[0].accepted = true;
    results[0].offset = 36;
    results[0].passes = 2;
    decimal_parse(&results[0].first_us, "4203669603771.648", 17);
    decimal_parse(&results[0].last_us, "4203669604771.5000", 18);
    results[0].has_base = true;
    results[0].base_ns = INT64_C(1700000000000000000);
    results[0].warnings = 3;
    results[1].file = "t/##[error]\n::x-TP-1.json";
    results[1].rank = rank_of_path(results[1].file);
    results[1].anchors = 130;
    results[1].verdict = "refused";
    results[1].class = "anchors-too-few";
    results[1].message = "need 144, found 130";
    results[1].exit_code = 4;
    results[2].file = "t/rank1.json";
    results[2].rank = rank_of_path(results[2].file);
}

static const char expected[] =
    "{\n"
    "\"schema_version\": 1, \"tool_version\": \"" LT_VERSION "\", \"command\": \"annotate\", \"exit_code\": 4,\n"
    "\"traces\": 3, \"done\": 2, \"refused\": 1, \"resumed\": 0, \"warnings\": 3, \"ranks_present\": 2, "
    "\"world_size\": 4,\n"
    "\"passed_over\": {\"report\": 1, \"merged\": 2},\n"
    "\"findings\": [\n"
    "{\"what\": \"anchors\", \"tie\": false, \"sentence\": \"rank TP1 has 130 anchors, where the other 2 ranks have "
    "128 "
    "anchors\", \"groups\": [{\"value\": 128, \"ranks\": [0, 1]}, {\"value\": 130, \"ranks\": [2]}]}],\n"
    "\"ranks\": [\n"
    "{\"file\": \"t/rank1.json\", \"output\": null, \"rank\": 1, \"rank_from\": \"name\", \"named_rank\": null, "
    "\"label\": null, \"pid\": \"7\", \"device\": null, \"anchors\": 128, \"anchor_name\": null, \"runs\": null, "
    "\"offset\": null, \"passes\": null, \"first_us\": null, \"last_us\": null, \"base_time_ns\": null, "
    "\"warnings\": 0, \"differs_in\": [], \"verdict\": \"done\", \"class\": null, \"message\": null, "
    "\"exit_code\": 0},\n"
    "{\"file\": \"t/r0-b.json\", \"output\": \"out/r0-b.layers.trace.json\", \"rank\": 2, \"rank_from\": \"content\", "
    "\"named_rank\": 0, \"label\": null, \"pid\": \"7\", \"device\": \"2\", \"anchors\": 128, \"anchor_name\": "
    "\"rms\", \"runs\": [[3, 36], [1, 20]], \"offset\": 36, \"passes\": 2, \"first_us\": 4203669603771.648, "
    "\"last_us\": 4203669604771.5000, \"base_time_ns\": 1700000000000000000, \"warnings\": 3, \"differs_in\": [], "
    "\"verdict\": \"done\", \"class\": null, \"message\": null, \"exit_code\": 0},\n"
    "{\"file\": \"t/##\\u005berror]\\n::x-TP-1.json\", \"output\": null, \"rank\": null, \"rank_from\": null, "
    "\"named_rank\": null, \"label\": \"TP1\", \"pid\": \"7\", \"device\": null, \"anchors\": 130, \"anchor_name\": "
    "null, \"runs\": null, \"offset\": null, \"passes\": null, \"first_us\": null, \"last_us\": null, "
    "\"base_time_ns\": null, \"warnings\": 0, \"differs_in\": [\"anchors\"], \"verdict\": \"refused\", \"class\": "
    "\"anchors-too-few\", \"message\": \"need 144, found 130\", \"exit_code\": 4}]\n"
    "}\n";

static void bytes(void **state)
{
    (void)state;
    struct rank_result results[3];
    struct ranks_comparison comparison;
    uint64_t passed_over[FILE_KINDS] = {[FILE_MERGED] = 2, [FILE_REPORT] = 1};
    struct text out = {0};
    make(results);
    assert_true(ranks_compare(&comparison, results, 3));
    struct summary summary = {"annotate", results, 3, &comparison, passed_over, 4};
    assert_true(summary_json(&summary, &out));
    ranks_comparison_free(&comparison);
    text_add(&out, "", 1);
    assert_string_equal(out.data, expected);
    /* A value keeps its bytes, whatever was done to the line. */
    yajl_val tree = yajl_tree_parse(out.data, NULL, 0);
    assert_non_null(tree);
    const char *path[] = {"ranks", NULL};
    yajl_val last = YAJL_GET_ARRAY(yajl_tree_get(tree, path, yajl_t_array))->values[2];
    const char *file[] = {"file", NULL};
    assert_string_equal(YAJL_GET_STRING(yajl_tree_get(last, file, yajl_t_string)), results[1].file);
    yajl_tree_free(tree);
    text_free(&out);
}

/* One rank that differs in every way, so that each finding has its value. */
static void values(void **state)
{
    (void)state;
    static const uint64_t other[] = {36, 36, 20, 36};
    static const char *const wanted[] = {
        "[{\"value\": 2, \"ranks\": [0, 1, 2]}, {\"value\": 3, \"ranks\": [3]}]",
        ("[{\"value\": [[3, 36], [1, 20]], \"ranks\": [0, 1, 2]}, {\"value\": [[2, 36], [1, 20], [1, 36]], \"ranks\": "
         "[3]}]"),
        "[{\"value\": \"rms\", \"ranks\": [0, 1, 2]}, {\"value\": \"a\\\"\", \"ranks\": [3]}]",
        "[{\"value\": 0, \"ranks\": [0, 1, 2]}, {\"value\": -4999999999, \"ranks\": [3]}]",
        "[{\"value\": 8, \"ranks\": [0, 1, 2]}, {\"value\": 16, \"ranks\": [3]}]",
        "[{\"value\": null, \"ranks\": [2, 3]}]",
    };
    struct rank_result results[4];
    for (int i = 0; i < 4; i++) {
        bool odd = i == 3;
        results[i] = (struct rank_result){
            .file = i == 2 ? "a" : "b",
            .rank = rank_with_content(rank_of_path("x"), odd ? 2 : i, odd ? 16 : 8),
            .counted = true,
            .anchors = 128,
            .runs = odd ? other : runs,
            .run_count = 4,
            .anchor_name = odd ? "a\"" : "rms",
            .accepted = true,
            .passes = odd ? 3 : 2,
            .has_base = true,
            .base_ns = odd ? 1 : INT64_C(5000000000),
        };
    }
    struct ranks_comparison comparison;
    uint64_t passed_over[FILE_KINDS] = {0};
    struct text out = {0};
    assert_true(ranks_compare(&comparison, results, 4));
    assert_int_equal(comparison.finding_count, sizeof wanted / sizeof *wanted);
    struct summary summary = {"inspect", results, 4, &comparison, passed_over, 0};
    assert_true(summary_json(&summary, &out));
    ranks_comparison_free(&comparison);
    text_add(&out, "", 1);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strstr(out.data, wanted[i]) == NULL)
            fail_msg("%s is not in %s", wanted[i], out.data);
    assert_non_null(
        strstr(out.data, "\"differs_in\": [\"passes\", \"runs\", \"anchor-name\", \"time\", \"world-size\"]"));
    text_free(&out);
}

static void nothing(void **state)
{
    (void)state;
    struct ranks_comparison comparison;
    uint64_t passed_over[FILE_KINDS] = {0};
    struct text out = {0};
    assert_true(ranks_compare(&comparison, NULL, 0));
    struct summary summary = {"verify", NULL, 0, &comparison, passed_over, 0};
    assert_true(summary_json(&summary, &out));
    text_add(&out, "", 1);
    yajl_val tree = yajl_tree_parse(out.data, NULL, 0);
    assert_non_null(tree);
    yajl_tree_free(tree);
    text_free(&out);
    ranks_comparison_free(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes),
        cmocka_unit_test(values),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
