/* SPDX-License-Identifier: MIT */
/* The volumes that somebody named, on the command line or in a [Volume] section. */
#ifndef DAEMON_NAMED_H
#define DAEMON_NAMED_H

#include "conf/conf.h"
#include "daemon/options.h"
#include "warm/fleet.h"

/*
 * Makes the fleet what options and configuration name: adds, changes, and forgets what is not named
 * any more. -ENOMEM.
 */
int named_apply(struct fleet *fleet, const struct options *options, const struct conf *conf);
/* True if there is any. */
bool named_any(const struct options *options, const struct conf *conf);

#endif
