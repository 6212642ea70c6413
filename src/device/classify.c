/* SPDX-License-Identifier: MIT */
#include "device/classify.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Models as AWS documents them for Nitro. */
#define MODEL_EBS            "Amazon Elastic Block Store"
#define MODEL_INSTANCE_STORE "Amazon EC2 NVMe Instance Storage"

static const struct {
    const char *prefix; /* of the kernel's name; a number follows */
    enum device_class class;
} by_name[] = {
    { "loop", DEVICE_CLASS_LOOP },     { "nbd", DEVICE_CLASS_NETWORK },
    { "rbd", DEVICE_CLASS_NETWORK },   { "drbd", DEVICE_CLASS_NETWORK },
    { "ublkb", DEVICE_CLASS_NETWORK }, { "ram", DEVICE_CLASS_MEMORY },
    { "zram", DEVICE_CLASS_MEMORY },   { "sr", DEVICE_CLASS_REMOVABLE },
    { "fd", DEVICE_CLASS_REMOVABLE },
};

/* "nvme0c1n2", as the kernel names a path when native multipath joins them to nvme0n2. */
static bool is_multipath_path(const char *name)
{
    unsigned int subsystem, controller, namespace;
    int end = 0;

    return sscanf(name, "nvme%uc%un%u%n", &subsystem, &controller, &namespace, &end) == 3 &&
           name[end] == '\0';
}

static bool is_xen(const struct device_facts *facts)
{
    bool named = strncmp(facts->name, "xvd", 3) == 0 || strncmp(facts->name, "sd", 2) == 0;

    return strcmp(facts->hypervisor, "xen") == 0 && named &&
           (facts->bus[0] == '\0' || strcmp(facts->bus, "xen") == 0);
}

static enum device_class classify_name(const char *name)
{
    for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
        size_t length = strlen(by_name[i].prefix);

        if (strncmp(name, by_name[i].prefix, length) == 0 && isdigit((unsigned char)name[length]))
            return by_name[i].class;
    }
    return DEVICE_CLASS_DISK;
}

enum device_class device_classify(const struct device_facts *facts)
{
    if (facts->hidden || is_multipath_path(facts->name))
        return DEVICE_CLASS_PATH;
    if (facts->disk[0])
        return DEVICE_CLASS_PARTITION;
    if (facts->is_dm)
        return DEVICE_CLASS_DM;
    if (facts->is_md)
        return DEVICE_CLASS_MD;
    if (strcmp(facts->model, MODEL_INSTANCE_STORE) == 0)
        return DEVICE_CLASS_INSTANCE_STORE;
    if (strcmp(facts->model, MODEL_EBS) == 0)
        return DEVICE_CLASS_EBS;
    if (is_xen(facts))
        return DEVICE_CLASS_XEN;
    return facts->removable ? DEVICE_CLASS_REMOVABLE : classify_name(facts->name);
}

static const char *const words[DEVICE_CLASS_MAX] = {
    [DEVICE_CLASS_EBS] = "ebs",
    [DEVICE_CLASS_XEN] = "xen",
    [DEVICE_CLASS_INSTANCE_STORE] = "instance-store",
    [DEVICE_CLASS_DISK] = "disk",
    [DEVICE_CLASS_LOOP] = "loop",
    [DEVICE_CLASS_NETWORK] = "network",
    [DEVICE_CLASS_DM] = "device-mapper",
    [DEVICE_CLASS_MD] = "md",
    [DEVICE_CLASS_PARTITION] = "partition",
    [DEVICE_CLASS_PATH] = "path",
    [DEVICE_CLASS_MEMORY] = "memory",
    [DEVICE_CLASS_REMOVABLE] = "removable",
};

const char *device_class_to_string(enum device_class class)
{
    return words[class];
}

bool device_class_is_volume(enum device_class class)
{
    return class == DEVICE_CLASS_EBS || class == DEVICE_CLASS_XEN;
}

bool device_class_can_be_named(enum device_class class)
{
    return class != DEVICE_CLASS_PARTITION && class != DEVICE_CLASS_PATH &&
           class != DEVICE_CLASS_MEMORY && class != DEVICE_CLASS_REMOVABLE;
}

void device_facts_id(const struct device_facts *facts, char ret[DEVICE_ID_MAX])
{
    if (device_classify(facts) != DEVICE_CLASS_EBS || device_id_from_serial(facts->serial, ret) < 0)
        snprintf(ret, DEVICE_ID_MAX, "%s", facts->name);
}

static const char *device_mapper_words(const char *dm_uuid)
{
    if (strncmp(dm_uuid, "LVM-", 4) == 0)
        return "LVM logical volume: the disks under it are warmed";
    if (strncmp(dm_uuid, "CRYPT-", 6) == 0)
        return "encrypted (dm-crypt): the disk under it is warmed";
    return "device-mapper: the disks under it are warmed";
}

static void describe_ebs(const struct device_facts *facts, char *ret, size_t ret_size)
{
    char id[DEVICE_ID_MAX];

    if (device_id_from_serial(facts->serial, id) >= 0)
        snprintf(ret, ret_size, "EBS volume");
    else
        snprintf(
            ret, ret_size,
            "EBS volume; its serial '%s' is no volume id, so progress does not survive a reboot",
            facts->serial);
}

static void describe_disk(const struct device_facts *facts, char *ret, size_t ret_size)
{
    if (facts->model[0])
        snprintf(ret, ret_size, "not EBS: model '%s' (name it in a [Volume] section to warm it)",
                 facts->model);
    else
        snprintf(ret, ret_size, "not EBS (name it in a [Volume] section to warm it)");
}

void device_describe(const struct device_facts *facts, char *ret, size_t ret_size)
{
    enum device_class class = device_classify(facts);
    static const char *const fixed[DEVICE_CLASS_MAX] = {
        [DEVICE_CLASS_XEN] = "disk of a Xen guest",
        [DEVICE_CLASS_INSTANCE_STORE] = "instance store, never warmed",
        [DEVICE_CLASS_LOOP] = "loop device (name it in a [Volume] section to warm it)",
        [DEVICE_CLASS_NETWORK] = "network block device (name it in a [Volume] section to warm it)",
        [DEVICE_CLASS_MD] = "software RAID: the disks under it are warmed",
        [DEVICE_CLASS_PATH] = "one path of a multipath NVMe disk: the disk itself is warmed",
        [DEVICE_CLASS_MEMORY] = "lies in memory: nothing to warm",
        [DEVICE_CLASS_REMOVABLE] = "removable medium",
    };

    if (class == DEVICE_CLASS_EBS)
        describe_ebs(facts, ret, ret_size);
    else if (class == DEVICE_CLASS_DISK)
        describe_disk(facts, ret, ret_size);
    else if (class == DEVICE_CLASS_PARTITION)
        snprintf(ret, ret_size, "partition of %s", facts->disk);
    else if (class == DEVICE_CLASS_DM)
        snprintf(ret, ret_size, "%s", device_mapper_words(facts->dm_uuid));
    else
        snprintf(ret, ret_size, "%s", fixed[class]);
}
