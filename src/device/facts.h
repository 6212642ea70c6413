/* SPDX-License-Identifier: MIT */
/* What sysfs says of one block device. Opens no disk and waits for none. */
#ifndef DEVICE_FACTS_H
#define DEVICE_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DEVICE_NAME_MAX 64

struct device_facts {
    char name[DEVICE_NAME_MAX]; /* the kernel's: "nvme1n1" */
    dev_t devnum;               /* 0 = it has no node (a path under NVMe multipath) */
    char model[64];             /* "" where there is none, as for all strings here */
    char serial[64];
    char bus[32];               /* what drives it: "nvme", "xen", "virtio", "scsi", … */
    char hypervisor[16];        /* "xen" */
    char disk[DEVICE_NAME_MAX]; /* of a partition: the disk that it is on */
    char dm_uuid[160];          /* of a device-mapper device: "LVM-…", "CRYPT-LUKS2-…" */
    bool is_dm, is_md;
    bool hidden;
    bool removable;
    uint64_t size_bytes;
    uint64_t diskseq; /* 0 = not known */
};

/* -ENODEV when the device is not there (any more). */
int device_facts_read(const char *name, dev_t devnum, struct device_facts *ret);

#endif
