/* SPDX-License-Identifier: MIT */
#include "daemon/discovery.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/size.h"
#include "device/monitor.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* There while udevd has events to work on, as at boot (udev/util.h, udev_queue_is_empty()). */
#define UDEV_QUEUE "/run/udev/queue"
/* An udevd that never comes to an end keeps nobody waiting. */
#define SETTLE_USEC (30 * USEC_PER_SEC)

/* Events come in swarms, one a partition and one a link: one look serves them all. */
#define GATHER_USEC (100 * USEC_PER_MSEC)

struct discovery {
    sd_event *event;
    struct device_monitor *monitor;
    sd_event_source *look_source; /* a look is due; off between swarms */
    uint64_t started_usec;
    bool settled;
    struct device_entries entries;
    void (*changed)(void *userdata);
    void *userdata;
};

DEFINE_CLEANUP(struct discovery *, discovery_free, discovery_free_p)

static bool udev_is_busy(const struct discovery *discovery)
{
    uint64_t now_usec = 0;

    sd_event_now(discovery->event, CLOCK_MONOTONIC, &now_usec);
    return access(UDEV_QUEUE, F_OK) == 0 && now_usec - discovery->started_usec < SETTLE_USEC;
}

static int look(struct discovery *discovery)
{
    struct device_entries entries = { 0 };
    bool busy = udev_is_busy(discovery);
    int r = device_enumerate(&entries);

    if (r < 0) {
        log_error("cannot look for block devices: %s", strerror(-r));
        device_entries_free(&entries);
        return r;
    }
    device_entries_free(&discovery->entries);
    discovery->entries = entries;
    /* What began when udevd had nothing left to do has seen all that was there at boot. */
    discovery->settled = discovery->settled || !busy;
    return 0;
}

static void look_soon(struct discovery *discovery)
{
    int enabled = SD_EVENT_OFF;

    sd_event_source_get_enabled(discovery->look_source, &enabled);
    if (enabled != SD_EVENT_OFF)
        return;
    sd_event_source_set_time_relative(discovery->look_source, GATHER_USEC);
    sd_event_source_set_enabled(discovery->look_source, SD_EVENT_ONESHOT);
}

static int on_look(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct discovery *discovery = userdata;

    (void)source, (void)usec;
    if (look(discovery) >= 0)
        discovery->changed(discovery->userdata);
    if (!discovery->settled)
        look_soon(discovery);
    return 0;
}

static void on_device(enum device_event event, const char *name, struct device_entry *entry,
                      void *userdata)
{
    (void)event, (void)name;
    device_entry_free(entry);
    look_soon(userdata);
}

static int listen_for_devices(struct discovery *discovery)
{
    int r = sd_event_add_time_relative(discovery->event, &discovery->look_source, CLOCK_MONOTONIC,
                                       0, 0, on_look, discovery);

    if (r < 0)
        return r;
    r = sd_event_source_set_enabled(discovery->look_source, SD_EVENT_OFF);
    if (r < 0)
        return r;
    r = device_monitor_new(discovery->event, on_device, discovery, &discovery->monitor);
    if (r < 0)
        log_warning("cannot hear of devices that come and go: %s; those there now are warmed",
                    strerror(-r));
    else
        log_debug("hearing of devices from %s", device_monitor_source(discovery->monitor));
    return 0;
}

int discovery_new(sd_event *event, void (*changed)(void *userdata), void *userdata,
                  struct discovery **ret)
{
    _cleanup_(discovery_free_p) struct discovery *discovery = calloc(1, sizeof(*discovery));
    int r = 0;

    if (!discovery)
        return -ENOMEM;
    discovery->event = sd_event_ref(event);
    discovery->changed = changed;
    sd_event_now(event, CLOCK_MONOTONIC, &discovery->started_usec);
    discovery->userdata = userdata;
    /* Listening first, so that nothing falls between. */
    if (changed)
        r = listen_for_devices(discovery);
    if (r >= 0)
        r = look(discovery);
    if (r < 0)
        return r;
    if (changed && !discovery->settled)
        look_soon(discovery);
    *ret = steal_pointer(&discovery);
    return 0;
}

void discovery_free(struct discovery *discovery)
{
    if (!discovery)
        return;
    device_monitor_free(discovery->monitor);
    sd_event_source_disable_unref(discovery->look_source);
    device_entries_free(&discovery->entries);
    sd_event_unref(discovery->event);
    free(discovery);
}

struct device_entries *discovery_entries(struct discovery *discovery)
{
    return &discovery->entries;
}

bool discovery_is_settled(const struct discovery *discovery)
{
    return discovery->settled;
}
