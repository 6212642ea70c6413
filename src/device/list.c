/* SPDX-License-Identifier: MIT */
#include "device/list.h"

#include "device/choose.h"
#include "device/told.h"

#include <stdio.h>
#include <string.h>

/* What the daemon would do once waiting for an origin is over. */
static void ask_origin(const struct device_entry *entry, const struct conf *conf,
                       const struct device_list_told *told, struct device_choice *choice)
{
    struct origin_decision decision;
    char reason[sizeof(choice->reason)];

    if (!told || choice->decision != DEVICE_WARM || !device_class_is_volume(entry->class))
        return;
    decision = device_ask_origin(entry, choice, conf, told->folder, told->boot_id, true);
    if (decision.verdict == ORIGIN_SKIP) {
        choice->decision = DEVICE_SKIP;
        snprintf(choice->reason, sizeof(choice->reason), "%s", decision.reason);
        return;
    }
    memcpy(reason, choice->reason, sizeof(reason));
    snprintf(choice->reason, sizeof(choice->reason), "%.100s, %.150s", reason, decision.reason);
}

static json_t *describe(const struct device_entry *entry, const struct conf *conf,
                        const struct device_list_told *told)
{
    struct device_choice choice;

    device_choose(entry, conf, &choice);
    ask_origin(entry, conf, told, &choice);
    return json_pack("{s:s, s:s, s:s, s:I, s:s, s:s}", "device", entry->node, "id", entry->id,
                     "kind", device_class_to_string(entry->class), "size_bytes",
                     (json_int_t)entry->facts.size_bytes, "decision",
                     device_decision_to_string(choice.decision), "reason", choice.reason);
}

json_t *device_list(const struct device_entries *entries, const struct conf *conf,
                    const struct device_list_told *told)
{
    json_t *list = json_array();

    for (size_t i = 0; list && i < entries->n_entries; i++)
        if (json_array_append_new(list, describe(entries->entries[i], conf, told)) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}
