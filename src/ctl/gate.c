/* SPDX-License-Identifier: MIT */
#include "ctl/gate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "conf/file.h"

/* systemd.unit(5). */
static const char valid_characters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    ":-_.\\@";
static const char *const suffixes[] = { ".service",   ".socket", ".device", ".mount",
                                        ".automount", ".swap",   ".target", ".path",
                                        ".timer",     ".slice",  ".scope" };

static bool has_suffix(const char *name)
{
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    }
    return false;
}

int gate_unit_name(const char *name, char ret[GATE_UNIT_MAX])
{
    const char *suffix = has_suffix(name) ? "" : ".service";
    const char *at = strchr(name, '@');

    if (*name == '\0' || *name == '.' || strspn(name, valid_characters) != strlen(name) ||
        strlen(name) + strlen(suffix) >= GATE_UNIT_MAX)
        return -EINVAL;
    if (at && (at[1] == '.' || at[1] == '\0'))
        return -EINVAL;
    if (strncmp(name, "ebswarm", strlen("ebswarm")) == 0 || strncmp(name, "ebs-warm.", 9) == 0)
        return -EINVAL;
    snprintf(ret, GATE_UNIT_MAX, "%.240s%s", name, suffix);
    return 0;
}

int gate_waiting_unit(const char *unit, char ret[GATE_UNIT_MAX])
{
    int length = snprintf(ret, GATE_UNIT_MAX, GATE_UNIT_PREFIX "%s.service", unit);

    return length < GATE_UNIT_MAX ? 0 : -ENAMETOOLONG;
}

/* As systemd.service(5) quotes arguments and systemd.unit(5) specifiers. */
static void print_quoted(FILE *out, const char *text)
{
    fputs(" \"", out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if (*text == '%' || *text == '$')
            fputc(*text, out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static char *finish(FILE *out, char **text)
{
    bool failed = ferror(out) != 0;

    if (fclose(out) == 0 && !failed)
        return *text;
    free(*text);
    return NULL;
}

char *gate_unit_drop_in(const char *unit, const char *waiting_unit)
{
    char *text;

    if (asprintf(&text,
                 "# Written by ebswarmctl gate. To take it away: ebswarmctl gate --remove %s\n"
                 "[Unit]\nRequires=%s\nAfter=%s\n",
                 unit, waiting_unit, waiting_unit) < 0)
        return NULL;
    return text;
}

/* A path below a mount means nothing before that is there. Devices may come late. */
static bool is_below_a_mount(const char *what)
{
    return what[0] == '/' && strncmp(what, "/dev/", 5) != 0;
}

static void print_wait(FILE *out, const struct ctl_options *options, const char *const *what,
                       const char *program)
{
    fprintf(out, "ExecStart=\nExecStart=%s wait --percent=%u --timeout=\"%s\"%s%s --", program,
            options->percent, options->timeout_text ? options->timeout_text : GATE_TIMEOUT_TEXT,
            options->any ? " --any" : "", options->allow_incomplete ? " --allow-incomplete" : "");
    for (size_t i = 0; what[i]; i++)
        print_quoted(out, what[i]);
    fputc('\n', out);
    /* What wait(1) of ebswarmctl gives after a time-out. */
    if (!options->fail_on_timeout)
        fprintf(out, "# After the time-out the unit starts all the same.\nSuccessExitStatus=%d\n",
                CTL_EXIT_TIMEOUT);
}

char *gate_waiting_drop_in(const char *unit, const struct ctl_options *options,
                           const char *const *what, const char *program)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    fprintf(out, "# Written by ebswarmctl gate. To take it away: ebswarmctl gate --remove %s\n",
            unit);
    fprintf(out, "[Unit]\nDescription=Wait for warm EBS volumes before %s\n", unit);
    for (size_t i = 0; what[i]; i++) {
        if (!is_below_a_mount(what[i]))
            continue;
        fputs("RequiresMountsFor=", out);
        print_quoted(out, what[i]);
        fputc('\n', out);
    }
    fputs("[Service]\n", out);
    print_wait(out, options, what, program);
    /* systemd passes over sections that begin so; "ebswarmctl gate" reads it. */
    fprintf(out, "[X-Ebswarm]\nPercent=%u\nAny=%s\n", options->percent,
            options->any ? "yes" : "no");
    for (size_t i = 0; what[i]; i++)
        fprintf(out, "What=%s\n", what[i]);
    return finish(out, &text);
}

static int add_what(struct gate_wait *wait, const char *value)
{
    char **what = realloc(wait->what, (wait->n_what + 2) * sizeof(char *));

    if (!what)
        return -ENOMEM;
    wait->what = what;
    what[wait->n_what] = strdup(value);
    if (!what[wait->n_what])
        return -ENOMEM;
    what[++wait->n_what] = NULL;
    return 0;
}

struct reading {
    struct gate_wait *wait;
    int error;
};

static void on_assignment(const struct conf_assignment *assignment, void *userdata)
{
    struct reading *reading = userdata;
    int any, r = 0;

    if (strcmp(assignment->section, "X-Ebswarm") != 0)
        return;
    if (strcmp(assignment->key, "What") == 0)
        r = add_what(reading->wait, assignment->value);
    else if (strcmp(assignment->key, "Percent") == 0)
        r = parse_percent(assignment->value, &reading->wait->percent);
    else if (strcmp(assignment->key, "Any") == 0) {
        r = parse_boolean(assignment->value, &any);
        reading->wait->any = r >= 0 && any;
    }
    if (r < 0 && reading->error == 0)
        reading->error = r;
}

/* Other sections are systemd's to complain about. */
static void on_broken_line(const char *path, unsigned line, const char *what, void *userdata)
{
    (void)path, (void)line, (void)what, (void)userdata;
}

int gate_wait_read(const char *path, struct gate_wait *ret)
{
    struct reading reading = { .wait = ret };
    const struct conf_file_handlers handlers = {
        .assignment = on_assignment,
        .broken_line = on_broken_line,
        .userdata = &reading,
    };
    int r;

    *ret = (struct gate_wait){ .percent = 100 };
    r = conf_file_read(path, &handlers);
    return r < 0 ? r : reading.error;
}

void gate_wait_done(struct gate_wait *wait)
{
    for (size_t i = 0; i < wait->n_what; i++)
        free(wait->what[i]);
    free(wait->what);
    *wait = (struct gate_wait){ 0 };
}
