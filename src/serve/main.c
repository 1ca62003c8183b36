#define _POSIX_C_SOURCE 200809L
/*
 * layertrack-serve - what `layertrack serve` runs
 *
 * A program of its own, so that the other commands do without the HTTP
 * library: they start faster and are smaller. It takes the command's options.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "serve/idle_timeout.h"
#include "serve/open_browser.h"
#include "serve/report_match.h"
#include "serve/server.h"
#include "serve/trace_facts.h"

#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/say.h"

#define DEFAULT_UI "https://ui.perfetto.dev/"
#define URL_SIZE   512
#define NOTE_SIZE  5120 /* a message, and a name before it */

struct command {
    const char *trace, *report, *ui;
    uint16_t port;
    bool open, once, help;

    struct served_file trace_file, report_file;
    char ui_url[URL_SIZE], ui_origin[URL_SIZE];
    char page_policy[URL_SIZE + 512], ui_policy[256];
    char *about;
    struct text doubt;         /* what speaks against the report, "" for nothing */
    struct lt_error no_report; /* what was named as one is none */
    struct site page, hosted;  /* hosted: a UI from a folder */
    sigset_t ending, awaited;  /* awaited: SIGUSR1 as well */
    pthread_t main_thread;
    atomic_bool transferred;
};

static bool take_port(uint16_t *port, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long number = strtoul(text, NULL, 10);
    if (digits == 0 || text[digits] != '\0' || number > UINT16_MAX) {
        cli_usage("--port '%s' is not a whole number from 0 to 65535", text);
        return false;
    }
    *port = (uint16_t)number;
    return true;
}

static bool take(struct command *command, int option, const char *value)
{
    switch (option) {
    case CLI_REPORT:
        command->report = value;
        return true;
    case CLI_PORT:
        return take_port(&command->port, value);
    case CLI_UI:
        command->ui = value;
        return true;
    case CLI_OPEN:
        return command->open = true;
    case CLI_ONCE:
        return command->once = true;
    case CLI_LOG_FORMAT:
        return cli_log_format(value);
    case 'h':
        return command->help = true;
    default:
        return false;
    }
}

static bool take_all(struct command *command, int argc, char **argv)
{
    struct cli_getopt getopt;
    cli_getopt(&getopt, cli_serve_options);
    for (int option; (option = cli_next_option(argc, argv, &getopt)) != -1;)
        if (!take(command, option, optarg))
            return false;
    if (command->help)
        return true;
    if (optind + 1 != argc) {
        cli_usage(optind == argc ? "serve needs a trace; see layertrack help serve" : "serve takes one trace");
        return false;
    }
    command->trace = argv[optind];
    say_trace(command->trace);
    if (strcmp(command->trace, "-") == 0) {
        cli_usage("serve needs a file, not standard input: the trace may be read more than once");
        return false;
    }
    return true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The report beside the trace is optional; one that was named must be there. */
static enum lt_status open_report(struct command *command, struct lt_error *error)
{
    if (command->report != NULL)
        return file_open(&command->report_file, command->report, error);
    size_t len = strlen(command->trace);
    char *beside = malloc(len + sizeof ".layers.json");
    if (beside == NULL)
        return fail_memory(error);
    memcpy(beside, command->trace, len);
    memcpy(beside + len, ".layers.json", sizeof ".layers.json");
    /* A link that leads nowhere is there too. */
    struct stat st;
    enum lt_status status = lstat(beside, &st) == 0 ? file_open(&command->report_file, beside, error) : LT_OK;
    free(beside);
    return status;
}

/* A report that is none keeps nobody from the trace: it is said, here and by the page. */
static enum lt_status check_report(struct command *command, struct lt_error *error)
{
    struct lt_error *why = &command->no_report;
    if (command->report_file.fd < 0 ||
        report_match_check(&command->trace_file, command->trace, command->report, &command->doubt, why) == LT_OK ||
        why->status == LT_TRACE)
        return LT_OK;
    *error = *why;
    return error->status;
}

static enum lt_status choose_folder(struct site *site, const char *folder, struct lt_error *error)
{
    struct served_file index;
    char name[512];
    site->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (site->folder < 0)
        return fail_errno(error, folder, "is neither an address (http://... or https://...) nor a folder to serve",
                          errno);
    bool is_there = file_open_below(&index, site->folder, "index.html");
    if (!is_there && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
        return fail_errno(error, folder, "its index.html cannot be opened", errno);
    if (!is_there)
        return fail(error, LT_IO, "%s: has no index.html that can be served: a regular file, no symbolic link",
                    printable(name, sizeof name, folder, strlen(folder)));
    file_close(&index);
    return LT_OK;
}

static bool is_folder(const char *ui)
{
    return ui != NULL && strstr(ui, "://") == NULL;
}

static enum lt_status choose_ui(struct command *command, struct lt_error *error)
{
    const char *ui = command->ui == NULL ? DEFAULT_UI : command->ui;
    if (is_folder(ui))
        return choose_folder(&command->hosted, ui, error);
    size_t len = strlen(ui);
    /* The one thing that is forgiven: no slash behind the host. */
    snprintf(command->ui_url, sizeof command->ui_url, "%s%s", ui, len > 0 && ui[len - 1] != '/' ? "/" : "");
    if (len + 2 > sizeof command->ui_url ||
        !access_ui_url(command->ui_url, command->ui_origin, sizeof command->ui_origin)) {
        char name[512];
        return fail(error, LT_USAGE, "--ui '%s' is no address like https://host:port/path/ without user, ? and #",
                    printable(name, sizeof name, ui, len));
    }
    return LT_OK;
}

/* The signal only wakes the main thread: anybody may send one. */
static void on_transferred(void *ctx)
{
    struct command *command = ctx;
    atomic_store(&command->transferred, true);
    pthread_kill(command->main_thread, SIGUSR1);
}

/* The signals that end the server are waited for, by no thread but this one; what nohup switched off stays off. */
static void await_signals(struct command *command)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&command->ending);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaddset(&command->ending, signals[i]);
    }
    command->awaited = command->ending;
    sigaddset(&command->awaited, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &command->awaited, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static enum lt_status start_hosted(struct command *command, struct lt_error *error)
{
    if (command->hosted.folder < 0)
        return LT_OK;
    uint16_t beside = command->port == 0 || command->port == 65535 ? 0 : (uint16_t)(command->port + 1);
    enum lt_status status = site_listen(&command->hosted, beside, error);
    if (status != LT_OK)
        return status;
    snprintf(command->ui_policy, sizeof command->ui_policy, "frame-ancestors http://127.0.0.1:%u http://localhost:%u",
             command->page.port, command->page.port);
    command->hosted.policy = command->ui_policy;
    snprintf(command->ui_origin, sizeof command->ui_origin, "http://127.0.0.1:%u", command->hosted.port);
    snprintf(command->ui_url, sizeof command->ui_url, "http://127.0.0.1:%u/%s/", command->hosted.port,
             command->hosted.token);
    return site_start(&command->hosted, error);
}

static enum lt_status start_page(struct command *command, struct lt_error *error)
{
    snprintf(command->page_policy, sizeof command->page_policy,
             "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
             "frame-src %s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
             "require-trusted-types-for 'script'; trusted-types 'none'",
             command->ui_origin);
    struct trace_facts about = {
        .trace_name = base_name(command->trace),
        .trace_bytes = (uint64_t)command->trace_file.opened.st_size,
        .has_report = command->report_file.fd >= 0,
        .report_doubt = command->doubt.len > 0 ? command->doubt.data : NULL,
        .ui = command->ui_url,
        .ui_is_local = command->hosted.folder >= 0,
    };
    command->about = trace_facts_json(&about);
    if (command->about == NULL)
        return fail_memory(error);
    command->page.about = command->about;
    command->page.policy = command->page_policy;
    return site_start(&command->page, error);
}

static enum lt_status start(struct command *command, struct lt_error *error)
{
    /* First, so that no file fails to open for want of what is then allowed. */
    enum lt_status status = sites_reserve(is_folder(command->ui) ? 2 : 1, error);
    if (status == LT_OK)
        status = file_open(&command->trace_file, command->trace, error);
    if (status == LT_OK)
        status = open_report(command, error);
    if (status == LT_OK)
        status = check_report(command, error);
    if (status == LT_OK)
        status = choose_ui(command, error);
    if (status == LT_OK && command->once && command->hosted.folder >= 0)
        status = fail(error, LT_USAGE,
                      "--once and a UI from a folder do not go together: the UI is still read from "
                      "here when the trace has been transferred");
    await_signals(command);
    if (status == LT_OK && !idle_timeout_watch())
        status = fail_memory(error);
    if (status == LT_OK)
        status = site_listen(&command->page, command->port, error);
    if (status == LT_OK)
        status = start_hosted(command, error);
    return status == LT_OK ? start_page(command, error) : status;
}

/* Says something that is no error, about the trace. */
static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    char sentence[NOTE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    say_entry(
        &(struct log_entry){
            .level = LOG_NOTICE, .event = LT_NONE, .offset = LT_NONE, .line = LT_NONE, .message = sentence},
        sentence);
}

static enum lt_status announce(const struct command *command, struct lt_error *error)
{
    char url[128], line[256], name[512];
    const char *base = base_name(command->trace);
    const char *user = getenv("LOGNAME");
    if (user == NULL || *user == '\0')
        user = getenv("USER");
    snprintf(url, sizeof url, "http://127.0.0.1:%u/%s/", command->page.port, command->page.token);
    note("serving %s to this machine only, at the address below; Ctrl-C ends it",
         printable(name, sizeof name, base, strlen(base)));
    if (command->report_file.fd < 0)
        note("there is no report beside it (%s.layers.json); --report names one", name);
    if (command->no_report.status != LT_OK)
        note("%s", command->no_report.message);
    if (command->doubt.len > 0)
        note("%s: %s", name, command->doubt.data);
    if (open_browser_ssh(line, sizeof line, getenv("SSH_CONNECTION"), user, command->page.port, command->hosted.port))
        note("to open it at home, type there: %s", line);
    /* Last, so that whoever reads the address has been told everything. */
    if (printf("%s\n", url) < 0 || fflush(stdout) != 0)
        return fail(error, LT_IO, "standard output cannot be written");
    if (command->open && !open_browser(url))
        note("no browser could be started; open the address yourself");
    return LT_OK;
}

/* Whoever is to read it may not: until it is told, the signals end the program by themselves. */
static enum lt_status announce_interruptibly(const struct command *command, struct lt_error *error)
{
    pthread_sigmask(SIG_UNBLOCK, &command->ending, NULL);
    enum lt_status status = announce(command, error);
    pthread_sigmask(SIG_BLOCK, &command->ending, NULL);
    return status;
}

/* Until a signal that ends the server, which is returned, or the end of a transfer (0). */
static int await_end(struct command *command)
{
    int number;
    while (!atomic_load(&command->transferred))
        if (sigwait(&command->awaited, &number) == 0 && sigismember(&command->ending, number) == 1)
            return number;
    return 0;
}

static void stop(struct command *command)
{
    site_stop(&command->page);
    site_stop(&command->hosted);
    file_close(&command->trace_file);
    file_close(&command->report_file);
    if (command->hosted.folder >= 0)
        close(command->hosted.folder);
    free(command->about);
    text_free(&command->doubt);
}

/* Another signal ends the program at once, whatever is still to be stopped. */
static void stop_by(struct command *command, int number)
{
    pthread_sigmask(SIG_UNBLOCK, &command->ending, NULL);
    stop(command);
    if (number == 0)
        return;
    say_end(LT_OK);
    raise(number);
}

static int run(int argc, char **argv)
{
    static struct command command;
    struct lt_error error = {0};
    command.main_thread = pthread_self();
    command.trace_file.fd = command.report_file.fd = -1;
    command.page = (struct site){
        .trace = &command.trace_file, .report = &command.report_file, .folder = -1, .listener = -1, .ctx = &command};
    command.hosted = (struct site){.folder = -1, .listener = -1};
    if (!take_all(&command, argc, argv))
        return LT_USAGE;
    if (command.help)
        return cli_print_help(&(struct cli_command){
            .name = "serve", .intro = cli_serve_intro, .outro = cli_serve_outro, .options = cli_serve_options});
    if (command.once)
        command.page.transferred = on_transferred;
    enum lt_status status = start(&command, &error);
    if (status == LT_OK)
        status = announce_interruptibly(&command, &error);
    if (status == LT_OK)
        stop_by(&command, await_end(&command));
    else
        stop(&command);
    return status == LT_OK ? LT_OK : cli_fail(&error);
}

int main(int argc, char **argv)
{
    static char name[] = "serve";
    if (argc > 0)
        argv[0] = name;
    say_start(argc, argv);
    return say_end(run(argc, argv));
}
