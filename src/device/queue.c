/* SPDX-License-Identifier: MIT */
#include "device/queue.h"

#include "device/sysfs.h"

#include <string.h>

static uint64_t read_number(dev_t devnum, const char *attribute)
{
    uint64_t value;

    return sysfs_read_number(devnum, attribute, &value) < 0 ? 0 : value;
}

/* "mq-deadline kyber [none]" */
static void read_scheduler(dev_t devnum, char *ret, size_t ret_size)
{
    char text[256];
    const char *start;
    size_t length;

    ret[0] = '\0';
    if (sysfs_read(devnum, "queue/scheduler", text, sizeof(text)) < 0)
        return;
    start = strchr(text, '[');
    start = start ? start + 1 : text;
    length = strcspn(start, "] ");
    if (length >= ret_size)
        return;
    memcpy(ret, start, length);
    ret[length] = '\0';
}

void device_queue_read(dev_t devnum, struct device_queue *ret)
{
    *ret = (struct device_queue){
        .physical_block_bytes = read_number(devnum, "queue/physical_block_size"),
        .optimal_io_bytes = read_number(devnum, "queue/optimal_io_size"),
        .max_read_bytes = read_number(devnum, "queue/max_sectors_kb") * 1024,
        .queue_requests = read_number(devnum, "queue/nr_requests"),
        .io_timeout_msec = read_number(devnum, "queue/io_timeout"),
        .rotational = read_number(devnum, "queue/rotational") != 0,
    };
    read_scheduler(devnum, ret->scheduler, sizeof(ret->scheduler));
}

bool device_is_gone(const struct device_identity *identity)
{
    /* A file's devnum is of what it lies on. */
    if (identity->kind == DEVICE_FILE)
        return false;
    return read_number(identity->devnum, "size") == 0 ||
           (identity->diskseq != 0 &&
            read_number(identity->devnum, "diskseq") != identity->diskseq);
}
