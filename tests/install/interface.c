/*
 * What a program of somebody else's does with the library, built as it would
 * be: interface TRACE ANCHOR prints the rows of a dry run, its warnings, and
 * an error's parts. With -DLATER it uses a member that a later header has.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <layertrack.h>

static bool on_row(void *ctx, const struct lt_row *row)
{
    (void)ctx;
    printf("row %" PRIu64 " L%" PRIu64 " from %s to %s\n", row->pass_index, row->layer_id, row->start_us, row->end_us);
    return true;
}

static void on_warning(void *ctx, const struct lt_warning *warning)
{
    (void)ctx;
    printf("warning %s %" PRIu64 "\n", lt_class_word(warning->class_id), warning->count);
}

static const char *on_name(void *ctx, const char *name)
{
    (void)ctx;
    return strcmp(name, "anchor_regex") == 0 ? "Pattern" : NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return LT_USAGE;
    struct lt_track track = {
        .size = sizeof track, .anchor_regex = argv[2], .num_layers = 2, .phase = "decode", .evidence = "a test"};
    struct lt_annotate_options options = {
        .size = sizeof options,
        .trace = argv[1],
        .tracks = &track,
        .track_count = 1,
        .warning = on_warning,
        .name = on_name,
        .row = on_row,
        .dry_run = true,
#ifdef LATER
        .later = LATER,
#endif
    };
    struct lt_annotate_result result = {.size = sizeof result};
    struct lt_error error = {.size = sizeof error};
    if (lt_annotate(&options, &result, &error) != LT_OK)
        printf("error %s: %s | %s\n", lt_class_word(error.class_id), error.what, error.hint);
    else
        printf("%" PRIu64 " guides\n", result.guides);
    return (int)error.status;
}
