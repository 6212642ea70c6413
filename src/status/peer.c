/* SPDX-License-Identifier: MIT */
#include "status/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/cleanup.h"

static int get_credentials(int fd, struct ucred *ret)
{
    socklen_t length = sizeof(*ret);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ret, &length) < 0 ? -errno : 0;
}

int peer_get_uid(int fd, uid_t *ret)
{
    struct ucred credentials;
    int r = get_credentials(fd, &credentials);

    if (r == 0)
        *ret = credentials.uid;
    return r;
}

static int get_groups(int fd, gid_t **ret, size_t *ret_n)
{
    _cleanup_free_ gid_t *groups = NULL;
    socklen_t length = 0;

    /* Asked with no room, the kernel answers ERANGE and the length that is needed. */
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &length) < 0 && errno != ERANGE)
        return -errno;
    groups = malloc(length ? length : sizeof(*groups));
    if (!groups)
        return -ENOMEM;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0)
        return -errno;
    *ret_n = length / sizeof(*groups);
    *ret = steal_pointer(&groups);
    return 0;
}

int peer_in_group(int fd, gid_t group)
{
    _cleanup_free_ gid_t *groups = NULL;
    struct ucred credentials;
    size_t n = 0;
    int r;

    r = get_credentials(fd, &credentials);
    if (r < 0)
        return r;
    if (credentials.gid == group)
        return 1;
    r = get_groups(fd, &groups, &n);
    if (r < 0)
        return r;
    for (size_t i = 0; i < n; i++)
        if (groups[i] == group)
            return 1;
    return 0;
}
