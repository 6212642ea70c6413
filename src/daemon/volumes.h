/* SPDX-License-Identifier: MIT */
/* Which volumes the fleet has: those that somebody named, and those that were found. */
#ifndef DAEMON_VOLUMES_H
#define DAEMON_VOLUMES_H

#include "conf/conf.h"
#include "daemon/options.h"
#include "device/enumerate.h"
#include "origin/folder.h"
#include "warm/fleet.h"

/* What decides it. */
struct volumes_wanted {
    const struct options *options;    /* devices on the command line: then only these and… */
    const struct conf *conf;          /* …those with Device= in a [Volume] section */
    const struct origin_folder *told; /* where volumes came from; used with `found` only */
    bool may_wait;                    /* for an origin that is not told yet */
    char boot_id[37];                 /* this boot's */
    struct device_entries *found;     /* NULL where the command line names devices */
};

/* Makes the fleet so: adds, changes, and forgets what is not wanted any more. -ENOMEM. */
int volumes_apply(struct fleet *fleet, const struct volumes_wanted *wanted);

#endif
