/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include "base/size.h"
#include "random.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define PURPOSE_FAIL_SHARE 4

struct faults {
    uint64_t granule_bytes;
    uint64_t seed;
    double share;
    struct fault *items;
    size_t length;
};

struct faults *faults_new(uint64_t granule_bytes, uint64_t seed)
{
    struct faults *faults = calloc(1, sizeof(*faults));

    if (!faults)
        return NULL;
    faults->granule_bytes = granule_bytes;
    faults->seed = seed;
    return faults;
}

void faults_free(struct faults *faults)
{
    if (!faults)
        return;
    free(faults->items);
    free(faults);
}

int faults_add(struct faults *faults, const struct fault *fault)
{
    struct fault *items;

    if (fault->start >= fault->end)
        return -EINVAL;
    items = reallocarray(faults->items, faults->length + 1, sizeof(*items));
    if (!items)
        return -ENOMEM;
    faults->items = items;
    items[faults->length++] = *fault;
    return 0;
}

void faults_set_share(struct faults *faults, double share)
{
    faults->share = share;
}

void faults_clear(struct faults *faults)
{
    faults->length = 0;
    faults->share = 0;
}

size_t faults_length(const struct faults *faults)
{
    return faults->length;
}

const struct fault *faults_get(const struct faults *faults, size_t n)
{
    return n < faults->length ? &faults->items[n] : NULL;
}

double faults_share(const struct faults *faults)
{
    return faults->share;
}

static bool touches(const struct fault *fault, uint64_t start, uint64_t end)
{
    return start < fault->end && fault->start < end;
}

static bool in_failing_share(const struct faults *faults, uint64_t start, uint64_t end)
{
    if (faults->share <= 0)
        return false;
    for (uint64_t granule = start / faults->granule_bytes; granule * faults->granule_bytes < end;
         granule++) {
        if (random_unit(faults->seed, PURPOSE_FAIL_SHARE, granule) < faults->share)
            return true;
    }
    return false;
}

/* The latest end of the hangs that hold this range now; 0 when none does. */
static uint64_t hung_until(const struct faults *faults, uint64_t now_usec, uint64_t start,
                           uint64_t end)
{
    uint64_t until = 0;

    for (size_t i = 0; i < faults->length; i++) {
        const struct fault *fault = &faults->items[i];

        if (fault->kind == FAULT_HANG && fault->until_usec > now_usec &&
            touches(fault, start, end) && fault->until_usec > until)
            until = fault->until_usec;
    }
    return until;
}

struct verdict faults_judge(struct faults *faults, uint64_t now_usec, uint64_t start, uint64_t end)
{
    struct verdict verdict = { .kind = VERDICT_PASS };

    verdict.until_usec = hung_until(faults, now_usec, start, end);
    if (verdict.until_usec > 0) {
        verdict.kind = VERDICT_HANG;
        return verdict;
    }
    if (in_failing_share(faults, start, end))
        verdict.kind = VERDICT_FAIL;
    for (size_t i = 0; i < faults->length; i++) {
        struct fault *fault = &faults->items[i];

        if (!touches(fault, start, end))
            continue;
        if (fault->kind == FAULT_FAIL)
            verdict.kind = VERDICT_FAIL;
        if (fault->kind == FAULT_FAIL_FIRST && fault->count > 0) {
            fault->count--;
            verdict.kind = VERDICT_FAIL;
        }
        if (fault->kind == FAULT_SLOW)
            verdict.delay_usec += fault->delay_usec;
    }
    return verdict;
}
