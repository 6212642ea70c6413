/* SPDX-License-Identifier: MIT */
/* What a WHAT means: the whole disks under a name, a device or a path. */
#ifndef DEVICE_STACK_H
#define DEVICE_STACK_H

#include "device/enumerate.h"
#include "device/mountinfo.h"

#define STACK_DISKS_MAX 64

struct device_stack {
    const struct device_entry *disks[STACK_DISKS_MAX]; /* each once; live as long as the entries */
    size_t n_disks;
    char reason[256]; /* after an error, in words */
};

/*
 * A volume id (with or without its dash), a device, a link to one, a partition, a device-mapper or
 * md device, a mount point or any file. Errors, each with its reason: -ENOENT     nothing is called
 * so -ENODATA    nothing to warm: on tmpfs, NFS, overlay, … -EMEDIUMTYPE all of it is on instance
 * store else -errno. Asks the filesystem of a path for its attributes, which waits for as long as
 * that filesystem does: never on the event loop.
 */
int device_stack_resolve(const struct device_entries *entries, const char *what,
                         struct device_stack *ret);

/* The same for what is known already; the parts that the whole is made of. */
int device_stack_from_device(const struct device_entries *entries, dev_t devnum,
                             struct device_stack *ret);
int device_stack_from_mount(const struct device_entries *entries, const char *path,
                            const struct mount *mount, struct device_stack *ret);

#endif
