/*
 * picture.h - the kernels of a window, as they come, reduced to what is drawn
 *
 * Of a stream is kept, per pixel column: the one widest kernel of at least a
 * pixel that begins there, and a tally of all others that do (narrower than
 * a pixel, or overlapping a wider one). So memory is bounded by the picture
 * and not by the trace: 48 bytes per stream and column, and at most 350
 * more for each kernel that is drawn on its own.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/text.h"
#include "guides/guide_reader.h"

/*
 * A time for drawing: whole femtoseconds. Digits of a decimal of us beyond
 * the ninth behind the point are not used; one beyond +-10^28 becomes that
 * bound, which lies outside of any window and leaves room for sums.
 */
typedef __int128 femtoseconds;

#define PICTURE_US ((femtoseconds)1000000000)

femtoseconds picture_time(const struct decimal *us);

/* When a guide begins and ends. */
femtoseconds picture_begin(const struct guide_row *row);
femtoseconds picture_end(const struct guide_row *row);

/* Prints a time exactly, without zeros at the end: digits 0 in us, 3 ms, 6 s. */
void picture_print(struct text *text, femtoseconds time, unsigned digits);

/* Positions are hundredths of a pixel from the window's start. */
#define PICTURE_UNIT 100

/* More streams than this in one window are refused. */
#define PICTURE_MAX_STREAMS 4096

/* A kernel that is drawn on its own; x0 < x1 are clipped to the window. */
struct picture_kernel {
    femtoseconds start, dur;
    int64_t x0, x1;
    size_t len;
    char name[]; /* decoded, cut by guide_reader_cut_name() */
};

#define PICTURE_MAX_NAME GUIDES_NAME_LENGTH

struct picture_column {
    struct picture_kernel *kernel; /* or NULL */
    femtoseconds longest;          /* of the others */
    uint32_t others;
    uint8_t colour; /* of the longest other */
};

struct picture_stream {
    uint32_t device; /* number in `devices`, INTERN_NONE: not named */
    const char *tid; /* decoded; belongs to the table of streams */
    size_t tid_len;
    bool tid_is_number;
    femtoseconds busy; /* sum of the kernels' lengths within the window */
    uint64_t kernels, others;
    struct picture_column *columns; /* [picture.width] */
};

struct picture {
    const char *trace_name;
    struct lt_error *error;
    const struct guide_value *pid;
    const char *device;           /* wanted text, or NULL */
    const struct guide_row *rows; /* the window's guides, in order */
    size_t row_count;
    const struct intern *names; /* of the guides' anchors */
    femtoseconds start, length; /* of the window; length > 0 */
    unsigned width;             /* columns */

    struct intern keys; /* (device, tid) of a stream */
    struct picture_stream *streams;
    size_t stream_count, stream_capacity;
    struct intern devices;
    uint64_t *anchors; /* by device: kernels that begin where a guide does; the last one: of no device */
    size_t anchors_capacity;
    struct arena passing;
};

/* A scan_event_fn with a struct picture as context. False with *error set. */
bool picture_event(void *picture, const struct scan_event *event);

/* Where a time lies: hundredths of a pixel, rounded half up, clipped to the window. */
int64_t picture_x(const struct picture *picture, femtoseconds time);

/* Whether a guide of the window begins exactly then. */
bool picture_begins_guide(const struct picture *picture, femtoseconds start);

/* Whether a kernel is the anchor of a guide of the window: by its start, and by its name where the guide tells one. */
bool picture_is_anchor(const struct picture *picture, const struct picture_kernel *kernel);

/*
 * After the reading: the streams to draw, at most `most`, the busiest ones,
 * in order of device and tid; the caller frees the list. Of several devices
 * only that with the anchors counts. *count: how many; *left_out: how many
 * there are besides. NULL when memory is out.
 */
struct picture_stream **picture_streams(struct picture *picture, size_t most, size_t *count, size_t *left_out);

/* The colour of a kernel, from its short name: 0 to PICTURE_COLOURS - 1. */
#define PICTURE_COLOURS 12
uint8_t picture_colour(const char *name, size_t len);

/*
 * The part of a kernel's name that people call it by: without template
 * arguments, parameters and namespaces. Writes at most `size` bytes to
 * `out`, no NUL; returns how many.
 */
size_t picture_short_name(char *out, size_t size, const char *name, size_t len);

void picture_free(struct picture *picture);

#endif
