/* SPDX-License-Identifier: MIT */
#include "device/nvme.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>

/* NVM Express base specification: admin opcodes, and CNS of Identify Controller. */
#define OPCODE_GET_LOG_PAGE 0x02U
#define OPCODE_IDENTIFY     0x06U
#define CNS_CONTROLLER      1U

/* amazon-ec2-utils, ebsnvme-id. */
#define AMAZON_VENDOR_ID   0x1D0FU
#define OFFSET_MODEL       24U
#define MODEL              "Amazon Elastic Block Store"
#define OFFSET_DEVICE_NAME 3072U
#define DEVICE_NAME_BYTES  32U

/* AWS, "Amazon EBS detailed performance statistics". */
#define LOG_PAGE_STATS       0xD0U
#define MAGIC_EBS            0x3C23B510U
#define MAGIC_INSTANCE_STORE 0xEC2C0D7EU
#define OFFSET_COUNTERS      8U
#define OFFSET_READ_BINS     512U
#define OFFSET_WRITE_BINS    2056U
#define BIN_BYTES            24U

#define COMMAND_TIMEOUT_MSEC 5000U

static uint64_t get_le64(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof(value));
    return le64toh(value);
}

static uint32_t get_le32(const uint8_t *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof(value));
    return le32toh(value);
}

static bool is_device_name(const char *name)
{
    if (*name == '\0')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name))
            return false;
    return true;
}

int nvme_parse_identify(const void *page, size_t page_bytes, char ret_name[NVME_NAME_MAX])
{
    const uint8_t *bytes = page;
    char name[DEVICE_NAME_BYTES + 1];
    const char *start = name;

    if (page_bytes < NVME_PAGE_BYTES || (bytes[0] | bytes[1] << 8) != AMAZON_VENDOR_ID ||
        memcmp(bytes + OFFSET_MODEL, MODEL, strlen(MODEL)) != 0)
        return -EBADMSG;
    memcpy(name, bytes + OFFSET_DEVICE_NAME, DEVICE_NAME_BYTES);
    name[DEVICE_NAME_BYTES] = '\0';
    name[strcspn(name, " ")] = '\0';
    if (strncmp(name, "/dev/", 5) == 0)
        start += 5;
    if (!is_device_name(start))
        return -ENODATA;
    memcpy(ret_name, start, strlen(start) + 1);
    return 0;
}

static int parse_histogram(const uint8_t *bytes, struct nvme_histogram *ret)
{
    uint64_t n_bins = get_le64(bytes);

    if (n_bins > NVME_HISTOGRAM_BINS)
        return -EBADMSG;
    ret->n_bins = (size_t)n_bins;
    for (size_t i = 0; i < ret->n_bins; i++) {
        const uint8_t *bin = bytes + 8 + i * BIN_BYTES;

        ret->bins[i] = (struct nvme_bin){
            .lower_usec = get_le64(bin),
            .upper_usec = get_le64(bin + 8),
            .count = get_le32(bin + 16),
        };
    }
    return 0;
}

int nvme_parse_stats(const void *page, size_t page_bytes, struct nvme_stats *ret)
{
    const uint8_t *bytes = page;
    struct nvme_stats stats = { 0 };
    uint64_t *const counters[] = {
        &stats.read_ops,
        &stats.write_ops,
        &stats.read_bytes,
        &stats.write_bytes,
        &stats.read_usec,
        &stats.write_usec,
        &stats.over_volume_iops_usec,
        &stats.over_volume_throughput_usec,
        &stats.over_instance_iops_usec,
        &stats.over_instance_throughput_usec,
        &stats.queue_length,
    };

    if (page_bytes < NVME_PAGE_BYTES)
        return -EBADMSG;
    if (get_le32(bytes) == MAGIC_INSTANCE_STORE)
        return -EMEDIUMTYPE;
    if (get_le32(bytes) != MAGIC_EBS)
        return -EBADMSG;
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        *counters[i] = get_le64(bytes + OFFSET_COUNTERS + 8 * i);
    if (parse_histogram(bytes + OFFSET_READ_BINS, &stats.read_latency) < 0 ||
        parse_histogram(bytes + OFFSET_WRITE_BINS, &stats.write_latency) < 0)
        return -EBADMSG;
    *ret = stats;
    return 0;
}

/* A positive result is an NVMe status: the controller knows no such page. */
static int admin_command(int fd, struct nvme_admin_cmd *command, void *page)
{
    int status;

    command->addr = (uint64_t)(uintptr_t)page;
    command->data_len = NVME_PAGE_BYTES;
    command->timeout_ms = COMMAND_TIMEOUT_MSEC;
    status = ioctl(fd, NVME_IOCTL_ADMIN_CMD, command);
    if (status > 0)
        return -EOPNOTSUPP;
    if (status == 0)
        return 0;
    if (errno == EACCES || errno == EPERM || errno == ENOTTY || errno == EINVAL)
        return -EOPNOTSUPP;
    return -errno;
}

int nvme_read_device_name(int fd, char ret_name[NVME_NAME_MAX])
{
    uint8_t page[NVME_PAGE_BYTES] __attribute__((aligned(4096))) = { 0 };
    struct nvme_admin_cmd command = { .opcode = OPCODE_IDENTIFY, .cdw10 = CNS_CONTROLLER };
    int r = admin_command(fd, &command, page);

    return r < 0 ? r : nvme_parse_identify(page, sizeof(page), ret_name);
}

int nvme_read_stats(int fd, struct nvme_stats *ret)
{
    uint8_t page[NVME_PAGE_BYTES] __attribute__((aligned(4096))) = { 0 };
    /* NUMDL, upper half of the word, counts dwords from 0: 1023 is 4096 bytes. */
    struct nvme_admin_cmd command = {
        .opcode = OPCODE_GET_LOG_PAGE,
        .nsid = 1,
        .cdw10 = LOG_PAGE_STATS | (NVME_PAGE_BYTES / 4 - 1) << 16,
    };
    int r = admin_command(fd, &command, page);

    return r < 0 ? r : nvme_parse_stats(page, sizeof(page), ret);
}
