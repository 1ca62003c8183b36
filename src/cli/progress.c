#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/say.h"

/* A job that takes less than this shows nothing unless asked to. */
#define QUIET_SECONDS  1.0
#define REDRAW_SECONDS 0.1

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

bool progress_parse(enum progress_mode *mode, const char *text)
{
    static const char *const modes[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, modes[i]) == 0) {
            *mode = (enum progress_mode)i;
            return true;
        }
    cli_usage("--progress '%s' is none of auto, always, never", text);
    return false;
}

void progress_start(struct progress *progress, enum progress_mode mode)
{
    *progress = (struct progress){.mode = mode, .started = now()};
    progress->stage_started = progress->started;
    if (!progress_talks(mode))
        progress->mode = PROGRESS_NEVER;
}

bool progress_talks(enum progress_mode mode)
{
    bool is_wanted = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && isatty(STDERR_FILENO));
    return is_wanted && say_to_people();
}

static void print_size(double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 4) {
        bytes /= 1000;
        unit++;
    }
    fprintf(stderr, unit == 0 ? "%.0f %s" : bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

void progress_tell(struct progress *progress, enum lt_stage stage, uint64_t done, uint64_t total)
{
    if (progress->mode == PROGRESS_NEVER)
        return;
    double time = now();
    if (stage != progress->stage) {
        progress->stage = stage;
        progress->stage_started = time;
    }
    bool early = progress->mode == PROGRESS_AUTO && time - progress->started < QUIET_SECONDS;
    if (early || (progress->shown && time - progress->drawn < REDRAW_SECONDS))
        return;
    double elapsed = time - progress->stage_started, rate = elapsed > 0 ? (double)done / elapsed : 0;
    fprintf(stderr, "\r%s ",
            progress->doing != NULL  ? progress->doing
            : stage == LT_STAGE_SCAN ? "reading"
                                     : "writing");
    print_size((double)done);
    if (total > 0)
        fprintf(stderr, " of ");
    if (total > 0)
        print_size((double)total);
    if (total > 0)
        fprintf(stderr, " (%.0f %%)", done < total ? 100.0 * (double)done / (double)total : 100.0);
    fprintf(stderr, ", ");
    print_size(rate);
    fprintf(stderr, "/s");
    if (total > done && rate > 0)
        fprintf(stderr, ", %.0f s left", (double)(total - done) / rate);
    fprintf(stderr, "\033[K");
    fflush(stderr);
    progress->shown = true;
    progress->drawn = time;
}

void progress_clear(struct progress *progress)
{
    if (!progress->shown)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    progress->shown = false;
}

bool cli_on_progress(void *progress, enum lt_stage stage, uint64_t done, uint64_t total)
{
    if (stage == LT_STAGE_WRITE && done == 0)
        interrupt_catch();
    progress_tell(progress, stage, done, total);
    return !interrupt_seen();
}

void cli_on_warning(void *progress, const struct lt_warning *warning)
{
    progress_clear(progress);
    say_warning(warning, NULL);
}
