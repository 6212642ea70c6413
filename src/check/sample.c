/* SPDX-License-Identifier: MIT */
#include "check/sample.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdbool.h>

size_t sample_regions_allowed(uint64_t volume_bytes, uint64_t limit_bytes)
{
    uint64_t share_bytes = volume_bytes / 100;
    uint64_t bytes = share_bytes < limit_bytes ? share_bytes : limit_bytes;
    uint64_t regions = bytes / SAMPLE_REGION_BYTES;

    return regions < SAMPLE_MIN ? 0 : (size_t)regions;
}

/* splitmix64 (Steele, Lea, Flood 2014; public domain): a seed gives the same regions everywhere. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t first_region(const struct range *range)
{
    return (range->start + SAMPLE_REGION_BYTES - 1) / SAMPLE_REGION_BYTES;
}

static uint64_t regions_in(const struct range *range)
{
    uint64_t first = first_region(range), end = range->end / SAMPLE_REGION_BYTES;

    return end > first ? end - first : 0;
}

static uint64_t count_regions(const struct rangeset *ranges)
{
    const struct range *range;
    uint64_t n = 0;

    for (size_t i = 0; (range = rangeset_get(ranges, i)); i++)
        n += regions_in(range);
    return n;
}

static uint64_t nth_region_offset(const struct rangeset *ranges, uint64_t n)
{
    const struct range *range;

    for (size_t i = 0; (range = rangeset_get(ranges, i)); i++) {
        uint64_t here = regions_in(range);
        if (n < here)
            return (first_region(range) + n) * SAMPLE_REGION_BYTES;
        n -= here;
    }
    return 0;
}

static bool already_drawn(const struct range *regions, size_t n, uint64_t offset)
{
    for (size_t i = 0; i < n; i++) {
        if (regions[i].start == offset)
            return true;
    }
    return false;
}

int sample_draw(const struct rangeset *ranges, size_t n, uint64_t seed, struct range **ret,
                size_t *ret_n)
{
    uint64_t available = count_regions(ranges), state = seed;
    _cleanup_free_ struct range *regions = NULL;
    size_t drawn = 0;

    if (n > available)
        n = (size_t)available;
    regions = calloc(n > 0 ? n : 1, sizeof(*regions));
    if (!regions)
        return -ENOMEM;
    while (drawn < n) {
        uint64_t offset = nth_region_offset(ranges, next_random(&state) % available);
        if (already_drawn(regions, drawn, offset))
            continue;
        regions[drawn++] = (struct range){ .start = offset, .end = offset + SAMPLE_REGION_BYTES };
    }
    *ret = steal_pointer(&regions);
    *ret_n = n;
    return 0;
}

static int compare_usec(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Nearest rank: the least value that `percent` of the values do not exceed. */
static uint64_t percentile(const uint64_t *sorted, size_t n, unsigned percent)
{
    size_t rank = (n * percent + 99) / 100;

    return sorted[rank > 0 ? rank - 1 : 0];
}

void sample_summarize(uint64_t *latencies_usec, size_t n, uint64_t seed, struct check_report *ret)
{
    uint64_t total_usec = 0;

    *ret = (struct check_report){ .seed = seed };
    if (n < SAMPLE_MIN)
        return;
    qsort(latencies_usec, n, sizeof(*latencies_usec), compare_usec);
    for (size_t i = 0; i < n; i++)
        total_usec += latencies_usec[i];
    if (total_usec == 0)
        return;
    ret->samples = (unsigned)n;
    ret->sample_bytes = SAMPLE_REGION_BYTES;
    ret->bytes_per_sec = (double)n * (double)SAMPLE_REGION_BYTES * 1e6 / (double)total_usec;
    ret->p50_usec = percentile(latencies_usec, n, 50);
    ret->p90_usec = percentile(latencies_usec, n, 90);
    ret->p99_usec = percentile(latencies_usec, n, 99);
    ret->max_usec = latencies_usec[n - 1];
}

bool sample_looks_warm(const struct check_report *report)
{
    return report->samples >= SAMPLE_MIN && report->max_usec <= SAMPLE_COLD_USEC;
}
