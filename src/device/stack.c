/* SPDX-License-Identifier: MIT */
#include "device/stack.h"

#include "base/cleanup.h"
#include "device/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

DEFINE_CLEANUP(DIR *, closedir, closedir_p)

/* The deepest that people build is filesystem, LUKS, LVM, RAID, partition. */
#define DEPTH_MAX 16U

__attribute__((format(printf, 3, 4))) static int refuse(struct device_stack *stack, int error,
                                                        const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(stack->reason, sizeof(stack->reason), format, ap);
    va_end(ap);
    return error;
}

static const struct device_entry *find_devnum(const struct device_entries *entries, dev_t devnum)
{
    for (size_t i = 0; i < entries->n_entries; i++) {
        const struct device_entry *entry = entries->entries[i];
        if (entry && entry->facts.devnum == devnum)
            return entry;
    }
    return NULL;
}

static const struct device_entry *find_name(const struct device_entries *entries, const char *name)
{
    for (size_t i = 0; i < entries->n_entries; i++)
        if (device_entry_has_name(entries->entries[i], name))
            return entries->entries[i];
    return NULL;
}

static int parse_devnum(const char *text, dev_t *ret)
{
    unsigned int major_number, minor_number;

    if (sscanf(text, "%u:%u", &major_number, &minor_number) != 2)
        return -EBADMSG;
    *ret = makedev(major_number, minor_number);
    return 0;
}

static int read_devnum(dev_t devnum, const char *attribute, dev_t *ret)
{
    char text[32];
    int r = sysfs_read(devnum, attribute, text, sizeof(text));

    return r < 0 ? r : parse_devnum(text, ret);
}

static int add_disk(const struct device_entries *entries, dev_t devnum, struct device_stack *stack)
{
    const struct device_entry *entry = find_devnum(entries, devnum);

    if (!entry)
        return refuse(stack, -ENODEV, "block device %u:%u is not there any more", major(devnum),
                      minor(devnum));
    for (size_t i = 0; i < stack->n_disks; i++)
        if (stack->disks[i] == entry)
            return 0;
    if (stack->n_disks == STACK_DISKS_MAX)
        return refuse(stack, -E2BIG, "it lies on more than %d disks", STACK_DISKS_MAX);
    stack->disks[stack->n_disks++] = entry;
    return 0;
}

static int descend(const struct device_entries *entries, dev_t devnum, unsigned int depth,
                   struct device_stack *stack);

static DIR *open_slaves(dev_t devnum)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/dev/block/%u:%u/slaves", sysfs_root, major(devnum),
             minor(devnum));
    return opendir(path);
}

/* 1 if there were any. */
static int descend_slaves(const struct device_entries *entries, dev_t devnum, unsigned int depth,
                          struct device_stack *stack)
{
    _cleanup_(closedir_p) DIR *slaves = open_slaves(devnum);
    int found = 0;

    for (struct dirent *slave; slaves && (slave = readdir(slaves));) {
        char attribute[NAME_MAX + 32];
        dev_t below;
        int r;

        if (slave->d_name[0] == '.')
            continue;
        snprintf(attribute, sizeof(attribute), "slaves/%s/dev", slave->d_name);
        r = read_devnum(devnum, attribute, &below);
        if (r < 0)
            return refuse(stack, r, "cannot tell which device %s is", slave->d_name);
        r = descend(entries, below, depth + 1, stack);
        if (r < 0)
            return r;
        found = 1;
    }
    return found;
}

static int descend(const struct device_entries *entries, dev_t devnum, unsigned int depth,
                   struct device_stack *stack)
{
    dev_t disk;
    int r;

    if (depth > DEPTH_MAX)
        return refuse(stack, -ELOOP, "devices lie on each other more than %u deep", DEPTH_MAX);
    if (sysfs_has(devnum, "partition") >= 0 && read_devnum(devnum, "../dev", &disk) >= 0)
        return descend(entries, disk, depth + 1, stack);
    r = descend_slaves(entries, devnum, depth, stack);
    return r == 0 ? add_disk(entries, devnum, stack) : r < 0 ? r : 0;
}

/* Of a mirror or a volume group partly on instance store, the rest can be warmed. */
static int drop_instance_store(struct device_stack *stack, const char *what)
{
    size_t kept = 0;

    for (size_t i = 0; i < stack->n_disks; i++)
        if (stack->disks[i]->class != DEVICE_CLASS_INSTANCE_STORE)
            stack->disks[kept++] = stack->disks[i];
    if (kept == 0)
        return refuse(stack, -EMEDIUMTYPE, "%s is on instance store, which is never warmed", what);
    stack->n_disks = kept;
    return 0;
}

int device_stack_from_device(const struct device_entries *entries, dev_t devnum,
                             struct device_stack *ret)
{
    const struct device_entry *entry = find_devnum(entries, devnum);
    int r;

    ret->n_disks = 0;
    ret->reason[0] = '\0';
    r = descend(entries, devnum, 0, ret);
    /* A disk that was named itself is for its section to decide (Force=yes). */
    if (r < 0 || (ret->n_disks == 1 && ret->disks[0] == entry))
        return r;
    return drop_instance_store(ret, entry ? entry->node : "it");
}

/* Is NAME one of the devices of the btrfs in that folder? */
static bool btrfs_has(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/fs/btrfs/%s/devices/%s", sysfs_root, folder, name);

    return n > 0 && (size_t)n < sizeof(path) && access(path, F_OK) == 0;
}

static int descend_btrfs_devices(const struct device_entries *entries, const char *folder,
                                 struct device_stack *stack)
{
    char path[PATH_MAX];
    _cleanup_(closedir_p) DIR *devices = NULL;
    int r = -ENOENT;

    snprintf(path, sizeof(path), "%s/fs/btrfs/%s/devices", sysfs_root, folder);
    devices = opendir(path);
    for (struct dirent *device; devices && (device = readdir(devices));) {
        const struct device_entry *entry;

        if (device->d_name[0] == '.')
            continue;
        entry = find_name(entries, device->d_name);
        if (!entry)
            return refuse(stack, -ENODEV, "a device of the btrfs, %s, is not there",
                          device->d_name);
        r = descend(entries, entry->facts.devnum, 0, stack);
        if (r < 0)
            return r;
    }
    return r;
}

static dev_t devnum_of_node(const struct device_entries *entries, const char *node)
{
    const struct device_entry *entry = find_name(entries, node);
    struct stat st;

    if (entry)
        return entry->facts.devnum;
    return stat(node, &st) == 0 && S_ISBLK(st.st_mode) ? st.st_rdev : 0;
}

/* Its mount names one device; sysfs knows the others. */
static int descend_btrfs(const struct device_entries *entries, const char *source,
                         struct device_stack *stack)
{
    char path[PATH_MAX], name[DEVICE_NAME_MAX];
    _cleanup_(closedir_p) DIR *filesystems = NULL;
    dev_t devnum = devnum_of_node(entries, source);

    if (devnum == 0 || sysfs_name(devnum, name, sizeof(name)) < 0)
        return refuse(stack, -ENODEV, "cannot tell which device the btrfs on %s is", source);
    snprintf(path, sizeof(path), "%s/fs/btrfs", sysfs_root);
    filesystems = opendir(path);
    for (struct dirent *folder; filesystems && (folder = readdir(filesystems));)
        if (folder->d_name[0] != '.' && btrfs_has(folder->d_name, name))
            return descend_btrfs_devices(entries, folder->d_name, stack);
    return descend(entries, devnum, 0, stack);
}

int device_stack_from_mount(const struct device_entries *entries, const char *path,
                            const struct mount *mount, struct device_stack *ret)
{
    int r;

    ret->n_disks = 0;
    ret->reason[0] = '\0';
    if (major(mount->devnum) != 0)
        r = descend(entries, mount->devnum, 0, ret);
    else if (strcmp(mount->type, "btrfs") == 0)
        r = descend_btrfs(entries, mount->source, ret);
    else if (strcmp(mount->type, "overlay") == 0)
        return refuse(
            ret, -ENODATA,
            "%s is on overlay, which joins other filesystems: name a path on one of those", path);
    else
        return refuse(ret, -ENODATA, "%s is on %s: nothing to warm", path, mount->type);
    return r < 0 ? r : drop_instance_store(ret, path);
}

static int read_mounts(struct mounts *ret)
{
    _cleanup_free_ char *text = NULL;
    _cleanup_(fclose_p) FILE *file = fopen("/proc/self/mountinfo", "re");
    size_t size = 0;
    ssize_t n;

    *ret = (struct mounts){ 0 };
    if (!file)
        return -errno;
    n = getdelim(&text, &size, '\0', file);
    return n < 0 ? -EIO : mounts_parse(text, ret);
}

/* statx has the mount's id from Linux 5.8 on. */
static const struct mount *find_mount(const struct mounts *mounts, const char *path)
{
    char resolved[PATH_MAX];
    struct statx extended;

    if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &extended) == 0 &&
        (extended.stx_mask & STATX_MNT_ID))
        return mounts_find_id(mounts, (unsigned int)extended.stx_mnt_id);
    return realpath(path, resolved) ? mounts_find_path(mounts, resolved) : NULL;
}

static int resolve_path(const struct device_entries *entries, const char *path,
                        struct device_stack *ret)
{
    struct mounts mounts;
    const struct mount *mount;
    int r = read_mounts(&mounts);

    mount = r < 0 ? NULL : find_mount(&mounts, path);
    if (mount)
        r = device_stack_from_mount(entries, path, mount, ret);
    else
        r = refuse(ret, r < 0 ? r : -ENOENT, "cannot tell what %s is mounted on", path);
    mounts_free(&mounts);
    return r;
}

int device_stack_resolve(const struct device_entries *entries, const char *what,
                         struct device_stack *ret)
{
    const struct device_entry *entry = find_name(entries, what);
    struct stat st;

    *ret = (struct device_stack){ 0 };
    if (entry)
        return device_stack_from_device(entries, entry->facts.devnum, ret);
    if (strncmp(what, "vol", 3) == 0 && !strchr(what, '/') && access(what, F_OK) < 0)
        return refuse(ret, -ENOENT, "no volume %s is attached", what);
    if (stat(what, &st) < 0)
        return refuse(ret, -errno, "%s: %s", what, strerror(errno));
    if (S_ISBLK(st.st_mode))
        return device_stack_from_device(entries, st.st_rdev, ret);
    return resolve_path(entries, what, ret);
}
