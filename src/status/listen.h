/* SPDX-License-Identifier: MIT */
#ifndef STATUS_LISTEN_H
#define STATUS_LISTEN_H

#include <sys/types.h>

struct bound_socket {
    int fd;
    char *path;
    dev_t device; /* of the path, so that only our own socket is removed */
    ino_t inode;
};

/*
 * A listening stream socket at `path` with mode 0666. A socket that nobody answers on is replaced:
 * it was left by a process that was killed. -EADDRINUSE when somebody answers, -EEXIST when the
 * path is no socket, -ENAMETOOLONG, -errno.
 */
int bound_socket_open(const char *path, struct bound_socket *ret);
/* Closes the socket and removes its path, unless another one has taken the place. */
void bound_socket_close(struct bound_socket *bound);

#endif
