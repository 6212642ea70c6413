/* SPDX-License-Identifier: MIT */
#include "ctl/resolve.h"

#include "base/size.h"
#include "ctl/client.h"
#include "ctl/verbs.h"
#include "device/stack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct names {
    char **names; /* NULL-terminated; NULL while there is none */
    size_t n;
};

static int append(struct names *list, const char *name)
{
    char **names;

    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->names[i], name) == 0)
            return 0;
    }
    names = realloc(list->names, (list->n + 2) * sizeof(char *));
    if (!names)
        return -ENOMEM;
    list->names = names;
    names[list->n] = strdup(name);
    if (!names[list->n])
        return -ENOMEM;
    names[++list->n] = NULL;
    return 0;
}

/* The daemon's volumes, to tell a file that is warmed itself from one on a volume. NULL: not known.
 */
static json_t *list_volumes(const char *socket_path)
{
    _cleanup_(client_free_p) struct client *client = NULL;
    uint64_t deadline_usec = client_now_usec() + VERB_ANSWER_USEC;
    struct client_reply reply = { 0 };
    json_t *volumes = NULL;

    if (client_connect(socket_path, &client) < 0 ||
        client_call(client, "io.ebswarm.List", NULL, false, deadline_usec) < 0 ||
        client_receive(client, deadline_usec, &reply) < 0)
        return NULL;
    if (!reply.error)
        volumes = json_incref(json_object_get(reply.parameters, "volumes"));
    client_reply_clear(&reply);
    return volumes;
}

static bool is_volume(const json_t *volumes, const char *path)
{
    for (size_t i = 0; i < json_array_size(volumes); i++) {
        const json_t *device = json_object_get(json_array_get(volumes, i), "device");
        if (json_is_string(device) && strcmp(json_string_value(device), path) == 0)
            return true;
    }
    return false;
}

/* A device may come later; another path that is not there means nothing. */
static bool may_appear(const char *what)
{
    return strncmp(what, "/dev/", 5) == 0;
}

static int resolve_path(const struct device_entries *entries, const char *what, struct names *ret)
{
    struct device_stack stack;
    struct stat st;
    int r;

    if (stat(what, &st) < 0) {
        if (may_appear(what))
            return append(ret, what) < 0 ? CTL_EXIT_FAILURE : 0;
        fprintf(stderr, "ebswarmctl: %s: %s\n", what, strerror(errno));
        return CTL_EXIT_NO_SUCH_VOLUME;
    }
    /* Neither a disk nor on one, but the daemon may know it by this name. */
    if (S_ISCHR(st.st_mode))
        return append(ret, what) < 0 ? CTL_EXIT_FAILURE : 0;
    r = device_stack_resolve(entries, what, &stack);
    if (r < 0) {
        fprintf(stderr, "ebswarmctl: %s\n", stack.reason);
        return CTL_EXIT_NO_SUCH_VOLUME;
    }
    for (size_t i = 0; i < stack.n_disks; i++) {
        if (append(ret, stack.disks[i]->id) < 0)
            return CTL_EXIT_FAILURE;
    }
    return 0;
}

static int resolve_all(const struct ctl_options *options, const struct device_entries *entries,
                       const json_t *volumes, struct names *ret)
{
    int status = 0;

    for (size_t i = 0; status == 0 && options->what[i]; i++) {
        const char *what = options->what[i];
        if (what[0] == '/' && !is_volume(volumes, what))
            status = resolve_path(entries, what, ret);
        else if (append(ret, what) < 0)
            status = CTL_EXIT_FAILURE;
    }
    return status;
}

void ctl_names_free(char **names)
{
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

int ctl_resolve(struct ctl_options *options, char ***ret_names)
{
    struct device_entries entries = { 0 };
    struct names names = { 0 };
    json_t *volumes;
    int status;

    *ret_names = NULL;
    if (!options->what || !options->what[0])
        return 0;
    if (device_enumerate(&entries) < 0)
        fputs("ebswarmctl: cannot look for block devices\n", stderr);
    volumes = list_volumes(options->socket);
    status = resolve_all(options, &entries, volumes, &names);
    json_decref(volumes);
    device_entries_free(&entries);
    *ret_names = names.names;
    options->what = (const char *const *)names.names;
    return status;
}
