#define _POSIX_C_SOURCE 200809L
#include "layertrack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/utf8.h"
#include "base/versioned.h"
#include "guides/guide_reader.h"
#include "io/sink.h"
#include "picture/draw.h"
#include "picture/picture.h"
#include "trace/reading.h"

#define DEFAULT_STREAMS 16
#define DEFAULT_WIDTH   1200
/* How far a window goes on behind an anchor when no guide of its pass has a length. */
#define UNKNOWN_LENGTH (100 * PICTURE_US)

/* One job, from options to the file. */
struct job {
    const struct lt_render_options *options;
    struct lt_error *error;
    bool to_stdout;
    unsigned width; /* px */
    struct reading reading;
    struct guide_reader guides;
    struct picture picture;
    femtoseconds extension;
    bool extends_by_mean;
};

/* Names that promise something else than SVG. */
static const char *const foreign[] = {".gz", ".svgz", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"};

static enum lt_status check_options(struct job *job)
{
    const struct lt_render_options *options = job->options;
    if (options->trace == NULL || options->trace[0] == '\0')
        return fail_as(job->error, LT_CLASS_OPTION_MISSING, "no trace; name an annotated one, or - for standard input");
    if (options->output == NULL || options->output[0] == '\0')
        return fail_as(job->error, LT_CLASS_OPTION_MISSING, "no output; name one with %s, or - for standard output",
                       error_name(job->error, "output"));
    job->width = options->width == 0 ? DEFAULT_WIDTH : options->width;
    if (job->width < 400 || job->width > 4000)
        return fail(job->error, LT_USAGE, "%s must be a whole number from 400 to 4000",
                    error_name(job->error, "width"));
    const char *dot = strrchr(options->output, '.');
    for (size_t i = 0; dot != NULL && i < sizeof foreign / sizeof *foreign; i++)
        if (strcasecmp(dot, foreign[i]) == 0)
            return fail(job->error, LT_USAGE, "a picture is plain SVG; give the output a name that does not end in %s",
                        foreign[i]);
    if (options->some_layers && options->first_layer > options->last_layer)
        return fail(job->error, LT_USAGE, "%s must be A-B with A not above B",
                    error_name(job->error, "first_layer-last_layer"));
    job->to_stdout = strcmp(options->output, "-") == 0;
    return job->to_stdout ? LT_OK : sink_check_free(options->output, options->trace, job->error);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* ---- the window -------------------------------------------------------------------------------------------- */

/* The rows of the layers that were asked for; they are neighbours. */
static enum lt_status choose_rows(struct job *job)
{
    const struct lt_render_options *options = job->options;
    const struct guide_row *rows = job->guides.rows;
    size_t first = 0, last = job->guides.row_count - 1;
    if (options->some_layers) {
        while (first < last && rows[first].layer != options->first_layer)
            first++;
        while (last > first && rows[last].layer != options->last_layer)
            last--;
        if (rows[first].layer != options->first_layer || rows[last].layer != options->last_layer) {
            char file[512];
            const char *name = source_name(job->reading.source);
            return fail_as(job->error, LT_CLASS_NO_SUCH_GUIDES,
                           "%s: no guides from L%" PRIu64 " to L%" PRIu64 "; pass %" PRIu64 " has L%" PRIu64
                           " to L%" PRIu64,
                           printable(file, sizeof file, name, strlen(name)), options->first_layer, options->last_layer,
                           options->pass, rows[0].layer, rows[job->guides.row_count - 1].layer);
        }
    }
    job->picture.rows = rows + first;
    job->picture.row_count = last - first + 1;
    return LT_OK;
}

/* How long a guide of the pass is on the average, of those whose end is known, in whole ns; 0 when none is. */
static femtoseconds mean_length(const struct guide_reader *guides)
{
    femtoseconds sum = 0, known = 0;
    for (size_t i = 0; i < guides->row_count; i++) {
        femtoseconds length = picture_end(&guides->rows[i]) - picture_begin(&guides->rows[i]);
        sum += length;
        known += length > 0;
    }
    femtoseconds ns = PICTURE_US / 1000;
    return known == 0 ? 0 : sum / known / ns * ns;
}

static enum lt_status choose_window(struct job *job)
{
    enum lt_status status = choose_rows(job);
    if (status != LT_OK)
        return status;
    struct picture *picture = &job->picture;
    const struct guide_row *last = &picture->rows[picture->row_count - 1];
    if (picture_end(last) == picture_begin(last)) {
        femtoseconds mean = mean_length(&job->guides);
        job->extends_by_mean = mean > 0;
        job->extension = mean > 0 ? mean : UNKNOWN_LENGTH;
    }
    picture->start = picture_begin(&picture->rows[0]);
    picture->length = picture_end(last) + job->extension - picture->start;
    picture->width = job->width - DRAW_MARGINS;
    picture->names = &job->guides.names;
    picture->pid = &job->guides.taken->pid;
    picture->device = job->options->device;
    picture->trace_name = source_name(job->reading.source);
    picture->error = job->error;
    return LT_OK;
}

#define LISTED 8

/* A device that was asked for and has no kernel in the window, where others have. */
static enum lt_status check_device(struct job *job)
{
    const struct picture *picture = &job->picture;
    char name[512], wanted[128], shown[64];
    if (job->options->device == NULL || picture->stream_count > 0 || picture->devices.count == 0)
        return LT_OK;
    struct text devices = {0};
    for (uint32_t i = 0; i < picture->devices.count && i < LISTED; i++) {
        const struct intern_entry *device = &picture->devices.entries[i];
        text_puts(&devices, i == 0 ? "" : ", ");
        text_puts(&devices, printable(shown, sizeof shown, device->text, device->len));
    }
    text_add(&devices, "", 1);
    const char *file = source_name(job->reading.source);
    enum lt_status status =
        devices.failed
            ? fail_memory(job->error)
            : fail_as(job->error, LT_CLASS_NOT_THERE, "%s: no kernel of %s '%s' in the window; there are some on: %s",
                      printable(name, sizeof name, file, strlen(file)), error_name(job->error, "device"),
                      printable(wanted, sizeof wanted, job->options->device, strlen(job->options->device)),
                      devices.data);
    text_free(&devices);
    return status;
}

/* ---- the file ---------------------------------------------------------------------------------------------- */

static bool write_piece(void *sink, const void *data, size_t len)
{
    return sink_write(sink, data, len);
}

static enum lt_status write_picture(struct job *job, const struct drawing *drawing)
{
    const struct lt_render_options *options = job->options;
    /* Whoever must clean up after an interruption hears of it before there is anything to clean up. */
    if (options->progress != NULL && !options->progress(options->callback_ctx, LT_STAGE_WRITE, 0, 0))
        return fail_cancelled(job->error, source_name(job->reading.source));
    struct sink *sink = sink_open(job->to_stdout ? NULL : options->output, job->error);
    if (sink == NULL)
        return job->error->status;
    struct text text = {.emit = write_piece, .ctx = sink};
    draw(drawing, &text);
    enum lt_status status;
    if (text_flush(&text))
        status = sink_commit(&sink, 1, job->error);
    else
        status = sink_error(sink, job->error) != LT_OK ? job->error->status : fail_memory(job->error);
    text_free(&text);
    sink_free(sink);
    return status;
}

static enum lt_status draw_picture(struct job *job)
{
    size_t most = job->options->streams == 0 ? DEFAULT_STREAMS : job->options->streams;
    bool piped = strcmp(job->options->trace, "-") == 0;
    struct drawing drawing = {
        .track = job->guides.taken,
        .pass = job->options->pass,
        .file = piped ? "standard input" : base_name(job->options->trace),
        .picture = &job->picture,
        .extension = job->extension,
        .extends_by_mean = job->extends_by_mean,
        .width = job->width,
    };
    struct picture_stream **streams = picture_streams(&job->picture, most, &drawing.stream_count, &drawing.left_out);
    if (streams == NULL)
        return fail_memory(job->error);
    drawing.streams = streams;
    enum lt_status status = write_picture(job, &drawing);
    free(streams);
    return status;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static enum lt_status open_job(struct job *job)
{
    enum lt_status status = check_options(job);
    if (status != LT_OK)
        return status;
    struct reading_options reading = {
        .hash = SOURCE_HASH_NONE,
        .path = job->options->trace,
        .threads = job->options->threads,
        .parser = job->options->parser,
        .event = guide_reader_event,
        .event_ctx = &job->guides,
        .progress = job->options->progress,
        .progress_ctx = job->options->callback_ctx,
        .texts = true,
    };
    job->guides.reading = &job->reading;
    job->guides.error = job->error;
    job->guides.track = job->options->track;
    job->guides.pass = job->options->pass;
    status = reading_open(&job->reading, &reading, job->error);
    if (status == LT_OK && job->to_stdout && source_is_same_file(job->reading.source, STDOUT_FILENO))
        return fail_as(job->error, LT_CLASS_SAME_FILE, "%s: is also standard output; write to another file",
                       source_name(job->reading.source));
    return status;
}

static enum lt_status render(const struct lt_render_options *options, struct lt_error *error)
{
    struct job job = {.options = options, .error = error};
    enum lt_status status = open_job(&job);
    if (status == LT_OK)
        status = reading_run(&job.reading, error);
    if (status == LT_OK)
        status = guide_reader_check(&job.guides);
    if (status == LT_OK)
        status = choose_window(&job);
    if (status == LT_OK)
        status = reading_again(&job.reading, picture_event, &job.picture, error);
    if (status == LT_OK)
        status = reading_run(&job.reading, error);
    if (status == LT_OK)
        status = check_device(&job);
    if (status == LT_OK)
        status = draw_picture(&job);
    picture_free(&job.picture);
    guide_reader_free(&job.guides);
    reading_close(&job.reading);
    return status;
}

enum lt_status lt_render(const struct lt_render_options *options, struct lt_error *error)
{
    struct lt_render_options own;
    struct naming naming;
    struct lt_error why;
    if (versioned_begin(&why, &naming, error) != LT_OK)
        return LT_USAGE;
    if (versioned_take(&own, sizeof own, options, "lt_render_options", &why) == LT_OK) {
        naming = (struct naming){own.name, own.callback_ctx};
        render(&own, &why);
    }
    return versioned_end(error, &why);
}
