/* SPDX-License-Identifier: MIT */
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

const char *const *conf_directories(void)
{
    static const char *directories[] = { "/etc/ebswarm", "/usr/lib/ebswarm", NULL };
    static char *own;
    const char *value = getenv("CONFIGURATION_DIRECTORY");

    /* systemd gives a list with colons where a unit has several; ours has one. */
    if (!own && value && value[0])
        own = strndup(value, strcspn(value, ":"));
    if (own)
        directories[0] = own;
    return directories;
}
