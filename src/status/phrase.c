/* SPDX-License-Identifier: MIT */
#include "status/phrase.h"

#include <math.h>
#include <stdio.h>

char *phrase_percent(char buffer[FORMAT_MAX], const struct volume_report *volume)
{
    snprintf(buffer, FORMAT_MAX, "%.1f %%", floor(volume_report_percent(volume) * 10) / 10);
    return buffer;
}

char *phrase_eta(char buffer[FORMAT_MAX], const struct volume_report *volume)
{
    /* Both bounds keep a nonsensical answer from wrapping round. */
    if (volume->eta_sec > UINT64_MAX / USEC_PER_SEC || volume_state_is_final(volume->state)) {
        snprintf(buffer, FORMAT_MAX, "-");
        return buffer;
    }
    return format_duration(buffer, volume->eta_sec * USEC_PER_SEC);
}
