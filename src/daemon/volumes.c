/* SPDX-License-Identifier: MIT */
#include "daemon/volumes.h"

#include "base/log.h"
#include "device/told.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct volume_settings settings_from(const struct conf *conf,
                                            const struct conf_volume *section, const char *source)
{
    struct volume_settings settings = {
        .reads = section ? section->reads : conf->reads,
        .check_before = conf->check_before,
        .check_after = conf->check_after,
        .sample_bytes = conf->check_sample_bytes,
        .sample_usec = conf->check_sample_usec,
        .skip = section && section->skip,
        .force = section && section->force,
        .source = source,
    };

    if (settings.skip)
        snprintf(settings.skip_reason, sizeof(settings.skip_reason), "Skip=yes in [Volume %s]",
                 section->name);
    return settings;
}

/* ---- named ---- */

static const struct conf_volume *section_of_device(const struct conf *conf, const char *path)
{
    const char *const names[] = { path, NULL };

    for (size_t i = 0; i < conf->n_volumes; i++) {
        if (conf->volumes[i].device && strcmp(conf->volumes[i].device, path) == 0)
            return &conf->volumes[i];
    }
    return conf_find_volume(conf, names);
}

static bool is_on_command_line(const struct options *options, const char *path)
{
    for (size_t i = 0; i < options->n_devices; i++) {
        if (strcmp(options->devices[i], path) == 0)
            return true;
    }
    return false;
}

static int set_command_line(struct fleet *fleet, const struct volumes_wanted *wanted)
{
    int r = 0;

    for (size_t i = 0; r >= 0 && i < wanted->options->n_devices; i++) {
        const char *path = wanted->options->devices[i];
        struct volume_settings settings =
            settings_from(wanted->conf, section_of_device(wanted->conf, path), "command-line");
        r = fleet_set(fleet, path, &settings);
    }
    return r;
}

static int set_configured(struct fleet *fleet, const struct volumes_wanted *wanted)
{
    int r = 0;

    for (size_t i = 0; r >= 0 && i < wanted->conf->n_volumes; i++) {
        const struct conf_volume *section = &wanted->conf->volumes[i];
        struct volume_settings settings = settings_from(wanted->conf, section, "config");
        if (section->device && !is_on_command_line(wanted->options, section->device))
            r = fleet_set(fleet, section->device, &settings);
    }
    return r;
}

/* ---- found ---- */

static void copy_origin(const struct origin *origin, struct volume_settings *settings)
{
    if (!origin)
        return;
    settings->origin.known = true;
    snprintf(settings->origin.source, sizeof(settings->origin.source), "%s", origin->source);
    if (strcmp(origin->snapshot, ORIGIN_NONE) != 0)
        snprintf(settings->origin.snapshot, sizeof(settings->origin.snapshot), "%s",
                 origin->snapshot);
    settings->origin.fast_restored = origin->fast_restored;
    settings->origin.initialization_rate_bytes_per_sec = origin->initialization_rate_bytes;
    settings->origin.aws_progress_percent = origin->initialization_progress;
}

/* What its origin says of a volume that would be warmed. */
static void ask_origin(const struct fleet *fleet, const struct volumes_wanted *wanted,
                       const struct device_entry *entry, const struct device_choice *choice,
                       struct volume_settings *settings)
{
    bool timed_out = !wanted->may_wait ||
                     fleet_age_usec(fleet, entry->node) >= wanted->conf->origin_timeout_usec;
    struct origin_decision decision =
        device_ask_origin(entry, choice, wanted->conf, wanted->told, wanted->boot_id, timed_out);

    copy_origin(origin_folder_find(wanted->told, entry->id), settings);
    settings->wait_for_origin = decision.verdict == ORIGIN_WAIT;
    settings->probe = decision.verdict == ORIGIN_PROBE;
    settings->skip = decision.verdict == ORIGIN_SKIP;
    snprintf(settings->skip_reason, sizeof(settings->skip_reason), "%s", decision.reason);
}

/* Volumes are shown, also those that are left alone; what is no volume is not. */
static bool is_shown(const struct device_entry *entry, const struct device_choice *choice)
{
    /* One that a section names by Device= is in the fleet by that name. */
    if (choice->section && choice->section->device)
        return false;
    return choice->decision == DEVICE_WARM ||
           (choice->decision == DEVICE_SKIP && device_class_is_volume(entry->class));
}

static int set_found(struct fleet *fleet, const struct volumes_wanted *wanted)
{
    int r = 0;

    for (size_t i = 0; wanted->found && r >= 0 && i < wanted->found->n_entries; i++) {
        const struct device_entry *entry = wanted->found->entries[i];
        struct volume_settings settings;
        struct device_choice choice;
        device_choose(entry, wanted->conf, &choice);
        if (!is_shown(entry, &choice))
            continue;
        settings = settings_from(wanted->conf, choice.section, "found");
        snprintf(settings.id, sizeof(settings.id), "%s", entry->id);
        settings.skip = choice.decision == DEVICE_SKIP;
        snprintf(settings.skip_reason, sizeof(settings.skip_reason), "%s", choice.reason);
        if (!settings.skip && device_class_is_volume(entry->class))
            ask_origin(fleet, wanted, entry, &choice, &settings);
        r = fleet_set(fleet, entry->node, &settings);
    }
    return r;
}

/* ---- wanted no more ---- */

static bool is_found(const struct volumes_wanted *wanted, const char *path)
{
    for (size_t i = 0; wanted->found && i < wanted->found->n_entries; i++) {
        const struct device_entry *entry = wanted->found->entries[i];
        struct device_choice choice;
        if (strcmp(entry->node, path) != 0)
            continue;
        device_choose(entry, wanted->conf, &choice);
        return is_shown(entry, &choice);
    }
    return false;
}

static bool is_wanted(const struct volumes_wanted *wanted, const char *path)
{
    const struct conf_volume *section = section_of_device(wanted->conf, path);

    return is_on_command_line(wanted->options, path) ||
           (section && section->device && strcmp(section->device, path) == 0) ||
           is_found(wanted, path);
}

static void forget_others(struct fleet *fleet, const struct volumes_wanted *wanted)
{
    const char *path;
    size_t n = 0;

    while ((path = fleet_path(fleet, n))) {
        if (is_wanted(wanted, path)) {
            n++;
            continue;
        }
        log_info("%s: not there or not wanted any more, let go; its checkpoint is kept", path);
        fleet_remove(fleet, path);
    }
}

int volumes_apply(struct fleet *fleet, const struct volumes_wanted *wanted)
{
    int r;

    if (wanted->found)
        device_entries_take_ids(wanted->found, wanted->told, wanted->boot_id);
    forget_others(fleet, wanted);
    r = set_command_line(fleet, wanted);
    if (r >= 0)
        r = set_configured(fleet, wanted);
    return r < 0 ? r : set_found(fleet, wanted);
}
