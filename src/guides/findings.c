#include "guides/findings.h"

#include <stdarg.h>
#include <stdio.h>

void finding(struct findings *findings, enum lt_finding kind, const char *format, ...)
{
    char sentence[2048];
    if (kind == LT_FINDING_DIFFERS && findings->differences++ >= FINDINGS_TOLD)
        return;
    if (findings->say == NULL)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    findings->say(findings->ctx, kind, sentence);
}

void findings_end(struct findings *findings)
{
    char sentence[64];
    if (findings->differences <= FINDINGS_TOLD || findings->say == NULL)
        return;
    snprintf(sentence, sizeof sentence, "and %llu more", (unsigned long long)(findings->differences - FINDINGS_TOLD));
    findings->say(findings->ctx, LT_FINDING_DIFFERS, sentence);
}
