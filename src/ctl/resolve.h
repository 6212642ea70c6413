/* SPDX-License-Identifier: MIT */
/* What a WHAT means: any path stands for the volumes under it. */
#ifndef CTL_RESOLVE_H
#define CTL_RESOLVE_H

#include "ctl/options.h"

/*
 * Replaces options->what by names that the daemon knows: volume ids, or what may still appear (a
 * volume id, something in /dev). 0, or the exit status after a line on stderr: 5 where nothing can
 * ever match. What it allocates lives as long as the program.
 */
int ctl_resolve(struct ctl_options *options);

#endif
