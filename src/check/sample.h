/* SPDX-License-Identifier: MIT */
/*
 * The throughput sample taken before a volume is warmed and after: which regions to read, and what
 * their latencies say. Pure: the caller reads, one region after the other (depth 1).
 */
#ifndef CHECK_SAMPLE_H
#define CHECK_SAMPLE_H

#include "base/rangeset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A snapshot's block (EBS direct APIs): one first touch fetches one. */
#define SAMPLE_REGION_BYTES (UINT64_C(512) << 10)
/* Below this many regions a percentile is an anecdote: no figure is given. */
#define SAMPLE_MIN 8U
/*
 * A region that took longer was cold: a first touch takes 30 ms and more, while 512 KiB that are
 * warm take 4 ms even at 125 MiB/s, the least that gp3 gives.
 */
#define SAMPLE_COLD_USEC (UINT64_C(8) * 1000)

/* One sample; `samples` is 0 when none was taken. */
struct check_report {
    unsigned samples;
    uint64_t sample_bytes; /* of each */
    double bytes_per_sec;  /* at depth 1 */
    uint64_t p50_usec, p90_usec, p99_usec, max_usec;
    uint64_t seed; /* that drew the regions */
};

/*
 * How many regions a sample of a volume may read: within `limit_bytes`, and no more than 1 % of the
 * volume; 0 where that is fewer than SAMPLE_MIN.
 */
size_t sample_regions_allowed(uint64_t volume_bytes, uint64_t limit_bytes);

/*
 * Draws at most `n` different regions, aligned to their own size, that lie wholly within `ranges`:
 * each such place is equally likely. In the order drawn, which is the order to read them in.
 * -ENOMEM; *ret is the caller's; fewer than `n` where `ranges` has no more.
 */
int sample_draw(const struct rangeset *ranges, size_t n, uint64_t seed, struct range **ret,
                size_t *ret_n);

/*
 * What `n` reads of SAMPLE_REGION_BYTES each say. `latencies_usec` is sorted in place. With fewer
 * than SAMPLE_MIN reads, samples is 0.
 */
void sample_summarize(uint64_t *latencies_usec, size_t n, uint64_t seed, struct check_report *ret);

/* Every region came as fast as a warm one; false where there were too few. It proves nothing of the
 * regions that were not drawn. */
bool sample_looks_warm(const struct check_report *report);

#endif
