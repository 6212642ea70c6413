/* SPDX-License-Identifier: MIT */
#include "ctl/client.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "base/size.h"
#include "ctl/options.h"
#include "status/frame.h"
#include "status/interface.h"
#include "status/json.h"

/* The daemon's own bound on what it queues for one client. */
#define REPLY_MAX_BYTES (16u << 20)

struct client {
    int fd;
    struct frame_buffer in;
};

uint64_t client_now_usec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / 1000;
}

int client_connect(const char *socket_path, struct client **ret)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct client *client;

    if (fd < 0)
        return -errno;
    if (strlen(socket_path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, socket_path, strlen(socket_path));
    /* EAGAIN: the daemon hangs and the queue in front of it is full. */
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        return errno == EAGAIN ? -ETIMEDOUT : -errno;
    client = calloc(1, sizeof(*client));
    if (!client)
        return -ENOMEM;
    client->fd = steal_fd(&fd);
    frame_buffer_init(&client->in, REPLY_MAX_BYTES);
    *ret = client;
    return 0;
}

void client_free(struct client *client)
{
    frame_buffer_clear(&client->in);
    close(client->fd);
    free(client);
}

/* 0 when the descriptor is ready. */
static int wait_for(const struct client *client, short events, uint64_t deadline_usec)
{
    struct pollfd pfd = { .fd = client->fd, .events = events };

    for (;;) {
        uint64_t now = client_now_usec();
        uint64_t left_msec = deadline_usec > now ? (deadline_usec - now) / 1000 + 1 : 0;
        int n = poll(&pfd, 1,
                     deadline_usec == USEC_INFINITY ? -1
                     : left_msec > INT_MAX          ? INT_MAX
                                                    : (int)left_msec);

        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0 && client_now_usec() >= deadline_usec)
            return -ETIMEDOUT;
    }
}

static int send_all(struct client *client, const char *data, size_t bytes, uint64_t deadline_usec)
{
    while (bytes > 0) {
        ssize_t n;
        int r = wait_for(client, POLLOUT, deadline_usec);

        if (r < 0)
            return r;
        n = send(client->fd, data, bytes, MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n < 0)
            return errno == EPIPE ? -ECONNRESET : -errno;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

int client_call(struct client *client, const char *method, json_t *parameters, bool more,
                uint64_t deadline_usec)
{
    _cleanup_(json_decref_p) json_t *call =
        json_pack("{s:s, s:o}", "method", method, "parameters", parameters);
    _cleanup_free_ char *text = NULL;

    if (!call || (more && json_object_set_new(call, "more", json_true()) < 0))
        return -ENOMEM;
    text = json_dumps(call, JSON_COMPACT);
    if (!text)
        return -ENOMEM;
    return send_all(client, text, strlen(text) + 1, deadline_usec);
}

static int read_more(struct client *client, uint64_t deadline_usec)
{
    char *room;
    size_t room_bytes;
    ssize_t n;
    int r;

    r = frame_buffer_reserve(&client->in, &room, &room_bytes);
    if (r < 0)
        return r == -ENOBUFS ? -EBADMSG : r;
    r = wait_for(client, POLLIN, deadline_usec);
    if (r < 0)
        return r;
    n = recv(client->fd, room, room_bytes, 0);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    if (n == 0)
        return -ECONNRESET;
    frame_buffer_commit(&client->in, (size_t)n);
    return 0;
}

int client_receive(struct client *client, uint64_t deadline_usec, struct client_reply *ret)
{
    struct client_reply reply = { 0 };
    const char *text;

    while (!(text = frame_buffer_take(&client->in))) {
        int r = read_more(client, deadline_usec);

        if (r < 0)
            return r;
    }
    reply.json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    reply.parameters = json_object_get(reply.json, "parameters");
    reply.error = json_string_value(json_object_get(reply.json, "error"));
    reply.continues = json_is_true(json_object_get(reply.json, "continues"));
    if (!json_is_object(reply.json) || !json_is_object(reply.parameters)) {
        json_decref(reply.json);
        return -EBADMSG;
    }
    *ret = reply;
    return 0;
}

void client_reply_clear(struct client_reply *reply)
{
    json_decref(reply->json);
    *reply = (struct client_reply){ 0 };
}

void client_explain(const char *socket_path, int error)
{
    switch (-error) {
    case ENOENT:
    case ECONNREFUSED:
        fprintf(stderr,
                "ebswarmctl: nobody answers on %s: is ebswarmd running? Start it with: "
                "systemctl start ebswarmd\n",
                socket_path);
        break;
    case EACCES:
    case EPERM:
        fprintf(stderr,
                "ebswarmctl: %s: no permission to connect; every user should have it: "
                "look at the modes of the socket and its folders\n",
                socket_path);
        break;
    case ECONNRESET:
        fprintf(stderr, "ebswarmctl: ebswarmd closed the connection before it answered; "
                        "see: journalctl -u ebswarmd\n");
        break;
    case EBADMSG:
        fprintf(stderr, "ebswarmctl: %s: what answers there does not speak as ebswarmd does\n",
                socket_path);
        break;
    case ETIMEDOUT:
        fprintf(stderr, "ebswarmctl: ebswarmd does not answer on %s; see: journalctl -u ebswarmd\n",
                socket_path);
        break;
    default:
        fprintf(stderr, "ebswarmctl: %s: %s\n", socket_path, strerror(-error));
    }
}

static const char *detail(const struct client_reply *reply, const char *key)
{
    const char *text = json_string_value(json_object_get(reply->parameters, key));

    return text ? text : "?";
}

int client_explain_reply(const struct client_reply *reply)
{
    if (strcmp(reply->error, INTERFACE_NO_SUCH_VOLUME) == 0) {
        fprintf(stderr, "ebswarmctl: no volume \"%s\"; see: ebswarmctl status\n",
                detail(reply, "what"));
        return CTL_EXIT_NO_SUCH_VOLUME;
    }
    if (strcmp(reply->error, "org.varlink.service.PermissionDenied") == 0)
        fprintf(stderr, "ebswarmctl: only root and the members of group ebswarm may do this\n");
    else if (strcmp(reply->error, INTERFACE_FAILED) == 0)
        fprintf(stderr, "ebswarmctl: ebswarmd could not do it: %s\n", detail(reply, "reason"));
    else
        fprintf(stderr,
                "ebswarmctl: ebswarmd refused the call: %s; do both have the same version?\n",
                reply->error);
    return CTL_EXIT_FAILURE;
}

/* "/dev/disk/by-id/…" is a link to the device that the daemon knows. */
static json_t *name_to_json(const char *what)
{
    char resolved[PATH_MAX];

    if (strncmp(what, "/dev/", 5) == 0 && realpath(what, resolved))
        return text_to_json(resolved);
    return text_to_json(what);
}

json_t *client_names(const char *const *what)
{
    json_t *names;

    if (!*what)
        return json_null();
    names = json_array();
    for (; names && *what; what++)
        if (json_array_append_new(names, name_to_json(*what)) < 0) {
            json_decref(names);
            return NULL;
        }
    return names;
}
