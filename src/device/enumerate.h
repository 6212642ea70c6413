/* SPDX-License-Identifier: MIT */
/* What block devices there are, by sd-device. Opens none of them. */
#ifndef DEVICE_ENUMERATE_H
#define DEVICE_ENUMERATE_H

#include "device/entry.h"

#include <stddef.h>
#include <systemd/sd-device.h>

struct device_entries {
    struct device_entry **entries; /* by name, nvme2n1 before nvme10n1 */
    size_t n_entries;
};

/* All of them, also where no udevd runs. The caller frees what `ret` holds, also after an error. */
int device_enumerate(struct device_entries *ret);
void device_entries_free(struct device_entries *entries);

/* One of them. -ENODEV when it is not there (any more). */
int device_entry_from_device(sd_device *device, struct device_entry **ret);
int device_entry_from_devnum(dev_t devnum, struct device_entry **ret);

#endif
