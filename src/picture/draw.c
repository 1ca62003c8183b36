#include "picture/draw.h"

#include <string.h>

#include "picture/svg.h"

/* The layout, px. */
#define LEFT         96
#define GUIDE_TOP    44
#define GUIDE_HEIGHT 24
#define ROWS_TOP     78
#define ROW_PITCH    24
#define ROW_HEIGHT   20
#define LINE         17
#define EDGE         16

/* Kernels and guides narrower than these hundredths of a pixel have no box, or no name, of their own. */
#define LEAST_BOX  (4 * PICTURE_UNIT)
#define LEAST_NAME (30 * PICTURE_UNIT)

/* Columns of text, in hundredths of a pixel: of the fixed-width names, and of running text at its widest. */
#define NAME_COLUMN  605
#define LABEL_COLUMN 760
#define TEXT_COLUMN  640

/* So many names of anchors are told, and of each so much. */
#define MOST_ANCHORS   2
#define ANCHOR_COLUMNS 80

static const char style[] =
    "<style>\n"
    "svg{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}\n"
    ".bg{fill:#fff;stroke:#d1d9e0}.t{font-size:14px;font-weight:600}text{fill:#1f2328}.m{fill:#59636e}\n"
    ".r{fill:#818b98;fill-opacity:.1}.b{fill:#4f7fd0;fill-opacity:.13}.a{stroke:#818b98;fill:none}\n"
    ".g0{fill:#dbe7fb}.g1{fill:#b7cff5}.p{fill:#0a3069}.gt{font-size:11px;font-weight:600;fill:#0a3069}\n"
    ".n{font:10px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;fill:#1b1f24}.o{fill-opacity:.6}.stream "
    "rect[rx]{stroke:#fff;stroke-opacity:.6;stroke-width:.5}\n"
    ".stream .an[rx]{stroke:#0a3069;stroke-opacity:1;stroke-width:1.2}\n"
    ".k0{fill:#8ecae6}.k1{fill:#a7c957}.k2{fill:#f4a261}.k3{fill:#e5989b}.k4{fill:#b8a1e0}.k5{fill:#7fc8a9}\n"
    ".k6{fill:#f2cc8f}.k7{fill:#9db4ff}.k8{fill:#d4a5d9}.k9{fill:#83c5be}.k10{fill:#e9c46a}.k11{fill:#c9ada7}\n"
    "@media(prefers-color-scheme:dark){.bg{fill:#0d1117;stroke:#3d444d}text{fill:#e6edf3}.m{fill:#9198a1}\n"
    ".g0{fill:#1f3b63}.g1{fill:#2f5a94}.p{fill:#dbe7fb}.gt{fill:#dbe7fb}.n{fill:#1b1f24}.stream "
    ".an[rx]{stroke:#dbe7fb}}\n"
    "</style>\n";

/* ` name="value"` */
static void attribute(struct text *out, const char *name, int64_t hundredths)
{
    text_puts(out, " ");
    text_puts(out, name);
    text_puts(out, "=\"");
    svg_px(out, hundredths);
    text_puts(out, "\"");
}

static int64_t px(uint64_t pixels)
{
    return (int64_t)pixels * PICTURE_UNIT;
}

static uint64_t rows_bottom(const struct drawing *drawing)
{
    return ROWS_TOP + ROW_PITCH * (drawing->stream_count == 0 ? 1 : drawing->stream_count);
}

/* ---- guides ------------------------------------------------------------------------------------------------ */

static void guide_label(struct text *out, uint64_t layer, int64_t x, bool centred)
{
    text_puts(out, centred ? "<text class=\"gt\" text-anchor=\"middle\"" : "<text class=\"gt\"");
    attribute(out, "x", x);
    text_puts(out, " y=\"16\">L");
    text_u64(out, layer);
    text_puts(out, "</text>\n");
}

static int64_t label_width(uint64_t layer)
{
    int64_t width = 2 * LABEL_COLUMN;
    while ((layer /= 10) != 0)
        width += LABEL_COLUMN;
    return width;
}

static void guide_box(struct text *out, const struct guide_row *row, int64_t x0, int64_t x1, size_t index)
{
    bool point = picture_end(row) == picture_begin(row);
    text_puts(out, point ? "<rect class=\"p\"" : index % 2 == 0 ? "<rect class=\"g0\"" : "<rect class=\"g1\"");
    attribute(out, "x", x0);
    attribute(out, "width", point ? 2 * PICTURE_UNIT : x1 > x0 ? x1 - x0 : 1);
    text_puts(out, " height=\"24\"><title>L");
    text_u64(out, row->layer);
    text_puts(out, ": from ");
    picture_print(out, picture_begin(row), 0);
    text_puts(out, " \xc2\xb5s");
    if (!point) {
        text_puts(out, ", ");
        picture_print(out, picture_end(row) - picture_begin(row), 0);
        text_puts(out, " \xc2\xb5s to the next boundary");
    }
    text_puts(out, "</title></rect>\n");
}

/* Boxes that would lie in one pixel column are one box. */
static void guide_boxes(const struct picture *picture, struct text *out)
{
    int64_t last_column = -1;
    for (size_t i = 0; i < picture->row_count; i++) {
        const struct guide_row *row = &picture->rows[i];
        int64_t x0 = picture_x(picture, picture_begin(row)), x1 = picture_x(picture, picture_end(row));
        if (x1 - x0 >= PICTURE_UNIT || x0 / PICTURE_UNIT != last_column)
            guide_box(out, row, x0, x1, i);
        last_column = x0 / PICTURE_UNIT;
    }
}

/*
 * A label stands within its guide. Only where most guides are too narrow for
 * that, and behind a guide without length, it stands to the right of the start.
 */
static void guide_labels(const struct picture *picture, struct text *out)
{
    int64_t free_from = 0, mean = px(picture->width) / (int64_t)picture->row_count;
    for (size_t i = 0; i < picture->row_count; i++) {
        const struct guide_row *row = &picture->rows[i];
        int64_t x0 = picture_x(picture, picture_begin(row)), x1 = picture_x(picture, picture_end(row));
        int64_t width = label_width(row->layer);
        bool within = x1 - x0 >= width, beside = mean < width || picture_begin(row) == picture_end(row);
        if (x0 < free_from || (!within && !beside))
            continue;
        guide_label(out, row->layer, within ? (x0 + x1) / 2 : x0 + 4 * PICTURE_UNIT, within);
        free_from = within ? x1 : x0 + width + 4 * PICTURE_UNIT;
    }
}

static void draw_guides(const struct drawing *drawing, struct text *out)
{
    text_puts(out, "<g id=\"guides\" transform=\"translate(96 44)\">\n");
    guide_boxes(drawing->picture, out);
    guide_labels(drawing->picture, out);
    text_puts(out, "</g>\n");
    text_puts(out, "<text class=\"m\" x=\"88\" y=\"60\" text-anchor=\"end\">layer guide</text>\n");
}

static void path_box(struct text *out, int64_t x, uint64_t width, uint64_t height)
{
    text_puts(out, "M");
    svg_px(out, x);
    text_puts(out, " 0h");
    svg_px(out, (int64_t)width);
    text_puts(out, "v");
    text_u64(out, height);
    text_puts(out, "h-");
    svg_px(out, (int64_t)width);
    text_puts(out, "z");
}

/* Every other guide goes on down through the rows, so that one sees what lies beneath it. */
static void draw_bands(const struct drawing *drawing, struct text *out)
{
    const struct picture *picture = drawing->picture;
    int64_t last_column = -1;
    text_puts(out, "<path class=\"b\" transform=\"translate(96 68)\" d=\"");
    for (size_t i = 1; i < picture->row_count; i += 2) {
        int64_t x0 = picture_x(picture, picture_begin(&picture->rows[i])),
                x1 = picture_x(picture, picture_end(&picture->rows[i]));
        if (x1 - x0 >= PICTURE_UNIT && x0 / PICTURE_UNIT != last_column)
            path_box(out, x0, (uint64_t)(x1 - x0), rows_bottom(drawing) - GUIDE_TOP - GUIDE_HEIGHT);
        last_column = x0 / PICTURE_UNIT;
    }
    text_puts(out, "\"/>\n");
}

/* ---- streams ----------------------------------------------------------------------------------------------- */

static void kernel_name(struct text *out, const struct picture_kernel *kernel, const char *name, size_t len)
{
    int64_t room = (kernel->x1 - kernel->x0 - 6 * PICTURE_UNIT) / NAME_COLUMN;
    if (kernel->x1 - kernel->x0 < LEAST_NAME || room < 4)
        return;
    bool whole = svg_columns(name, len) <= (size_t)room;
    text_puts(out, "<text class=\"n\"");
    attribute(out, "x", kernel->x0 + 3 * PICTURE_UNIT);
    text_puts(out, " y=\"13.5\">");
    svg_text(out, name, whole ? len : svg_fit(name, len, (size_t)room - 1));
    text_puts(out, whole ? "</text>\n" : "\xe2\x80\xa6</text>\n");
}

static void kernel_box(struct text *out, const struct picture *picture, const struct picture_kernel *kernel)
{
    char name[PICTURE_MAX_NAME];
    size_t len = picture_short_name(name, sizeof name, kernel->name, kernel->len);
    text_puts(out, "<rect class=\"k");
    text_u64(out, picture_colour(name, len));
    text_puts(out, picture_is_anchor(picture, kernel) ? " an\"" : "\"");
    attribute(out, "x", kernel->x0);
    attribute(out, "width", kernel->x1 - kernel->x0);
    text_puts(out, " height=\"20\" rx=\"1\"><title>");
    svg_text(out, kernel->name, kernel->len);
    text_puts(out, kernel->len == PICTURE_MAX_NAME ? "\xe2\x80\xa6&#10;start " : "&#10;start ");
    picture_print(out, kernel->start - picture->start, 0);
    text_puts(out, " \xc2\xb5s, dur ");
    picture_print(out, kernel->dur, 0);
    text_puts(out, " \xc2\xb5s</title></rect>\n");
    kernel_name(out, kernel, name, len);
}

static uint8_t kernel_colour(const struct picture_kernel *kernel)
{
    char name[PICTURE_MAX_NAME];
    return picture_colour(name, picture_short_name(name, sizeof name, kernel->name, kernel->len));
}

static void open_path(struct text *out, bool *open, const char *kind, unsigned colour)
{
    if (*open)
        return;
    *open = true;
    text_puts(out, "<path class=\"");
    text_puts(out, kind);
    text_puts(out, "k");
    text_u64(out, colour);
    text_puts(out, "\" d=\"");
}

static void close_path(struct text *out, bool open)
{
    if (open)
        text_puts(out, "\"/>\n");
}

/* The columns in which kernels were merged, as one path of runs. */
static void draw_merged(struct text *out, const struct picture *picture, const struct picture_stream *stream,
                        unsigned colour)
{
    bool open = false;
    for (unsigned x = 0; x < picture->width; x++) {
        unsigned from = x;
        while (x < picture->width && stream->columns[x].others > 0 && stream->columns[x].colour == colour)
            x++;
        if (x == from)
            continue;
        open_path(out, &open, "o ", colour);
        path_box(out, px(from), (uint64_t)px(x - from), ROW_HEIGHT);
    }
    close_path(out, open);
}

/* Kernels of a pixel and more, but too narrow for a box of their own, as one path. */
static void draw_narrow(struct text *out, const struct picture *picture, const struct picture_stream *stream,
                        unsigned colour)
{
    bool open = false;
    for (unsigned x = 0; x < picture->width; x++) {
        const struct picture_kernel *kernel = stream->columns[x].kernel;
        if (kernel == NULL || kernel->x1 - kernel->x0 >= LEAST_BOX || kernel_colour(kernel) != colour)
            continue;
        open_path(out, &open, "", colour);
        path_box(out, kernel->x0, (uint64_t)(kernel->x1 - kernel->x0), ROW_HEIGHT);
    }
    close_path(out, open);
}

static void stream_label(struct text *out, const struct picture *picture, const struct picture_stream *stream)
{
    size_t fit = svg_fit(stream->tid, stream->tid_len, 6);
    text_puts(out, "<text class=\"m\" x=\"-8\" y=\"14\" text-anchor=\"end\">stream ");
    svg_text(out, stream->tid, fit);
    text_puts(out, fit < stream->tid_len ? "\xe2\x80\xa6<title>stream " : "<title>stream ");
    svg_text(out, stream->tid, stream->tid_len);
    if (stream->device != INTERN_NONE) {
        const struct intern_entry *device = &picture->devices.entries[stream->device];
        text_puts(out, ", device ");
        svg_text(out, device->text, device->len);
    }
    text_puts(out, ": ");
    text_u64(out, stream->kernels);
    text_puts(out, " kernels, ");
    picture_print(out, stream->busy, 0);
    text_puts(out, " \xc2\xb5s</title></text>\n");
}

static void draw_stream(const struct drawing *drawing, const struct picture_stream *stream, size_t index,
                        struct text *out)
{
    const struct picture *picture = drawing->picture;
    text_puts(out, "<g class=\"stream\" transform=\"translate(96 ");
    text_u64(out, ROWS_TOP + ROW_PITCH * index);
    text_puts(out, ")\">\n");
    stream_label(out, picture, stream);
    text_puts(out, "<rect class=\"r\"");
    attribute(out, "width", px(picture->width));
    text_puts(out, " height=\"20\"/>\n");
    for (unsigned colour = 0; colour < PICTURE_COLOURS; colour++)
        draw_merged(out, picture, stream, colour);
    for (unsigned colour = 0; colour < PICTURE_COLOURS; colour++)
        draw_narrow(out, picture, stream, colour);
    for (unsigned x = 0; x < picture->width; x++) {
        const struct picture_kernel *kernel = stream->columns[x].kernel;
        if (kernel != NULL && kernel->x1 - kernel->x0 >= LEAST_BOX)
            kernel_box(out, picture, kernel);
    }
    text_puts(out, "</g>\n");
}

/* ---- the time axis ----------------------------------------------------------------------------------------- */

/* The smallest of 1, 2, 5, 10 ... that leaves a label its room. */
static femtoseconds tick_step(const struct picture *picture)
{
    static const int steps[] = {1, 2, 5};
    femtoseconds least = picture->length * 72 / picture->width;
    for (femtoseconds power = 1;; power *= 10)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            if (power * steps[i] >= least)
                return power * steps[i];
}

static void draw_axis(const struct drawing *drawing, struct text *out)
{
    const struct picture *picture = drawing->picture;
    unsigned digits = picture->length >= 2000000 * PICTURE_US ? 6 : picture->length >= 2000 * PICTURE_US ? 3 : 0;
    femtoseconds step = tick_step(picture);
    text_puts(out, "<g id=\"axis\" transform=\"translate(96 ");
    text_u64(out, rows_bottom(drawing) + 2);
    text_puts(out, ")\">\n<path class=\"a\" d=\"M0 0H");
    text_u64(out, picture->width);
    for (femtoseconds time = 0; time <= picture->length; time += step) {
        text_puts(out, "M");
        svg_px(out, picture_x(picture, picture->start + time));
        text_puts(out, " 0v5");
    }
    text_puts(out, "\"/>\n<text class=\"m\" x=\"-8\" y=\"18\" text-anchor=\"end\">");
    text_puts(out, digits == 6 ? "s</text>\n" : digits == 3 ? "ms</text>\n" : "\xc2\xb5s</text>\n");
    for (femtoseconds time = 0; time <= picture->length; time += step) {
        text_puts(out, "<text class=\"m\" text-anchor=\"middle\"");
        attribute(out, "x", picture_x(picture, picture->start + time));
        text_puts(out, " y=\"18\">");
        picture_print(out, time, digits);
        text_puts(out, "</text>\n");
    }
    text_puts(out, "</g>\n");
}

/* ---- words ------------------------------------------------------------------------------------------------- */

struct captions {
    struct text text;
    uint64_t y;
    size_t columns;
};

static void open_line(struct captions *captions)
{
    text_puts(&captions->text, "<text class=\"m\" x=\"16\" y=\"");
    text_u64(&captions->text, captions->y);
    text_puts(&captions->text, "\">");
    captions->y += LINE;
}

/* A paragraph of at most `lines` lines; what is longer ends in an ellipsis. */
static void paragraph(struct captions *captions, const char *string, size_t len, unsigned lines)
{
    while (len > 0 && lines-- > 0) {
        size_t fit = svg_fit_words(string, len, captions->columns);
        open_line(captions);
        svg_text(&captions->text, string, fit);
        while (fit < len && string[fit] == ' ')
            fit++;
        text_puts(&captions->text, lines == 0 && fit < len ? "\xe2\x80\xa6</text>\n" : "</text>\n");
        string += fit;
        len -= fit;
    }
}

static void time_words(struct text *words, const struct drawing *drawing)
{
    const struct picture *picture = drawing->picture;
    text_puts(words, "Time from the start of L");
    text_u64(words, picture->rows[0].layer);
    text_puts(words, " at ");
    picture_print(words, picture->start, 0);
    text_puts(words, " \xc2\xb5s; the window is ");
    picture_print(words, picture->length, 0);
    text_puts(words, " \xc2\xb5s long.");
    if (drawing->extension == 0)
        return;
    text_puts(words, " The end of L");
    text_u64(words, picture->rows[picture->row_count - 1].layer);
    text_puts(words, " is not known; behind its start the window goes on for ");
    picture_print(words, drawing->extension, 0);
    text_puts(words, drawing->extends_by_mean ? " \xc2\xb5s, the mean guide length." : " \xc2\xb5s.");
}

static void kernel_words(struct text *words, const struct drawing *drawing)
{
    uint64_t kernels = 0, others = 0;
    for (size_t i = 0; i < drawing->stream_count; i++) {
        kernels += drawing->streams[i]->kernels;
        others += drawing->streams[i]->others;
    }
    text_u64(words, kernels);
    text_puts(words, kernels == 1 ? " kernel" : " kernels");
    text_puts(words, " on ");
    text_u64(words, drawing->stream_count);
    text_puts(words, drawing->stream_count == 1 ? " stream" : " streams");
    if (others > 0) {
        text_puts(words, ", ");
        text_u64(words, others);
        text_puts(words, " of them too narrow to tell apart and merged (paler)");
    }
    if (drawing->left_out > 0) {
        text_puts(words, "; ");
        text_u64(words, drawing->left_out);
        text_puts(words, drawing->left_out == 1 ? " stream that is less busy is left out"
                                                : " streams that are less busy are left out");
    }
    text_puts(words, ".");
}

static uint64_t count_outlined(const struct drawing *drawing)
{
    uint64_t outlined = 0;
    for (size_t i = 0; i < drawing->stream_count; i++)
        for (unsigned x = 0; x < drawing->picture->width; x++) {
            const struct picture_kernel *kernel = drawing->streams[i]->columns[x].kernel;
            outlined +=
                kernel != NULL && kernel->x1 - kernel->x0 >= LEAST_BOX && picture_is_anchor(drawing->picture, kernel);
        }
    return outlined;
}

/* Whether a guide in front of this one has an anchor whose name is the same as people call it. */
static bool is_named_before(const struct picture *picture, size_t row, const char *name, size_t len)
{
    char other[PICTURE_MAX_NAME];
    uint32_t last = INTERN_NONE;
    for (size_t i = 0; i < row; i++) {
        if (picture->rows[i].name == INTERN_NONE || picture->rows[i].name == last)
            continue;
        last = picture->rows[i].name;
        const struct intern_entry *entry = &picture->names->entries[last];
        if (picture_short_name(other, sizeof other, entry->text, entry->len) == len && memcmp(other, name, len) == 0)
            return true;
    }
    return false;
}

/* The anchors' names, the first ones; false when no guide tells one. */
static bool anchor_names(struct text *words, const struct picture *picture)
{
    char name[PICTURE_MAX_NAME];
    uint32_t last = INTERN_NONE;
    size_t count = 0;
    for (size_t i = 0; i < picture->row_count && count <= MOST_ANCHORS; i++) {
        if (picture->rows[i].name == last || picture->rows[i].name == INTERN_NONE)
            continue;
        last = picture->rows[i].name;
        const struct intern_entry *entry = &picture->names->entries[last];
        size_t len = picture_short_name(name, sizeof name, entry->text, entry->len);
        if (is_named_before(picture, i, name, len))
            continue;
        if (count++ == MOST_ANCHORS) {
            text_puts(words, " and others");
            break;
        }
        size_t fit = svg_fit(name, len, ANCHOR_COLUMNS);
        text_puts(words, count == 1 ? "Anchor: " : ", ");
        text_add(words, name, fit);
        text_puts(words, fit < len ? "\xe2\x80\xa6" : "");
    }
    return count > 0;
}

static void anchor_words(struct text *words, const struct drawing *drawing)
{
    uint64_t guides = drawing->picture->row_count, outlined = count_outlined(drawing);
    if (!anchor_names(words, drawing->picture))
        return;
    if (outlined == 0) {
        text_puts(words, ", where the guides begin.");
        return;
    }
    text_puts(words, outlined == 1 ? ". The outlined kernel is the anchor" : ". The outlined kernels are the anchors");
    if (outlined < guides) {
        text_puts(words, " of ");
        text_u64(words, outlined);
        text_puts(words, " of the ");
        text_u64(words, guides);
        text_puts(words, " guides");
    } else {
        text_puts(words, guides == 1 ? ", where the guide begins" : ", where the guides begin");
    }
    text_puts(words, ".");
}

static void write_captions(struct captions *captions, const struct drawing *drawing)
{
    struct text words = {0};
    time_words(&words, drawing);
    paragraph(captions, words.data, words.len, 3);
    words.len = 0;
    kernel_words(&words, drawing);
    paragraph(captions, words.data, words.len, 3);
    words.len = 0;
    anchor_words(&words, drawing);
    paragraph(captions, words.data, words.len, 3);
    words.len = 0;
    text_puts(&words, "Evidence: ");
    text_puts(&words, drawing->track->evidence);
    paragraph(captions, words.data, words.len, 4);
    paragraph(captions, drawing->track->notice, strlen(drawing->track->notice), 4);
    captions->text.failed |= words.failed;
    text_free(&words);
    open_line(captions);
    text_puts(&captions->text, "layertrack render: drawn from the trace, not a viewer's screenshot</text>\n");
}

static void title_words(struct text *words, const struct drawing *drawing)
{
    const struct picture *picture = drawing->picture;
    text_puts(words, drawing->track->phase);
    text_puts(words, " \xc2\xb7 pass ");
    text_u64(words, drawing->pass);
    /* "1 of 2" would be the first to a reader who counts from 1. */
    if (drawing->track->passes == 1) {
        text_puts(words, ", the only one");
    } else {
        text_puts(words, " of passes 0\xe2\x80\x93");
        text_u64(words, drawing->track->passes - 1);
    }
    text_puts(words, " \xc2\xb7 L");
    text_u64(words, picture->rows[0].layer);
    if (picture->row_count > 1) {
        text_puts(words, "\xe2\x80\x93L");
        text_u64(words, picture->rows[picture->row_count - 1].layer);
    }
    text_puts(words, " \xc2\xb7 ");
    text_puts(words, drawing->file);
}

static void write_header(const struct drawing *drawing, uint64_t height, struct text *out)
{
    struct text words = {0};
    title_words(&words, drawing);
    size_t fit = svg_fit(words.data, words.len, (drawing->width - 2 * EDGE) * 10 / 85);
    text_puts(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
    text_u64(out, drawing->width);
    text_puts(out, "\" height=\"");
    text_u64(out, height);
    text_puts(out, "\" viewBox=\"0 0 ");
    text_u64(out, drawing->width);
    text_puts(out, " ");
    text_u64(out, height);
    text_puts(out, "\" role=\"img\">\n<title>");
    svg_text(out, words.data, words.len);
    text_puts(out, "</title>\n");
    text_puts(out, style);
    text_puts(out, "<rect class=\"bg\" x=\".5\" y=\".5\" rx=\"6\"");
    attribute(out, "width", px(drawing->width - 1));
    attribute(out, "height", px(height - 1));
    text_puts(out, "/>\n<text class=\"t\" x=\"16\" y=\"28\">");
    svg_text(out, words.data, fit);
    text_puts(out, fit < words.len ? "\xe2\x80\xa6</text>\n" : "</text>\n");
    out->failed |= words.failed;
    text_free(&words);
}

void draw(const struct drawing *drawing, struct text *out)
{
    struct captions captions = {
        .y = rows_bottom(drawing) + 48,
        .columns = (size_t)(drawing->width - 2 * EDGE) * PICTURE_UNIT / TEXT_COLUMN,
    };
    write_captions(&captions, drawing);
    write_header(drawing, captions.y, out);
    draw_guides(drawing, out);
    draw_bands(drawing, out);
    for (size_t i = 0; i < drawing->stream_count; i++)
        draw_stream(drawing, drawing->streams[i], i, out);
    if (drawing->stream_count == 0)
        text_puts(out, "<text class=\"m\" x=\"96\" y=\"92\">no kernel in this window</text>\n");
    draw_axis(drawing, out);
    text_add(out, captions.text.data, captions.text.len);
    text_puts(out, "</svg>\n");
    out->failed |= captions.text.failed;
    text_free(&captions.text);
}
