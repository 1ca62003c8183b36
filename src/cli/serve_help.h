/*
 * serve_help.h - the help page of `layertrack serve`
 *
 * Shown by the command, and by the program that does the serving: the command
 * must explain itself even where that program was not built.
 */
#ifndef CLI_SERVE_HELP_H
#define CLI_SERVE_HELP_H

#define SERVE_HELP                                                                                                     \
    "Usage: layertrack serve TRACE [OPTIONS]\n"                                                                        \
    "\n"                                                                                                               \
    "Shows an annotated trace in your browser: its passes and layers, and at a click\n"                                \
    "the trace itself in the Perfetto UI, where a layer is then one more click away.\n"                                \
    "Prints an address on 127.0.0.1 to open; Ctrl-C ends it.\n"                                                        \
    "\n"                                                                                                               \
    "  --report PATH      its mapping report (default: TRACE.layers.json, when there)\n"                               \
    "  --port N           listen here (default 0: any free port); a UI from a folder\n"                                \
    "                     gets the port after it\n"                                                                    \
    "  --ui URL           another Perfetto UI (default https://ui.perfetto.dev/)\n"                                    \
    "  --ui DIR           serve the Perfetto UI in this folder, for hosts without\n"                                   \
    "                     internet\n"                                                                                  \
    "  --open             open the address in the browser of this machine\n"                                           \
    "  --once             end when the trace has been transferred once\n"                                              \
    "  -h, --help         show this\n"                                                                                 \
    "\n"                                                                                                               \
    "On a remote host the line to type at home (ssh -L) is printed, too.\n"

#endif
