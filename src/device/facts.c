/* SPDX-License-Identifier: MIT */
#include "device/facts.h"

#include "base/atomicfile.h"
#include "base/cleanup.h"
#include "device/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

/* The unit of the attribute `size`, whatever the device's own blocks are. */
#define SECTOR_BYTES 512U

static void read_text(dev_t devnum, const char *attribute, char *ret, size_t ret_size)
{
    if (sysfs_read(devnum, attribute, ret, ret_size) < 0)
        ret[0] = '\0';
}

static uint64_t read_number(dev_t devnum, const char *attribute)
{
    uint64_t value;

    return sysfs_read_number(devnum, attribute, &value) < 0 ? 0 : value;
}

/* The last part of the link M:m/device/subsystem. */
static void read_bus(dev_t devnum, char *ret, size_t ret_size)
{
    char path[256], target[PATH_MAX];
    const char *slash;
    ssize_t n;

    ret[0] = '\0';
    snprintf(path, sizeof(path), "%s/dev/block/%u:%u/device/subsystem", sysfs_root, major(devnum),
             minor(devnum));
    n = readlink(path, target, sizeof(target) - 1);
    if (n < 0)
        return;
    target[n] = '\0';
    slash = strrchr(target, '/');
    slash = slash ? slash + 1 : target;
    if (strlen(slash) < ret_size)
        memcpy(ret, slash, strlen(slash) + 1);
}

static void read_hypervisor(char *ret, size_t ret_size)
{
    _cleanup_free_ char *text = NULL;
    char path[256];
    size_t length;

    ret[0] = '\0';
    snprintf(path, sizeof(path), "%s/hypervisor/type", sysfs_root);
    if (read_small_file(AT_FDCWD, path, 64, &text, &length) >= 0)
        snprintf(ret, ret_size, "%.*s", (int)strcspn(text, "\n"), text);
}

/* The folder of a partition lies in its disk's. */
static void read_disk(dev_t devnum, char *ret, size_t ret_size)
{
    char text[32];
    unsigned int major_number, minor_number;

    ret[0] = '\0';
    if (sysfs_has(devnum, "partition") >= 0 &&
        sysfs_read(devnum, "../dev", text, sizeof(text)) >= 0 &&
        sscanf(text, "%u:%u", &major_number, &minor_number) == 2 &&
        sysfs_name(makedev(major_number, minor_number), ret, ret_size) < 0)
        ret[0] = '\0';
}

int device_facts_read(const char *name, dev_t devnum, struct device_facts *ret)
{
    if (strlen(name) >= sizeof(ret->name))
        return -ENAMETOOLONG;
    *ret = (struct device_facts){ .devnum = devnum };
    memcpy(ret->name, name, strlen(name) + 1);
    if (devnum == 0) {
        ret->hidden = true;
        return 0;
    }
    if (sysfs_has(devnum, "") < 0)
        return -ENODEV;
    ret->hidden = read_number(devnum, "hidden") != 0;
    ret->removable = read_number(devnum, "removable") != 0;
    ret->is_dm = sysfs_has(devnum, "dm") >= 0;
    ret->is_md = sysfs_has(devnum, "md") >= 0;
    ret->size_bytes = read_number(devnum, "size") * SECTOR_BYTES;
    ret->diskseq = read_number(devnum, "diskseq");
    read_text(devnum, "device/model", ret->model, sizeof(ret->model));
    read_text(devnum, "device/serial", ret->serial, sizeof(ret->serial));
    read_text(devnum, "dm/uuid", ret->dm_uuid, sizeof(ret->dm_uuid));
    read_disk(devnum, ret->disk, sizeof(ret->disk));
    read_bus(devnum, ret->bus, sizeof(ret->bus));
    read_hypervisor(ret->hypervisor, sizeof(ret->hypervisor));
    return 0;
}
