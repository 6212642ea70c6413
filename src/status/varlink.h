/* SPDX-License-Identifier: MIT */
/* A small Varlink server on an sd-event loop; org.varlink.service is built in. */
#ifndef STATUS_VARLINK_H
#define STATUS_VARLINK_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <systemd/sd-event.h>

struct varlink_server;
struct varlink_call;

struct varlink_method {
    const char *name; /* without the interface */
    /*
     * Answers by varlink_call_reply() or varlink_call_error(), at once, or later when it has called
     * varlink_call_keep(). `parameters` is an object that lives until this returns.
     */
    void (*handle)(struct varlink_call *call, json_t *parameters, void *userdata);
};

/* All of it must outlive the server. */
struct varlink_interface {
    const char *name;
    const char *description; /* in Varlink's interface language */
    const struct varlink_method *methods;
    size_t n_methods;
    void *userdata;
};

struct varlink_options {
    const char *vendor, *product, *version, *url;
    const struct varlink_interface *interface;
    size_t max_connections;
};

/* `listen_fd` is borrowed; -1 for a server that only gets varlink_server_attach(). -errno. */
int varlink_server_new(sd_event *event, int listen_fd, const struct varlink_options *options,
                       struct varlink_server **ret);
/* Drops all connections. */
void varlink_server_free(struct varlink_server *server);
/* Serves a connected socket, which it takes, also when it fails. */
int varlink_server_attach(struct varlink_server *server, int fd);

/* What may happen to a call that was kept. */
struct varlink_call_events {
    void (*drained)(struct varlink_call *call, void *userdata); /* varlink_call_can_send() again */
    void (*closed)(void *userdata); /* the client has gone, and the call with it */
};
void varlink_call_keep(struct varlink_call *call, const struct varlink_call_events *events,
                       void *userdata);

bool varlink_call_wants_more(const struct varlink_call *call);
/* For SO_PEERCRED. */
int varlink_call_get_fd(const struct varlink_call *call);

/*
 * `parameters` are stolen; NULL (out of memory) drops the client. A reply or an error ends the
 * call: it must not be touched again, and its `closed` is not called. varlink_call_send() is for
 * calls that want more; whoever calls it while varlink_call_can_send() is false queues memory for a
 * slow client.
 */
void varlink_call_send(struct varlink_call *call, json_t *parameters);
bool varlink_call_can_send(const struct varlink_call *call);
void varlink_call_reply(struct varlink_call *call, json_t *parameters);
void varlink_call_error(struct varlink_call *call, const char *error, json_t *parameters);
void varlink_call_invalid_parameter(struct varlink_call *call, const char *name);
void varlink_call_permission_denied(struct varlink_call *call);

#endif
