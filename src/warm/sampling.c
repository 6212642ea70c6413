/* SPDX-License-Identifier: MIT */
#include "warm/sampling.h"

#include "base/cleanup.h"

bool sampling_begin(struct sampling *sampling, const struct rangeset *ranges, size_t n,
                    uint64_t seed, uint64_t deadline_usec)
{
    sampling_free(sampling);
    if (n < SAMPLE_MIN)
        return false;
    if (sample_draw(ranges, n, seed, &sampling->regions, &sampling->n) < 0)
        return false;
    sampling->latencies_usec = calloc(n, sizeof(uint64_t));
    if (sampling->n < SAMPLE_MIN || !sampling->latencies_usec) {
        sampling_free(sampling);
        return false;
    }
    sampling->seed = seed;
    sampling->deadline_usec = deadline_usec;
    return true;
}

bool sampling_next(struct sampling *sampling, uint64_t now_usec, struct range *ret)
{
    if (sampling->next >= sampling->n || sampling_is_late(sampling, now_usec))
        return false;
    *ret = sampling->regions[sampling->next++];
    return true;
}

void sampling_measured(struct sampling *sampling, uint64_t latency_usec)
{
    if (sampling->measured < sampling->n)
        sampling->latencies_usec[sampling->measured++] = latency_usec;
}

bool sampling_is_late(const struct sampling *sampling, uint64_t now_usec)
{
    return now_usec >= sampling->deadline_usec;
}

void sampling_end(struct sampling *sampling, struct check_report *ret)
{
    sample_summarize(sampling->latencies_usec, sampling->measured, sampling->seed, ret);
    sampling_free(sampling);
}

void sampling_free(struct sampling *sampling)
{
    free(sampling->regions);
    free(sampling->latencies_usec);
    *sampling = (struct sampling){ 0 };
}
