#define _XOPEN_SOURCE 700 /* SIGXCPU, SIGPROF, SIGVTALRM */
#include "cli.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
}

void interrupt_catch(void)
{
    /* Whatever ends a process by default and is sent to it, not made by its own fault. */
    static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGXCPU, SIGPROF, SIGVTALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_handler = on_signal}, before;
        sigemptyset(&action.sa_mask);
        /* What nohup or a shell switched off stays off. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}

bool interrupt_seen(void)
{
    return caught != 0;
}

void interrupt_finish(void)
{
    if (caught == 0)
        return;
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(caught, &action, NULL);
    raise(caught);
}
