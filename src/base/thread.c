/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>

int thread_start(void *(*main_function)(void *), void *userdata, size_t stack_bytes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    int r;

    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_bytes > 0)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    r = pthread_create(&thread, &attributes, main_function, userdata);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return -r;
}
