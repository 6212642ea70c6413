/* SPDX-License-Identifier: MIT */
#include "status/listen.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/cleanup.h"

static int make_address(const char *path, struct sockaddr_un *ret)
{
    *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof(ret->sun_path))
        return -ENAMETOOLONG;
    memcpy(ret->sun_path, path, strlen(path));
    return 0;
}

static int open_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    return fd < 0 ? -errno : fd;
}

/* 0 when `path` is free now. */
static int remove_stale(const char *path, const struct sockaddr_un *address)
{
    _cleanup_close_ int fd = -1;
    struct stat st;

    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(st.st_mode))
        return -EEXIST;
    fd = open_socket();
    if (fd < 0)
        return fd;
    /* EAGAIN: somebody listens and has no room for us. */
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 || errno == EAGAIN)
        return -EADDRINUSE;
    if (errno != ECONNREFUSED)
        return -errno;
    return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

static int bind_and_listen(int fd, const struct sockaddr_un *address)
{
    if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
        return -errno;
    if (chmod(address->sun_path, 0666) < 0 || listen(fd, SOMAXCONN) < 0) {
        int r = -errno;

        unlink(address->sun_path);
        return r;
    }
    return 0;
}

int bound_socket_open(const char *path, struct bound_socket *ret)
{
    _cleanup_close_ int fd = -1;
    _cleanup_free_ char *copy = NULL;
    struct sockaddr_un address;
    struct stat st;
    int r;

    r = make_address(path, &address);
    if (r == 0)
        r = remove_stale(path, &address);
    if (r < 0)
        return r;
    copy = strdup(path);
    if (!copy)
        return -ENOMEM;
    fd = open_socket();
    if (fd < 0)
        return fd;
    r = bind_and_listen(fd, &address);
    if (r < 0)
        return r;
    if (lstat(path, &st) < 0)
        return -errno;
    *ret = (struct bound_socket){
        .fd = steal_fd(&fd), .path = steal_pointer(&copy), .device = st.st_dev, .inode = st.st_ino
    };
    return 0;
}

void bound_socket_close(struct bound_socket *bound)
{
    struct stat st;

    if (lstat(bound->path, &st) == 0 && st.st_dev == bound->device && st.st_ino == bound->inode)
        unlink(bound->path);
    close(bound->fd);
    free(bound->path);
    *bound = (struct bound_socket){ .fd = -1 };
}
