/* SPDX-License-Identifier: MIT */
/*
 * A disk all of whose reads fail is not read to its end sector by sector: reading rests, and single
 * tries with growing pauses tell when it is back. Pure.
 */
#ifndef WARM_OUTAGE_H
#define WARM_OUTAGE_H

#include <stdbool.h>
#include <stdint.h>

/* So many different places in a row, none read: that is the disk, not its sectors. */
#define OUTAGE_FAILURES      32U
#define OUTAGE_REST_MIN_USEC (UINT64_C(1) * 1000 * 1000)
#define OUTAGE_REST_MAX_USEC (UINT64_C(60) * 1000 * 1000)

struct outage {
    unsigned failures;   /* in a row */
    uint64_t since_usec; /* of the first of them */
    uint64_t rest_usec;
    uint64_t next_try_usec; /* 0: no outage */
};

/* A read of a place that was not tried before has failed, or any read has succeeded. */
void outage_failed(struct outage *outage, uint64_t now_usec);
void outage_succeeded(struct outage *outage);

bool outage_is_on(const struct outage *outage);
/* How many reads may be in flight now. */
unsigned outage_allowed_depth(const struct outage *outage, uint64_t now_usec, unsigned depth);
/* How long every read has failed; 0 outside an outage. */
uint64_t outage_age_usec(const struct outage *outage, uint64_t now_usec);

#endif
