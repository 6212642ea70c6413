/* SPDX-License-Identifier: MIT */
/* Every block device with the decision about it and why: what a person debugging wants first. */
#ifndef DEVICE_LIST_H
#define DEVICE_LIST_H

#include "conf/conf.h"
#include "device/enumerate.h"

#include <jansson.h>

/*
 * [{"device","id","kind","size_bytes","decision","reason"}, …], sorted by the devices' names.
 * "decision" is "warm", "skip" or "ignored". NULL when out of memory; else the caller's.
 */
json_t *device_list(const struct device_entries *entries, const struct conf *conf);

#endif
