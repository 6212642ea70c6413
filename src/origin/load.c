/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "origin/origin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

static int refuse(char why[ORIGIN_WHY_MAX], int error, const char *what)
{
    snprintf(why, ORIGIN_WHY_MAX, "%s", what);
    return error;
}

static bool is_owner(const struct origin_owners *owners, uid_t uid)
{
    for (size_t i = 0; i < owners->n_uids; i++)
        if (owners->uids[i] == uid)
            return true;
    return false;
}

static int examine(int fd, const struct origin_owners *owners, char why[ORIGIN_WHY_MAX])
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return refuse(why, -errno, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return refuse(why, -EBADF, "not a regular file");
    if (!is_owner(owners, st.st_uid))
        return refuse(why, -EPERM, "owned by a user whose origin files are not believed");
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return refuse(why, -EPERM, "writable by others than its owner (chmod go-w)");
    if (st.st_size > (off_t)ORIGIN_FILE_MAX)
        return refuse(why, -EFBIG, "longer than 64 KiB");
    return 0;
}

int origin_load(int directory_fd, const char *name, const struct origin_owners *owners,
                struct origin *ret, char why[ORIGIN_WHY_MAX])
{
    /* O_NONBLOCK: a FIFO must not hold up the reader. */
    _cleanup_close_ int fd =
        openat(directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    _cleanup_free_ char *text = NULL;
    size_t length = 0;
    int r;

    if (fd < 0)
        return refuse(why, -errno, errno == ELOOP ? "a symbolic link" : strerror(errno));
    r = examine(fd, owners, why);
    if (r < 0)
        return r;
    text = malloc(ORIGIN_FILE_MAX + 1);
    if (!text)
        return refuse(why, -ENOMEM, "out of memory");
    while (length <= ORIGIN_FILE_MAX) {
        ssize_t n = read(fd, text + length, ORIGIN_FILE_MAX + 1 - length);

        if (n < 0)
            return refuse(why, -errno, strerror(errno));
        if (n == 0)
            return origin_parse(text, length, ret, why);
        length += (size_t)n;
    }
    return refuse(why, -EFBIG, "longer than 64 KiB");
}
