/* SPDX-License-Identifier: MIT */
#include "device/enumerate.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DEFINE_CLEANUP(sd_device_enumerator *, sd_device_enumerator_unref, enumerator_unref_p)
DEFINE_CLEANUP(sd_device *, sd_device_unref, device_unref_p)

/* udev's links of one disk: by-id, by-path, by-uuid, by-label, by-diskseq, …; far fewer. */
#define LINKS_MAX 64

static void get_links(sd_device *device, const char *links[LINKS_MAX + 1])
{
    size_t n = 0;

    for (const char *link = sd_device_get_devlink_first(device); link && n < LINKS_MAX;
         link = sd_device_get_devlink_next(device))
        links[n++] = link;
    links[n] = NULL;
}

int device_entry_from_device(sd_device *device, struct device_entry **ret)
{
    const char *links[LINKS_MAX + 1];
    const char *name, *node;
    char made_up_node[DEVICE_NAME_MAX + 8];
    struct device_facts facts;
    dev_t devnum;
    int r = sd_device_get_sysname(device, &name);

    if (r < 0)
        return r;
    if (sd_device_get_devnum(device, &devnum) < 0)
        devnum = 0;
    r = device_facts_read(name, devnum, &facts);
    if (r < 0)
        return r;
    if (sd_device_get_devname(device, &node) < 0) {
        snprintf(made_up_node, sizeof(made_up_node), "/dev/%s", facts.name);
        node = made_up_node;
    }
    get_links(device, links);
    r = device_entry_new(&facts, node, links, ret);
    if (r >= 0 && sd_device_get_usec_initialized(device, &(*ret)->initialized_usec) < 0)
        (*ret)->initialized_usec = 0;
    return r;
}

static int add_entry(struct device_entries *entries, struct device_entry *entry)
{
    struct device_entry **grown =
        realloc(entries->entries, (entries->n_entries + 1) * sizeof(struct device_entry *));

    if (!grown)
        return -ENOMEM;
    entries->entries = grown;
    entries->entries[entries->n_entries++] = entry;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct device_entry *const *left = a, *const *right = b;

    return strverscmp((*left)->facts.name, (*right)->facts.name);
}

static int add_device(struct device_entries *entries, sd_device *device)
{
    struct device_entry *entry;
    int r = device_entry_from_device(device, &entry);

    /* It went away while we looked. */
    if (r == -ENODEV || r == -ENOENT)
        return 0;
    if (r < 0)
        return r;
    r = add_entry(entries, entry);
    if (r < 0)
        device_entry_free(entry);
    return r;
}

int device_enumerate(struct device_entries *ret)
{
    _cleanup_(enumerator_unref_p) sd_device_enumerator *enumerator = NULL;
    int r = sd_device_enumerator_new(&enumerator);

    *ret = (struct device_entries){ 0 };
    if (r < 0)
        return r;
    /* Without udevd no device is ever "initialized" and none would be found. */
    r = sd_device_enumerator_allow_uninitialized(enumerator);
    if (r < 0)
        return r;
    r = sd_device_enumerator_add_match_subsystem(enumerator, "block", 1);
    if (r < 0)
        return r;
    for (sd_device *device = sd_device_enumerator_get_device_first(enumerator); device;
         device = sd_device_enumerator_get_device_next(enumerator)) {
        r = add_device(ret, device);
        if (r < 0)
            return r;
    }
    if (ret->n_entries > 0)
        qsort(ret->entries, ret->n_entries, sizeof(struct device_entry *), by_name);
    return 0;
}

void device_entries_free(struct device_entries *entries)
{
    for (size_t i = 0; i < entries->n_entries; i++)
        device_entry_free(entries->entries[i]);
    free(entries->entries);
    *entries = (struct device_entries){ 0 };
}

int device_entry_from_devnum(dev_t devnum, struct device_entry **ret)
{
    _cleanup_(device_unref_p) sd_device *device = NULL;
    int r = sd_device_new_from_devnum(&device, 'b', devnum);

    return r < 0 ? r : device_entry_from_device(device, ret);
}
