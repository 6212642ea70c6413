/* SPDX-License-Identifier: MIT */
/* Whether a volume is warmed, by where it came from. Pure. */
#ifndef ORIGIN_DECIDE_H
#define ORIGIN_DECIDE_H

#include "conf/conf.h"
#include "origin/origin.h"

#include <stdbool.h>

enum origin_verdict {
    ORIGIN_WAIT, /* no answer yet */
    ORIGIN_WARM,
    ORIGIN_PROBE, /* a small check decides between warming now, and last and idle */
    ORIGIN_SKIP,
};

struct origin_question {
    const struct origin *origin; /* NULL = no file */
    bool timed_out;              /* OriginTimeout= has passed */
    const char *boot_id;         /* this boot's */
    enum conf_provisioned_rate provisioned_rate;
    enum conf_unknown unknown;
    bool force; /* Force=yes of the volume's section */
};

struct origin_decision {
    enum origin_verdict verdict;
    char reason[ORIGIN_WHY_MAX];
    char source[ORIGIN_WORD_MAX]; /* "ec2", "configuration", "none" */
};

struct origin_decision origin_decide(const struct origin_question *question);

#endif
