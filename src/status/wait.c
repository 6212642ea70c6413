/* SPDX-License-Identifier: MIT */
#include "status/wait.h"

#include <stdarg.h>
#include <stdio.h>

#include "status/match.h"

/* How much a verdict on one volume outweighs those on the others. */
static int weight(enum wait_exit exit)
{
    switch (exit) {
    case WAIT_CANNOT_TELL:
        return 3;
    case WAIT_NOT_YET:
        return 2;
    case WAIT_UNREADABLE:
        return 1;
    default:
        return 0;
    }
}

static void __attribute__((format(printf, 3, 4)))
propose(struct wait_verdict *verdict, enum wait_exit exit, const char *format, ...)
{
    va_list ap;

    if (weight(exit) <= weight(verdict->exit))
        return;
    verdict->exit = exit;
    va_start(ap, format);
    vsnprintf(verdict->why, sizeof(verdict->why), format, ap);
    va_end(ap);
}

static bool mark_reached(const struct volume_report *volume, unsigned percent)
{
    double reached = volume_report_percent(volume);

    switch (volume->state) {
    case VOLUME_SKIPPED:
        return true;
    case VOLUME_WARM:
        return reached >= 100;
    /* What is planned is not known before the origin is. A volume that is away shows old figures.
     */
    case VOLUME_FOUND:
    case VOLUME_WAITING_ORIGIN:
    case VOLUME_GONE:
    case VOLUME_FAILED:
        return false;
    default:
        return percent < 100 && volume->planned_bytes > 0 && reached >= percent;
    }
}

static void judge_volume(const struct volume_report *volume, unsigned percent,
                         struct wait_verdict *verdict)
{
    const char *reason = volume->reason ? volume->reason : "";
    const char *colon = *reason ? ": " : "";

    if (mark_reached(volume, percent))
        return;
    if (volume->state == VOLUME_FAILED)
        propose(verdict, WAIT_CANNOT_TELL, "%s has failed%s%s", volume->id, colon, reason);
    else if (volume->state == VOLUME_INCOMPLETE)
        propose(verdict, WAIT_UNREADABLE, "%s has blocks that cannot be read%s%s", volume->id,
                colon, reason);
    else
        propose(verdict, WAIT_NOT_YET, "%s is %s, %u %% warm%s%s", volume->id,
                volume_state_to_string(volume->state), (unsigned)volume_report_percent(volume),
                colon, reason);
}

void wait_judge(const struct fleet_report *report, bool settled, const char *const *what,
                unsigned percent, struct wait_verdict *ret)
{
    bool all = !what || !*what;

    *ret = (struct wait_verdict){ .exit = WAIT_WARM };
    if (!settled)
        propose(ret, WAIT_NOT_YET, "volumes are still being looked for");
    for (size_t i = 0; all && i < report->n_volumes; i++)
        judge_volume(&report->volumes[i], percent, ret);
    for (; !all && *what; what++) {
        const struct volume_report *volume = match_find(report, *what);

        if (volume)
            judge_volume(volume, percent, ret);
        else
            propose(ret, WAIT_NOT_YET, "%s has not appeared yet", *what);
    }
}
