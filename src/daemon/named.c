/* SPDX-License-Identifier: MIT */
#include "daemon/named.h"

#include "base/log.h"

#include <errno.h>
#include <string.h>

static struct volume_settings settings_from(const struct conf *conf,
                                            const struct conf_volume *section, const char *source)
{
    return (struct volume_settings){
        .reads = section ? section->reads : conf->reads,
        .check_before = conf->check_before,
        .check_after = conf->check_after,
        .sample_bytes = conf->check_sample_bytes,
        .sample_usec = conf->check_sample_usec,
        .skip = section && section->skip,
        .force = section && section->force,
        .source = source,
    };
}

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

static bool is_named(const struct options *options, const struct conf *conf, const char *path)
{
    const struct conf_volume *section = section_of_device(conf, path);

    return is_on_command_line(options, path) || (section && section->device);
}

static void forget_others(struct fleet *fleet, const struct options *options,
                          const struct conf *conf)
{
    const char *path;
    size_t n = 0;

    while ((path = fleet_path(fleet, n))) {
        if (is_named(options, conf, path)) {
            n++;
            continue;
        }
        log_info("%s: not named any more, let go", path);
        fleet_remove(fleet, path);
    }
}

int named_apply(struct fleet *fleet, const struct options *options, const struct conf *conf)
{
    int r;

    forget_others(fleet, options, conf);
    for (size_t i = 0; i < options->n_devices; i++) {
        const char *path = options->devices[i];
        struct volume_settings settings =
            settings_from(conf, section_of_device(conf, path), "command-line");
        r = fleet_set(fleet, path, &settings);
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < conf->n_volumes; i++) {
        const struct conf_volume *section = &conf->volumes[i];
        struct volume_settings settings = settings_from(conf, section, "config");
        if (!section->device || is_on_command_line(options, section->device))
            continue;
        r = fleet_set(fleet, section->device, &settings);
        if (r < 0)
            return r;
    }
    return 0;
}

bool named_any(const struct options *options, const struct conf *conf)
{
    for (size_t i = 0; i < conf->n_volumes; i++) {
        if (conf->volumes[i].device)
            return true;
    }
    return options->n_devices > 0;
}
