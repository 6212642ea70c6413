/* SPDX-License-Identifier: MIT */
#include "ctl/systemctl.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/cleanup.h"

#define ARGUMENTS_MAX 12

extern char **environ;

bool systemctl_is_there(void)
{
    return sd_booted() > 0;
}

static int spawn(char *const *argv, int output_fd, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    int r = posix_spawn_file_actions_init(&actions);

    if (r != 0)
        return -r;
    r = posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
    if (r == 0)
        r = posix_spawnp(ret_pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return -r;
}

/* All until the end; closes `fd`. */
static char *read_all(int fd)
{
    _cleanup_(fclose_p) FILE *in = fdopen(fd, "r");
    char *text = NULL;
    size_t allocated = 0;

    if (!in) {
        close(fd);
        return NULL;
    }
    if (getdelim(&text, &allocated, '\0', in) < 0) {
        free(text);
        return ferror(in) ? NULL : strdup("");
    }
    return text;
}

int systemctl_run(const char *const *arguments, char **ret_output)
{
    /* posix_spawn() wants the strings writable and leaves them alone. */
    char *argv[ARGUMENTS_MAX + 2] = { (char *)(uintptr_t) "systemctl" };
    _cleanup_free_ char *output = NULL;
    int fds[2], status, r;
    pid_t pid = -1;

    for (size_t i = 0; arguments[i]; i++) {
        if (i == ARGUMENTS_MAX)
            return -E2BIG;
        argv[i + 1] = (char *)(uintptr_t)arguments[i];
    }
    if (pipe2(fds, O_CLOEXEC) < 0)
        return -errno;
    r = spawn(argv, fds[1], &pid);
    close(fds[1]);
    if (r < 0) {
        close(fds[0]);
        return r;
    }
    output = read_all(fds[0]);
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -errno;
    }
    if (!output)
        return -ENOMEM;
    if (ret_output)
        *ret_output = steal_pointer(&output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EPROTO;
}

char *systemctl_property(const char *unit, const char *property)
{
    const char *const arguments[] = { "show", "--value", "-p", property, "--", unit, NULL };
    char *output = NULL;

    if (systemctl_run(arguments, &output) != 0 || !output) {
        free(output);
        return NULL;
    }
    output[strcspn(output, "\n")] = '\0';
    return output;
}
