/*
 * findings.h - what verify has found, one sentence each
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "base/error.h"

/* So many differences are told one by one; the rest is counted. */
#define FINDINGS_TOLD 20

struct findings {
    lt_finding_fn *say;
    void *ctx;
    uint64_t differences;
};

void finding(struct findings *findings, enum lt_finding kind, const char *format, ...) PRINTF_LIKE(3, 4);

/* Tells how many were not told. */
void findings_end(struct findings *findings);

#endif
