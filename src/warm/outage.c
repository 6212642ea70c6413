/* SPDX-License-Identifier: MIT */
#include "warm/outage.h"

void outage_failed(struct outage *outage, uint64_t now_usec)
{
    if (outage->failures++ == 0)
        outage->since_usec = now_usec;
    if (outage->failures < OUTAGE_FAILURES)
        return;
    /* Those that were in flight when it began fail all together: one rest for them all. */
    if (now_usec < outage->next_try_usec)
        return;
    outage->rest_usec = outage->rest_usec == 0 ? OUTAGE_REST_MIN_USEC : outage->rest_usec * 2;
    if (outage->rest_usec > OUTAGE_REST_MAX_USEC)
        outage->rest_usec = OUTAGE_REST_MAX_USEC;
    outage->next_try_usec = now_usec + outage->rest_usec;
}

void outage_succeeded(struct outage *outage)
{
    *outage = (struct outage){ 0 };
}

bool outage_is_on(const struct outage *outage)
{
    return outage->next_try_usec > 0;
}

unsigned outage_allowed_depth(const struct outage *outage, uint64_t now_usec, unsigned depth)
{
    if (!outage_is_on(outage))
        return depth;
    return now_usec < outage->next_try_usec ? 0 : 1;
}

uint64_t outage_age_usec(const struct outage *outage, uint64_t now_usec)
{
    return outage_is_on(outage) ? now_usec - outage->since_usec : 0;
}
