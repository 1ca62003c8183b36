#define _POSIX_C_SOURCE 200809L
#include "serve/idle_timeout.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define HEAD_SECONDS 30

struct idle_timeout {
    struct idle_timeout *next, **link;
    int socket;
    bool waits;
    time_t since;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct idle_timeout *all;

static time_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

struct idle_timeout *idle_timeout_add(int socket)
{
    struct idle_timeout *connection = malloc(sizeof *connection);
    if (connection == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    *connection = (struct idle_timeout){.next = all, .link = &all, .socket = socket, .waits = true, .since = now()};
    if (all != NULL)
        all->link = &connection->next;
    all = connection;
    pthread_mutex_unlock(&lock);
    return connection;
}

void idle_timeout_set(struct idle_timeout *connection, bool waits)
{
    if (connection == NULL)
        return;
    pthread_mutex_lock(&lock);
    connection->waits = waits;
    connection->since = now();
    pthread_mutex_unlock(&lock);
}

void idle_timeout_remove(struct idle_timeout *connection)
{
    if (connection == NULL)
        return;
    pthread_mutex_lock(&lock);
    *connection->link = connection->next;
    if (connection->next != NULL)
        connection->next->link = connection->link;
    pthread_mutex_unlock(&lock);
    free(connection);
}

static void sweep(void)
{
    pthread_mutex_lock(&lock);
    time_t latest = now() - HEAD_SECONDS;
    for (struct idle_timeout *connection = all; connection != NULL; connection = connection->next)
        if (connection->waits && connection->since < latest)
            shutdown(connection->socket, SHUT_RDWR);
    pthread_mutex_unlock(&lock);
}

static void *watch(void *unused)
{
    const struct timespec pause = {2, 0};
    for (;;) {
        nanosleep(&pause, NULL);
        sweep();
    }
    return unused;
}

bool idle_timeout_watch(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, watch, NULL) == 0 && pthread_detach(thread) == 0;
}
