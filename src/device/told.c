/* SPDX-License-Identifier: MIT */
#include "device/told.h"

#include <stdio.h>
#include <time.h>

static int64_t usec_of(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now) < 0)
        return 0;
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static int64_t appeared_unix_usec(const struct device_entry *entry)
{
    if (entry->initialized_usec == 0)
        return 0;
    return usec_of(CLOCK_REALTIME) - (usec_of(CLOCK_MONOTONIC) - (int64_t)entry->initialized_usec);
}

static void take_id(struct device_entry *entry, const struct origin_folder *folder,
                    const char *boot_id)
{
    const struct origin_device device = {
        .name = entry->facts.name,
        .size_bytes = entry->facts.size_bytes,
        .appeared_unix_usec = appeared_unix_usec(entry),
        .boot_id = boot_id,
    };
    const struct origin *origin = origin_folder_find_device(folder, &device);

    if (origin)
        snprintf(entry->id, sizeof(entry->id), "%s", origin->volume);
    else
        device_facts_id(&entry->facts, entry->id);
}

void device_entries_take_ids(struct device_entries *entries, const struct origin_folder *folder,
                             const char *boot_id)
{
    for (size_t i = 0; i < entries->n_entries; i++) {
        if (entries->entries[i]->class == DEVICE_CLASS_XEN)
            take_id(entries->entries[i], folder, boot_id);
    }
}

struct origin_decision device_ask_origin(const struct device_entry *entry,
                                         const struct device_choice *choice,
                                         const struct conf *conf,
                                         const struct origin_folder *folder, const char *boot_id,
                                         bool timed_out)
{
    const struct origin_question question = {
        .origin = origin_folder_find(folder, entry->id),
        .timed_out = timed_out,
        .boot_id = boot_id,
        .provisioned_rate = conf->provisioned_rate,
        .unknown = conf->unknown,
        .force = choice->section && choice->section->force,
    };

    return origin_decide(&question);
}
