/* SPDX-License-Identifier: MIT */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <stddef.h>

/*
 * Starts a detached thread with all signals blocked, since signals belong to the event loop.
 * `stack_bytes` 0 = the system's default. Negative errno.
 */
int thread_start(void *(*main_function)(void *), void *userdata, size_t stack_bytes);

#endif
