#define _GNU_SOURCE /* SIGSTKFLT, SIGPWR */
#include "cli/cli.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    /* Sent by a process, kill(1) for one; else by the kernel. */
    bool was_sent = info->si_code <= 0;
    switch (number) {
    case SIGILL:
    case SIGTRAP:
    case SIGBUS:
    case SIGFPE:
    case SIGSEGV:
    case SIGSYS:
        if (!was_sent) { /* a fault of our own: nothing can be relied on */
            signal(number, SIG_DFL);
            raise(number);
            return;
        }
        break;
    default:
        break;
    }
    caught = number;
}

static void catch_one(int number)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, before;
    sigemptyset(&action.sa_mask);
    /* What nohup or a shell switched off stays off. */
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

void interrupt_catch(void)
{
    /* All that end a process by default and can be caught, but SIGPIPE and SIGXFSZ, which come back as errors. */
    static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,   SIGUSR1,
                                  SIGSEGV, SIGUSR2, SIGALRM, SIGTERM, SIGSYS,  SIGXCPU, SIGPROF, SIGVTALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        catch_one(signals[i]);
#ifdef __linux__
    catch_one(SIGSTKFLT);
    catch_one(SIGIO);
    catch_one(SIGPWR);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        catch_one(number);
#endif
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
