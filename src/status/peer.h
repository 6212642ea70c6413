/* SPDX-License-Identifier: MIT */
/* Who is at the other end of a Unix socket, as the kernel noted at connect(). */
#ifndef STATUS_PEER_H
#define STATUS_PEER_H

#include <sys/types.h>

/* -errno. */
int peer_get_uid(int fd, uid_t *ret);
/* 1 if its primary or a supplementary group is `group`, else 0. -errno. */
int peer_in_group(int fd, gid_t group);

#endif
