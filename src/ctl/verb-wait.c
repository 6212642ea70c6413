/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/size.h"
#include "ctl/client.h"
#include "ctl/verbs.h"
#include "status/json.h"
#include "status/terminal.h"
#include "status/text.h"
#include "status/wait.h"

#define RECONNECT_USEC (USEC_PER_SEC / 5)
/* Without a time-out: longer than systemd takes to stop and start a daemon whose disk hangs. */
#define GIVE_UP_USEC (120 * USEC_PER_SEC)
/* The daemon itself ends the wait in time; this is for one that hangs. */
#define GRACE_USEC (1 * USEC_PER_SEC)

struct waiting {
    const struct ctl_options *options;
    uint64_t deadline_usec; /* USEC_INFINITY */
    bool was_connected;
    bool line_shown;
    char why[WAIT_WHY_MAX]; /* the last that the daemon said */
};

static const char *member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* ---- what is shown ---- */

static void clear_line(struct waiting *waiting)
{
    if (waiting->line_shown)
        printf("\r\033[K");
    waiting->line_shown = false;
    fflush(stdout);
}

/* One line that is written over, on a terminal only. */
static void show_progress(struct waiting *waiting)
{
    struct render_options traits = terminal_render_options();
    _cleanup_free_ char *clean = NULL;

    if (!terminal_is_stdout() || waiting->options->json)
        return;
    clean = text_clean(waiting->why, traits.utf8);
    if (!clean)
        return;
    printf("\r%.*s\033[K", (int)text_bytes_of_columns(clean, traits.width - 1), clean);
    fflush(stdout);
    waiting->line_shown = true;
}

static void print_volumes(const json_t *volumes)
{
    for (size_t i = 0; i < json_array_size(volumes); i++) {
        const json_t *volume = json_array_get(volumes, i);
        const char *reason = member(volume, "reason");
        _cleanup_free_ char *line = NULL;
        char *raw = NULL;

        if (asprintf(&raw, "%s (%s): %s%s%s", member(volume, "id"), member(volume, "device"),
                     member(volume, "state"), *reason ? ": " : "", reason) < 0)
            return;
        line = text_clean(raw, true);
        free(raw);
        printf("%s\n", line ? line : "");
    }
    if (json_array_size(volumes) == 0)
        printf("no volumes to warm\n");
}

static int finish(struct waiting *waiting, const struct client_reply *reply)
{
    const json_t *status = json_object_get(reply->parameters, "exit_status");
    int exit = (int)json_integer_value(status);

    clear_line(waiting);
    if (!json_is_integer(status) || json_integer_value(status) < 0 ||
        json_integer_value(status) > WAIT_NO_SUCH_VOLUME) {
        client_explain(waiting->options->socket, -EBADMSG);
        return WAIT_CANNOT_TELL;
    }
    if (waiting->options->json) {
        json_dumpf(reply->parameters, stdout, REPORT_JSON_FLAGS);
        printf("\n");
    } else if (exit == WAIT_WARM || (exit == WAIT_UNREADABLE && waiting->options->allow_incomplete))
        print_volumes(json_object_get(reply->parameters, "volumes"));
    else
        fprintf(stderr, "ebswarmctl: %s%s\n", exit == WAIT_TIMEOUT ? "time-out: " : "",
                member(reply->parameters, "why"));
    return exit == WAIT_UNREADABLE && waiting->options->allow_incomplete ? WAIT_WARM : exit;
}

static int time_is_over(struct waiting *waiting)
{
    clear_line(waiting);
    fprintf(stderr, "ebswarmctl: time-out, and ebswarmd does not answer; it said last: %s\n",
            *waiting->why ? waiting->why : "nothing");
    return WAIT_TIMEOUT;
}

/* ---- the conversation ---- */

static json_t *make_parameters(const struct waiting *waiting)
{
    uint64_t now = client_now_usec();
    uint64_t left_usec = waiting->deadline_usec > now ? waiting->deadline_usec - now : 0;

    return json_pack("{s:o, s:i, s:b, s:o}", "what", client_names(waiting->options->what),
                     "percent", (int)waiting->options->percent, "any", waiting->options->any,
                     "timeout_sec",
                     waiting->deadline_usec == USEC_INFINITY
                         ? json_null()
                         : json_real((double)left_usec / (double)USEC_PER_SEC));
}

/* An exit status, or a negative errno when the connection is lost. */
static int listen_to(struct client *client, struct waiting *waiting)
{
    uint64_t hung_usec = waiting->deadline_usec > UINT64_MAX - GRACE_USEC
                             ? USEC_INFINITY
                             : waiting->deadline_usec + GRACE_USEC;
    int r = client_call(client, "io.ebswarm.Wait", make_parameters(waiting), true, hung_usec);

    while (r == 0) {
        struct client_reply reply;
        bool more;

        r = client_receive(client, hung_usec, &reply);
        if (r < 0)
            return r;
        more = reply.continues && !reply.error;
        if (more) {
            snprintf(waiting->why, sizeof(waiting->why), "%s", member(reply.parameters, "why"));
            show_progress(waiting);
        } else {
            r = reply.error ? client_explain_reply(&reply) : finish(waiting, &reply);
        }
        client_reply_clear(&reply);
        if (!more)
            return r;
    }
    return r;
}

static int connect_and_listen(struct waiting *waiting)
{
    _cleanup_(client_free_p) struct client *client = NULL;
    int r = client_connect(waiting->options->socket, &client);

    if (r < 0)
        return r;
    waiting->was_connected = true;
    return listen_to(client, waiting);
}

/* A daemon that restarts is waited for. */
static int wait_on(struct waiting *waiting, int r)
{
    uint64_t lost_usec = client_now_usec();

    while (r < 0) {
        uint64_t now = client_now_usec();

        if (now >= waiting->deadline_usec)
            return time_is_over(waiting);
        if (r == -EBADMSG ||
            (waiting->deadline_usec == USEC_INFINITY && now - lost_usec > GIVE_UP_USEC))
            return r;
        nanosleep(&(struct timespec){ 0, (long)(RECONNECT_USEC * 1000) }, NULL);
        waiting->was_connected = false;
        r = connect_and_listen(waiting);
        if (waiting->was_connected)
            lost_usec = client_now_usec();
    }
    return r;
}

int verb_wait(const struct ctl_options *options)
{
    struct waiting waiting = { .options = options, .deadline_usec = USEC_INFINITY };
    int r;

    if (options->timeout_usec != USEC_INFINITY)
        waiting.deadline_usec = client_now_usec() + options->timeout_usec;
    r = connect_and_listen(&waiting);
    if (r < 0 && waiting.was_connected)
        r = wait_on(&waiting, r);
    if (r < 0) {
        clear_line(&waiting);
        client_explain(options->socket, r);
        r = WAIT_CANNOT_TELL;
    }
    return r;
}
