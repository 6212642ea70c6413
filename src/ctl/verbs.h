/* SPDX-License-Identifier: MIT */
/* What ebswarmctl does, a file a verb. Each returns the exit status. */
#ifndef CTL_VERBS_H
#define CTL_VERBS_H

#include "ctl/options.h"

int verb_list(const struct ctl_options *options);
int verb_status(const struct ctl_options *options);
int verb_wait(const struct ctl_options *options);
int verb_gate(const struct ctl_options *options);
int verb_pause(const struct ctl_options *options);
int verb_resume(const struct ctl_options *options);

/* How long a daemon that is alive may take to answer a plain question. */
#define VERB_ANSWER_USEC (10 * USEC_PER_SEC)

#endif
