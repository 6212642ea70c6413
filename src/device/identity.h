/* SPDX-License-Identifier: MIT */
/*
 * Who a device is, so that progress is believed for that very volume only, and its shape. Asks
 * fstat, ioctl and sysfs, none of which waits for the disk.
 */
#ifndef DEVICE_IDENTITY_H
#define DEVICE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum device_kind {
    DEVICE_EBS_NVME,
    DEVICE_INSTANCE_STORE,
    DEVICE_OTHER, /* another whole disk: Xen, virtio, loop, … */
    DEVICE_PARTITION,
    DEVICE_FILE,
};

#define DEVICE_ID_MAX 64

struct device_identity {
    enum device_kind kind;
    bool stacked; /* md or device-mapper: verifies or gathers what lands in the buffer */
    /*
     * "vol-0123456789abcdef0"; else the kernel's name ("loop3", "xvdf"); for a file
     * "file-MAJOR:MINOR-INODE".
     */
    char id[DEVICE_ID_MAX];
    bool lasting;     /* the id survives reboot, resize and a move to another instance */
    char boot_id[37]; /* /proc/sys/kernel/random/boot_id */
    dev_t devnum;     /* of the device, or of what the file lies on */
    /*
     * Tells one medium from the next under the same name: what the kernel counts for a disk (from
     * Linux 5.15 on), for a file its time of birth in ns. 0 = not known.
     */
    uint64_t diskseq;
};

struct device_geometry {
    uint64_t size_bytes;
    uint32_t logical_block_bytes; /* what O_DIRECT must be aligned to */
};

/* `fd` may be O_PATH. -ENODEV when the device is not there any more; -errno. */
int device_identify(int fd, struct device_identity *ret);
/* /proc/sys/kernel/random/boot_id. */
int device_boot_id(char ret[37]);
/* As device_geometry() has it, but `fd` may be O_PATH. */
int device_size(int fd, uint64_t *ret_bytes);
/* `fd` must be open for reading. -ENOTBLK when it is neither a block device nor a regular file. */
int device_geometry(int fd, struct device_geometry *ret);

/*
 * Is what was stored about `stored` true of `now`? If not, *ret_why says why, in words that
 * complete "its checkpoint is not believed: …"; static text.
 */
bool device_identity_same(const struct device_identity *stored, const struct device_identity *now,
                          const char **ret_why);

/* Can progress of this device be told from another's after a restart of the daemon? */
bool device_identity_is_provable(const struct device_identity *identity);

/*
 * An EBS NVMe serial ("vol" and 17 hex digits, no dash, perhaps trailing blanks; amazon-ec2-utils)
 * as a volume id with its dash. Old volumes have 8 digits. -EINVAL for anything else.
 */
int device_id_from_serial(const char *serial, char ret[DEVICE_ID_MAX]);

#endif
