/* SPDX-License-Identifier: MIT */
#include "status/connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/cleanup.h"

/* 1,000 device paths in one call are 40 KiB; with 512 connections this is 64 MiB at worst. */
#define INPUT_MAX_BYTES (128u << 10)
/* A status of 10,000 volumes is 8 MiB. */
#define OUTPUT_MAX_BYTES (16u << 20)
/* So that a client with many calls in one write does not hold up the loop. */
#define CALLS_PER_RUN 16

/* ---- output ---- */

static bool is_drained(const struct connection *connection)
{
    return connection->out_begin == connection->out_end;
}

static int flush_output(struct connection *connection)
{
    while (!is_drained(connection)) {
        ssize_t n = send(connection->fd, connection->out + connection->out_begin,
                         connection->out_end - connection->out_begin, MSG_NOSIGNAL);

        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -errno;
        connection->out_begin += (size_t)n;
        connection->owner->active(connection, connection->owner->userdata);
    }
    free(connection->out);
    connection->out = NULL;
    connection->out_begin = connection->out_end = connection->out_allocated = 0;
    return 0;
}

static int append_output(struct connection *connection, const char *text)
{
    size_t bytes = strlen(text) + 1; /* the NUL ends the message */
    size_t wanted = connection->out_end + bytes;

    if (wanted > OUTPUT_MAX_BYTES)
        return -ENOBUFS;
    if (wanted > connection->out_allocated) {
        char *out = realloc(connection->out, wanted);

        if (!out)
            return -ENOMEM;
        connection->out = out;
        connection->out_allocated = wanted;
    }
    memcpy(connection->out + connection->out_end, text, bytes);
    connection->out_end = wanted;
    return 0;
}

/* Steals `parameters`. Never writes and never frees, since callers hold the connection. */
static void queue_reply(struct varlink_call *call, json_t *parameters, bool continues,
                        const char *error)
{
    struct connection *connection = call->connection;
    _cleanup_free_ char *text = NULL;

    if (parameters)
        text = message_format_reply(parameters, continues, error);
    json_decref(parameters);
    if (!text || (!call->message.oneway && append_output(connection, text) < 0))
        connection->broken = true;
    if (sd_event_source_set_enabled(connection->deferred, SD_EVENT_ONESHOT) < 0)
        connection->broken = true;
}

static void end_call(struct varlink_call *call)
{
    message_call_clear(&call->message);
    call->events = NULL;
    call->userdata = NULL;
}

void varlink_call_send(struct varlink_call *call, json_t *parameters)
{
    queue_reply(call, parameters, true, NULL);
}

void varlink_call_reply(struct varlink_call *call, json_t *parameters)
{
    queue_reply(call, parameters, false, NULL);
    end_call(call);
}

void varlink_call_error(struct varlink_call *call, const char *error, json_t *parameters)
{
    queue_reply(call, parameters, false, error);
    end_call(call);
}

void varlink_call_invalid_parameter(struct varlink_call *call, const char *name)
{
    varlink_call_error(call, "org.varlink.service.InvalidParameter",
                       json_pack("{s:s}", "parameter", name));
}

void varlink_call_permission_denied(struct varlink_call *call)
{
    varlink_call_error(call, "org.varlink.service.PermissionDenied", json_object());
}

void varlink_call_keep(struct varlink_call *call, const struct varlink_call_events *events,
                       void *userdata)
{
    call->events = events;
    call->userdata = userdata;
}

bool varlink_call_wants_more(const struct varlink_call *call)
{
    return call->message.more;
}

int varlink_call_get_fd(const struct varlink_call *call)
{
    return call->connection->fd;
}

bool varlink_call_can_send(const struct varlink_call *call)
{
    return is_drained(call->connection);
}

/* ---- input ---- */

/* One read a wake-up; what is left wakes the loop again. */
static int read_input(struct connection *connection)
{
    size_t room_bytes;
    char *room;
    ssize_t n;
    int r;

    r = frame_buffer_reserve(&connection->in, &room, &room_bytes);
    if (r == -ENOBUFS && frame_buffer_has_message(&connection->in))
        return 0;
    if (r < 0)
        return r;
    n = recv(connection->fd, room, room_bytes, 0);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (n == 0)
        connection->eof = true;
    else
        connection->owner->active(connection, connection->owner->userdata);
    frame_buffer_commit(&connection->in, (size_t)n);
    return 0;
}

/* 1 when a call was begun, 0 when there is none. */
static int begin_call(struct connection *connection)
{
    const char *text = frame_buffer_take(&connection->in);
    int r;

    if (!text)
        return 0;
    r = message_parse_call(text, &connection->call.message);
    if (r < 0)
        return r;
    connection->owner->call(&connection->call, connection->owner->userdata);
    return 1;
}

static bool has_call(const struct connection *connection)
{
    return connection->call.message.json != NULL;
}

static void tell_drained(struct varlink_call *call)
{
    if (call->events && call->events->drained)
        call->events->drained(call, call->userdata);
}

/* Stops when the client is slow, when a call is kept, or when nothing more has arrived. */
static int run_calls(struct connection *connection)
{
    int r;

    for (int i = 0; i < CALLS_PER_RUN && !connection->broken; i++) {
        r = flush_output(connection);
        if (r < 0 || !is_drained(connection))
            return r;
        if (has_call(connection))
            tell_drained(&connection->call);
        if (!is_drained(connection))
            continue;
        if (has_call(connection))
            return 0;
        r = begin_call(connection);
        if (r <= 0)
            return r;
    }
    return 0;
}

/* ---- life ---- */

static bool is_over(struct connection *connection, bool hung_up)
{
    if (connection->broken || (hung_up && has_call(connection)))
        return true;
    if (!connection->eof || frame_buffer_has_message(&connection->in))
        return false;
    /* A client that only shut down its sending side still gets its answer. */
    return hung_up || (!has_call(connection) && is_drained(connection));
}

static int arm(struct connection *connection)
{
    uint32_t events = 0;
    char *room;
    size_t room_bytes;
    int r;

    r = frame_buffer_reserve(&connection->in, &room, &room_bytes);
    if (r < 0 && (r != -ENOBUFS || !frame_buffer_has_message(&connection->in)))
        return r;
    if (r == 0 && !connection->eof)
        events |= EPOLLIN;
    if (!is_drained(connection))
        events |= EPOLLOUT;
    else if (!has_call(connection) && frame_buffer_has_message(&connection->in)) {
        r = sd_event_source_set_enabled(connection->deferred, SD_EVENT_ONESHOT);
        if (r < 0)
            return r;
    }
    return sd_event_source_set_io_events(connection->io, events);
}

static void run(struct connection *connection, bool hung_up)
{
    int r = run_calls(connection);

    if (r < 0 || is_over(connection, hung_up) || arm(connection) < 0)
        connection_free(connection);
}

static int on_deferred(sd_event_source *source, void *userdata)
{
    (void)source;
    run(userdata, false);
    return 0;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct connection *connection = userdata;
    bool hung_up = revents & (EPOLLHUP | EPOLLERR);

    (void)source;
    (void)fd;
    if ((revents & EPOLLIN || hung_up) && read_input(connection) < 0)
        connection_free(connection);
    else
        run(connection, hung_up);
    return 0;
}

static int add_sources(sd_event *event, struct connection *connection)
{
    int r = sd_event_add_io(event, &connection->io, connection->fd, EPOLLIN, on_io, connection);

    if (r >= 0)
        r = sd_event_add_defer(event, &connection->deferred, on_deferred, connection);
    if (r >= 0)
        r = sd_event_source_set_enabled(connection->deferred, SD_EVENT_OFF);
    return r;
}

static void release(struct connection *connection)
{
    sd_event_source_disable_unref(connection->io);
    sd_event_source_disable_unref(connection->deferred);
    frame_buffer_clear(&connection->in);
    message_call_clear(&connection->call.message);
    free(connection->out);
    close(connection->fd);
    free(connection);
}

int connection_new(sd_event *event, int fd, uid_t uid, const struct connection_owner *owner,
                   struct connection **ret)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    int r;

    if (!connection) {
        close(fd);
        return -ENOMEM;
    }
    *connection = (struct connection){ .owner = owner, .fd = fd, .uid = uid };
    connection->call.connection = connection;
    frame_buffer_init(&connection->in, INPUT_MAX_BYTES);
    r = add_sources(event, connection);
    if (r < 0) {
        release(connection);
        return r;
    }
    *ret = connection;
    return 0;
}

void connection_free(struct connection *connection)
{
    const struct varlink_call *call = &connection->call;

    if (call->events && call->events->closed)
        call->events->closed(call->userdata);
    connection->owner->closed(connection, connection->owner->userdata);
    release(connection);
}

bool connection_is_idle(const struct connection *connection)
{
    return !has_call(connection) || !is_drained(connection);
}
