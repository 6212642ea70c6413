/* SPDX-License-Identifier: MIT */
#include "base/atomicfile.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>

#define NAME_TRIES 16

static int open_temporary(int directory_fd, const char *name, mode_t mode, char **ret_name)
{
    for (int i = 0; i < NAME_TRIES; i++) {
        _cleanup_free_ char *temporary = NULL;
        uint32_t random = 0;
        int fd;

        if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
            random = (uint32_t)getpid() + (uint32_t)i;
        if (asprintf(&temporary, ".%s.%08x", name, random) < 0)
            return -ENOMEM;
        fd = openat(directory_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                    mode);
        if (fd >= 0) {
            *ret_name = steal_pointer(&temporary);
            return fd;
        }
        if (errno != EEXIST)
            return -errno;
    }
    return -EEXIST;
}

static int write_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        data += n;
        length -= (size_t)n;
    }
    return fsync(fd) < 0 ? -errno : 0;
}

int atomic_write_file(int directory_fd, const char *name, const void *data, size_t length,
                      mode_t mode)
{
    _cleanup_free_ char *temporary = NULL;
    _cleanup_close_ int fd = open_temporary(directory_fd, name, mode, &temporary);
    int r;

    if (fd < 0 || !temporary)
        return fd < 0 ? fd : -ENOMEM;
    r = write_all(fd, data, length);
    if (r >= 0 && renameat(directory_fd, temporary, directory_fd, name) < 0)
        r = -errno;
    if (r < 0) {
        unlinkat(directory_fd, temporary, 0);
        return r;
    }
    return fsync(directory_fd) < 0 ? -errno : 0;
}

static int read_all(int fd, size_t max_bytes, char **ret_data, size_t *ret_length)
{
    _cleanup_free_ char *data = malloc(max_bytes + 1);
    size_t length = 0;

    if (!data)
        return -ENOMEM;
    while (length <= max_bytes) {
        ssize_t n = read(fd, data + length, max_bytes + 1 - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        length += (size_t)n;
    }
    if (length > max_bytes)
        return -EFBIG;
    data[length] = '\0';
    *ret_data = steal_pointer(&data);
    *ret_length = length;
    return 0;
}

int read_small_file(int directory_fd, const char *name, size_t max_bytes, char **ret_data,
                    size_t *ret_length)
{
    /* O_NONBLOCK: a FIFO of that name must not be waited for. */
    _cleanup_close_ int fd =
        openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EBADF;
    if ((uint64_t)st.st_size > max_bytes)
        return -EFBIG;
    /* A file in /proc has no size: there, up to the limit is read. */
    return read_all(fd, st.st_size > 0 ? (size_t)st.st_size : max_bytes, ret_data, ret_length);
}
