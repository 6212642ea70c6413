/* SPDX-License-Identifier: MIT */
#include "daemon/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "ebswarmd [--config FILE] [--once] [DEVICE...]\n"
    "\n"
    "Reads every block of EBS volumes restored from snapshot, so that they are fast.\n"
    "It only ever reads: every device is opened read-only.\n"
    "\n"
    "  --config FILE     use FILE in place of /etc/ebswarm/ebswarm.conf\n"
    "  --once            warm the named devices, show how far it is, and exit\n"
    "  --check-config    say what is wrong with the configuration, and exit\n"
    "  --socket PATH     serve status there (default: /run/ebswarm/io.ebswarm)\n"
    "  --verbose         log more\n"
    "  --version         print the version\n"
    "  --help            print this\n"
    "\n"
    "DEVICE is a block device or a file. Exit status with --once: 0 warm, 1 failed,\n"
    "2 usage, 4 some blocks cannot be read, 5 no such device. See ebswarmd(8).\n";

enum {
    OPTION_CONFIG = 256,
    OPTION_ONCE,
    OPTION_CHECK,
    OPTION_SOCKET,
    OPTION_VERBOSE,
    OPTION_VERSION,
    OPTION_HELP
};

static const struct option long_options[] = {
    { "config", required_argument, NULL, OPTION_CONFIG },
    { "once", no_argument, NULL, OPTION_ONCE },
    { "check-config", no_argument, NULL, OPTION_CHECK },
    { "socket", required_argument, NULL, OPTION_SOCKET },
    { "verbose", no_argument, NULL, OPTION_VERBOSE },
    { "version", no_argument, NULL, OPTION_VERSION },
    { "help", no_argument, NULL, OPTION_HELP },
    { NULL, 0, NULL, 0 },
};

static int take(int option, struct options *ret)
{
    switch (option) {
    case OPTION_CONFIG:
        ret->config = optarg;
        return 0;
    case OPTION_ONCE:
        ret->once = true;
        return 0;
    case OPTION_CHECK:
        ret->check_config = true;
        return 0;
    case OPTION_SOCKET:
        ret->socket = optarg;
        return 0;
    case OPTION_VERBOSE:
        ret->verbose = true;
        return 0;
    case OPTION_VERSION:
        printf("ebswarmd %s\n", EBSWARM_VERSION);
        return 1;
    case OPTION_HELP:
        fputs(help, stdout);
        return 1;
    default:
        fputs("Try 'ebswarmd --help'.\n", stderr);
        return -EINVAL;
    }
}

int options_parse(int argc, char **argv, struct options *ret)
{
    int option;

    *ret = (struct options){ 0 };
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) >= 0) {
        int r = take(option, ret);
        if (r != 0)
            return r;
    }
    ret->devices = argv + optind;
    ret->n_devices = (size_t)(argc - optind);
    return 0;
}
