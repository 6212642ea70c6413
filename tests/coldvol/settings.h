/* SPDX-License-Identifier: MIT */
/* What a cold volume is like, as key=value words. Pure, apart from naming the backing file. */
#ifndef COLDVOL_SETTINGS_H
#define COLDVOL_SETTINGS_H

#include "base/size.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETTINGS_SIZE_MAX    (64 * TIB) /* as large as EBS volumes are */
#define SETTINGS_GRANULE_MIN (4 * KIB)

struct settings {
    uint64_t size_bytes;
    uint64_t granule_bytes;
    uint64_t touch_bytes; /* 0: one granule */
    uint64_t block_bytes; /* logical sector of the loop device */
    uint64_t first_touch_median_usec;
    double first_touch_sigma;
    double tail_probability;
    uint64_t tail_latency_usec;
    uint64_t fetch_slots;
    double fetch_rate_mib; /* MiB/s; 0: no cap; so are the next two */
    uint64_t warm_latency_usec;
    uint64_t iops;
    double throughput_mib;
    uint64_t burst_usec;
    double data_share;
    uint64_t seed;
    bool accept_writes;
    char backing[PATH_MAX];
};

#define SETTINGS_ERROR_MAX 512
/* Every key with its value, one a line; longer than the longest (the backing file's path). */
#define SETTINGS_TEXT_MAX 8192

/* 13-28 MB/s for `dd bs=1M`, as people report of restored volumes. */
void settings_defaults(struct settings *settings);

/*
 * Takes one "key=value". On -EINVAL or -ERANGE the settings are unchanged and `error` says which
 * key, what was wrong and what would be right.
 */
int settings_assign(struct settings *settings, const char *word, char error[SETTINGS_ERROR_MAX]);

/* What the keys must satisfy together; -EINVAL with `error`. */
int settings_check(const struct settings *settings, char error[SETTINGS_ERROR_MAX]);

/* True for the keys that shape the record or the device and so cannot change while it is up. */
bool settings_key_is_fixed(const char *word);

/* "key=value\n" of all keys, or of `key` only its value and a newline. -ENOENT: no such key. */
int settings_format(const struct settings *settings, const char *key, char *text, size_t length);

/* The unit in which the volume is loaded: touch_bytes or else the granule. */
uint64_t settings_touch_bytes(const struct settings *settings);

/* A line a key for --help. */
void settings_print_help(void);

#endif
