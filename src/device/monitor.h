/* SPDX-License-Identifier: MIT */
/* Tells of block devices that come, change and go. */
#ifndef DEVICE_MONITOR_H
#define DEVICE_MONITOR_H

#include "device/entry.h"

#include <systemd/sd-event.h>

enum device_event {
    DEVICE_EVENT_HERE, /* new, or changed: size, medium, links */
    DEVICE_EVENT_GONE,
    DEVICE_EVENT_RESCAN, /* events were lost: enumerate again */
};

/* `entry` is the handler's to free, NULL unless HERE; `name` is NULL for RESCAN. */
typedef void (*device_event_fn)(enum device_event event, const char *name,
                                struct device_entry *entry, void *userdata);

struct device_monitor;

/*
 * Hears udevd's events, which come when its links are there; where no udevd runs, the kernel's.
 * Start it before enumerating, so that nothing falls between the two.
 */
int device_monitor_new(sd_event *event, device_event_fn handler, void *userdata,
                       struct device_monitor **ret);
void device_monitor_free(struct device_monitor *monitor);
/* "udev" or "kernel": whose events it hears. */
const char *device_monitor_source(const struct device_monitor *monitor);

#endif
