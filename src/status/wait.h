/* SPDX-License-Identifier: MIT */
/* Whether a wait is over. Pure; the rule is "never early". */
#ifndef STATUS_WAIT_H
#define STATUS_WAIT_H

#include <stdbool.h>

#include "warm/report.h"

/* The exit statuses of `ebswarmctl wait` and `ebswarmd --once`. */
enum wait_exit {
    WAIT_WARM = 0,
    WAIT_CANNOT_TELL = 1,
    WAIT_TIMEOUT = 3,
    WAIT_UNREADABLE = 4,
    WAIT_NO_SUCH_VOLUME = 5,
    WAIT_NOT_YET = -1, /* no exit status: goes on */
};

#define WAIT_WHY_MAX 256

struct wait_verdict {
    enum wait_exit exit;
    char why[WAIT_WHY_MAX]; /* what is waited for, or what went wrong */
};

struct wait_question {
    const char *const *what; /* NULL-terminated, NULL or empty for all volumes */
    unsigned percent;
    bool any;     /* one of them is enough */
    bool settled; /* discovery has settled */
};

/*
 * Not before discovery has settled, and a named volume that has not appeared is waited for, and so
 * is one that is gone, since it may come back. Skipped counts as warm. A failed volume ends the
 * wait at once (with `any`, when no other can be warm any more); unreadable blocks do when
 * everything else has finished, unless `percent` is reached in spite of them.
 */
void wait_judge(const struct fleet_report *report, const struct wait_question *question,
                struct wait_verdict *ret);

#endif
