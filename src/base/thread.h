/*
 * thread.h - threads that leave signals alone
 */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread in which all signals are blocked: they are for the thread that runs the job. False: none to be had.
 */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *ctx);

#endif
