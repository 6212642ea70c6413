/* SPDX-License-Identifier: MIT */
#include "status/service.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "status/interface.h"
#include "status/json.h"
#include "status/listen.h"
#include "status/match.h"
#include "status/peer.h"
#include "status/varlink.h"
#include "status/watch.h"

#define CONTROL_GROUP "ebswarm"

/* A few hundred scripts may wait at once; the bound is for whoever opens thousands. */
#define MAX_CONNECTIONS 512

struct status_server {
    struct status_handlers handlers;
    struct bound_socket bound; /* .fd is -1 when the socket was handed to us */
    int passed_fd;
    char *version;
    char *description;
    struct varlink_interface interface;
    struct varlink_server *varlink;
    struct watches *watches;
    bool has_group;
    gid_t group;
};

static const struct fleet_report *get_report(const struct status_server *server)
{
    return server->handlers.report(server->handlers.userdata);
}

/* ---- methods ---- */

static void no_such_volume(struct varlink_call *call, const char *what)
{
    varlink_call_error(call, INTERFACE_NO_SUCH_VOLUME, json_pack("{s:s}", "what", what));
}

/* Answers and returns false when they are wrong. */
static bool read_arguments(struct varlink_call *call, const char *method_name, json_t *parameters,
                           struct interface_arguments *ret)
{
    const struct interface_method *method;
    const char *bad = "";
    size_t n = 0;
    int r;

    do
        method = interface_method_get(n++);
    while (strcmp(method->name, method_name) != 0);
    r = interface_read_arguments(method, parameters, ret, &bad);
    if (r == -EINVAL)
        varlink_call_invalid_parameter(call, bad);
    else if (r < 0)
        varlink_call_reply(call, NULL);
    return r == 0;
}

/* The volumes that are meant. Answers and returns false when there is an unknown one. */
static bool select_volumes(struct varlink_call *call, const struct fleet_report *report,
                           const char *const *what, const struct volume_report ***ret,
                           size_t *ret_n)
{
    const char *unknown = "";
    int r = match_select(report, what, ret, ret_n, &unknown);

    if (r == -ENOENT)
        no_such_volume(call, unknown);
    else if (r < 0)
        varlink_call_reply(call, NULL);
    return r == 0;
}

static json_t *name_to_json(const struct volume_report *volume)
{
    return json_pack("{s:o, s:o, s:s}", "id", text_to_json(volume->id), "device",
                     text_to_json(volume->device), "state", volume_state_to_string(volume->state));
}

static void list(struct varlink_call *call, json_t *parameters, void *userdata)
{
    const struct fleet_report *report = get_report(userdata);
    struct interface_arguments arguments;
    _cleanup_(json_decref_p) json_t *names = NULL;

    if (!read_arguments(call, "List", parameters, &arguments))
        return;
    names = json_array();
    for (size_t i = 0; i < report->n_volumes; i++)
        if (json_array_append_new(names, name_to_json(&report->volumes[i])) < 0) {
            varlink_call_reply(call, NULL);
            return;
        }
    varlink_call_reply(call, json_pack("{s:O}", "volumes", names));
}

static void status(struct varlink_call *call, json_t *parameters, void *userdata)
{
    struct status_server *server = userdata;
    const struct fleet_report *report = get_report(server);
    _cleanup_free_ const struct volume_report **volumes = NULL;
    struct interface_arguments arguments;
    size_t n = 0;

    if (!read_arguments(call, "Status", parameters, &arguments))
        return;
    if (select_volumes(call, report, arguments.what, &volumes, &n)) {
        if (varlink_call_wants_more(call)) {
            watches_add_stream(server->watches, call, parameters, &arguments);
            return;
        }
        varlink_call_reply(call, fleet_to_json(report, volumes, n));
    }
    free(arguments.what);
}

static void wait_until_warm(struct varlink_call *call, json_t *parameters, void *userdata)
{
    struct status_server *server = userdata;
    struct interface_arguments arguments;

    if (!read_arguments(call, "Wait", parameters, &arguments))
        return;
    for (const char **what = arguments.what; what && *what; what++)
        if (!match_is_possible(*what)) {
            no_such_volume(call, *what);
            free(arguments.what);
            return;
        }
    watches_add_wait(server->watches, call, parameters, &arguments);
}

/* ---- control ---- */

static bool may_control(const struct status_server *server, const struct varlink_call *call)
{
    int fd = varlink_call_get_fd(call);
    uid_t uid;

    if (peer_get_uid(fd, &uid) < 0)
        return false;
    /* Who runs the daemon can stop it anyway. */
    if (uid == 0 || uid == geteuid())
        return true;
    return server->has_group && peer_in_group(fd, server->group) > 0;
}

/* The ids as a JSON array: a report lives only until the next is asked for. */
static json_t *ids_to_json(const struct volume_report *const *volumes, size_t n)
{
    _cleanup_(json_decref_p) json_t *ids = json_array();

    for (size_t i = 0; ids && i < n; i++)
        if (json_array_append_new(ids, text_to_json(volumes[i]->id)) < 0)
            return NULL;
    return steal_pointer(&ids);
}

/* `id`: NULL for the whole fleet. */
static int pause_one(const struct status_server *server, const char *id, bool paused, uid_t uid)
{
    const struct log_subject subject = { .volume = id };
    int r = server->handlers.set_paused(id, paused, server->handlers.userdata);

    if (r < 0)
        log_message(LOG_WARNING, &subject, "%s: could not be %s as user %u asked: %s",
                    id ? id : "all volumes", paused ? "paused" : "resumed", (unsigned)uid,
                    strerror(-r));
    else
        log_message(LOG_NOTICE, &subject, "%s: %s, as user %u asked", id ? id : "all volumes",
                    paused ? "paused" : "resumed", (unsigned)uid);
    return r;
}

static void pause_and_answer(struct status_server *server, struct varlink_call *call, json_t *ids,
                             bool all, bool paused)
{
    const char *id = NULL;
    uid_t uid = (uid_t)-1;
    int r = 0;

    peer_get_uid(varlink_call_get_fd(call), &uid);
    if (all)
        r = pause_one(server, NULL, paused, uid);
    for (size_t i = 0; !all && r >= 0 && i < json_array_size(ids); i++) {
        id = json_string_value(json_array_get(ids, i));
        r = pause_one(server, id, paused, uid);
    }
    if (r < 0)
        varlink_call_error(
            call, INTERFACE_FAILED,
            json_pack("{s:o}", "reason",
                      json_sprintf("%s: %s", id ? id : "all volumes", strerror(-r))));
    else
        varlink_call_reply(call, json_pack("{s:O}", "volumes", ids));
    watches_changed(server->watches);
}

static void control(struct status_server *server, struct varlink_call *call, json_t *parameters,
                    bool paused)
{
    struct interface_arguments arguments;
    _cleanup_free_ const struct volume_report **volumes = NULL;
    _cleanup_(json_decref_p) json_t *ids = NULL;
    bool all;
    size_t n = 0;

    if (!may_control(server, call)) {
        varlink_call_permission_denied(call);
        return;
    }
    if (!read_arguments(call, paused ? "Pause" : "Resume", parameters, &arguments))
        return;
    all = !arguments.what || !arguments.what[0];
    if (select_volumes(call, get_report(server), arguments.what, &volumes, &n)) {
        ids = ids_to_json(volumes, n);
        if (ids)
            pause_and_answer(server, call, ids, all, paused);
        else
            varlink_call_reply(call, NULL);
    }
    free(arguments.what);
}

static void pause_volumes(struct varlink_call *call, json_t *parameters, void *userdata)
{
    control(userdata, call, parameters, true);
}

static void resume_volumes(struct varlink_call *call, json_t *parameters, void *userdata)
{
    control(userdata, call, parameters, false);
}

static const struct varlink_method methods[] = {
    { "List", list },           { "Status", status },         { "Wait", wait_until_warm },
    { "Pause", pause_volumes }, { "Resume", resume_volumes },
};

/* ---- life ---- */

/* Once, at the start: a lookup may ask a server on the network and must not do so on the loop. */
static void find_group(struct status_server *server)
{
    const struct group *group = getgrnam(CONTROL_GROUP);

    if (!group)
        return;
    server->has_group = true;
    server->group = group->gr_gid;
}

static int open_socket(struct status_server *server, const char *path)
{
    int r = bound_socket_open(path, &server->bound);

    if (r == -EADDRINUSE)
        log_error("%s: another ebswarmd answers on this socket; stop it, or give this one a "
                  "RUNTIME_DIRECTORY of its own",
                  path);
    else if (r == -EEXIST)
        log_error("%s: is there and is no socket; move it away", path);
    else if (r < 0)
        log_error("%s: no status socket: %s", path, strerror(-r));
    return r;
}

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

static int prepare(struct status_server *server, sd_event *event)
{
    server->version = strdup(get_report(server)->version);
    server->description = interface_text();
    if (!server->version || !server->description)
        return -ENOMEM;
    server->interface = (struct varlink_interface){
        .name = INTERFACE_NAME,
        .description = server->description,
        .methods = methods,
        .n_methods = sizeof(methods) / sizeof(methods[0]),
        .userdata = server,
    };
    find_group(server);
    return watches_new(event, &server->handlers, &server->watches);
}

static int start(struct status_server *server, sd_event *event)
{
    struct varlink_options options;
    int fd = server->passed_fd >= 0 ? server->passed_fd : server->bound.fd;
    int r;

    r = prepare(server, event);
    /* systemd hands over blocking sockets. */
    if (r == 0 && fd >= 0)
        r = set_nonblocking(fd);
    if (r < 0)
        return r;
    options = (struct varlink_options){
        .vendor = "ebswarm",
        .product = "ebswarmd",
        .version = server->version,
        .url = "",
        .interface = &server->interface,
        .max_connections = MAX_CONNECTIONS,
    };
    return varlink_server_new(event, fd, &options, &server->varlink);
}

int status_server_new(sd_event *event, const char *socket_path, int listen_fd,
                      const struct status_handlers *handlers, struct status_server **ret)
{
    struct status_server *server = calloc(1, sizeof(*server));
    int r = 0;

    if (!server) {
        if (listen_fd >= 0)
            close(listen_fd);
        return -ENOMEM;
    }
    server->handlers = *handlers;
    server->passed_fd = listen_fd;
    server->bound.fd = -1;
    if (listen_fd < 0 && socket_path)
        r = open_socket(server, socket_path);
    if (r == 0)
        r = start(server, event);
    if (r < 0) {
        status_server_free(server);
        return r;
    }
    *ret = server;
    return 0;
}

void status_server_free(struct status_server *server)
{
    if (!server)
        return;
    if (server->varlink)
        varlink_server_free(server->varlink);
    if (server->watches)
        watches_free(server->watches);
    if (server->bound.fd >= 0)
        bound_socket_close(&server->bound);
    if (server->passed_fd >= 0)
        close(server->passed_fd);
    free(server->version);
    free(server->description);
    free(server);
}

void status_server_changed(struct status_server *server)
{
    watches_changed(server->watches);
}
