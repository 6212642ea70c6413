/* SPDX-License-Identifier: MIT */
#include "warm/store.h"

#include "base/atomicfile.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".checkpoint"
/* So many set-aside files of one volume are kept; then the last is replaced. */
#define SET_ASIDE_MAX 9

DEFINE_CLEANUP(struct checkpoint *, checkpoint_free, checkpoint_free_p)

static char *file_name(const char *id)
{
    char *name;

    if (asprintf(&name, "%s" SUFFIX, id) < 0)
        return NULL;
    /* The kernel writes '!' for a '/' in a device's name; ours may not have one either. */
    for (char *c = name; *c; c++) {
        if (*c == '/')
            *c = '!';
    }
    return name;
}

char *store_path(const char *directory, const char *id)
{
    _cleanup_free_ char *name = file_name(id);
    char *path;

    if (!name || asprintf(&path, "%s/%s", directory, name) < 0)
        return NULL;
    return path;
}

static int open_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

/* The name it got in `ret`. */
static int set_aside(int directory_fd, const char *name, char *ret, size_t ret_size)
{
    for (int n = 1; n < SET_ASIDE_MAX; n++) {
        snprintf(ret, ret_size, "%s.set-aside-%d", name, n);
        if (renameat2(directory_fd, name, directory_fd, ret, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EEXIST)
            return -errno;
    }
    snprintf(ret, ret_size, "%s.set-aside-%d", name, SET_ASIDE_MAX);
    return renameat(directory_fd, name, directory_fd, ret) < 0 ? -errno : 0;
}

static int refuse(int directory_fd, const char *name, const char *why, char **ret_why)
{
    char aside[128];
    int r = set_aside(directory_fd, name, aside, sizeof(aside));

    if (r < 0)
        r = asprintf(ret_why, "%s is not believed: %s; it could not be set aside: %s", name, why,
                     strerror(-r));
    else
        r = asprintf(ret_why, "%s is not believed: %s; it is kept as %s", name, why, aside);
    return r < 0 ? -ENOMEM : 0;
}

static int parse_and_compare(const char *text, size_t length,
                             const struct device_identity *identity, uint64_t size_bytes,
                             struct checkpoint **ret, const char **ret_why)
{
    _cleanup_(checkpoint_free_p) struct checkpoint *checkpoint = NULL;
    int r = checkpoint_parse(text, length, &checkpoint, ret_why);

    if (r < 0)
        return r;
    if (!device_identity_is_provable(identity)) {
        *ret_why = "this device has no identity, and the kernel does not count its media";
        return -EBADMSG;
    }
    if (!device_identity_same(&checkpoint->identity, identity, ret_why))
        return -EBADMSG;
    /* EBS volumes only grow: what has become smaller is not what was read. */
    if (checkpoint->size_bytes > size_bytes) {
        *ret_why = "it tells of a larger volume";
        return -EBADMSG;
    }
    *ret = steal_pointer(&checkpoint);
    return 0;
}

int store_load(const char *directory, const struct device_identity *identity, uint64_t size_bytes,
               struct checkpoint **ret, char **ret_why)
{
    _cleanup_close_ int directory_fd = open_directory(directory);
    _cleanup_free_ char *name = file_name(identity->id), *text = NULL;
    const char *why = NULL;
    size_t length;
    int r;

    *ret = NULL;
    *ret_why = NULL;
    if (directory_fd == -ENOENT)
        return 0;
    if (directory_fd < 0)
        return directory_fd;
    if (!name)
        return -ENOMEM;
    r = read_small_file(directory_fd, name, CHECKPOINT_MAX_BYTES, &text, &length);
    if (r == -ENOENT)
        return 0;
    if (r == -EFBIG)
        return refuse(directory_fd, name, "it is far too long for a checkpoint", ret_why);
    if (r == -EBADF)
        return refuse(directory_fd, name, "it is not a regular file", ret_why);
    if (r < 0)
        return r;
    r = parse_and_compare(text, length, identity, size_bytes, ret, &why);
    return r == -ENOMEM || r >= 0 ? r : refuse(directory_fd, name, why, ret_why);
}

/* With its parents: a fresh home has no ~/.local/state. */
static int make_directory(const char *directory)
{
    _cleanup_free_ char *path = strdup(directory);

    if (!path)
        return -ENOMEM;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

int store_save(const char *directory, const char *id, const char *text, size_t length)
{
    _cleanup_close_ int directory_fd = -1;
    _cleanup_free_ char *name = file_name(id);
    int r;

    if (!name)
        return -ENOMEM;
    directory_fd = open_directory(directory);
    if (directory_fd == -ENOENT) {
        r = make_directory(directory);
        directory_fd = r < 0 ? r : open_directory(directory);
    }
    if (directory_fd < 0)
        return directory_fd;
    return atomic_write_file(directory_fd, name, text, length, 0644);
}
