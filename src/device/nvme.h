/* SPDX-License-Identifier: MIT */
/*
 * What an EBS controller says of itself beyond sysfs: the vendor area of Identify Controller and
 * log page 0xD0. Parsers on bytes, and thin wrappers over the ioctl, which needs CAP_SYS_ADMIN.
 */
#ifndef DEVICE_NVME_H
#define DEVICE_NVME_H

#include <stddef.h>
#include <stdint.h>

#define NVME_PAGE_BYTES     4096U
#define NVME_NAME_MAX       33U
#define NVME_HISTOGRAM_BINS 64U

struct nvme_bin {
    uint64_t lower_usec;
    uint64_t upper_usec;
    uint32_t count;
};

struct nvme_histogram {
    size_t n_bins;
    struct nvme_bin bins[NVME_HISTOGRAM_BINS];
};

/* Counters since the volume was attached. "Over" counts the time in which a cap held us back. */
struct nvme_stats {
    uint64_t read_ops, write_ops;
    uint64_t read_bytes, write_bytes;
    uint64_t read_usec, write_usec;
    uint64_t over_volume_iops_usec, over_volume_throughput_usec;
    uint64_t over_instance_iops_usec, over_instance_throughput_usec;
    uint64_t queue_length;
    struct nvme_histogram read_latency, write_latency;
};

/*
 * The name that the volume was attached as ("sdf"), without "/dev/" and padding. -EBADMSG when the
 * page is short or is not of an EBS volume, -ENODATA when it holds no name.
 */
int nvme_parse_identify(const void *page, size_t page_bytes, char ret_name[NVME_NAME_MAX]);

/* -EBADMSG when the page is short, malformed or has another magic; -EMEDIUMTYPE for instance store.
 */
int nvme_parse_stats(const void *page, size_t page_bytes, struct nvme_stats *ret);

/*
 * Ask the device; both wait for the controller, so never on the event loop. -EOPNOTSUPP when it
 * cannot be asked (no permission, no NVMe, no such page): nothing to report. Not more often than
 * once a second (AWS's wish).
 */
int nvme_read_device_name(int fd, char ret_name[NVME_NAME_MAX]);
int nvme_read_stats(int fd, struct nvme_stats *ret);

#endif
