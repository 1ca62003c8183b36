#define _POSIX_C_SOURCE 200809L
#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/sockios.h>
#endif

#include "base/error.h"
#include "serve/idle_timeout.h"
#include "serve/page.h"

#define MOST_CONNECTIONS 64u
#define STILL_SECONDS    30u                /* how long a connection may stand still */
#define REQUEST_MEMORY   ((size_t)16 << 10) /* for a request's line and headers */
#define BLOCK            ((size_t)128 << 10)
#define TAKE_SECONDS     300 /* how long a client may take to read what is in the sockets' buffers */

/* One request, from its first line to the end of the answer. */
struct request {
    char *uri; /* as sent */
    bool seen;
    bool is_transfer; /* of the trace, whole, which site->transferred wants to know */
};

/* A file on its way. */
struct transfer {
    struct served_file file;
    bool owned;
};

static const struct {
    const char *suffix, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".wasm", "application/wasm"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
};

static const char *type_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof types / sizeof *types; i++)
        if (strcmp(dot, types[i].suffix) == 0)
            return types[i].type;
    return "application/octet-stream";
}

/* Sends a response that may be NULL (no memory) and lets go of it. */
static enum MHD_Result send_response(const struct site *site, struct MHD_Connection *connection, unsigned status,
                                     struct MHD_Response *response, const char *type)
{
    const char *const headers[][2] = {
        {"Content-Type", type},
        {"Content-Security-Policy", site->policy},
        {"X-Content-Type-Options", "nosniff"},
        {"Cache-Control", "no-store"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    bool good = response != NULL;
    for (size_t i = 0; good && i < sizeof headers / sizeof *headers; i++)
        good = MHD_add_response_header(response, headers[i][0], headers[i][1]) == MHD_YES;
    /* The UI's site is framed by the page, as its policy says. */
    if (good && site->folder < 0)
        good = MHD_add_response_header(response, "X-Frame-Options", "DENY") == MHD_YES;
    if (good && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        good = MHD_add_response_header(response, "Allow", "GET, HEAD") == MHD_YES;
    enum MHD_Result result = good ? MHD_queue_response(connection, status, response) : MHD_NO;
    if (response != NULL)
        MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_bytes(const struct site *site, struct MHD_Connection *connection, const char *type,
                                  const void *data, size_t size)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)data, MHD_RESPMEM_PERSISTENT);
    return send_response(site, connection, MHD_HTTP_OK, response, type);
}

static enum MHD_Result refuse(const struct site *site, struct MHD_Connection *connection, unsigned status,
                              const char *text)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    return send_response(site, connection, status, response, "text/plain; charset=utf-8");
}

static ssize_t read_block(void *cls, uint64_t offset, char *buffer, size_t size)
{
    const struct transfer *transfer = cls;
    ssize_t got = file_read(&transfer->file, buffer, size, offset);
    return got > 0 ? got : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void free_transfer(void *cls)
{
    struct transfer *transfer = cls;
    if (transfer->owned)
        file_close(&transfer->file);
    free(transfer);
}

/* NULL when memory is out. An `owned` file is closed in any case. */
static struct MHD_Response *file_response(struct served_file file, bool owned)
{
    struct transfer *transfer = malloc(sizeof *transfer);
    struct MHD_Response *response = NULL;
    if (transfer != NULL) {
        *transfer = (struct transfer){file, owned};
        response = MHD_create_response_from_callback((uint64_t)file.opened.st_size, BLOCK, read_block, transfer,
                                                     free_transfer);
    }
    if (response == NULL) {
        if (owned)
            file_close(&file);
        free(transfer);
    }
    return response;
}

/* The `last` thing that is sent over its connection, or not. */
static enum MHD_Result send_checked(const struct site *site, struct MHD_Connection *connection,
                                    const struct served_file *file, const char *type, bool last)
{
    if (!file_unchanged(file))
        return refuse(site, connection, MHD_HTTP_CONFLICT, "The file has changed since it was opened.\n");
    struct MHD_Response *response = file_response(*file, false);
    if (response != NULL && last && MHD_add_response_header(response, "Connection", "close") != MHD_YES) {
        MHD_destroy_response(response);
        response = NULL;
    }
    return send_response(site, connection, MHD_HTTP_OK, response, type);
}

static enum MHD_Result not_found(const struct site *site, struct MHD_Connection *connection)
{
    return refuse(site, connection, MHD_HTTP_NOT_FOUND, "Not found.\n");
}

static enum MHD_Result answer_page(const struct site *site, struct MHD_Connection *connection, const char *path,
                                   struct request *request, bool is_get)
{
    if (strcmp(path, "trace") == 0) {
        request->is_transfer = is_get && site->transferred != NULL && file_unchanged(site->trace);
        return send_checked(site, connection, site->trace, "application/octet-stream", request->is_transfer);
    }
    if (strcmp(path, "report.json") == 0 && site->report->fd >= 0)
        return send_checked(site, connection, site->report, "application/json", false);
    if (strcmp(path, "about.json") == 0)
        return send_bytes(site, connection, "application/json", site->about, strlen(site->about));
    if (*path == '\0')
        path = "index.html";
    else if (strcmp(path, "index.html") == 0)
        return not_found(site, connection);
    for (size_t i = 0; i < page_file_count; i++)
        if (strcmp(path, page_files[i].name) == 0)
            return send_bytes(site, connection, type_of(path), page_files[i].data, page_files[i].size);
    return not_found(site, connection);
}

static enum MHD_Result answer_folder(const struct site *site, struct MHD_Connection *connection, char *path)
{
    struct served_file file;
    path[strcspn(path, "?")] = '\0';
    /* A service worker would stay in the browser, on a port that someone else may have tomorrow. */
    if (MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Service-Worker") != NULL)
        return not_found(site, connection);
    const char *name = *path == '\0' ? "index.html" : path;
    if (!access_names(name) || !file_open_below(&file, site->folder, name))
        return not_found(site, connection);
    return send_response(site, connection, MHD_HTTP_OK, file_response(file, true), type_of(name));
}

struct host {
    const char *value;
    unsigned count;
};

static enum MHD_Result take_host(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
    struct host *host = cls;
    (void)kind;
    if (strcasecmp(key, "Host") == 0) {
        host->value = value;
        host->count++;
    }
    return MHD_YES;
}

/* What is refused by its headers alone: a status and a text; 0 when there is nothing to refuse. */
static unsigned check(const struct site *site, struct MHD_Connection *connection, const char *method, const char **text)
{
    struct host host = {NULL, 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_host, &host);
    *text = "Wrong Host header.\n";
    if (host.count != 1 || host.value == NULL || !access_host(host.value, site->port))
        return MHD_HTTP_FORBIDDEN;
    *text = "GET and HEAD only.\n";
    if (!access_method(method))
        return MHD_HTTP_METHOD_NOT_ALLOWED;
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    *text = "No request body, please.\n";
    if ((length != NULL && strcmp(length, "0") != 0) ||
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Transfer-Encoding") != NULL)
        return MHD_HTTP_BAD_REQUEST;
    return 0;
}

static void set_waiting(struct MHD_Connection *connection, bool waits)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info != NULL)
        idle_timeout_set(info->socket_context, waits);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **ctx)
{
    const struct site *site = cls;
    struct request *request = *ctx;
    (void)url, (void)version, (void)upload, (void)upload_size;
    if (request == NULL)
        return MHD_NO;
    /* An answer to the first call ends the connection; one to the second leaves it open for more. */
    if (!request->seen) {
        const char *text;
        unsigned status = check(site, connection, method, &text);
        request->seen = true;
        set_waiting(connection, false);
        return status == 0 ? MHD_YES : refuse(site, connection, status, text);
    }
    const char *path = access_path(request->uri, site->token);
    if (path == NULL)
        return not_found(site, connection);
    if (site->folder >= 0)
        return answer_folder(site, connection, request->uri + (path - request->uri));
    return answer_page(site, connection, path, request, strcmp(method, "GET") == 0);
}

static void *on_uri(void *cls, const char *uri, struct MHD_Connection *connection)
{
    (void)cls, (void)connection;
    struct request *request = calloc(1, sizeof *request);
    if (request != NULL && (request->uri = strdup(uri)) == NULL) {
        free(request);
        request = NULL;
    }
    return request;
}

/* Whether all that was sent has arrived, give or take a moment, and was not answered by a reset. */
static bool has_arrived(int socket)
{
    int error = 0;
    socklen_t size = sizeof error;
#if defined(__linux__)
    const struct timespec pause = {0, 10000000};
    int left = 0;
    for (int i = 0; i < 100 && ioctl(socket, SIOCOUTQ, &left) == 0 && left > 0; i++)
        nanosleep(&pause, NULL);
    if (left > 0)
        return false;
#endif
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

/*
 * Whether the client has read what it was sent. That this has left the program
 * says nothing: a small trace fits into the buffers of the sockets. But a
 * client that has read everything closes its end in an orderly way once this
 * end is closed, and one that goes before leaves a reset connection.
 */
static bool is_taken(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info == NULL)
        return false;
    struct pollfd end = {.fd = info->connect_fd, .events = POLLIN};
    char rest[512];
    shutdown(end.fd, SHUT_WR);
    while (poll(&end, 1, TAKE_SECONDS * 1000) == 1) {
        ssize_t got = recv(end.fd, rest, sizeof rest, 0);
        if (got == 0)
            return has_arrived(end.fd);
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            return false;
    }
    return false;
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **ctx, enum MHD_RequestTerminationCode how)
{
    const struct site *site = cls;
    struct request *request = *ctx;
    if (request != NULL && request->is_transfer && how == MHD_REQUEST_TERMINATED_COMPLETED_OK && is_taken(connection))
        site->transferred(site->ctx);
    set_waiting(connection, true);
    if (request == NULL)
        return;
    free(request->uri);
    free(request);
    *ctx = NULL;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **ctx,
                          enum MHD_ConnectionNotificationCode what)
{
    (void)cls;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        idle_timeout_remove(*ctx);
        *ctx = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *ctx = info == NULL ? NULL : idle_timeout_add(info->connect_fd);
}

enum lt_status site_listen(struct site *site, uint16_t port, struct lt_error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t len = sizeof address;
    int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!access_make_token(site->token))
        return fail(error, LT_IO, "serve: the system gives no random bytes for an unguessable address");
    site->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (site->listener < 0)
        return fail(error, LT_IO, "serve: no socket: %s", strerror(errno));
    fcntl(site->listener, F_SETFD, FD_CLOEXEC);
    /* A port that was just left can be taken again at once. */
    setsockopt(site->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(site->listener, (const struct sockaddr *)&address, len) != 0 || listen(site->listener, 128) != 0 ||
        getsockname(site->listener, (struct sockaddr *)&address, &len) != 0)
        return fail(error, LT_IO, "serve: cannot listen on 127.0.0.1:%u: %s; --port 0 takes any free port", port,
                    strerror(errno));
    site->port = ntohs(address.sin_port);
    return LT_OK;
}

/* Each site: its connections, and a file of a UI on each. */
#define DESCRIPTORS_PER_SITE (2 * MOST_CONNECTIONS)
#define OTHER_DESCRIPTORS    32u

enum lt_status sites_reserve(unsigned sites, struct lt_error *error)
{
    rlim_t needed = sites * DESCRIPTORS_PER_SITE + OTHER_DESCRIPTORS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return LT_OK;
    struct rlimit raised = {needed, limit.rlim_max};
    if (limit.rlim_max >= needed && setrlimit(RLIMIT_NOFILE, &raised) == 0)
        return LT_OK;
    return fail(error, LT_IO,
                "serve: only %llu files may be open at a time, and its connections need up to %llu; raise "
                "the limit with ulimit -n %llu",
                (unsigned long long)limit.rlim_max, (unsigned long long)needed, (unsigned long long)needed);
}

enum lt_status site_start(struct site *site, struct lt_error *error)
{
    site->daemon = MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, on_request, site,
        MHD_OPTION_LISTEN_SOCKET, site->listener, MHD_OPTION_CONNECTION_LIMIT, MOST_CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, STILL_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_MEMORY,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_URI_LOG_CALLBACK, on_uri, NULL, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, site, MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL, MHD_OPTION_END);
    if (site->daemon == NULL)
        return fail(error, LT_IO, "serve: the server cannot be started: %s", strerror(errno));
    return LT_OK;
}

void site_stop(struct site *site)
{
    if (site->daemon != NULL)
        MHD_stop_daemon(site->daemon);
    else if (site->listener >= 0)
        close(site->listener);
    site->daemon = NULL;
    site->listener = -1;
}
