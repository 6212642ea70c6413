/* SPDX-License-Identifier: MIT */
#include "daemon/configuration.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <string.h>

static void on_finding(int level, const char *text, void *userdata)
{
    (void)userdata;
    log_message(level, NULL, "%s", text);
}

int configuration_load(const struct options *options, struct conf **ret)
{
    const struct conf_paths paths = {
        .main_file = options->config,
        .directories = options->config ? NULL : conf_directories(),
    };

    return conf_load(&paths, on_finding, NULL, ret);
}

int configuration_check(const struct options *options)
{
    struct conf *conf = NULL;
    int r = configuration_load(options, &conf);

    conf_free(conf);
    if (r < 0)
        return EXIT_FAILURE;
    puts("The configuration is right.");
    return EXIT_SUCCESS;
}

struct fleet_settings configuration_fleet(const struct conf *conf, const char *state_directory,
                                          bool once)
{
    static const enum engine_kind engines[] = {
        [CONF_ENGINE_AUTO] = ENGINE_AUTO,
        [CONF_ENGINE_IO_URING] = ENGINE_IO_URING,
        [CONF_ENGINE_THREADS] = ENGINE_THREADS,
    };

    return (struct fleet_settings){
        .engine = engines[conf->engine],
        .state_directory = state_directory,
        .checkpoint_interval_usec = conf->checkpoint_interval_usec,
        .checkpoint_bytes = conf->checkpoint_bytes,
        .once = once,
    };
}
