/* SPDX-License-Identifier: MIT */
#ifndef WARM_CLOCK_H
#define WARM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_usec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static inline uint64_t clock_unix_sec(void)
{
    return (uint64_t)time(NULL);
}

#endif
