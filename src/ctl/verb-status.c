/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/size.h"
#include "ctl/client.h"
#include "ctl/verbs.h"
#include "status/json.h"
#include "status/render.h"
#include "status/terminal.h"

#define RECONNECT_USEC (USEC_PER_SEC / 2)

struct display {
    const struct ctl_options *options;
    struct parsed_report *last; /* what was shown; NULL before the first */
};

/* ---- one answer ---- */

static int print_json(const json_t *parameters)
{
    json_dumpf(parameters, stdout, REPORT_JSON_FLAGS);
    printf("\n");
    return fflush(stdout) < 0 ? -errno : 0;
}

static const struct volume_report *find_id(const struct fleet_report *report, const char *id)
{
    for (size_t i = 0; i < report->n_volumes; i++)
        if (strcmp(report->volumes[i].id, id) == 0)
            return &report->volumes[i];
    return NULL;
}

/* Rates and times change all the time and are no news. */
static bool is_news(const struct volume_report *now, const struct volume_report *before)
{
    return !before || now->state != before->state || strcmp(now->reason, before->reason) != 0 ||
           (int)volume_report_percent(now) != (int)volume_report_percent(before) ||
           (now->stalled_sec > 0) != (before->stalled_sec > 0) ||
           now->unreadable_bytes != before->unreadable_bytes ||
           strcmp(now->checkpoint_error, before->checkpoint_error) != 0;
}

static void print_news(const struct fleet_report *report, const struct parsed_report *last)
{
    for (size_t i = 0; i < report->n_volumes; i++) {
        const struct volume_report *volume = &report->volumes[i];
        const struct volume_report *before =
            last ? find_id(parsed_report_get(last), volume->id) : NULL;
        _cleanup_free_ char *line = NULL;

        if (!is_news(volume, before))
            continue;
        line = render_progress_plain(volume);
        if (line)
            printf("%s\n", line);
    }
    fflush(stdout);
}

static int print_table(const struct fleet_report *report, bool watch)
{
    struct render_options traits = terminal_render_options();
    _cleanup_free_ char *text = render_status(report, &traits);

    if (!text)
        return -ENOMEM;
    if (watch)
        terminal_redraw(text);
    else
        fputs(text, stdout);
    return fflush(stdout) < 0 ? -errno : 0;
}

/* -EBADMSG is explained. */
static int show(struct display *display, json_t *parameters)
{
    const struct ctl_options *options = display->options;
    _cleanup_(parsed_report_free_p) struct parsed_report *parsed = NULL;
    char error[REPORT_ERROR_MAX] = "";
    int r = 0;

    if (options->json)
        return print_json(parameters);
    r = report_from_json(parameters, &parsed, error);
    if (r < 0) {
        fprintf(stderr, "ebswarmctl: the daemon's answer makes no sense: %s\n",
                *error ? error : strerror(-r));
        return r;
    }
    if (options->watch && !terminal_is_stdout())
        print_news(parsed_report_get(parsed), display->last);
    else
        r = print_table(parsed_report_get(parsed), options->watch);
    if (display->last)
        parsed_report_free(display->last);
    display->last = steal_pointer(&parsed);
    return r;
}

/* ---- the conversation ---- */

static int ask(struct client *client, const struct ctl_options *options, uint64_t deadline_usec)
{
    return client_call(client, "io.ebswarm.Status",
                       json_pack("{s:o}", "what", client_names(options->what)), options->watch,
                       deadline_usec);
}

/* Shows answers until the connection ends (a negative errno) or there is an exit status. */
static int listen_to(struct client *client, struct display *display)
{
    const struct ctl_options *options = display->options;
    uint64_t deadline_usec = client_now_usec() + VERB_ANSWER_USEC;
    struct client_reply reply;
    int r;

    r = ask(client, options, deadline_usec);
    while (r == 0) {
        bool more;

        r = client_receive(client, deadline_usec, &reply);
        if (r < 0)
            return r;
        more = reply.continues;
        if (reply.error)
            r = client_explain_reply(&reply);
        else if (show(display, reply.parameters) < 0)
            r = CTL_EXIT_FAILURE;
        client_reply_clear(&reply);
        if (!more)
            return r;
        /* Nothing may change for hours. */
        deadline_usec = USEC_INFINITY;
    }
    return r;
}

static void sleep_usec(uint64_t usec)
{
    nanosleep(
        &(struct timespec){ (time_t)(usec / USEC_PER_SEC), (long)(usec % USEC_PER_SEC * 1000) },
        NULL);
}

static int connect_and_listen(struct display *display)
{
    _cleanup_(client_free_p) struct client *client = NULL;
    int r = client_connect(display->options->socket, &client);

    return r < 0 ? r : listen_to(client, display);
}

/* A daemon that restarts is waited for; it may not know its volumes yet when it is back. */
static int watch_on(struct display *display, int r)
{
    bool said = false;

    while (r < 0 || r == CTL_EXIT_NO_SUCH_VOLUME) {
        if (r < 0 && !said) {
            fprintf(stderr, "ebswarmctl: ebswarmd has gone; waiting for it\n");
            said = true;
        }
        sleep_usec(RECONNECT_USEC);
        r = connect_and_listen(display);
        if (r == -ECONNRESET)
            said = false;
    }
    return r;
}

int verb_status(const struct ctl_options *options)
{
    struct display display = { .options = options };
    int r;

    if (options->watch && !options->json && terminal_is_stdout())
        printf("\033[2J");
    r = connect_and_listen(&display);
    if (options->watch && display.last)
        r = watch_on(&display, r);
    if (r < 0) {
        client_explain(options->socket, r);
        r = CTL_EXIT_FAILURE;
    }
    if (display.last)
        parsed_report_free(display.last);
    return r;
}
