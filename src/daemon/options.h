/* SPDX-License-Identifier: MIT */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct options {
    const char *config; /* --config FILE; NULL if not given */
    const char *socket; /* --socket PATH; NULL if not given */
    bool once;
    bool check_config;
    bool verbose;
    char **devices; /* of argv */
    size_t n_devices;
};

/*
 * 0 to go on; 1 when --help or --version was answered; -EINVAL after a line on stderr about what is
 * wrong.
 */
int options_parse(int argc, char **argv, struct options *ret);

#endif
