#include "cli/cli.h"

/*
 * What `layertrack serve` takes. Here, since the command must explain itself
 * even where the program that does the serving was not built.
 */
const char cli_serve_intro[] = "Usage: layertrack serve TRACE [OPTIONS]\n"
                               "\n"
                               "Shows an annotated trace in your browser: its passes and layers, and at a click\n"
                               "the trace itself in the Perfetto UI, where a layer is then one more click away.\n"
                               "Prints an address on 127.0.0.1 to open; Ctrl-C ends it.\n"
                               "\n";

const char cli_serve_outro[] = "\n"
                               "On a remote host the line to type at home (ssh -L) is printed, too.\n";

const struct cli_option cli_serve_options[] = {
    {"report", CLI_REPORT, "PATH", "its mapping report (default: TRACE.layers.json,\nwhen there)", NULL},
    {"port", CLI_PORT, "N", "listen here (default 0: any free port); a UI from\na folder gets the port after it", NULL},
    {"ui", CLI_UI, "URL",
     "another Perfetto UI (default\nhttps://ui.perfetto.dev/), or the folder of one,\n"
     "for hosts without internet",
     "      --ui URL|DIR"},
    {"open", CLI_OPEN, NULL, "open the address in the browser of this machine", NULL},
    {"once", CLI_ONCE, NULL, "end when the trace has been transferred once", NULL},
    CLI_LOG_OPTION("messages as text (default), json or github"),
    {"help", 'h', NULL, "show this", NULL},
    {0},
};
