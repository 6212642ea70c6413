/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_CONFIGURATION_H
#define DAEMON_CONFIGURATION_H

#include "conf/conf.h"
#include "daemon/options.h"
#include "warm/fleet.h"

/* Reads the configuration and logs every finding. -EINVAL when it is wrong. */
int configuration_load(const struct options *options, struct conf **ret);
/* --check-config: findings go to stderr; the exit status. */
int configuration_check(const struct options *options);

struct fleet_settings configuration_fleet(const struct conf *conf, const char *state_directory,
                                          bool once);

#endif
