/* SPDX-License-Identifier: MIT */
/* What the origin files say of the devices that are there: who a nameless one is, and what becomes
 * of it. */
#ifndef DEVICE_TOLD_H
#define DEVICE_TOLD_H

#include "device/choose.h"
#include "device/enumerate.h"
#include "origin/decide.h"
#include "origin/folder.h"

/*
 * Gives each disk of a Xen guest the volume id that an origin file of this boot has for it, or its
 * kernel's name again. By that id it is shown and named; progress is never believed by it.
 */
void device_entries_take_ids(struct device_entries *entries, const struct origin_folder *folder,
                             const char *boot_id);

/* What is to become of a volume that device_choose() would warm, by its origin. */
struct origin_decision device_ask_origin(const struct device_entry *entry,
                                         const struct device_choice *choice,
                                         const struct conf *conf,
                                         const struct origin_folder *folder, const char *boot_id,
                                         bool timed_out);

#endif
