/* SPDX-License-Identifier: MIT */
/* /proc/self/mountinfo (proc(5)), for what a path lies on. */
#ifndef DEVICE_MOUNTINFO_H
#define DEVICE_MOUNTINFO_H

#include <stddef.h>
#include <sys/types.h>

struct mount {
    unsigned int id;
    dev_t devnum; /* anonymous (major 0) for btrfs, tmpfs, NFS, overlay, … */
    char *point;
    char *type;
    char *source;
};

struct mounts {
    struct mount *mounts;
    size_t n_mounts;
};

/* -EBADMSG for text that is no mountinfo. The caller frees what `ret` holds, also after an error.
 */
int mounts_parse(const char *text, struct mounts *ret);
void mounts_free(struct mounts *mounts);

/* NULL if there is none. */
const struct mount *mounts_find_id(const struct mounts *mounts, unsigned int id);
/* The last mount on the longest mount point that contains the absolute path. */
const struct mount *mounts_find_path(const struct mounts *mounts, const char *path);

#endif
