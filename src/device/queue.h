/* SPDX-License-Identifier: MIT */
/* How the kernel drives a disk, and whether it is still there. From sysfs: no disk is waited for.
 */
#ifndef DEVICE_QUEUE_H
#define DEVICE_QUEUE_H

#include "device/identity.h"

/* What sysfs does not have is 0, "" or false. */
struct device_queue {
    uint64_t physical_block_bytes;
    uint64_t optimal_io_bytes;
    uint64_t max_read_bytes; /* larger reads are split (max_sectors_kb) */
    uint64_t queue_requests; /* nr_requests */
    uint64_t io_timeout_msec;
    bool rotational;
    char scheduler[32]; /* the one in use */
};

void device_queue_read(dev_t devnum, struct device_queue *ret);

/*
 * True when the disk that was identified is not there any more: its entry is gone, its capacity is
 * 0 (how a pulled NVMe disk looks while somebody holds it open) or another medium has its number.
 */
bool device_is_gone(const struct device_identity *identity);

#endif
