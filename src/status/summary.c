/* SPDX-License-Identifier: MIT */
#include "status/summary.h"

static bool is_active(enum volume_state state)
{
    return !volume_state_is_final(state) && state != VOLUME_PAUSED;
}

static void add_bytes(const struct volume_report *volume, struct summary *sum)
{
    sum->planned_bytes += volume->planned_bytes;
    sum->warm_bytes += volume->warm_bytes;
    sum->rate_bytes_per_sec += volume->rate_bytes_per_sec;
}

static void add_volume(const struct volume_report *volume, struct summary *sum)
{
    sum->in_state[volume->state]++;
    if (volume->state != VOLUME_SKIPPED && volume->state != VOLUME_GONE)
        add_bytes(volume, sum);
    if (is_active(volume->state)) {
        sum->n_active++;
        /* ETA_UNKNOWN is the greatest number. */
        if (volume->eta_sec > sum->eta_sec)
            sum->eta_sec = volume->eta_sec;
    }
    if (volume->stalled_sec > 0)
        sum->n_stalled++;
    if (volume->stalled_sec > sum->stalled_sec)
        sum->stalled_sec = volume->stalled_sec;
    if (volume->checkpoint_error && *volume->checkpoint_error)
        sum->n_unsaved++;
}

void summarize(const struct fleet_report *report, struct summary *ret)
{
    *ret = (struct summary){ .n_volumes = report->n_volumes };
    for (size_t i = 0; i < report->n_volumes; i++)
        add_volume(&report->volumes[i], ret);
    if (ret->n_active == 0)
        ret->eta_sec = ETA_UNKNOWN;
    ret->percent = volume_report_percent(&(struct volume_report){
        .planned_bytes = ret->planned_bytes, .warm_bytes = ret->warm_bytes });
}
