/* SPDX-License-Identifier: MIT */
/* What a WHAT means: any path stands for the volumes under it. */
#ifndef CTL_RESOLVE_H
#define CTL_RESOLVE_H

#include "ctl/options.h"

/*
 * Replaces options->what by names that the daemon knows: volume ids, or what may still appear (a
 * volume id, something in /dev). 0, or the exit status after a line on stderr: 5 where nothing can
 * ever match. *ret_names is what options->what then points to; the caller frees it with
 * ctl_names_free(), also after a failure.
 */
int ctl_resolve(struct ctl_options *options, char ***ret_names);
void ctl_names_free(char **names);

#endif
