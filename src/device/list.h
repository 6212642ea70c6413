/* SPDX-License-Identifier: MIT */
/* Every block device with the decision about it and why: what a person debugging wants first. */
#ifndef DEVICE_LIST_H
#define DEVICE_LIST_H

#include "conf/conf.h"
#include "device/enumerate.h"
#include "origin/folder.h"

#include <jansson.h>

/* What the origin files say. */
struct device_list_told {
    const struct origin_folder *folder;
    const char *boot_id; /* this boot's */
};

/*
 * [{"device","id","kind","size_bytes","decision","reason"}, …], sorted by the devices' names.
 * "decision" is "warm", "skip" or "ignored"; without `told`, by device and configuration alone.
 * NULL when out of memory; else the caller's.
 */
json_t *device_list(const struct device_entries *entries, const struct conf *conf,
                    const struct device_list_told *told);

#endif
