/* SPDX-License-Identifier: MIT */
/*
 * One client of the socket. Nothing here waits for it: input and output are bounded, its next call
 * is looked at when the last answer has gone out, and a client that breaks the protocol is dropped.
 */
#ifndef STATUS_CONNECTION_H
#define STATUS_CONNECTION_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <systemd/sd-event.h>

#include "status/frame.h"
#include "status/message.h"
#include "status/varlink.h"

/* The call that is being answered. A connection has one at a time. */
struct varlink_call {
    struct connection *connection;
    struct message_call message; /* .json is NULL when there is no call */
    const struct varlink_call_events *events;
    void *userdata;
};

struct connection_owner {
    void (*call)(struct varlink_call *call, void *userdata);
    void (*active)(struct connection *connection, void *userdata);
    /* The owner forgets it; it is freed right after. */
    void (*closed)(struct connection *connection, void *userdata);
    void *userdata;
};

struct connection {
    TAILQ_ENTRY(connection) link;
    const struct connection_owner *owner;
    int fd;
    uid_t uid;
    sd_event_source *io, *deferred;
    struct frame_buffer in;
    char *out;
    size_t out_begin, out_end, out_allocated;
    struct varlink_call call;
    bool broken; /* to be dropped as soon as no caller is on the stack */
    bool eof;    /* the client will send no more */
};

/* Takes `fd`, also when it fails. -errno. */
int connection_new(sd_event *event, int fd, uid_t uid, const struct connection_owner *owner,
                   struct connection **ret);
/* Tells the call's `closed` and the owner. */
void connection_free(struct connection *connection);

/* It waits for no answer of ours. */
bool connection_is_idle(const struct connection *connection);

#endif
