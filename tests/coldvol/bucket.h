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

/*
 * It leaves at `now_usec`. If something else than this bucket held it up meanwhile, no more than
 * the depth was saved: else all that came as long ago would follow at once.
 */
static inline void bucket_take(struct bucket *bucket, uint64_t ready_usec, uint64_t now_usec,
                               double cost_usec, double depth_usec)
{
    double least_usec = (double)now_usec - depth_usec;

    bucket->paid_usec = bucket_leave_usec(bucket, ready_usec, cost_usec, depth_usec);
    if (bucket->paid_usec < least_usec)
        bucket->paid_usec = least_usec;
}

#endif
