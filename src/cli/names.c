#include "cli/cli.h"

#include <string.h>

/* How the command line calls what the library has a name for; options of one name mean the same in all commands. */
static const struct {
    const char *name, *option;
} names[] = {
    {"anchor_offset", "--anchor-offset"},
    {"anchor_run", "--anchor-offset run:K"},
    {"anchor_regex", "--anchor-regex"},
    {"anchor_stride", "--anchor-stride"},
    {"device", "--device"},
    {"dry_run", "--dry-run"},
    {"end_anchor_regex", "--end-anchor-regex"},
    {"evidence", "--evidence"},
    {"extra_anchors_per_pass", "--extra-anchors-per-pass"},
    {"fail_on_warning", "--fail-on-warning"},
    {"files_from", "--files-from"},
    {"first_layer", "--first-layer"},
    {"first_layer-last_layer", "--layers"},
    {"landmarks[].count", "the count of --landmark-regex"},
    {"landmarks[].regex", "--landmark-regex"},
    {"level", "--level"},
    {"num_layers", "--num-layers"},
    {"output", "-o"},
    {"output_dir", "--output-dir"},
    {"passes", "--passes"},
    {"phase", "--phase"},
    {"pid", "--pid"},
    {"report", "--report"},
    {"separator", "-0"},
    {"skip_partial", "--skip-partial"},
    {"spec", "--spec"},
    {"track", "--track"},
    {"width", "--width"},
    {"within", "--within"},
    {"within_gpu", "--within-gpu"},
    {"LT_PARSER_STRICT", "--strict"},
    {"lt_annotate()", "layertrack annotate"},
    {"lt_inspect()", "layertrack inspect"},
    {"lt_verify()", "layertrack verify"},
};

const char *cli_name(void *ctx, const char *name)
{
    (void)ctx;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].option;
    return NULL;
}
