/* SPDX-License-Identifier: MIT */
#include "life.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>

/* A server in its loop ends within milliseconds; one that was stopped does not hear SIGTERM. */
#define TERM_WAIT_MSEC 1000
#define KILL_WAIT_MSEC 5000

#define CONNECTIONS "/sys/fs/fuse/connections"

/* Who holds the lock on the pid file; 0 when nobody does. */
static pid_t server_pid(const struct place *place)
{
    _cleanup_close_ int fd = open(place->pid, O_RDWR | O_CLOEXEC);
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
        return 0;
    return lock.l_pid;
}

static int signal_and_wait(int pidfd, int signal, int wait_msec)
{
    struct pollfd fds = { .fd = pidfd, .events = POLLIN };

    if (syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) < 0)
        return errno == ESRCH ? 0 : -errno;
    return poll(&fds, 1, wait_msec) > 0 ? 0 : -ETIMEDOUT;
}

static int end_server(const struct place *place)
{
    pid_t pid = server_pid(place);
    _cleanup_close_ int pidfd = -1;
    int r;

    if (pid <= 0)
        return 0;
    pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0)
        return errno == ESRCH ? 0 : -errno;
    /* Between asking for the lock and opening, another could have got the number. */
    if (server_pid(place) != pid)
        return 0;
    r = signal_and_wait(pidfd, SIGTERM, TERM_WAIT_MSEC);
    if (r == -ETIMEDOUT)
        r = signal_and_wait(pidfd, SIGKILL, KILL_WAIT_MSEC);
    return r;
}

/* From the list of mounts: stat() on a mount whose server hangs would hang too. */
static int connection_number(const struct place *place, unsigned *ret)
{
    _cleanup_(fclose_p) FILE *mounts = fopen("/proc/self/mountinfo", "re");
    _cleanup_free_ char *line = NULL;
    char wanted[PATH_MAX + 2];
    size_t room = 0;

    if (!mounts)
        return -errno;
    snprintf(wanted, sizeof(wanted), " %s ", place->mount);
    while (getline(&line, &room, mounts) > 0) {
        if (strstr(line, wanted) && sscanf(line, "%*u %*u %*u:%u", ret) == 1)
            return 0;
    }
    return -ENOENT;
}

/* For a server that even SIGKILL does not end, since the disk of its backing file hangs. */
static void abort_connection(const struct place *place)
{
    char path[128];
    unsigned number = 0;
    int fd;

    if (connection_number(place, &number) < 0)
        return;
    snprintf(path, sizeof(path), CONNECTIONS "/%u/abort", number);
    if (access(path, F_OK) < 0)
        mount("fusectl", CONNECTIONS, "fusectl", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "1", 1);
    close(fd);
}

int life_down(const struct place *place, bool keep_state)
{
    int r, result = 0;

    /* One that was kept is gone already, unless its state is to go too. */
    if (access(keep_state ? place->pid : place->folder, F_OK) < 0)
        return -errno;
    /* First the server: with it end all the reads that a detaching loop would wait for. */
    r = end_server(place);
    if (r < 0) {
        fprintf(stderr, "coldvol: %s: the server does not end (%s); aborting its mount\n",
                place->name, strerror(-r));
        abort_connection(place);
        result = r;
    }
    r = loop_detach(place);
    if (r < 0 && r != -ENOENT) {
        fprintf(stderr, "coldvol: %s: detaching the loop device: %s\n", place->name, strerror(-r));
        result = r;
    }
    if (umount2(place->mount, MNT_DETACH) < 0 && errno != EINVAL && errno != ENOENT) {
        fprintf(stderr, "coldvol: %s: unmounting %s: %s\n", place->name, place->mount,
                strerror(errno));
        result = -errno;
    }
    place_remove(place, keep_state);
    return result;
}
