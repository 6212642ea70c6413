/* SPDX-License-Identifier: MIT */
#include "life.h"

#include "base/cleanup.h"
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int complain(const struct place *place, const char *what, int r)
{
    fprintf(stderr, "coldvol: %s: %s: %s\n", place->name, what, strerror(-r));
    return r;
}

/* Takes the name: of two who try at once, one fails. */
static int claim(const struct place *place)
{
    int fd, r = place_make(place);

    if (r < 0)
        return complain(place, place->folder, r);
    fd = open(place->pid, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST) {
        fprintf(stderr, "coldvol: %s is up already, or was left by a crash: `coldvol down %s`\n",
                place->name, place->name);
        return -EEXIST;
    }
    if (fd < 0)
        return complain(place, place->pid, -errno);
    close(fd);
    if (mkdir(place->mount, 0755) < 0 && errno != EEXIST)
        return complain(place, place->mount, -errno);
    return 0;
}

/* Leaves the caller's session and all of its files but the one that says "ready". */
static int detach_from_caller(const struct place *place, int ready_fd)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int log = open(place->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

    if (null < 0 || log < 0)
        return -errno;
    if (setsid() < 0 || chdir("/") < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        return -errno;
    if (dup2(ready_fd, STDERR_FILENO + 1) < 0)
        return -errno;
    close_range(STDERR_FILENO + 2, ~0U, 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    return 0;
}

static void __attribute__((noreturn))
serve(const struct place *place, const struct settings *settings, int ready_fd)
{
    int r = detach_from_caller(place, ready_fd);

    if (r < 0) {
        dprintf(ready_fd, "%s: %s\n", place->log, strerror(-r));
        _exit(1);
    }
    umask(022);
    /* Under a sanitizer exit() would look for leaks, which the caller's memory is not. */
    _exit(server_run(place, settings, STDERR_FILENO + 1));
}

/* Twice, so that nobody has to wait for the server's end. */
static pid_t fork_server(const struct place *place, const struct settings *settings, int ready_fd)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    child = fork();
    if (child == 0)
        serve(place, settings, ready_fd);
    _exit(child < 0 ? 1 : 0);
}

static int start_server(const struct place *place, const struct settings *settings)
{
    _cleanup_(fclose_p) FILE *ready = NULL;
    char line[SETTINGS_ERROR_MAX];
    int pipe_fds[2], status = 0;
    pid_t child;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return complain(place, "pipe", -errno);
    fflush(NULL);
    child = fork_server(place, settings, pipe_fds[1]);
    close(pipe_fds[1]);
    ready = fdopen(pipe_fds[0], "r");
    if (child < 0 || !ready)
        return complain(place, "starting the server", -errno);
    if (waitpid(child, &status, 0) < 0 || status != 0)
        return complain(place, "starting the server", -EAGAIN);
    if (!fgets(line, sizeof(line), ready))
        return 0;
    fprintf(stderr, "coldvol: %s: %s", place->name, line);
    return -EIO;
}

int life_up(const struct place *place, const struct settings *settings,
            const struct loop_options *loop)
{
    int kept = access(place->record, F_OK) == 0;
    int r = claim(place);

    if (r == -EEXIST)
        return r;
    if (r == 0)
        r = start_server(place, settings);
    if (r == 0 && loop) {
        r = loop_attach(place, loop);
        if (r < 0)
            complain(place, loop->device ? loop->device : "attaching a loop device", r);
    }
    if (r < 0)
        life_down(place, kept);
    return r;
}
