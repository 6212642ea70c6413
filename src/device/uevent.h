/* SPDX-License-Identifier: MIT */
/* The kernel's own messages about devices, for where no udevd runs. */
#ifndef DEVICE_UEVENT_H
#define DEVICE_UEVENT_H

#include "device/facts.h"

#include <stdbool.h>
#include <stddef.h>

struct uevent {
    char name[DEVICE_NAME_MAX];
    dev_t devnum; /* 0 = it has no node */
    bool is_remove;
};

/* A non-blocking socket on the kernel's group; -errno. */
int uevent_open(void);
/*
 * The next message about a block device. -EAGAIN when there is none now, -ENOBUFS when messages
 * were lost, else -errno.
 */
int uevent_receive(int fd, struct uevent *ret);
/* "ACTION@PATH" and KEY=VALUE, each ended by NUL. -EINVAL when it is not about a block device. */
int uevent_parse(const char *message, size_t length, struct uevent *ret);

#endif
