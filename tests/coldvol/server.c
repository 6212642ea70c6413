/* SPDX-License-Identifier: MIT */
#include "server.h"

#include "base/cleanup.h"
#include "base/size.h"
#include "control.h"
#include "mount.h"
#include "volume.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>

struct server {
    struct volume volume;
    struct mount *mount;
    struct control *control;
    int signal_fd;
    int lock_fd;
};

enum { POLL_MOUNT, POLL_SIGNAL, POLL_CONTROL };

/*
 * The lock says that this server lives, and who it is, without a doubt over reused process ids. The
 * kernel drops it when the process is gone, whatever killed it.
 */
static int lock_pid_file(struct server *server, const struct place *place)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    server->lock_fd = open(place->pid, O_RDWR | O_CLOEXEC);
    if (server->lock_fd < 0 || fcntl(server->lock_fd, F_SETLK, &lock) < 0 ||
        dprintf(server->lock_fd, "%d\n", (int)getpid()) < 0)
        return -errno;
    return 0;
}

static int watch_signals(struct server *server)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    server->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return server->signal_fd < 0 ? -errno : 0;
}

static int failed(char error[SETTINGS_ERROR_MAX], const char *what, int r)
{
    snprintf(error, SETTINGS_ERROR_MAX, "%.400s: %s", what, strerror(-r));
    return r;
}

static int server_start(struct server *server, const struct place *place,
                        const struct settings *settings, char error[SETTINGS_ERROR_MAX])
{
    int r = lock_pid_file(server, place);

    if (r < 0)
        return failed(error, place->pid, r);
    r = watch_signals(server);
    if (r < 0)
        return failed(error, "signals", r);
    r = volume_open(place, settings, &server->volume, error);
    if (r < 0)
        return r;
    r = control_new(&server->volume, &server->control);
    if (r < 0)
        return failed(error, place->control, r);
    r = mount_new(&server->volume, &server->mount);
    if (r < 0)
        return failed(error, "FUSE mount (needs root and /dev/fuse)", r);
    return 0;
}

static void server_stop(struct server *server)
{
    mount_free(server->mount);
    control_free(server->control);
    volume_close(&server->volume);
    close_p(&server->signal_fd);
    close_p(&server->lock_fd);
}

/* NULL: for as long as it takes. */
static const struct timespec *time_left(uint64_t next_usec, uint64_t now_usec,
                                        struct timespec *buffer)
{
    uint64_t left_usec = next_usec > now_usec ? next_usec - now_usec : 0;

    if (next_usec == USEC_INFINITY)
        return NULL;
    *buffer = (struct timespec){ .tv_sec = (time_t)(left_usec / USEC_PER_SEC),
                                 .tv_nsec = (long)(left_usec % USEC_PER_SEC) * 1000 };
    return buffer;
}

/* -errno; -ESHUTDOWN when told to end. */
static int server_turn(struct server *server)
{
    struct pollfd fds[POLL_CONTROL + CONTROL_POLLFDS_MAX] = {
        [POLL_MOUNT] = { .fd = mount_fd(server->mount), .events = POLLIN },
        [POLL_SIGNAL] = { .fd = server->signal_fd, .events = POLLIN },
    };
    size_t controls = control_get_pollfds(server->control, fds + POLL_CONTROL);
    struct timespec buffer;
    uint64_t now_usec = volume_now_usec();
    int r = mount_reply(server->mount, now_usec);

    if (r < 0)
        return r;
    if (ppoll(fds, POLL_CONTROL + controls,
              time_left(model_next_usec(server->volume.model), now_usec, &buffer), NULL) < 0)
        return errno == EINTR ? 0 : -errno;
    if (fds[POLL_SIGNAL].revents || !mount_alive(server->mount))
        return -ESHUTDOWN;
    control_dispatch(server->control, fds + POLL_CONTROL, controls);
    if (fds[POLL_MOUNT].revents)
        mount_dispatch(server->mount);
    return 0;
}

int server_run(const struct place *place, const struct settings *settings, int ready_fd)
{
    struct server server = { .signal_fd = -1, .lock_fd = -1, .volume = { .backing_fd = -1 } };
    char error[SETTINGS_ERROR_MAX];
    int r = server_start(&server, place, settings, error);

    if (r < 0)
        dprintf(ready_fd, "%s\n", error);
    close(ready_fd);
    /* Latencies of half a millisecond are asked for; the default slack is a tenth of that. */
    prctl(PR_SET_TIMERSLACK, 1UL);
    while (r == 0)
        r = server_turn(&server);
    if (r != -ESHUTDOWN)
        fprintf(stderr, "coldvol %s: %s\n", place->name, strerror(-r));
    server_stop(&server);
    return r == -ESHUTDOWN ? 0 : 1;
}
