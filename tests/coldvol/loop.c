/* SPDX-License-Identifier: MIT */
#include "loop.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Others take loop devices too: between asking for a free one and taking it, it may be gone. */
#define ATTEMPTS_MAX 256

static int configure(int device, int file, const struct loop_options *options)
{
    struct loop_config config = {
        .fd = (__u32)file,
        .block_size = options->block_bytes,
        .info = { .lo_flags = LO_FLAGS_DIRECT_IO },
    };

    if (!options->read_write)
        config.info.lo_flags |= LO_FLAGS_READ_ONLY;
    return ioctl(device, LOOP_CONFIGURE, &config) < 0 ? -errno : 0;
}

static int open_device(const char *path, const struct loop_options *options, int *ret)
{
    int fd = open(path, (options->read_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    *ret = fd;
    return 0;
}

static int attach_named(const char *path, int file, const struct loop_options *options)
{
    _cleanup_close_ int device = -1;
    int r = open_device(path, options, &device);

    return r < 0 ? r : configure(device, file, options);
}

/* Where /dev is not the kernel's own (containers) a new loop device has no node yet. */
static int make_node(const char *path, int number)
{
    if (mknod(path, S_IFBLK | 0660, makedev(7, (unsigned)number)) < 0 && errno != EEXIST)
        return -errno;
    return 0;
}

static int attach_any(char path[PATH_MAX], int file, const struct loop_options *options)
{
    _cleanup_close_ int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    int r = -EBUSY;

    if (control < 0)
        return -errno;
    for (int attempt = 0; attempt < ATTEMPTS_MAX && r == -EBUSY; attempt++) {
        int number = ioctl(control, LOOP_CTL_GET_FREE);

        if (number < 0)
            return -errno;
        snprintf(path, PATH_MAX, "/dev/loop%d", number);
        r = attach_named(path, file, options);
        if (r == -ENOENT) {
            r = make_node(path, number);
            r = r < 0 ? r : -EBUSY;
        }
    }
    return r;
}

/* What has no link would never be found again. */
static int make_link(const char *path, const struct place *place)
{
    _cleanup_close_ int device = -1;
    int r;

    if (symlink(path, place->device) == 0)
        return 0;
    r = -errno;
    device = open(path, O_RDONLY | O_CLOEXEC);
    if (device >= 0)
        ioctl(device, LOOP_CLR_FD);
    return r;
}

int loop_attach(const struct place *place, const struct loop_options *options)
{
    _cleanup_close_ int file = -1;
    char path[PATH_MAX];
    int r;

    if (readlink(place->device, path, sizeof(path)) >= 0)
        return -EBUSY;
    file = open(place->volume, (options->read_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (file < 0)
        return -errno;
    if (options->device) {
        snprintf(path, sizeof(path), "%s", options->device);
        r = attach_named(path, file, options);
    } else {
        r = attach_any(path, file, options);
    }
    if (r < 0)
        return r;
    return make_link(path, place);
}

/*
 * What the device is over, as sysfs has it: LOOP_GET_STATUS64 would ask the file system for the
 * file's attributes, and its server may be dead or hang.
 */
static int get_backing_file(const char *device, char path[PATH_MAX])
{
    FILE *file;
    char sysfs[PATH_MAX];
    const char *name = strrchr(device, '/');
    bool got;

    snprintf(sysfs, sizeof(sysfs), "/sys/block/%.64s/loop/backing_file", name ? name + 1 : device);
    file = fopen(sysfs, "re");
    if (!file)
        return errno == ENOENT ? -ENXIO : -errno;
    got = fgets(path, PATH_MAX, file);
    fclose(file);
    if (!got)
        return -ENXIO;
    path[strcspn(path, "\n")] = '\0';
    return 0;
}

/* The device that the link names. -ENOENT: no link; -ENXIO: by now it is not this volume's. */
static int open_own(const struct place *place, int *ret)
{
    char device[PATH_MAX], path[PATH_MAX];
    ssize_t n = readlink(place->device, device, sizeof(device) - 1);
    int fd, r;

    if (n < 0)
        return -errno;
    device[n] = '\0';
    r = get_backing_file(device, path);
    if (r < 0)
        return r;
    if (strcmp(path, place->volume) != 0)
        return -ENXIO;
    fd = open(device, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    *ret = fd;
    return 0;
}

int loop_detach(const struct place *place)
{
    _cleanup_close_ int device = -1;
    int r = open_own(place, &device);

    if (r == 0 && ioctl(device, LOOP_CLR_FD) < 0)
        r = -errno;
    /* ENXIO: somebody else has detached it. */
    if (r == 0 || r == -ENXIO)
        r = unlink(place->device) < 0 ? -errno : 0;
    return r;
}

int loop_update_size(const struct place *place)
{
    _cleanup_close_ int device = -1;
    struct stat st;
    int r = open_own(place, &device);

    if (r < 0)
        return r == -ENOENT ? 0 : r;
    /* The kernel knows a FUSE file's new size only once somebody has asked for it. */
    if (stat(place->volume, &st) < 0)
        return -errno;
    return ioctl(device, LOOP_SET_CAPACITY) < 0 ? -errno : 0;
}
