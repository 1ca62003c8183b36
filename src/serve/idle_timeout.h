/*
 * idle_timeout.h - connections that have yet to ask for something
 *
 * The HTTP library closes a connection that stands still, but one on which a
 * byte comes now and then may take forever over the head of a request, and 64
 * such connections keep everybody else out. So there is a limit on the whole
 * head. All sites share one list; every function may be called by any thread.
 */
#ifndef SERVE_IDLE_TIMEOUT_H
#define SERVE_IDLE_TIMEOUT_H

#include <stdbool.h>

struct idle_timeout;

/* A new connection, which waits from now on. NULL, which the others take as well, when memory is out: no limit. */
struct idle_timeout *idle_timeout_add(int socket);

/* Whether it waits for (the rest of) a request, from now on, or is busy with one. */
void idle_timeout_set(struct idle_timeout *connection, bool waits);

/* Before the socket is closed. */
void idle_timeout_remove(struct idle_timeout *connection);

/* Starts the thread that shuts down those that have waited too long. False when there can be none. */
bool idle_timeout_watch(void);

#endif
