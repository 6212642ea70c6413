/* SPDX-License-Identifier: MIT */
#include "device/monitor.h"

#include "base/cleanup.h"
#include "device/enumerate.h"
#include "device/uevent.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-device.h>
#include <unistd.h>

/* There as long as udevd runs. */
#define UDEV_CONTROL "/run/udev/control"

struct device_monitor {
    device_event_fn handler;
    void *userdata;
    sd_device_monitor *udev; /* NULL: the kernel's events */
    uint32_t udev_drops;     /* of its socket so far */
    int kernel_fd;
    sd_event_source *kernel_source;
};

DEFINE_CLEANUP(struct device_monitor *, device_monitor_free, device_monitor_free_p)

static void rescan(struct device_monitor *monitor)
{
    monitor->handler(DEVICE_EVENT_RESCAN, NULL, NULL, monitor->userdata);
}

/* sd-device keeps an overflow to itself, but the socket counts what it dropped. */
static uint32_t count_drops(sd_device_monitor *udev)
{
    uint32_t values[SK_MEMINFO_VARS] = { 0 };
    socklen_t size = sizeof(values);
    sd_event_source *source = sd_device_monitor_get_event_source(udev);
    int fd = source ? sd_event_source_get_io_fd(source) : -EBADF;

    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_MEMINFO, values, &size) < 0 ||
        size <= SK_MEMINFO_DROPS * sizeof(values[0]))
        return 0;
    return values[SK_MEMINFO_DROPS];
}

static int on_udev(sd_device_monitor *udev, sd_device *device, void *userdata)
{
    struct device_monitor *monitor = userdata;
    struct device_entry *entry = NULL;
    sd_device_action_t action;
    uint32_t drops = count_drops(udev);
    const char *name;

    if (drops != monitor->udev_drops) {
        monitor->udev_drops = drops;
        rescan(monitor);
    }
    if (sd_device_get_sysname(device, &name) < 0 || sd_device_get_action(device, &action) < 0)
        return 0;
    if (action == SD_DEVICE_REMOVE || device_entry_from_device(device, &entry) < 0)
        monitor->handler(DEVICE_EVENT_GONE, name, NULL, monitor->userdata);
    else
        monitor->handler(DEVICE_EVENT_HERE, name, entry, monitor->userdata);
    return 0;
}

static void handle_uevent(struct device_monitor *monitor, const struct uevent *uevent)
{
    struct device_entry *entry = NULL;

    /* A device without a node is never more than a path to one that has one. */
    if (!uevent->is_remove && uevent->devnum == 0)
        return;
    if (uevent->is_remove || device_entry_from_devnum(uevent->devnum, &entry) < 0)
        monitor->handler(DEVICE_EVENT_GONE, uevent->name, NULL, monitor->userdata);
    else
        monitor->handler(DEVICE_EVENT_HERE, uevent->name, entry, monitor->userdata);
}

static int on_kernel(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct device_monitor *monitor = userdata;
    struct uevent uevent;
    int r;

    (void)source;
    (void)events;
    while ((r = uevent_receive(fd, &uevent)) >= 0)
        handle_uevent(monitor, &uevent);
    if (r == -ENOBUFS)
        rescan(monitor);
    return r == -EAGAIN || r == -ENOBUFS ? 0 : r;
}

static int start_udev(struct device_monitor *monitor, sd_event *event)
{
    int r = sd_device_monitor_new(&monitor->udev);

    if (r < 0)
        return r;
    r = sd_device_monitor_filter_add_match_subsystem_devtype(monitor->udev, "block", NULL);
    if (r < 0)
        return r;
    r = sd_device_monitor_attach_event(monitor->udev, event);
    return r < 0 ? r : sd_device_monitor_start(monitor->udev, on_udev, monitor);
}

static int start_kernel(struct device_monitor *monitor, sd_event *event)
{
    monitor->kernel_fd = uevent_open();
    if (monitor->kernel_fd < 0)
        return monitor->kernel_fd;
    return sd_event_add_io(event, &monitor->kernel_source, monitor->kernel_fd, EPOLLIN, on_kernel,
                           monitor);
}

int device_monitor_new(sd_event *event, device_event_fn handler, void *userdata,
                       struct device_monitor **ret)
{
    _cleanup_(device_monitor_free_p) struct device_monitor *monitor = calloc(1, sizeof(*monitor));
    int r;

    if (!monitor)
        return -ENOMEM;
    monitor->handler = handler;
    monitor->userdata = userdata;
    monitor->kernel_fd = -1;
    /* udevd's group stays silent when nobody speaks there. */
    r = access(UDEV_CONTROL, F_OK) == 0 ? start_udev(monitor, event) : start_kernel(monitor, event);
    if (r < 0)
        return r;
    *ret = steal_pointer(&monitor);
    return 0;
}

void device_monitor_free(struct device_monitor *monitor)
{
    if (!monitor)
        return;
    sd_device_monitor_unref(monitor->udev);
    sd_event_source_disable_unref(monitor->kernel_source);
    close_p(&monitor->kernel_fd);
    free(monitor);
}

const char *device_monitor_source(const struct device_monitor *monitor)
{
    return monitor->udev ? "udev" : "kernel";
}
