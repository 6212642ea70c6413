/* SPDX-License-Identifier: MIT */
/* The two ways to run: as a service, or once for a person or a script. Both return the exit status.
 */
#ifndef DAEMON_RUN_H
#define DAEMON_RUN_H

#include "conf/conf.h"
#include "daemon/options.h"
#include "warm/fleet.h"

enum { EXIT_WARM = 0, EXIT_UNKNOWN = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 4, EXIT_NO_SUCH = 5 };

/* `conf` is taken. */
int run_service(const struct options *options, struct conf *conf);
int run_once(const struct options *options, struct conf *conf);

/* The fleet on `event`, with a log line about its engine; negative errno, said. */
int run_new_fleet(sd_event *event, const struct conf *conf, bool once, fleet_changed_fn changed,
                  void *userdata, struct fleet **ret);

#endif
