/* SPDX-License-Identifier: MIT */
/* The fleet in a few sums, for the lines that speak of all volumes. Pure. */
#ifndef STATUS_SUMMARY_H
#define STATUS_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "warm/report.h"

struct summary {
    size_t n_volumes;
    size_t in_state[VOLUME_STATE_MAX];
    size_t n_active; /* found, waiting, checking or warming: work goes on by itself */
    size_t n_stalled;
    size_t n_unsaved;     /* whose checkpoint could not be written */
    uint64_t stalled_sec; /* the longest */
    /* Of all but the skipped and the gone. */
    uint64_t planned_bytes, warm_bytes;
    double rate_bytes_per_sec;
    uint64_t eta_sec; /* of the last one; ETA_UNKNOWN when that of one is */
    double percent;
};

void summarize(const struct fleet_report *report, struct summary *ret);

#endif
