/* SPDX-License-Identifier: MIT */
#include "control.h"

#include "base/cleanup.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

/* A server that serves answers at once; one that is stopped never does. */
#define ASK_TIMEOUT_SEC 10

static int connect_to(const struct place *place, int *ret)
{
    _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    _cleanup_close_ int folder = -1;
    const struct timeval timeout = { .tv_sec = ASK_TIMEOUT_SEC };
    struct sockaddr_un address;
    int r;

    if (fd < 0)
        return -errno;
    r = place_get_address(place, &address, &folder);
    if (r < 0)
        return r;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0 ||
        connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;
    *ret = steal_fd(&fd);
    return 0;
}

static int send_words(int fd, char *const *words)
{
    _cleanup_free_ char *line = NULL;
    size_t length;
    FILE *out = open_memstream(&line, &length);

    if (!out)
        return -errno;
    for (size_t i = 0; words[i]; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", words[i]);
    fputc('\n', out);
    if (fclose(out) != 0)
        return -ENOMEM;
    return send(fd, line, length, MSG_NOSIGNAL) == (ssize_t)length ? 0 : -EIO;
}

int control_ask(const struct place *place, char *const *words, FILE *out,
                char error[SETTINGS_ERROR_MAX])
{
    _cleanup_(fclose_p) FILE *in = NULL;
    _cleanup_free_ char *line = NULL;
    size_t room = 0;
    int fd = -1, r;

    error[0] = '\0';
    r = connect_to(place, &fd);
    if (r < 0)
        return r;
    in = fdopen(fd, "r");
    if (!in) {
        close(fd);
        return -ENOMEM;
    }
    r = send_words(fd, words);
    if (r < 0)
        return r;
    errno = 0;
    while (getline(&line, &room, in) > 0) {
        if (strcmp(line, "ok\n") == 0)
            return 0;
        if (strncmp(line, "error ", 6) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(error, SETTINGS_ERROR_MAX, "%s", line + 6);
            return -EREMOTEIO;
        }
        if (out)
            fputs(line, out);
    }
    return errno == EAGAIN ? -ETIMEDOUT : -EPIPE;
}
