/* SPDX-License-Identifier: MIT */
/* The FUSE mount with its one file, and its requests. */
#ifndef COLDVOL_MOUNT_H
#define COLDVOL_MOUNT_H

#include "volume.h"

#include <stdbool.h>
#include <stddef.h>

/* What one request carries at most. */
#define MOUNT_READ_MAX ((size_t)1024 * 1024)

struct mount;

/* Mounts on the place's folder. -errno. */
int mount_new(struct volume *volume, struct mount **ret);
/* Ends the connection; the mount point itself stays for `down`. */
void mount_free(struct mount *mount);

int mount_fd(const struct mount *mount);
/* False once the kernel has ended the connection. */
bool mount_alive(const struct mount *mount);
/* Takes the requests that are waiting, up to a fair number. */
void mount_dispatch(struct mount *mount);
/* Answers all reads that are complete by now. -errno. */
int mount_reply(struct mount *mount, uint64_t now_usec);

#endif
