/* SPDX-License-Identifier: MIT */
#include "warm/report.h"

#include <errno.h>
#include <string.h>

static const char *const state_names[VOLUME_STATE_MAX] = {
    [VOLUME_FOUND] = "found",
    [VOLUME_WAITING_ORIGIN] = "waiting-origin",
    [VOLUME_CHECKING_BEFORE] = "checking-before",
    [VOLUME_WARMING] = "warming",
    [VOLUME_PAUSED] = "paused",
    [VOLUME_CHECKING_AFTER] = "checking-after",
    [VOLUME_WARM] = "warm",
    [VOLUME_INCOMPLETE] = "incomplete",
    [VOLUME_SKIPPED] = "skipped",
    [VOLUME_GONE] = "gone",
    [VOLUME_FAILED] = "failed",
};

const char *volume_state_to_string(enum volume_state state)
{
    return (unsigned)state < VOLUME_STATE_MAX ? state_names[state] : "unknown";
}

int volume_state_from_string(const char *text, enum volume_state *ret)
{
    for (unsigned i = 0; i < VOLUME_STATE_MAX; i++)
        if (strcmp(text, state_names[i]) == 0) {
            *ret = (enum volume_state)i;
            return 0;
        }
    return -EINVAL;
}

bool volume_state_is_final(enum volume_state state)
{
    switch (state) {
    case VOLUME_WARM:
    case VOLUME_INCOMPLETE:
    case VOLUME_SKIPPED:
    case VOLUME_GONE:
    case VOLUME_FAILED:
        return true;
    default:
        return false;
    }
}

double volume_report_percent(const struct volume_report *volume)
{
    /* A double quotient of two neighbours near 2^60 is 1.0: "100 %" with a block missing. */
    __extension__ typedef unsigned __int128 wide;

    uint64_t hundredths;

    if (volume->planned_bytes == 0)
        return 0;
    if (volume->warm_bytes >= volume->planned_bytes)
        return 100;
    hundredths = (uint64_t)((wide)volume->warm_bytes * 10000 / volume->planned_bytes);
    return (double)hundredths / 100;
}
