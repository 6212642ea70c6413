/* SPDX-License-Identifier: MIT */
#include "device/sysfs.h"

#include "base/atomicfile.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

const char *sysfs_root = "/sys";

/* An attribute is never longer than a page. */
#define ATTRIBUTE_MAX 4096U
#define PATH_SIZE     512U

static int format_path(dev_t devnum, const char *attribute, char path[PATH_SIZE])
{
    int n = snprintf(path, PATH_SIZE, "%s/dev/block/%u:%u%s%s", sysfs_root, major(devnum),
                     minor(devnum), attribute[0] ? "/" : "", attribute);

    return n < 0 || (size_t)n >= PATH_SIZE ? -ENAMETOOLONG : 0;
}

static void trim_end(char *text, size_t length)
{
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    text[length] = '\0';
}

int sysfs_read(dev_t devnum, const char *attribute, char *ret, size_t ret_size)
{
    _cleanup_free_ char *data = NULL;
    char path[PATH_SIZE];
    size_t length;
    int r = format_path(devnum, attribute, path);

    if (r >= 0)
        r = read_small_file(AT_FDCWD, path, ATTRIBUTE_MAX, &data, &length);
    if (r < 0)
        return r;
    trim_end(data, length);
    if (strlen(data) >= ret_size)
        return -EFBIG;
    strcpy(ret, data);
    return 0;
}

int sysfs_read_number(dev_t devnum, const char *attribute, uint64_t *ret)
{
    char text[32], *end;
    int r = sysfs_read(devnum, attribute, text, sizeof(text));

    if (r < 0)
        return r;
    errno = 0;
    *ret = strtoull(text, &end, 10);
    return errno != 0 || end == text || *end ? -EINVAL : 0;
}

int sysfs_has(dev_t devnum, const char *attribute)
{
    char path[PATH_SIZE];
    int r = format_path(devnum, attribute, path);

    if (r < 0)
        return r;
    return access(path, F_OK) < 0 ? -errno : 0;
}

/* /sys/dev/block/M:m is a link whose last part is the name. */
int sysfs_name(dev_t devnum, char *ret, size_t ret_size)
{
    char path[PATH_SIZE], target[PATH_SIZE];
    const char *name;
    ssize_t n;
    int r = format_path(devnum, "", path);

    if (r < 0)
        return r;
    n = readlink(path, target, sizeof(target) - 1);
    if (n < 0)
        return -errno;
    target[n] = '\0';
    name = strrchr(target, '/');
    name = name ? name + 1 : target;
    if (strlen(name) >= ret_size)
        return -EFBIG;
    strcpy(ret, name);
    return 0;
}
