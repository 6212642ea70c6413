/* SPDX-License-Identifier: MIT */
/* Makes a unit start only when volumes are warm, and takes that back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomicfile.h"
#include "base/cleanup.h"
#include "ctl/gate.h"
#include "ctl/gates.h"
#include "ctl/resolve.h"
#include "ctl/systemctl.h"
#include "ctl/verbs.h"

#ifndef BINDIR
#define BINDIR "/usr/bin"
#endif

static int complain_about_name(const char *name)
{
    if (strncmp(name, "ebs", 3) == 0)
        fprintf(stderr, "ebswarmctl: %s: a unit of ebswarm cannot wait for itself\n", name);
    else
        fprintf(stderr,
                "ebswarmctl: %s: that is no unit's name; \"postgresql\" or "
                "\"postgresql@14.service\" is "
                "one, a template (\"postgresql@.service\") is not\n",
                name);
    return CTL_EXIT_USAGE;
}

/* Whether it is loaded, or can be; says on stderr when not. */
static bool unit_exists(const char *unit)
{
    _cleanup_free_ char *state = systemctl_property(unit, "LoadState");

    if (!state) {
        fprintf(stderr, "ebswarmctl: systemctl could not be asked for %s\n", unit);
        return false;
    }
    if (strcmp(state, "loaded") == 0)
        return true;
    fprintf(stderr, "ebswarmctl: %s: %s; see: systemctl list-unit-files\n", unit,
            strcmp(state, "not-found") == 0 ? "there is no such unit"
            : strcmp(state, "masked") == 0  ? "it is masked, so it never starts"
                                            : state);
    return false;
}

/* ebswarmd would wait for what waits for it. */
static bool is_before_the_daemon(const char *unit)
{
    static const char *const arguments[] = {
        "list-dependencies", "--after", "--all", "--plain", "--no-legend", "ebswarmd.service", NULL
    };
    _cleanup_free_ char *list = NULL;
    char *rest, *line;

    if (systemctl_run(arguments, &list) != 0)
        return false;
    for (rest = list; (line = strsep(&rest, "\n"));) {
        line += strspn(line, " \t*●○");
        if (strcmp(line, unit) == 0)
            return true;
    }
    return false;
}

/* The folder of a unit's drop-ins, made if need be. A descriptor, or -errno. */
static int open_folder(const char *unit, bool make)
{
    char path[sizeof(GATE_FOLDER) + GATE_UNIT_MAX + 4];

    snprintf(path, sizeof(path), GATE_FOLDER "/%s.d", unit);
    if (make && mkdir(path, 0755) < 0 && errno != EEXIST)
        return -errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int complain_about_file(const char *unit, int error)
{
    fprintf(stderr, "ebswarmctl: " GATE_FOLDER "/%s.d/" GATE_FILE ": %s%s\n", unit,
            strerror(-error), error == -EACCES || error == -EPERM ? "; be root" : "");
    return CTL_EXIT_FAILURE;
}

static int write_drop_in(const char *unit, const char *text)
{
    _cleanup_close_ int fd = open_folder(unit, true);
    int r = fd < 0 ? fd : atomic_write_file(fd, GATE_FILE, text, strlen(text), 0644);

    if (r < 0)
        return complain_about_file(unit, r);
    printf("# " GATE_FOLDER "/%s.d/" GATE_FILE "\n%s\n", unit, text);
    return 0;
}

/* 1 when there was none. */
static int remove_drop_in(const char *unit)
{
    char path[sizeof(GATE_FOLDER) + GATE_UNIT_MAX + 4];
    _cleanup_close_ int fd = open_folder(unit, false);

    if (fd == -ENOENT)
        return 1;
    if (fd < 0)
        return fd;
    if (unlinkat(fd, GATE_FILE, 0) < 0)
        return errno == ENOENT ? 1 : -errno;
    snprintf(path, sizeof(path), GATE_FOLDER "/%s.d", unit);
    if (rmdir(path) < 0 && errno != ENOTEMPTY && errno != EEXIST)
        return -errno;
    return 0;
}

static int reload(void)
{
    static const char *const arguments[] = { "daemon-reload", NULL };

    if (systemctl_run(arguments, NULL) == 0)
        return 0;
    fputs("ebswarmctl: systemctl daemon-reload failed; until it succeeds nothing has changed\n",
          stderr);
    return CTL_EXIT_FAILURE;
}

static int remove_gate(const char *unit, const char *waiting_unit)
{
    int first = remove_drop_in(unit), second;

    if (first == 1) {
        fprintf(stderr, "ebswarmctl: %s has no gate; see: ebswarmctl gate\n", unit);
        return CTL_EXIT_FAILURE;
    }
    if (first < 0)
        return complain_about_file(unit, first);
    second = remove_drop_in(waiting_unit);
    if (second < 0)
        return complain_about_file(waiting_unit, second);
    if (reload() != 0)
        return CTL_EXIT_FAILURE;
    printf("%s starts without waiting from now on\n", unit);
    return 0;
}

static void tell_when(const char *unit)
{
    _cleanup_free_ char *state = systemctl_property(unit, "ActiveState");

    if (state && strcmp(state, "active") == 0)
        printf("%s runs already: it waits at its next start\n", unit);
    else
        printf("%s waits from now on\n", unit);
}

/* Both files or none. */
static int write_gate(const struct ctl_options *options, const char *const *what, const char *unit,
                      const char *waiting_unit)
{
    _cleanup_free_ char *waiting = gate_waiting_drop_in(unit, options, what, BINDIR "/ebswarmctl");
    _cleanup_free_ char *drop_in = gate_unit_drop_in(unit, waiting_unit);

    if (!waiting || !drop_in)
        return CTL_EXIT_FAILURE;
    if (write_drop_in(waiting_unit, waiting) != 0)
        return CTL_EXIT_FAILURE;
    if (write_drop_in(unit, drop_in) != 0) {
        remove_drop_in(waiting_unit);
        return CTL_EXIT_FAILURE;
    }
    return reload();
}

/* A WHAT that can never match would wait in vain; it is kept as it was named. */
static int check_what(const struct ctl_options *options, const char *const *what)
{
    struct ctl_options copy = *options;
    char **names;
    int status;

    copy.what = what;
    status = ctl_resolve(&copy, &names);
    ctl_names_free(names);
    for (size_t i = 0; status == 0 && what[i]; i++) {
        if (strlen(what[i]) > GATE_WHAT_MAX || strpbrk(what[i], "\n\r")) {
            fprintf(stderr,
                    "ebswarmctl: gate: a WHAT has at most %d characters and no line break; the "
                    "volume's "
                    "id will do\n",
                    GATE_WHAT_MAX);
            status = CTL_EXIT_USAGE;
        }
    }
    return status;
}

static int add_gate(const struct ctl_options *options, const char *const *what, const char *unit,
                    const char *waiting_unit)
{
    int status = check_what(options, what);

    if (status != 0)
        return status;
    if (!unit_exists(unit))
        return CTL_EXIT_FAILURE;
    if (is_before_the_daemon(unit)) {
        fprintf(stderr,
                "ebswarmctl: %s starts before ebswarmd does: they would wait for each other\n",
                unit);
        return CTL_EXIT_FAILURE;
    }
    status = write_gate(options, what, unit, waiting_unit);
    if (status == 0)
        tell_when(unit);
    return status;
}

int verb_gate(const struct ctl_options *options)
{
    char unit[GATE_UNIT_MAX], waiting_unit[GATE_UNIT_MAX];

    if (!systemctl_is_there()) {
        fputs("ebswarmctl: systemd does not run this machine; use: ebswarmctl wait\n", stderr);
        return CTL_EXIT_FAILURE;
    }
    if (!options->what[0])
        return gates_show(options);
    if (gate_unit_name(options->what[0], unit) < 0 || gate_waiting_unit(unit, waiting_unit) < 0)
        return complain_about_name(options->what[0]);
    if (options->remove)
        return remove_gate(unit, waiting_unit);
    return add_gate(options, options->what + 1, unit, waiting_unit);
}
