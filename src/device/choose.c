/* SPDX-License-Identifier: MIT */
#include "device/choose.h"

#include <stdarg.h>
#include <stdio.h>

static const struct conf_volume *find_section(const struct device_entry *entry,
                                              const struct conf *conf)
{
    for (size_t i = 0; i < conf->n_volumes; i++) {
        const struct conf_volume *volume = &conf->volumes[i];

        if (device_entry_has_name(entry, volume->name) ||
            (volume->device && device_entry_has_name(entry, volume->device)))
            return volume;
    }
    return NULL;
}

static const char *find_glob(const struct device_entry *entry, char *const *globs)
{
    for (; globs && *globs; globs++)
        if (device_entry_matches(entry, *globs))
            return *globs;
    return NULL;
}

__attribute__((format(printf, 3, 4))) static void
decide(struct device_choice *choice, enum device_decision decision, const char *format, ...)
{
    va_list ap;

    choice->decision = decision;
    va_start(ap, format);
    vsnprintf(choice->reason, sizeof(choice->reason), format, ap);
    va_end(ap);
}

/* A device that somebody wrote a section for. */
static void choose_named(const struct device_entry *entry, const struct conf_volume *section,
                         struct device_choice *choice)
{
    char what[200];

    device_describe(&entry->facts, what, sizeof(what));
    if (section->skip)
        decide(choice, DEVICE_SKIP, "Skip=yes in [Volume %s]", section->name);
    else if (entry->class == DEVICE_CLASS_INSTANCE_STORE && !section->force)
        decide(choice, DEVICE_SKIP, "%s (Force=yes in [Volume %s] would)", what, section->name);
    else if (section->force)
        decide(choice, DEVICE_WARM, "Force=yes in [Volume %s]", section->name);
    else if (device_class_is_volume(entry->class))
        decide(choice, DEVICE_WARM, "%s", what);
    else
        decide(choice, DEVICE_WARM, "named in [Volume %s]", section->name);
}

static void choose_found(const struct device_entry *entry, const struct conf *conf,
                         struct device_choice *choice)
{
    char what[200];

    device_describe(&entry->facts, what, sizeof(what));
    if (entry->class == DEVICE_CLASS_INSTANCE_STORE)
        decide(choice, DEVICE_SKIP, "%s", what);
    else if (!device_class_is_volume(entry->class))
        decide(choice, DEVICE_IGNORED, "%s", what);
    else if (conf->include && !find_glob(entry, conf->include))
        decide(choice, DEVICE_SKIP, "not in [Discover] Include=");
    else
        decide(choice, DEVICE_WARM, "%s", what);
}

void device_choose(const struct device_entry *entry, const struct conf *conf,
                   struct device_choice *ret)
{
    const char *excluded = find_glob(entry, conf->exclude);
    bool can_be_read = device_class_can_be_named(entry->class);

    *ret = (struct device_choice){ .section = find_section(entry, conf) };
    if (can_be_read && entry->facts.size_bytes == 0)
        decide(ret, DEVICE_IGNORED, "nothing in it: its size is 0");
    else if (excluded && (device_class_is_volume(entry->class) || (can_be_read && ret->section)) &&
             !(ret->section && ret->section->force && !ret->section->skip))
        decide(ret, DEVICE_SKIP, "[Discover] Exclude=%s", excluded);
    else if (ret->section && can_be_read)
        choose_named(entry, ret->section, ret);
    else
        choose_found(entry, conf, ret);
}

const char *device_decision_to_string(enum device_decision decision)
{
    static const char *const words[] = {
        [DEVICE_WARM] = "warm",
        [DEVICE_SKIP] = "skip",
        [DEVICE_IGNORED] = "ignored",
    };

    return words[decision];
}
