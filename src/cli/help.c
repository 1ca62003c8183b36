#include "cli.h"

#include <stdio.h>
#include <string.h>

static const char general[] = "layertrack adds a track of layer guides (L0, L1, ...) to a PyTorch GPU trace.\n"
                              "\n"
                              "Usage: layertrack annotate [TRACE] [-o OUTPUT] OPTIONS  add guides\n"
                              "       layertrack help [COMMAND]                        show a command's options\n"
                              "       layertrack --version\n"
                              "\n"
                              "With an option as the first argument the command is annotate. TRACE and OUTPUT\n"
                              "are plain or gzip, - or nothing is standard input and output. Example:\n"
                              "\n"
                              "  layertrack annotate rank0.json.gz -o rank0.layers.json.gz \\\n"
                              "    --anchor-regex rotary_embedding --num-layers 36 --anchor-offset 0 \\\n"
                              "    --phase decode --evidence 'one rotary embedding per layer, see model.py'\n"
                              "\n"
                              "Exit codes: 0 done, 1 difference found, 2 wrong usage, 3 trace not usable,\n"
                              "4 selection refused, 5 input/output trouble. Manual: man layertrack\n";

static const char annotate[] = "Usage: layertrack annotate [TRACE] [-o OUTPUT] OPTIONS\n"
                               "      --trace PATH           the trace; - is standard input (default when piped)\n"
                               "  -o, --output PATH          - is standard output; a name in .gz is compressed\n"
                               "      --report PATH          mapping report (default: OUTPUT.layers.json)\n"
                               "      --anchor-regex RE      kernel that runs once per layer (required)\n"
                               "      --num-layers N         anchors per pass (required)\n"
                               "      --anchor-offset K      index of a verified first layer's anchor (required)\n"
                               "      --phase TEXT           what is labelled, e.g. decode (required)\n"
                               "      --evidence TEXT        why the anchor is right (required)\n"
                               "      --passes P             complete passes to label (default: 1)\n"
                               "      --first-layer F        number of the first label (default: 0)\n"
                               "      --pid PID              choose among GPU processes\n"
                               "      --device DEV           choose among devices (args.device)\n"
                               "      --end-anchor-regex RE  kernel that ends a layer; closes each pass\n"
                               "  -z, --gzip / --no-gzip     compress or not, whatever the name says\n"
                               "      --level 1..9           gzip level (default: 6)\n"
                               "      --strict               refuse what is not strict JSON\n"
                               "      --threads N            default: number of cores\n"
                               "      --progress WHEN        auto, always or never; -q is never\n"
                               "  -h, --help                 this page\n";

int cli_help(const char *command)
{
    const char *page = command == NULL ? general : strcmp(command, "annotate") == 0 ? annotate : NULL;
    if (page == NULL)
        return cli_usage("unknown command '%s'; see layertrack --help", command);
    if (fputs(page, stdout) < 0 || fflush(stdout) != 0) {
        fprintf(stderr, "layertrack: standard output cannot be written\n");
        return LT_IO;
    }
    return LT_OK;
}
