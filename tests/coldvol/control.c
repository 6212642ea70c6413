/* SPDX-License-Identifier: MIT */
#include "control.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#define LINE_MAX_BYTES 8192

struct client {
    int fd;
    size_t length;
    char line[LINE_MAX_BYTES];
};

struct control {
    struct volume *volume;
    int fd;
    size_t clients;
    struct client *client[CONTROL_CLIENTS_MAX];
};

static int listen_at(const struct place *place, int *ret)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    _cleanup_close_ int folder = -1;
    struct sockaddr_un address;
    int r;

    if (fd < 0)
        return -errno;
    r = place_get_address(place, &address, &folder);
    if (r < 0)
        return r;
    if (unlinkat(folder, "control", 0) < 0 && errno != ENOENT)
        return -errno;
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(fd, CONTROL_CLIENTS_MAX) < 0)
        return -errno;
    *ret = steal_fd(&fd);
    return 0;
}

int control_new(struct volume *volume, struct control **ret)
{
    struct control *control = calloc(1, sizeof(*control));
    int r;

    if (!control)
        return -ENOMEM;
    control->volume = volume;
    r = listen_at(volume->place, &control->fd);
    if (r < 0) {
        free(control);
        return r;
    }
    *ret = control;
    return 0;
}

static void client_free(struct client *client)
{
    close(client->fd);
    free(client);
}

void control_free(struct control *control)
{
    if (!control)
        return;
    for (size_t i = 0; i < control->clients; i++)
        client_free(control->client[i]);
    close(control->fd);
    free(control);
}

size_t control_get_pollfds(const struct control *control, struct pollfd fds[CONTROL_POLLFDS_MAX])
{
    size_t n = 0;

    for (; n < control->clients; n++)
        fds[n] = (struct pollfd){ .fd = control->client[n]->fd, .events = POLLIN };
    /* When full, the next waits in the listen queue. */
    fds[n] = (struct pollfd){ .fd = n < CONTROL_CLIENTS_MAX ? control->fd : -1, .events = POLLIN };
    return n + 1;
}

static void accept_client(struct control *control)
{
    struct client *client = calloc(1, sizeof(*client));

    if (!client)
        return;
    client->fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client->fd < 0)
        free(client);
    else
        control->client[control->clients++] = client;
}

static void answer(struct control *control, struct client *client)
{
    _cleanup_free_ char *text = NULL;
    char error[SETTINGS_ERROR_MAX];
    size_t length;
    FILE *out = open_memstream(&text, &length);
    int r;

    if (!out)
        return;
    r = control_execute(control->volume, client->line, out, error);
    fprintf(out, r < 0 ? "error %s\n" : "ok\n", error);
    if (fclose(out) != 0)
        return;
    /* Far shorter than a socket's buffer; who does not read it gets a part and the end. */
    (void)!send(client->fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* False once nothing more is to be expected of it. */
static bool serve(struct control *control, struct client *client)
{
    char *end;
    ssize_t n =
        recv(client->fd, client->line + client->length, sizeof(client->line) - client->length, 0);

    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    client->length += (size_t)n;
    end = memchr(client->line, '\n', client->length);
    if (end) {
        *end = '\0';
        answer(control, client);
    }
    return !end && n > 0 && client->length < sizeof(client->line);
}

void control_dispatch(struct control *control, const struct pollfd *fds, size_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < length - 1; i++) {
        struct client *client = control->client[i];

        if (!fds[i].revents || serve(control, client))
            control->client[kept++] = client;
        else
            client_free(client);
    }
    control->clients = kept;
    if (fds[length - 1].revents && control->clients < CONTROL_CLIENTS_MAX)
        accept_client(control);
}
