/* SPDX-License-Identifier: MIT */
#include "status/varlink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/size.h"
#include "status/connection.h"
#include "status/json.h"
#include "status/peer.h"

#define ACCEPTS_PER_RUN   32
#define FULL_LOG_USEC     (60 * USEC_PER_SEC)
#define ACCEPT_PAUSE_USEC (1 * USEC_PER_SEC)

TAILQ_HEAD(connection_list, connection);

struct varlink_server {
    sd_event *event;
    struct varlink_options options;
    struct connection_owner owner;
    struct connection_list connections; /* longest silent first */
    size_t n_connections;
    sd_event_source *accept, *resume;
    uint64_t full_logged_usec;
};

/* ---- org.varlink.service ---- */

#define SERVICE_NAME "org.varlink.service"

/* https://varlink.org/Service */
static const char service_description[] =
    "# The Varlink Service Interface is provided by every varlink service.\n"
    "interface org.varlink.service\n"
    "\n"
    "method GetInfo() -> (\n"
    "  vendor: string,\n"
    "  product: string,\n"
    "  version: string,\n"
    "  url: string,\n"
    "  interfaces: []string\n"
    ")\n"
    "\n"
    "method GetInterfaceDescription(interface: string) -> (description: string)\n"
    "\n"
    "error InterfaceNotFound (interface: string)\n"
    "error MethodNotFound (method: string)\n"
    "error MethodNotImplemented (method: string)\n"
    "error InvalidParameter (parameter: string)\n"
    "error PermissionDenied ()\n"
    "error ExpectedMore ()\n";

static void get_info(struct varlink_call *call, json_t *parameters, void *userdata)
{
    const struct varlink_server *server = userdata;
    const struct varlink_options *options = &server->options;

    (void)parameters;
    varlink_call_reply(call, json_pack("{s:s, s:s, s:s, s:s, s:[s, s]}", "vendor", options->vendor,
                                       "product", options->product, "version", options->version,
                                       "url", options->url, "interfaces", SERVICE_NAME,
                                       options->interface->name));
}

static void get_interface_description(struct varlink_call *call, json_t *parameters, void *userdata)
{
    const struct varlink_server *server = userdata;
    const struct varlink_interface *interface = server->options.interface;
    const char *name = json_string_value(json_object_get(parameters, "interface"));
    const char *description;

    if (!name) {
        varlink_call_invalid_parameter(call, "interface");
        return;
    }
    if (strcmp(name, SERVICE_NAME) == 0)
        description = service_description;
    else if (strcmp(name, interface->name) == 0)
        description = interface->description;
    else {
        varlink_call_error(call, SERVICE_NAME ".InterfaceNotFound",
                           json_pack("{s:s}", "interface", name));
        return;
    }
    varlink_call_reply(call, json_pack("{s:s}", "description", description));
}

static const struct varlink_method service_methods[] = {
    { "GetInfo", get_info },
    { "GetInterfaceDescription", get_interface_description },
};

static const struct varlink_interface service_interface = {
    .name = SERVICE_NAME,
    .description = service_description,
    .methods = service_methods,
    .n_methods = sizeof(service_methods) / sizeof(service_methods[0]),
};

/* ---- calls ---- */

static const struct varlink_method *find_method(const struct varlink_interface *interface,
                                                const char *name)
{
    for (size_t i = 0; i < interface->n_methods; i++)
        if (strcmp(interface->methods[i].name, name) == 0)
            return &interface->methods[i];
    return NULL;
}

static bool is_named(const struct varlink_interface *interface, const char *name, size_t length)
{
    return strlen(interface->name) == length && memcmp(interface->name, name, length) == 0;
}

static void call_method(struct varlink_call *call, const struct varlink_interface *interface,
                        const char *name, void *userdata)
{
    const struct varlink_method *method = find_method(interface, name);
    /* A reply ends the call and what it held. */
    _cleanup_(json_decref_p) json_t *parameters =
        call->message.parameters ? json_incref(call->message.parameters) : json_object();

    if (method)
        method->handle(call, parameters, userdata);
    else
        varlink_call_error(call, SERVICE_NAME ".MethodNotFound",
                           json_pack("{s:s}", "method", call->message.method));
}

static void on_call(struct varlink_call *call, void *userdata)
{
    struct varlink_server *server = userdata;
    const struct varlink_interface *interface = server->options.interface;
    const char *method = call->message.method;
    const char *name = NULL;
    size_t length;

    if (!message_split_method(method, &length, &name))
        varlink_call_invalid_parameter(call, "method");
    else if (is_named(&service_interface, method, length))
        call_method(call, &service_interface, name, server);
    else if (is_named(interface, method, length))
        call_method(call, interface, name, interface->userdata);
    else
        varlink_call_error(call, SERVICE_NAME ".InterfaceNotFound",
                           json_pack("{s:s%}", "interface", method, length));
}

/* ---- connections ---- */

static void on_active(struct connection *connection, void *userdata)
{
    struct varlink_server *server = userdata;

    TAILQ_REMOVE(&server->connections, connection, link);
    TAILQ_INSERT_TAIL(&server->connections, connection, link);
}

static void on_closed(struct connection *connection, void *userdata)
{
    struct varlink_server *server = userdata;

    TAILQ_REMOVE(&server->connections, connection, link);
    server->n_connections--;
}

/* `uid`: NULL for anybody's. */
static bool drop_longest_idle(struct varlink_server *server, const uid_t *uid)
{
    struct connection *connection;

    TAILQ_FOREACH(connection, &server->connections, link)
    {
        if ((!uid || connection->uid == *uid) && connection_is_idle(connection)) {
            connection_free(connection);
            return true;
        }
    }
    return false;
}

static size_t count_of_uid(const struct varlink_server *server, uid_t uid)
{
    const struct connection *connection;
    size_t n = 0;

    TAILQ_FOREACH(connection, &server->connections, link)
    n += connection->uid == uid;
    return n;
}

static uint64_t now_usec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / 1000;
}

static void log_full(struct varlink_server *server, uid_t uid)
{
    uint64_t now = now_usec();

    if (server->full_logged_usec && now - server->full_logged_usec < FULL_LOG_USEC)
        return;
    server->full_logged_usec = now;
    log_warning("The status socket is full (%zu connections): user %u was turned away. "
                "See who holds them: ss -xp | grep io.ebswarm",
                server->n_connections, (unsigned)uid);
}

/*
 * Mute clients make room for new ones. One user other than root gets half of the table at most, so
 * that root can always ask.
 */
static bool make_room(struct varlink_server *server, uid_t uid)
{
    size_t max = server->options.max_connections;

    if (uid != 0 && count_of_uid(server, uid) >= max / 2)
        return drop_longest_idle(server, &uid);
    if (server->n_connections >= max)
        return drop_longest_idle(server, NULL);
    return true;
}

int varlink_server_attach(struct varlink_server *server, int fd)
{
    struct connection *connection;
    uid_t uid;
    int r;

    r = peer_get_uid(fd, &uid);
    if (r == 0 && !make_room(server, uid)) {
        log_full(server, uid);
        r = -EMFILE;
    }
    if (r < 0) {
        close(fd);
        return r;
    }
    r = connection_new(server->event, fd, uid, &server->owner, &connection);
    if (r < 0)
        return r;
    TAILQ_INSERT_TAIL(&server->connections, connection, link);
    server->n_connections++;
    return 0;
}

static int on_resume(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct varlink_server *server = userdata;

    (void)source;
    (void)usec;
    return sd_event_source_set_enabled(server->accept, SD_EVENT_ON);
}

/* Out of descriptors the listening socket stays readable: looking away spares the loop. */
static int pause_accepting(struct varlink_server *server)
{
    int r = sd_event_source_set_enabled(server->accept, SD_EVENT_OFF);

    if (r >= 0)
        r = sd_event_source_set_time_relative(server->resume, ACCEPT_PAUSE_USEC);
    if (r >= 0)
        r = sd_event_source_set_enabled(server->resume, SD_EVENT_ONESHOT);
    return r;
}

static int on_accept(sd_event_source *source, int listen_fd, uint32_t revents, void *userdata)
{
    struct varlink_server *server = userdata;

    (void)source;
    (void)revents;
    for (int i = 0; i < ACCEPTS_PER_RUN; i++) {
        int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd >= 0)
            varlink_server_attach(server, fd);
        else if (errno == EAGAIN)
            return 0;
        else if (errno != EINTR && errno != ECONNABORTED)
            return drop_longest_idle(server, NULL) ? 0 : pause_accepting(server);
    }
    return 0;
}

static int add_accept(struct varlink_server *server, int listen_fd)
{
    int r = sd_event_add_io(server->event, &server->accept, listen_fd, EPOLLIN, on_accept, server);

    if (r >= 0)
        r = sd_event_add_time_relative(server->event, &server->resume, CLOCK_MONOTONIC, 0, 0,
                                       on_resume, server);
    if (r >= 0)
        r = sd_event_source_set_enabled(server->resume, SD_EVENT_OFF);
    return r < 0 ? r : 0;
}

int varlink_server_new(sd_event *event, int listen_fd, const struct varlink_options *options,
                       struct varlink_server **ret)
{
    struct varlink_server *server = calloc(1, sizeof(*server));
    int r;

    if (!server)
        return -ENOMEM;
    server->event = sd_event_ref(event);
    server->options = *options;
    server->owner = (struct connection_owner){ on_call, on_active, on_closed, server };
    TAILQ_INIT(&server->connections);
    r = listen_fd >= 0 ? add_accept(server, listen_fd) : 0;
    if (r < 0) {
        varlink_server_free(server);
        return r;
    }
    *ret = server;
    return 0;
}

void varlink_server_free(struct varlink_server *server)
{
    while (!TAILQ_EMPTY(&server->connections))
        connection_free(TAILQ_FIRST(&server->connections));
    sd_event_source_disable_unref(server->accept);
    sd_event_source_disable_unref(server->resume);
    sd_event_unref(server->event);
    free(server);
}
