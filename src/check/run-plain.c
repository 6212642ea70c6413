/* SPDX-License-Identifier: MIT */
#include "check/run-plain.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

#define ALIGNMENT 4096

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int check_run_plain(int fd, size_t block_bytes, uint64_t limit_bytes, double limit_seconds,
                    const volatile sig_atomic_t *stop, struct check_plain *ret)
{
    _cleanup_free_ void *buffer = NULL;
    double start = now_seconds();
    ssize_t n = 1;
    int r = 0;

    *ret = (struct check_plain){ 0 };
    if (posix_memalign(&buffer, ALIGNMENT, block_bytes) != 0)
        return -ENOMEM;
    while (ret->bytes < limit_bytes && ret->seconds < limit_seconds && !(stop && *stop)) {
        uint64_t left = limit_bytes - ret->bytes;
        n = pread(fd, buffer, left < block_bytes ? (size_t)left : block_bytes, (off_t)ret->bytes);
        if (n < 0 && errno != EINTR)
            r = -errno;
        if (r < 0 || n == 0)
            break;
        if (n > 0)
            ret->bytes += (uint64_t)n;
        ret->seconds = now_seconds() - start;
    }
    return r == 0 && n == 0 && ret->bytes == 0 ? -ENODATA : r;
}
