/* SPDX-License-Identifier: MIT */
/* What block devices there are, now and from now on. */
#ifndef DAEMON_DISCOVERY_H
#define DAEMON_DISCOVERY_H

#include "device/enumerate.h"

#include <systemd/sd-event.h>

struct discovery;

/* Looks once; with `changed`, also hears of what comes and goes and looks again. -errno. */
int discovery_new(sd_event *event, void (*changed)(void *userdata), void *userdata,
                  struct discovery **ret);
void discovery_free(struct discovery *discovery);

/* Valid until `changed` is called. */
struct device_entries *discovery_entries(struct discovery *discovery);

/* All that was there at boot has been seen: udevd had nothing left to do when it was last looked.
 */
bool discovery_is_settled(const struct discovery *discovery);

#endif
