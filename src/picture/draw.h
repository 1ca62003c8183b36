/*
 * draw.h - a window of guides and kernels as an SVG picture
 */
#ifndef DRAW_H
#define DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "guides/guide_reader.h"
#include "picture/picture.h"

/* All there is to draw; nothing in it is changed. */
struct drawing {
    const struct guide_track *track;
    uint64_t pass;
    const char *file; /* base name */
    const struct picture *picture;
    struct picture_stream *const *streams;
    size_t stream_count, left_out;
    femtoseconds extension; /* by which the window goes on behind the last guide's start, or 0 */
    bool extends_by_mean;   /* ... which is the mean length of the pass's guides */
    unsigned width;         /* of the whole picture, px */
};

/* Width of the picture that is not plot, px. */
#define DRAW_MARGINS 112

/* Writes the picture; trouble shows in text->failed. */
void draw(const struct drawing *drawing, struct text *text);

#endif
