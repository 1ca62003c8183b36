/*
 * inspect_many.h - what inspect shows of many traces: a line for each
 */
#ifndef INSPECT_MANY_H
#define INSPECT_MANY_H

#include "cli/many.h"

/* Inspects them with the options; with `json`, of which `top` names each, one JSON object for each trace. The exit
 * code. */
int inspect_many(const struct lt_inspect_options *options, const struct cli_common *common, bool json, uint64_t top);

#endif
