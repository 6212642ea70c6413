/* SPDX-License-Identifier: MIT */
/* A block device that was found, and the names by which people call it. */
#ifndef DEVICE_ENTRY_H
#define DEVICE_ENTRY_H

#include "device/classify.h"
#include "device/facts.h"

struct device_entry {
    struct device_facts facts;
    enum device_class class;
    char id[DEVICE_ID_MAX];
    char *node;                /* "/dev/nvme1n1"; never NULL */
    uint64_t initialized_usec; /* CLOCK_MONOTONIC when udevd first saw it; 0 = not known */
    char **links; /* "/dev/disk/by-id/…" and udev's other links, NULL-terminated; never NULL */
};

/* Takes over copies of `links` (NULL = none). -ENOMEM. */
int device_entry_new(const struct device_facts *facts, const char *node, const char *const *links,
                     struct device_entry **ret);
void device_entry_free(struct device_entry *entry);

/*
 * Is it called so? The id with or without its dash, the device with or without "/dev/", any of its
 * links in full.
 */
bool device_entry_has_name(const struct device_entry *entry, const char *name);
/* The same for a glob (fnmatch); "*" matches a "/" too. */
bool device_entry_matches(const struct device_entry *entry, const char *glob);

#endif
