/* SPDX-License-Identifier: MIT */
#include "daemon/paths.h"

#include "base/cleanup.h"

#include <string.h>

/* systemd gives a list with colons where a unit has several; ours has one. */
static char *first_of_variable(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? strndup(value, strcspn(value, ":")) : NULL;
}

static char *user_state_directory(void)
{
    const char *base = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;

    if (base && base[0] == '/') {
        if (asprintf(&path, "%s/ebswarm", base) < 0)
            return NULL;
    } else if (home && home[0] == '/') {
        if (asprintf(&path, "%s/.local/state/ebswarm", home) < 0)
            return NULL;
    }
    return path;
}

char *paths_state_directory(void)
{
    char *path = first_of_variable("STATE_DIRECTORY");

    if (!path && geteuid() != 0)
        path = user_state_directory();
    return path ? path : strdup("/var/lib/ebswarm");
}

char *paths_socket(void)
{
    _cleanup_free_ char *directory = first_of_variable("RUNTIME_DIRECTORY");
    char *path;

    if (asprintf(&path, "%s/io.ebswarm", directory ? directory : "/run/ebswarm") < 0)
        return NULL;
    return path;
}
