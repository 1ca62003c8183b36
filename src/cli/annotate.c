#include "cli/cli.h"
#include "cli/many.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/rank_keep.h"
#include "cli/say.h"
#include "cli/step_summary.h"
#include "jobs/resume.h"
#include "rules/first_pass.h"
#include "rules/spec.h"

enum option_id {
    OPT_ANCHOR_REGEX = 256,
    OPT_NUM_LAYERS,
    OPT_ANCHOR_OFFSET,
    OPT_SKIP_PARTIAL,
    OPT_PASSES,
    OPT_FIRST_LAYER,
    OPT_PHASE,
    OPT_EVIDENCE,
    OPT_PID,
    OPT_DEVICE,
    OPT_END_ANCHOR_REGEX,
    OPT_LANDMARK_REGEX,
    OPT_ANCHOR_STRIDE,
    OPT_EXTRA_ANCHORS,
    OPT_WITHIN,
    OPT_WITHIN_GPU,
    OPT_SPEC,
};

static const struct cli_option option_table[] = {
    CLI_TRACE_OPTION("the trace; - is standard input (default when piped)"),
    CLI_OUTPUT_OPTIONS("mapping report (default: OUTPUT.layers.json)"),
    {"anchor-regex", OPT_ANCHOR_REGEX, "RE", "kernel that runs once per layer (required)", NULL},
    {"num-layers", OPT_NUM_LAYERS, "N", "layers per pass (required)", NULL},
    {"anchor-offset", OPT_ANCHOR_OFFSET, "K", "first layer's anchor: index or run:[-]K (required)", NULL},
    {"skip-partial", OPT_SKIP_PARTIAL, NULL, "or: that of the first run of whole passes", NULL},
    {"phase", OPT_PHASE, "TEXT", "label, why the anchor is right (required)", "      --phase TEXT, --evidence TEXT"},
    {"evidence", OPT_EVIDENCE, "TEXT", NULL, NULL},
    {"passes", OPT_PASSES, "P", "how many, or all (1); first label (0)", "      --passes P, --first-layer F"},
    {"first-layer", OPT_FIRST_LAYER, "F", NULL, NULL},
    {"pid", OPT_PID, "PID", "choose among GPU processes, devices (args.device)", "      --pid PID, --device D"},
    {"device", OPT_DEVICE, "D", NULL, NULL},
    {"end-anchor-regex", OPT_END_ANCHOR_REGEX, "RE", "kernel that ends a layer; closes each pass", NULL},
    {"landmark-regex", OPT_LANDMARK_REGEX, "RE[=COUNT]", "runs COUNT (1) times in each guide", NULL},
    {"anchor-stride", OPT_ANCHOR_STRIDE, "K", "per layer; behind each pass",
     "      --anchor-stride K, --extra-anchors-per-pass E  "},
    {"extra-anchors-per-pass", OPT_EXTRA_ANCHORS, "E", NULL, NULL},
    {"within", OPT_WITHIN, "RE", "only in scopes named so (CPU; GPU)", "      --within RE, --within-gpu RE"},
    {"within-gpu", OPT_WITHIN_GPU, "RE", NULL, NULL},
    {"spec", OPT_SPEC, "FILE", "tracks from JSON, or a report, instead of these", NULL},
    {"dry-run", 'n', NULL, "everything but the files", NULL},
    CLI_FAIL_OPTION,
    CLI_GZIP_OPTIONS,
    CLI_OUTPUT_DIR_OPTION,
    CLI_MANY_OPTIONS,
    CLI_RESUME_OPTION,
    CLI_SHARED_OPTIONS("auto, always, never (-q); --log-format json|github", NULL, NULL, NULL),
};

struct command {
    struct progress progress; /* first: callbacks get it, and find the rest */
    struct lt_annotate_options options;
    struct lt_track track;
    struct lt_landmark landmarks[LT_MAX_LANDMARKS];
    struct cli_common common;
    struct cli_many many;
    struct cli_output output;
    struct step_row row;
    bool has_num_layers, has_offset;
    const char *track_option; /* the first option that describes a track */
};

/* A number, or a rule. */
static bool take_offset(struct lt_track *track, const char *value)
{
    static const char option[] = "--anchor-offset";
    if (first_pass_parse_run(value, strlen(value), &track->anchor_run))
        return true;
    if (strcmp(value, "auto") == 0)
        cli_usage("%s auto: no trace tells which kernel is the first layer's, so there is no auto; state how it is "
                  "found: run:K, the K-th run that layertrack inspect shows (run:-K from the end), --skip-partial, the "
                  "first run of whole passes, or the index of a verified first layer",
                  option);
    else if (strncmp(value, "run:", 4) == 0)
        cli_usage("%s '%s' names no run; write run:1 for the first one, run:-1 for the last", option, value);
    else
        return cli_number(option, value, &track->anchor_offset);
    return false;
}

/* A count whose 0 is not the library's, the default: it is none, which most options may not be. */
static bool take_count(const char *option, const char *text, uint64_t *out)
{
    if (!cli_number(option, text, out))
        return false;
    if (*out == 0)
        *out = LT_NONE;
    return true;
}

/*
 * RE or RE=COUNT: an equals sign with nothing but digits behind it, at the
 * end, is a count. Cuts the argument in two, which is ours.
 */
static bool take_landmark(struct command *command, char *value)
{
    struct lt_track *track = &command->track;
    if (track->landmark_count == LT_MAX_LANDMARKS) {
        cli_usage("more than %d of --landmark-regex; take fewer", LT_MAX_LANDMARKS);
        return false;
    }
    struct lt_landmark *landmark = &command->landmarks[track->landmark_count++];
    *landmark = (struct lt_landmark){.size = sizeof *landmark, .regex = value};
    char *equals = strrchr(value, '=');
    if (equals == NULL || equals[1] == '\0' || equals[1 + strspn(equals + 1, "0123456789")] != '\0')
        return true;
    *equals = '\0';
    return take_count("the count of --landmark-regex", equals + 1, &landmark->count);
}

/* An option of the track. False when `option` is none. */
static bool take_track(struct command *command, int option, char *value, bool *ok)
{
    struct lt_track *track = &command->track;
    *ok = true;
    switch (option) {
    case OPT_ANCHOR_REGEX:
        track->anchor_regex = value;
        return true;
    case OPT_NUM_LAYERS:
        command->has_num_layers = true;
        *ok = cli_number("--num-layers", value, &track->num_layers);
        return true;
    case OPT_ANCHOR_OFFSET:
        command->has_offset = true;
        *ok = take_offset(track, value);
        return true;
    case OPT_SKIP_PARTIAL:
        track->skip_partial = 1;
        return true;
    case OPT_PASSES:
        if (strcmp(value, "all") == 0)
            track->passes = LT_ALL;
        else
            *ok = take_count("--passes", value, &track->passes);
        return true;
    case OPT_FIRST_LAYER:
        *ok = cli_number("--first-layer", value, &track->first_layer);
        return true;
    case OPT_PHASE:
        track->phase = value;
        return true;
    case OPT_EVIDENCE:
        track->evidence = value;
        return true;
    case OPT_END_ANCHOR_REGEX:
        track->end_anchor_regex = value;
        return true;
    case OPT_LANDMARK_REGEX:
        *ok = take_landmark(command, value);
        return true;
    case OPT_ANCHOR_STRIDE:
        *ok = take_count("--anchor-stride", value, &track->anchor_stride);
        return true;
    case OPT_EXTRA_ANCHORS:
        *ok = cli_number("--extra-anchors-per-pass", value, &track->extra_anchors_per_pass);
        return true;
    case OPT_WITHIN:
        track->within = value;
        return true;
    case OPT_WITHIN_GPU:
        track->within_gpu = value;
        return true;
    default:
        return false;
    }
}

static const char *long_name(int option)
{
    const struct cli_option *at = option_table;
    while (at->name != NULL && at->id != option)
        at++;
    return at->name;
}

/* Takes one option; false, with a message, when its value is wrong. */
static bool take(void *ctx, int option, char *value)
{
    struct command *command = ctx;
    bool ok;
    if (take_track(command, option, value, &ok)) {
        if (command->track_option == NULL)
            command->track_option = long_name(option);
        return ok;
    }
    if (option == OPT_PID)
        command->options.pid = value;
    else if (option == OPT_DEVICE)
        command->options.device = value;
    else if (option == 'n')
        command->options.dry_run = true;
    else if (option == OPT_SPEC)
        command->options.spec = value;
    else
        return cli_take_output(&command->output, option, value);
    return true;
}

static bool check_required(const struct command *command)
{
    const struct lt_track *track = &command->track;
    const struct {
        bool given;
        const char *name;
    } required[] = {{track->anchor_regex != NULL, " --anchor-regex"},
                    {command->has_num_layers, " --num-layers"},
                    {command->has_offset || track->skip_partial != 0, " --anchor-offset"},
                    {track->phase != NULL, " --phase"},
                    {track->evidence != NULL, " --evidence"}};
    char missing[128] = "";
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!required[i].given)
            strcat(missing, required[i].name);
    if (missing[0] != '\0')
        cli_usage("required:%s; see layertrack help annotate", missing);
    else if (command->has_offset && track->skip_partial != 0)
        cli_usage("--anchor-offset and --skip-partial cannot be used together; both say where the first pass begins");
    else
        return true;
    return false;
}

/* The tracks come from the options, or from a spec. */
static bool choose_tracks(struct command *command)
{
    if (command->options.spec == NULL) {
        command->track.landmarks = command->landmarks;
        command->options.tracks = &command->track;
        command->options.track_count = 1;
        return check_required(command);
    }
    if (command->track_option == NULL)
        return true;
    /* The spec's keys are the options' names, but for the landmarks. */
    char key[64];
    snprintf(key, sizeof key, "%s", command->track_option);
    for (char *c = key; *c != '\0'; c++)
        if (*c == '-')
            *c = '_';
    cli_usage("--spec and --%s cannot be used together; write %s into the spec", command->track_option,
              strcmp(key, "landmark_regex") == 0 ? "landmarks" : key);
    return false;
}

static void summarize(const struct command *command, const struct lt_annotate_result *result)
{
    const struct lt_track *track = &command->track;
    const char *output = command->options.output == NULL ? "-" : command->options.output;
    bool dry = command->options.dry_run;
    char where[128], first[96] = "", left_over[96] = "";
    /* Of a dry run that line is all there is. */
    if (dry ? command->common.quiet : !progress_talks(command->common.mode))
        return;
    if (command->options.spec == NULL)
        snprintf(where, sizeof where, " L%llu..L%llu in %llu %s", (unsigned long long)track->first_layer,
                 (unsigned long long)(track->first_layer + track->num_layers - 1), (unsigned long long)result->passes,
                 result->passes == 1 ? "pass" : "passes");
    else
        snprintf(where, sizeof where, " in %llu %s", (unsigned long long)result->tracks,
                 result->tracks == 1 ? "track" : "tracks");
    if (result->run > 0 && result->tracks == 1)
        snprintf(first, sizeof first, " from run %llu on (anchor %llu)", (unsigned long long)result->run,
                 (unsigned long long)result->anchor_offset);
    if (result->left_over > 0)
        snprintf(left_over, sizeof left_over, ", %llu %s left over behind the last pass",
                 (unsigned long long)result->left_over, result->left_over == 1 ? "anchor" : "anchors");
    bool to_stdout = strcmp(output, "-") == 0;
    say_line(stderr, "%llu guides%s%s%s, from %llu matching anchors among %llu events%s%s%s",
             (unsigned long long)result->guides, where, first, left_over, (unsigned long long)result->anchors,
             (unsigned long long)result->events, to_stdout ? "" : ": ", to_stdout ? "" : output,
             dry ? "; a dry run, nothing was written" : "");
}

/* One trace of many. */
static enum lt_status annotate_one(void *ctx, struct many_task *task, struct lt_error *error)
{
    const struct command *command = ctx;
    struct lt_annotate_options options = command->options;
    struct lt_annotate_result result = {.size = sizeof result};
    options.trace = task->trace;
    options.threads = task->threads;
    options.dry_run = task->dry_run;
    options.progress = many_on_progress;
    options.warning = many_on_warning;
    options.found = many_on_found;
    options.callback_ctx = task;
    if (command->many.resume) {
        options.output = task->output;
        options.report = task->report;
        enum lt_status status = resume_annotate(&options, &task->result->as_before, &result, error);
        /* A look compares runs, which no report tells. */
        if (status != LT_OK || !task->result->as_before || !task->is_look)
            return status;
    }
    options.output = task->dry_run ? NULL : task->output;
    options.report = task->dry_run ? NULL : task->report;
    return lt_annotate(&options, &result, error);
}

/* Whether a rule finds any track's first anchor, and whether one counts from the front. */
struct rules {
    bool any, from_front;
};

static void look_at_rule(struct rules *rules, const struct lt_track *track)
{
    rules->any |= track->anchor_run != 0 || track->skip_partial != 0;
    rules->from_front |= track->anchor_run > 0 || track->skip_partial != 0;
}

static struct rules rules_of(const struct command *command)
{
    struct rules rules = {0};
    struct spec *spec = command->options.spec == NULL ? NULL : calloc(1, sizeof *spec);
    struct lt_error error = {.size = sizeof error};
    look_at_rule(&rules, &command->track);
    if (spec == NULL)
        return rules;
    /* What is wrong with it each trace's job says. */
    (void)spec_read(spec, command->options.spec, &error);
    for (size_t i = 0; i < spec->count; i++)
        look_at_rule(&rules, &spec->tracks[i]);
    spec_free(spec);
    free(spec);
    return rules;
}

static int annotate_many(struct command *command)
{
    struct rules rules = rules_of(command);
    /* A dry run needs no names for what it does not write. */
    bool unnamed = command->options.dry_run && command->many.output_dir == NULL;
    const struct many_command many = {.name = "annotate",
                                      .done = command->options.dry_run ? "accepted" : "annotated",
                                      .wanted = FILES_TRACES,
                                      .ending = unnamed ? NULL : ".layers.trace.json",
                                      .report_ending = unnamed ? NULL : ".layers.json",
                                      .may_gzip = true,
                                      .compress = command->output.compress,
                                      .look_first = command->many.same_counts || rules.any,
                                      .by_rule = rules.any,
                                      .from_end = !rules.from_front,
                                      .same_counts = command->many.same_counts,
                                      .dry_run = command->options.dry_run,
                                      .work = annotate_one,
                                      .ctx = command};
    int code = unnamed ? LT_OK : many_check_outputs(&command->common, &command->output);
    if (code != LT_OK)
        return code;
    command->options.compress = command->output.compress;
    command->options.level = command->output.level;
    return many_run(&many, &command->common);
}

/* For the page of a job. */
static bool on_found(void *progress, const struct lt_found *found)
{
    struct command *command = progress;
    rank_keep_found(&command->row.result, &command->row.memory, found);
    return true;
}

static void tell_as_before(const struct command *command)
{
    say_result(&(struct log_result){.traces = 1, .resumed = 1});
    if (progress_talks(command->common.mode))
        say_line(stderr, "%s is as before: made from this trace, with this selection", command->options.output);
}

static int annotate_trace(struct command *command)
{
    struct lt_annotate_result result = {.size = sizeof result};
    struct lt_error error = {.size = sizeof error};
    bool has_page = step_summary_wanted();
    command->options.found = has_page ? on_found : NULL;
    if (has_page)
        step_summary_of(&command->row, command->options.trace);
    progress_start(&command->progress, command->common.mode);
    /* A dry run need not say where its output would go. */
    bool as_before = false, resumes = command->many.resume && command->options.output != NULL;
    enum lt_status status = resumes ? resume_annotate(&command->options, &as_before, &result, &error)
                                    : lt_annotate(&command->options, &result, &error);
    progress_clear(&command->progress);
    int code = status == LT_OK ? LT_OK : cli_fail(&error);
    if (as_before)
        tell_as_before(command);
    else if (status == LT_OK)
        summarize(command, &result);
    if (has_page)
        step_summary_end(&command->row, "annotate", as_before ? "as before" : "annotated", code, &error);
    return code;
}

static int run(int argc, char **argv)
{
    struct command command = {
        .options = {.size = sizeof command.options,
                    .progress = cli_on_progress,
                    .name = cli_name,
                    .warning = cli_on_warning},
        .track = {.size = sizeof command.track, .passes = 1, .anchor_stride = 1},
        .common = {.mode = PROGRESS_AUTO, .many = &command.many},
    };
    command.options.callback_ctx = &command.progress;
    if (!cli_take_all(&command.common, NULL, argc, argv, option_table, take, &command))
        return LT_USAGE;
    if (command.common.help)
        return cli_print_help(&cli_annotate);
    command.options.trace = command.common.trace;
    command.options.parser = command.common.parser;
    command.options.threads = command.common.threads;
    command.options.fail_on_warning = command.common.fail_on_warning;
    if (command.many.is_asked)
        return choose_tracks(&command) ? annotate_many(&command) : LT_USAGE;
    if (!choose_tracks(&command) || !cli_default_input(&command.options.trace))
        return LT_USAGE;
    if (!command.options.dry_run && !cli_check_output(&command.output))
        return LT_USAGE;
    command.options.output = command.output.output;
    command.options.report = command.output.report;
    command.options.compress = command.output.compress;
    command.options.level = command.output.level;
    return annotate_trace(&command);
}

const struct cli_command cli_annotate = {
    .name = "annotate",
    .run = run,
    .intro = "Usage: layertrack annotate [TRACE] [-o OUTPUT] OPTIONS\n",
    .options = option_table,
};
