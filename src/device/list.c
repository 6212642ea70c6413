/* SPDX-License-Identifier: MIT */
#include "device/list.h"

#include "device/choose.h"

static json_t *describe(const struct device_entry *entry, const struct conf *conf)
{
    struct device_choice choice;

    device_choose(entry, conf, &choice);
    return json_pack("{s:s, s:s, s:s, s:I, s:s, s:s}", "device", entry->node, "id", entry->id,
                     "kind", device_class_to_string(entry->class), "size_bytes",
                     (json_int_t)entry->facts.size_bytes, "decision",
                     device_decision_to_string(choice.decision), "reason", choice.reason);
}

json_t *device_list(const struct device_entries *entries, const struct conf *conf)
{
    json_t *list = json_array();

    for (size_t i = 0; list && i < entries->n_entries; i++)
        if (json_array_append_new(list, describe(entries->entries[i], conf)) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}
