/*
 * report_fit.h - whether an earlier report states what is asked for now, and what it says was found
 */
#ifndef REPORT_FIT_H
#define REPORT_FIT_H

#include "rules/tracks.h"

struct report_fit {
    char sha256[65];      /* of the source's stored bytes */
    uint64_t output_size; /* in bytes, uncompressed */
    struct lt_found found;

    /* The found facts' own. */
    struct lt_found_track tracks[LT_MAX_TRACKS];
    const struct lt_found_track *pointers[LT_MAX_TRACKS];
    struct arena texts;
};

/*
 * Reads the report `path`, rows and all. LT_OK, and the facts are filled in:
 * it agrees with itself and states the tracks of `tracks`, member by member,
 * process and device only where they are asked for. LT_IO: it states others
 * (LT_CLASS_OTHER_SELECTION, and the member that differs), or it is no report
 * or does not agree with itself (LT_CLASS_NO_REPORT); `output` is what the
 * message is about. Of the facts runs and warnings are not known. After any
 * result report_fit_free() may be called.
 */
enum lt_status report_fit_read(struct report_fit *fit, const char *path, const char *output,
                               const struct tracks *tracks, struct lt_error *error);
void report_fit_free(struct report_fit *fit);

#endif
