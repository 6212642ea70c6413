/* SPDX-License-Identifier: MIT */
/* A token bucket as the time at which what it let through will have been paid for (GCRA). Pure. */
#ifndef COLDVOL_BUCKET_H
#define COLDVOL_BUCKET_H

#include <stdint.h>

struct bucket {
    double paid_usec;
};

/* When something worth `cost_usec` that came at `ready_usec` may leave. */
static inline double bucket_leave_usec(const struct bucket *bucket, uint64_t ready_usec,
                                       double cost_usec, double depth_usec)
{
    double full_usec = (double)ready_usec - depth_usec;

    return (bucket->paid_usec > full_usec ? bucket->paid_usec : full_usec) + cost_usec;
}

static inline void bucket_take(struct bucket *bucket, uint64_t ready_usec, double cost_usec,
                               double depth_usec)
{
    bucket->paid_usec = bucket_leave_usec(bucket, ready_usec, cost_usec, depth_usec);
}

#endif
