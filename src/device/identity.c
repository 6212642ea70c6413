/* SPDX-License-Identifier: MIT */
#include "device/identity.h"

#include "base/atomicfile.h"
#include "base/cleanup.h"
#include "device/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Models as AWS documents them for Nitro. */
#define SYSFS_SECTOR_BYTES   512U /* whatever the device's own are */
#define MODEL_EBS            "Amazon Elastic Block Store"
#define MODEL_INSTANCE_STORE "Amazon EC2 NVMe Instance Storage"

/* Enough for every logical block that a filesystem can lie on. */
#define FILE_ALIGNMENT_BYTES 4096U

int device_id_from_serial(const char *serial, char ret[DEVICE_ID_MAX])
{
    size_t digits;

    if (strncmp(serial, "vol", 3) != 0)
        return -EINVAL;
    serial += serial[3] == '-' ? 4 : 3;
    digits = strspn(serial, "0123456789abcdef");
    if ((digits != 17 && digits != 8) || serial[digits + strspn(serial + digits, " ")] != '\0')
        return -EINVAL;
    snprintf(ret, DEVICE_ID_MAX, "vol-%.*s", (int)digits, serial);
    return 0;
}

int device_boot_id(char ret[37])
{
    _cleanup_free_ char *text = NULL;
    size_t length;
    int r = read_small_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", 64, &text, &length);

    if (r < 0)
        return r;
    if (length < 36)
        return -EBADMSG;
    memcpy(ret, text, 36);
    ret[36] = '\0';
    return 0;
}

static void identify_by_nvme(struct device_identity *identity)
{
    char model[64], serial[64];

    if (sysfs_read(identity->devnum, "device/model", model, sizeof(model)) < 0)
        return;
    if (strcmp(model, MODEL_INSTANCE_STORE) == 0)
        identity->kind = DEVICE_INSTANCE_STORE;
    if (strcmp(model, MODEL_EBS) != 0 ||
        sysfs_read(identity->devnum, "device/serial", serial, sizeof(serial)) < 0)
        return;
    identity->kind = DEVICE_EBS_NVME;
    identity->lasting = device_id_from_serial(serial, identity->id) >= 0;
}

static int identify_device(dev_t devnum, struct device_identity *ret)
{
    int r = sysfs_name(devnum, ret->id, sizeof(ret->id));

    if (r < 0)
        return r == -ENOENT ? -ENODEV : r;
    ret->devnum = devnum;
    ret->kind = DEVICE_OTHER;
    if (sysfs_has(devnum, "partition") >= 0) {
        ret->kind = DEVICE_PARTITION;
        return 0;
    }
    if (sysfs_read_number(devnum, "diskseq", &ret->diskseq) < 0)
        ret->diskseq = 0;
    ret->stacked = sysfs_has(devnum, "dm") >= 0 || sysfs_has(devnum, "md") >= 0;
    identify_by_nvme(ret);
    return 0;
}

static int identify_file(int fd, const struct stat *st, struct device_identity *ret)
{
    struct statx extended;

    ret->kind = DEVICE_FILE;
    ret->devnum = st->st_dev;
    snprintf(ret->id, sizeof(ret->id), "file-%u:%u-%llu", major(st->st_dev), minor(st->st_dev),
             (unsigned long long)st->st_ino);
    /* Inode numbers are used again; with the time of birth they are not. */
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &extended) == 0 &&
        (extended.stx_mask & STATX_BTIME))
        ret->diskseq =
            (uint64_t)extended.stx_btime.tv_sec * 1000000000 + extended.stx_btime.tv_nsec;
    return 0;
}

int device_identify(int fd, struct device_identity *ret)
{
    struct stat st;
    int r;

    *ret = (struct device_identity){ 0 };
    if (fstat(fd, &st) < 0)
        return -errno;
    r = device_boot_id(ret->boot_id);
    if (r < 0)
        return r;
    if (S_ISBLK(st.st_mode))
        return identify_device(st.st_rdev, ret);
    return S_ISREG(st.st_mode) ? identify_file(fd, &st, ret) : -ENOTBLK;
}

int device_size(int fd, uint64_t *ret_bytes)
{
    struct stat st;
    int r;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (S_ISREG(st.st_mode)) {
        *ret_bytes = (uint64_t)st.st_size;
        return 0;
    }
    if (!S_ISBLK(st.st_mode))
        return -ENOTBLK;
    r = sysfs_read_number(st.st_rdev, "size", ret_bytes);
    *ret_bytes = r < 0 ? 0 : *ret_bytes * SYSFS_SECTOR_BYTES;
    return r;
}

int device_geometry(int fd, struct device_geometry *ret)
{
    struct stat st;
    int logical_block_bytes;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (S_ISREG(st.st_mode)) {
        *ret = (struct device_geometry){
            .size_bytes = (uint64_t)st.st_size,
            .logical_block_bytes = FILE_ALIGNMENT_BYTES,
        };
        return 0;
    }
    if (!S_ISBLK(st.st_mode))
        return -ENOTBLK;
    /* Never st_size: of a block device it is 0. */
    if (ioctl(fd, BLKGETSIZE64, &ret->size_bytes) < 0 ||
        ioctl(fd, BLKSSZGET, &logical_block_bytes) < 0)
        return -errno;
    if (logical_block_bytes < 512)
        return -EBADMSG;
    ret->logical_block_bytes = (uint32_t)logical_block_bytes;
    return 0;
}

bool device_identity_same(const struct device_identity *stored, const struct device_identity *now,
                          const char **ret_why)
{
    const char *why = NULL;

    if (strcmp(stored->id, now->id) != 0)
        why = "it is another volume's";
    else if (stored->lasting != now->lasting)
        why = "it is another kind of device's";
    else if (now->lasting)
        why = NULL;
    else if (strcmp(stored->boot_id, now->boot_id) != 0)
        why = "it is from an earlier boot, and this device has no identity that survives one";
    else if (stored->devnum != now->devnum)
        why = "it is another device's";
    else if (stored->diskseq != now->diskseq)
        why = "another disk was under this name then";
    if (why)
        *ret_why = why;
    return !why;
}

bool device_identity_is_provable(const struct device_identity *identity)
{
    return identity->lasting || identity->diskseq > 0;
}
