/* SPDX-License-Identifier: MIT */
#include "ec2/pause.h"

#include "base/size.h"

#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_MSEC 500U
#define MAX_MSEC   8000U

uint64_t now_usec(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * USEC_PER_SEC + (uint64_t)ts.tv_nsec / 1000;
}

static unsigned first_msec(void)
{
    const char *text = getenv("EBSWARM_EC2_BACKOFF_MSEC"); /* for tests */
    unsigned msec;

    return text && parse_unsigned(text, &msec) >= 0 && msec <= MAX_MSEC ? msec : FIRST_MSEC;
}

/* Full jitter: anything from 0 to the bound, so that a fleet that booted together spreads. */
void pause_before_retry(unsigned retry)
{
    unsigned bound = first_msec() << (retry < 4 ? retry : 4), random = 0;
    struct timespec ts;

    if (bound > MAX_MSEC)
        bound = MAX_MSEC;
    (void)getrandom(&random, sizeof(random), 0);
    random %= bound + 1;
    ts = (struct timespec){ .tv_sec = random / 1000, .tv_nsec = random % 1000 * 1000000L };
    nanosleep(&ts, NULL);
}
