/* SPDX-License-Identifier: MIT */
#include "status/wait.h"

#include <stdarg.h>
#include <stdio.h>

#include "status/match.h"

/* How much a verdict on one volume outweighs those on the others. */
static int weight(enum wait_exit exit, bool any)
{
    switch (exit) {
    case WAIT_CANNOT_TELL:
        return any ? 2 : 3;
    case WAIT_NOT_YET:
        return any ? 3 : 2;
    case WAIT_UNREADABLE:
        return 1;
    default:
        return 0;
    }
}

struct judgement {
    const struct wait_question *question;
    struct wait_verdict verdict;
    bool one_is_there; /* a volume has reached the mark */
};

static void __attribute__((format(printf, 3, 4)))
propose(struct judgement *judgement, enum wait_exit exit, const char *format, ...)
{
    struct wait_verdict *verdict = &judgement->verdict;
    bool any = judgement->question->any;
    va_list ap;

    if (weight(exit, any) <= weight(verdict->exit, any))
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

static void judge_volume(struct judgement *judgement, const struct volume_report *volume)
{
    const char *reason = volume->reason ? volume->reason : "";
    const char *colon = *reason ? ": " : "";

    if (mark_reached(volume, judgement->question->percent))
        judgement->one_is_there = true;
    else if (volume->state == VOLUME_FAILED)
        propose(judgement, WAIT_CANNOT_TELL, "%s has failed%s%s", volume->id, colon, reason);
    else if (volume->state == VOLUME_INCOMPLETE)
        propose(judgement, WAIT_UNREADABLE, "%s has blocks that cannot be read%s%s", volume->id,
                colon, reason);
    else
        propose(judgement, WAIT_NOT_YET, "%s is %s, %u %% warm%s%s", volume->id,
                volume_state_to_string(volume->state), (unsigned)volume_report_percent(volume),
                colon, reason);
}

static void judge_named(struct judgement *judgement, const struct fleet_report *report,
                        const char *what)
{
    const struct volume_report *volume = match_find(report, what);

    if (volume)
        judge_volume(judgement, volume);
    else
        propose(judgement, WAIT_NOT_YET, "%s has not appeared yet", what);
}

void wait_judge(const struct fleet_report *report, const struct wait_question *question,
                struct wait_verdict *ret)
{
    struct judgement judgement = { .question = question, .verdict = { .exit = WAIT_WARM } };
    const char *const *what = question->what;
    bool all = !what || !*what;

    for (size_t i = 0; all && i < report->n_volumes; i++)
        judge_volume(&judgement, &report->volumes[i]);
    for (; !all && *what; what++)
        judge_named(&judgement, report, *what);
    if (question->any && judgement.one_is_there)
        judgement.verdict = (struct wait_verdict){ .exit = WAIT_WARM };
    if (!question->settled && judgement.verdict.exit != WAIT_CANNOT_TELL)
        judgement.verdict = (struct wait_verdict){ .exit = WAIT_NOT_YET,
                                                   .why = "volumes are still being looked for" };
    *ret = judgement.verdict;
}
