/*
 * server.h - the HTTP side: sites on loopback ports, and what lies on them
 *
 * A site is one port of 127.0.0.1 with one token. The page's site has, below
 * /TOKEN/, the page's files, about.json, trace and report.json; the other one,
 * when a Perfetto UI is served too, has the files of its folder. They are two
 * ports, thus two origins: the UI's scripts reach neither the page nor
 * the trace, save what the page hands them.
 *
 * Every connection has a thread of its own, so that neither a slow reader nor
 * a slow disk holds up the others; their number is bounded, and so is the time
 * for which one may stand still, or take over the head of a request (waiting.h).
 */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "layertrack.h"
#include "serve/access.h"
#include "serve/file.h"

struct MHD_Daemon;

struct site {
    /* Filled by the caller. */
    const struct served_file *trace;
    const struct served_file *report; /* fd -1: there is none */
    const char *about;                /* the content of about.json */
    int folder;                       /* of a Perfetto UI, which is then all there is; -1: this is the page's site */
    const char *policy;               /* Content-Security-Policy */
    void (*transferred)(void *ctx);   /* a client has read the whole trace; from another thread; may be NULL */
    void *ctx;

    /* Filled by site_listen(). */
    int listener;
    uint16_t port;
    char token[TOKEN_LENGTH + 1];

    struct MHD_Daemon *daemon;
};

/*
 * Makes sure that the process may open as many files as so many sites can
 * need: a server that cannot accept a connection would go on trying. LT_IO.
 */
enum lt_status sites_reserve(unsigned sites, struct lt_error *error);

/* Takes a port (0: any that is free) and a token. Answers nothing yet. */
enum lt_status site_listen(struct site *site, uint16_t port, struct lt_error *error);

/* Starts to answer. */
enum lt_status site_start(struct site *site, struct lt_error *error);

/* Ends all transfers and frees the port. Does nothing to a site that never listened (listener -1). */
void site_stop(struct site *site);

#endif
