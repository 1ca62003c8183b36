#include "cli/log_format.h"

#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/path.h"
#include "base/utf8.h"

static const char *const level_names[LOG_LEVELS] = {"error", "warning", "notice"};

bool log_format_parse(enum log_format *format, const char *name)
{
    static const char *const formats[] = {"text", "json", "github"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, formats[i]) == 0) {
            *format = (enum log_format)i;
            return true;
        }
    return false;
}

void log_start(struct log *log, enum log_format format, const char *cwd, const char *workspace)
{
    *log = (struct log){.format = format, .cwd = cwd, .workspace = workspace};
}

/* ---- entries ------------------------------------------------------------------------------------------------ */

static const char *unless_empty(const char *text)
{
    return text == NULL || text[0] == '\0' ? NULL : text;
}

static const char *word(enum lt_class class_id)
{
    return class_id == LT_CLASS_NONE ? NULL : lt_class_word(class_id);
}

static const char *unless_input(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 ? NULL : path;
}

struct log_entry log_entry_of_error(const struct lt_error *error, const char *path)
{
    return (struct log_entry){
        .level = LOG_ERROR,
        .class = word(error->class_id),
        .path = unless_input(path),
        .file = unless_empty(error->file),
        .event = error->event,
        .offset = error->offset,
        .line = error->line == 0 ? LT_NONE : error->line,
        .message = error->what,
        .hint = unless_empty(error->hint),
        .weight = error->status > LT_IO ? LT_IO : error->status,
    };
}

struct log_entry log_entry_of_warning(const struct lt_warning *warning, const char *path)
{
    return (struct log_entry){
        .level = LOG_WARNING,
        .class = word(warning->class_id),
        .path = unless_input(path),
        .file = unless_empty(warning->file),
        .event = warning->event,
        .offset = warning->offset,
        .line = LT_NONE,
        .message = warning->what,
        .hint = unless_empty(warning->hint),
        .weight = warning->count,
    };
}

/* FILE: message; hint. */
static void add_sentence(struct text *out, const struct log_entry *entry)
{
    const char *file = entry->file != NULL ? entry->file : entry->path;
    if (file != NULL) {
        text_puts(out, file);
        text_puts(out, ": ");
    }
    text_puts(out, entry->message);
    if (entry->hint != NULL) {
        text_puts(out, "; ");
        text_puts(out, entry->hint);
    }
}

/* ---- text -------------------------------------------------------------------------------------------------- */

static void add_text(struct text *out, const struct log_entry *entry)
{
    struct text line = {0};
    text_puts(&line, "layertrack: ");
    if (entry->level != LOG_ERROR) {
        text_puts(&line, level_names[entry->level]);
        text_puts(&line, ": ");
    }
    add_sentence(&line, entry);
    line_add(out, line.data, line.len);
    text_puts(out, "\n");
    out->failed = out->failed || line.failed;
    text_free(&line);
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static void add_number(struct text *line, const char *key, uint64_t number)
{
    text_puts(line, ", ");
    if (number != LT_NONE) {
        text_key_u64(line, key, number);
        return;
    }
    text_key(line, key);
    text_puts(line, "null");
}

static void add_string(struct text *line, const char *key, const char *string)
{
    text_puts(line, ", ");
    text_key_string(line, key, string);
}

static void add_json_line(struct text *out, struct text *line)
{
    text_puts(line, "}\n");
    line_add_json(out, line->data, line->len);
    out->failed = out->failed || line->failed;
    text_free(line);
}

/* What a message calls the file, without the path: a track, or all of it when that is not how it begins. */
static const char *beside_path(const struct log_entry *entry, char *shown, size_t size)
{
    const char *file = entry->file;
    if (file == NULL || entry->path == NULL)
        return file;
    size_t len = strlen(printable(shown, size, entry->path, strlen(entry->path)));
    if (strncmp(file, shown, len) != 0 || (file[len] != '\0' && strncmp(file + len, ": ", 2) != 0))
        return file;
    return file[len] == '\0' ? NULL : file + len + 2;
}

static void add_json_message(struct text *line, const struct log_entry *entry)
{
    char shown[512];
    struct text message = {0};
    const char *beside = beside_path(entry, shown, sizeof shown);
    if (beside != NULL) {
        text_puts(&message, beside);
        text_puts(&message, ": ");
    }
    text_puts(&message, entry->message);
    text_add(&message, "", 1);
    add_string(line, "message", message.data);
    line->failed = line->failed || message.failed;
    text_free(&message);
}

static void add_json(struct text *out, const struct log_entry *entry)
{
    struct text line = {0};
    text_puts(&line, "{");
    text_key_string(&line, "level", level_names[entry->level]);
    add_string(&line, "class", entry->class);
    add_string(&line, "file", entry->path);
    add_number(&line, "event_index", entry->event);
    add_number(&line, "byte_offset", entry->offset);
    add_number(&line, "line", entry->line);
    add_json_message(&line, entry);
    add_string(&line, "hint", entry->hint);
    add_json_line(out, &line);
}

static void add_json_result(struct text *out, const struct log_result *result)
{
    struct text line = {0};
    text_puts(&line, "{");
    text_key_string(&line, "level", "result");
    add_string(&line, "class", result->class);
    add_number(&line, "exit_code", (uint64_t)result->exit_code);
    add_number(&line, "traces", result->traces);
    add_number(&line, "done", result->done);
    add_number(&line, "refused", result->refused);
    add_number(&line, "resumed", result->resumed);
    add_number(&line, "passed_over", result->passed_over);
    add_number(&line, "warnings", result->warnings);
    add_json_line(out, &line);
}

/* ---- GitHub ------------------------------------------------------------------------------------------------ */

/* What a command's data (or, of a property, besides: its separators) must not hold as it is. */
static void add_escaped(struct text *out, const char *bytes, size_t len, bool is_property)
{
    struct text escaped = {0};
    for (size_t i = 0; i < len; i++) {
        const char *instead = bytes[i] == '%'                  ? "%25"
                              : bytes[i] == '\r'               ? "%0D"
                              : bytes[i] == '\n'               ? "%0A"
                              : is_property && bytes[i] == ':' ? "%3A"
                              : is_property && bytes[i] == ',' ? "%2C"
                                                               : NULL;
        if (instead != NULL)
            text_puts(&escaped, instead);
        else
            text_add(&escaped, bytes + i, 1);
    }
    line_add(out, escaped.data, escaped.len);
    out->failed = out->failed || escaped.failed;
    text_free(&escaped);
}

/* file=PATH, below the workspace, when it is there. */
static void add_file(struct text *out, const struct log *log, const char *file)
{
    struct text path = {0}, folder = {0};
    path_add_absolute(&path, log->cwd, file);
    path_add_absolute(&folder, log->cwd, log->workspace);
    text_add(&path, "", 1);
    text_add(&folder, "", 1);
    const char *below = path.failed || folder.failed ? NULL : path_below(path.data, folder.data);
    if (below != NULL) {
        text_puts(out, "file=");
        add_escaped(out, below, strlen(below), true);
        text_puts(out, ",");
    }
    out->failed = out->failed || path.failed || folder.failed;
    text_free(&path);
    text_free(&folder);
}

static void add_command(struct text *out, const struct log *log, const struct log_entry *entry)
{
    struct text title = {0}, sentence = {0};
    text_puts(out, "::");
    text_puts(out, level_names[entry->level]);
    text_puts(out, " ");
    if (entry->path != NULL && log->workspace != NULL && log->workspace[0] != '\0')
        add_file(out, log, entry->path);
    text_puts(&title, "layertrack");
    if (entry->class != NULL) {
        text_puts(&title, ": ");
        text_puts(&title, entry->class);
    }
    text_puts(out, "title=");
    add_escaped(out, title.data, title.len, true);
    text_puts(out, "::");
    add_sentence(&sentence, entry);
    add_escaped(out, sentence.data, sentence.len, false);
    text_puts(out, "\n");
    out->failed = out->failed || title.failed || sentence.failed;
    text_free(&title);
    text_free(&sentence);
}

/* Keeps a line among the worst ten of its level. False when memory is out. */
static bool keep(struct log *log, const struct log_entry *entry)
{
    struct log_kept *kept = log->kept[entry->level];
    uint64_t count = log->counts[entry->level]++;
    size_t used = count < LOG_MOST_SHOWN ? (size_t)count : LOG_MOST_SHOWN, at = used;
    while (at > 0 && kept[at - 1].weight < entry->weight)
        at--;
    if (at == LOG_MOST_SHOWN)
        return true;
    struct text line = {0};
    add_command(&line, log, entry);
    text_add(&line, "", 1);
    if (line.failed) {
        text_free(&line);
        return false;
    }
    if (used == LOG_MOST_SHOWN)
        free(kept[--used].line);
    memmove(kept + at + 1, kept + at, (used - at) * sizeof *kept);
    kept[at] = (struct log_kept){line.data, entry->weight};
    return true;
}

/* Appends a level's lines. */
static void add_kept(struct log *log, enum log_level level, struct text *out)
{
    uint64_t count = log->counts[level];
    size_t shown = count <= LOG_MOST_SHOWN ? (size_t)count : LOG_MOST_SHOWN - 1;
    for (size_t i = 0; i < shown; i++)
        if (log->kept[level][i].line != NULL)
            text_puts(out, log->kept[level][i].line);
    if (count <= LOG_MOST_SHOWN)
        return;
    text_puts(out, "::");
    text_puts(out, level_names[level]);
    text_puts(out, " title=layertrack::");
    text_u64(out, count - shown);
    text_puts(out, " more, see the table\n");
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

bool log_add(struct log *log, const struct log_entry *entry, struct text *out)
{
    if (log->format == LOG_GITHUB)
        out->failed = !keep(log, entry) || out->failed;
    else if (log->format == LOG_JSON)
        add_json(out, entry);
    else
        add_text(out, entry);
    return !out->failed;
}

bool log_end(struct log *log, const struct log_result *result, struct text *out)
{
    for (int level = 0; level < LOG_LEVELS; level++) {
        add_kept(log, (enum log_level)level, out);
        for (size_t i = 0; i < LOG_MOST_SHOWN; i++)
            free(log->kept[level][i].line);
    }
    if (log->format == LOG_JSON)
        add_json_result(out, result);
    log_start(log, log->format, log->cwd, log->workspace);
    return !out->failed;
}
