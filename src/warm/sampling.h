/* SPDX-License-Identifier: MIT */
/* A throughput sample on its way: which regions are still to be read, what the read ones took.
 * Pure. */
#ifndef WARM_SAMPLING_H
#define WARM_SAMPLING_H

#include "check/sample.h"

#include <stdbool.h>

struct sampling {
    struct range *regions;
    uint64_t *latencies_usec;
    size_t n, next, measured;
    uint64_t seed;
    uint64_t deadline_usec;
};

/*
 * Draws regions from `ranges`; false (and nothing begun) where there are too few for a figure or
 * memory is short.
 */
bool sampling_begin(struct sampling *sampling, const struct rangeset *ranges, size_t n,
                    uint64_t seed, uint64_t deadline_usec);
/* The next region to read; false when the sample is complete or its time is up. */
bool sampling_next(struct sampling *sampling, uint64_t now_usec, struct range *ret);
void sampling_measured(struct sampling *sampling, uint64_t latency_usec);
/* Its time is up, whatever is still in flight. */
bool sampling_is_late(const struct sampling *sampling, uint64_t now_usec);
/* Sums up and forgets the sample. */
void sampling_end(struct sampling *sampling, struct check_report *ret);
void sampling_free(struct sampling *sampling);

#endif
