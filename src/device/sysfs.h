/* SPDX-License-Identifier: MIT */
#ifndef DEVICE_SYSFS_H
#define DEVICE_SYSFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where /sys is mounted, so that a tree made by hand can stand in for it. Static text; "/sys". */
extern const char *sysfs_root;

/*
 * The attribute ("device/model") of a block device, without blanks at its end. -ENOENT when there
 * is none, -EFBIG when it does not fit.
 */
int sysfs_read(dev_t devnum, const char *attribute, char *ret, size_t ret_size);
int sysfs_read_number(dev_t devnum, const char *attribute, uint64_t *ret);
/* 0 if the attribute is there. */
int sysfs_has(dev_t devnum, const char *attribute);
/* The kernel's name of the device: "nvme1n1". */
int sysfs_name(dev_t devnum, char *ret, size_t ret_size);

#endif
