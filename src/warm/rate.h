/* SPDX-License-Identifier: MIT */
/* How fast, and how long yet: exponentially smoothed, so that a figure can be read. Pure. */
#ifndef WARM_RATE_H
#define WARM_RATE_H

#include <stdint.h>

struct rate {
    uint64_t last_usec; /* of the last update */
    uint64_t bytes;     /* since then */
    double shown;       /* bytes a second, over about 2 s */
    double steady;      /* the same over about 15 s: what the ETA is made from */
};

void rate_reset(struct rate *rate, uint64_t now_usec);
void rate_add(struct rate *rate, uint64_t bytes);
/* To be called some times a second. */
void rate_update(struct rate *rate, uint64_t now_usec);

double rate_bytes_per_sec(const struct rate *rate);
/* Seconds until `left_bytes` more are read; UINT64_MAX while that cannot be said. */
uint64_t rate_eta_sec(const struct rate *rate, uint64_t left_bytes);

#endif
