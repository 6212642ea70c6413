/* SPDX-License-Identifier: MIT */
#include "warm/rate.h"

#include <math.h>

#define SHOWN_SEC  2.0
#define STEADY_SEC 15.0
/* A century: beyond it, a figure of seconds is noise. */
#define ETA_MAX_SEC (UINT64_C(100) * 365 * 24 * 3600)

void rate_reset(struct rate *rate, uint64_t now_usec)
{
    *rate = (struct rate){ .last_usec = now_usec };
}

void rate_add(struct rate *rate, uint64_t bytes)
{
    rate->bytes += bytes;
}

/* The first figure is taken as it is: a mean that starts from 0 would say too little for long. */
static double smooth(double mean, double value, double elapsed_sec, double over_sec)
{
    return mean > 0 ? mean + (value - mean) * (1 - exp(-elapsed_sec / over_sec)) : value;
}

void rate_update(struct rate *rate, uint64_t now_usec)
{
    double elapsed_sec = (double)(now_usec - rate->last_usec) / 1e6;
    double value;

    if (now_usec <= rate->last_usec)
        return;
    value = (double)rate->bytes / elapsed_sec;
    rate->shown = smooth(rate->shown, value, elapsed_sec, SHOWN_SEC);
    rate->steady = smooth(rate->steady, value, elapsed_sec, STEADY_SEC);
    rate->bytes = 0;
    rate->last_usec = now_usec;
}

double rate_bytes_per_sec(const struct rate *rate)
{
    return rate->shown;
}

uint64_t rate_eta_sec(const struct rate *rate, uint64_t left_bytes)
{
    double seconds;

    if (left_bytes == 0)
        return 0;
    if (rate->steady < 1)
        return UINT64_MAX;
    seconds = (double)left_bytes / rate->steady;
    return seconds > (double)ETA_MAX_SEC ? UINT64_MAX : (uint64_t)ceil(seconds);
}
