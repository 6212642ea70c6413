/* SPDX-License-Identifier: MIT */
/*
 * Where volumes came from, as files in $RUNTIME_DIRECTORY/origin/ tell (ebswarm-ec2 writes them, or
 * a site's own script; docs/origin.md). The daemon only reads them, and asks no network.
 */
#ifndef DAEMON_ORIGINS_H
#define DAEMON_ORIGINS_H

#include "origin/folder.h"

#include <systemd/sd-event.h>

struct origins;

/*
 * Reads what is there; with `changed`, makes the folder, watches it and reads again. -errno; that
 * it can't be watched is only logged.
 */
int origins_new(sd_event *event, void (*changed)(void *userdata), void *userdata,
                struct origins **ret);
void origins_free(struct origins *origins);

/* Valid until `changed` is called. */
const struct origin_folder *origins_told(const struct origins *origins);

#endif
