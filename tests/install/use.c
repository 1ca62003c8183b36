/* Labels a trace through the installed library: use TRACE OUTPUT. */
#include <stdio.h>

#include <layertrack.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return LT_USAGE;
    struct lt_track track = {
        .anchor_regex = "rotary_embedding_kernel",
        .num_layers = 2,
        .passes = 2,
        .phase = "decode",
        .evidence = "made with one rotary embedding a layer",
        .anchor_stride = 1,
    };
    struct lt_annotate_options options = {
        .trace = argv[1],
        .output = argv[2],
        .tracks = &track,
        .track_count = 1,
    };
    struct lt_annotate_result result;
    struct lt_error error = {0};
    if (lt_annotate(&options, &result, &error) != LT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return (int)error.status;
    }
    printf("%s: %llu guides\n", lt_version(), (unsigned long long)result.guides);
    return 0;
}
