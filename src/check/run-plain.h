/* SPDX-License-Identifier: MIT */
/* Sequential reads one after the other, as hdparm -t and dd do: through the page cache. */
#ifndef CHECK_RUN_PLAIN_H
#define CHECK_RUN_PLAIN_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct check_plain {
    uint64_t bytes; /* that were read */
    double seconds; /* CLOCK_MONOTONIC */
};

/*
 * Reads from offset 0 in blocks of `block_bytes` until `limit_bytes` were read, `limit_seconds`
 * have passed (looked at after each read, as hdparm does), the end, or *stop is not 0 (`stop` may
 * be NULL). 0, also when stopped; -ENODATA where there was nothing to read; else the read's
 * negative errno, with what was read before it in *ret. The caller keeps `fd`, opened for reading
 * only.
 */
int check_run_plain(int fd, size_t block_bytes, uint64_t limit_bytes, double limit_seconds,
                    const volatile sig_atomic_t *stop, struct check_plain *ret);

#endif
