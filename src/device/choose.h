/* SPDX-License-Identifier: MIT */
/* Is a device to be warmed, as far as the device and the configuration say? Pure. */
#ifndef DEVICE_CHOOSE_H
#define DEVICE_CHOOSE_H

#include "conf/conf.h"
#include "device/entry.h"

enum device_decision {
    DEVICE_WARM,    /* warmed, unless its origin says that this is needless */
    DEVICE_SKIP,    /* a volume (or instance store) that is left alone */
    DEVICE_IGNORED, /* no volume by itself */
};

struct device_choice {
    enum device_decision decision;
    char reason[256]; /* in words, never empty */
    const struct conf_volume
        *section; /* its [Volume …]; NULL; lives as long as the configuration */
};

void device_choose(const struct device_entry *entry, const struct conf *conf,
                   struct device_choice *ret);
/* "warm", "skip", "ignored" */
const char *device_decision_to_string(enum device_decision decision);

#endif
