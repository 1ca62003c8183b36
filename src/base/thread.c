#define _POSIX_C_SOURCE 200809L
#include "base/thread.h"

#include <signal.h>

bool thread_start(pthread_t *thread, void *(*run)(void *), void *ctx)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, ctx) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
