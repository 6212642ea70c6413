/* SPDX-License-Identifier: MIT */
/* What kind of thing a block device is, from what sysfs says of it. Pure. */
#ifndef DEVICE_CLASSIFY_H
#define DEVICE_CLASSIFY_H

#include "device/facts.h"
#include "device/identity.h"

#include <stddef.h>

enum device_class {
    DEVICE_CLASS_EBS, /* NVMe, by its model */
    DEVICE_CLASS_XEN, /* a disk of a Xen guest: EBS, or instance store that looks the same */
    DEVICE_CLASS_INSTANCE_STORE, /* never warmed */
    DEVICE_CLASS_DISK,           /* another disk: another cloud's, virtio, … */
    DEVICE_CLASS_LOOP,
    DEVICE_CLASS_NETWORK, /* nbd, rbd, drbd, ublk */
    DEVICE_CLASS_DM,
    DEVICE_CLASS_MD,
    DEVICE_CLASS_PARTITION,
    DEVICE_CLASS_PATH,      /* one path to a disk under native NVMe multipath */
    DEVICE_CLASS_MEMORY,    /* ram, zram */
    DEVICE_CLASS_REMOVABLE, /* floppy, CD */
    DEVICE_CLASS_MAX
};

enum device_class device_classify(const struct device_facts *facts);

/* "ebs", "xen", "instance-store", …: the words of `list --json`. */
const char *device_class_to_string(enum device_class class);

/* A volume by itself, that is found without being named. */
bool device_class_is_volume(enum device_class class);
/* Something that reading can warm once somebody names it. */
bool device_class_can_be_named(enum device_class class);

/* The id as device_identify() has it: the volume's, else the kernel's name. */
void device_facts_id(const struct device_facts *facts, char ret[DEVICE_ID_MAX]);

/* Why it is no volume, in words: "partition of nvme0n1". For a volume what it is: "EBS volume". */
void device_describe(const struct device_facts *facts, char *ret, size_t ret_size);

#endif
