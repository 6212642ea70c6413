/* SPDX-License-Identifier: MIT */
/* The read rows that well-known tools print, defined as the originals define them. No reading. */
#ifndef CHECK_ROWS_H
#define CHECK_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum check_score {
    CHECK_MEAN, /* of all runs */
    CHECK_BEST, /* CrystalDiskMark prints the fastest of its runs, the first discarded */
};

struct check_row {
    const char *table, *name;
    uint64_t unit_bytes;  /* what the original calls MB: 10^6 or 2^20 */
    uint32_t block_bytes; /* what one read asks for */
    uint32_t depth;       /* reads at once, from one thread */
    enum check_score score;
    bool direct, random;
};

/* NULL past the last. Sources: hdparm 9.65, coreutils 9.1, CrystalDiskMark's legacy source and 9.
 */
const struct check_row *check_row_get(size_t n);

/* In the row's own MB a second; 0 where no time passed. */
double check_row_rate(const struct check_row *row, uint64_t bytes, double seconds);

/* hdparm -T: the time of as many bare seeks is no reading time. Seconds, never below 0. */
double check_without_seeks(double seconds, double seek_seconds);

#endif
