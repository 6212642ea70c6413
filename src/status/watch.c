/* SPDX-License-Identifier: MIT */
#include "status/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "status/json.h"
#include "status/match.h"
#include "status/wait.h"

#define TICK_USEC (USEC_PER_SEC / 2)

/* Ten years: whoever asks for more means for ever. */
#define TIMEOUT_MAX_SEC (10.0 * 365 * 24 * 3600)

struct watch {
    TAILQ_ENTRY(watch) link;
    struct watches *watches;
    struct varlink_call *call;
    json_t *parameters; /* holds the strings of .what */
    struct interface_arguments arguments;
    bool is_wait;
    char *
        *all; /* of a wait without names: the devices that were there when discovery had settled */
    bool dirty;   /* something moved that the client was not told */
    json_t *last; /* what it was told */
    sd_event_source *timer;
};

TAILQ_HEAD(watch_list, watch);

struct watches {
    sd_event *event;
    const struct status_handlers *handlers;
    struct watch_list list;
    sd_event_source *tick;
    uint64_t ticked_usec; /* CLOCK_MONOTONIC */
};

static void free_strings(char **strings)
{
    for (size_t i = 0; strings && strings[i]; i++)
        free(strings[i]);
    free(strings);
}

static void watch_free(void *userdata)
{
    struct watch *watch = userdata;

    TAILQ_REMOVE(&watch->watches->list, watch, link);
    sd_event_source_disable_unref(watch->timer);
    json_decref(watch->last);
    free_strings(watch->all);
    json_decref(watch->parameters);
    free(watch->arguments.what);
    free(watch);
}

/* ---- what is told ---- */

static json_t *stream_reply(const struct watch *watch)
{
    const struct status_handlers *handlers = watch->watches->handlers;
    const struct fleet_report *report = handlers->report(handlers->userdata);
    _cleanup_free_ const struct volume_report **volumes = NULL;
    size_t n = 0;

    if (match_select(report, watch->arguments.what, &volumes, &n, NULL) < 0)
        return NULL;
    return fleet_to_json(report, volumes, n);
}

static json_t *wait_reply(const struct watch *watch, const struct fleet_report *report,
                          const struct wait_verdict *verdict)
{
    _cleanup_free_ const struct volume_report **volumes = NULL;
    size_t n = 0;

    if (match_select(report, watch->arguments.what, &volumes, &n, NULL) < 0)
        return NULL;
    return json_pack("{s:o, s:o, s:o}", "exit_status",
                     verdict->exit == WAIT_NOT_YET ? json_null() : json_integer(verdict->exit),
                     "why", text_to_json(verdict->why), "volumes", volumes_to_json(volumes, n));
}

/* Sends what has moved since the last time, unless the client is slow: then when it has caught up.
 */
static void tell(struct watch *watch, json_t *state)
{
    if (!varlink_call_can_send(watch->call)) {
        watch->dirty = true;
        json_decref(state);
        return;
    }
    if (state && watch->last && json_equal(state, watch->last)) {
        json_decref(state);
        return;
    }
    json_decref(watch->last);
    watch->last = json_incref(state);
    varlink_call_send(watch->call, state);
}

/* May free the watch. */
static void answer_wait(struct watch *watch, const struct fleet_report *report,
                        struct wait_verdict *verdict, bool timed_out)
{
    if (verdict->exit == WAIT_NOT_YET && timed_out)
        verdict->exit = WAIT_TIMEOUT;
    if (verdict->exit != WAIT_NOT_YET) {
        varlink_call_reply(watch->call, wait_reply(watch, report, verdict));
        watch_free(watch);
    } else if (varlink_call_wants_more(watch->call))
        tell(watch, wait_reply(watch, report, verdict));
}

/* NULL when out of memory. */
static char **devices_of(const struct fleet_report *report)
{
    char **devices = calloc(report->n_volumes + 1, sizeof(char *));

    for (size_t i = 0; devices && i < report->n_volumes; i++) {
        devices[i] = strdup(report->volumes[i].device);
        if (!devices[i]) {
            free_strings(devices);
            return NULL;
        }
    }
    return devices;
}

static bool is_among(char *const *devices, const char *device)
{
    while (*devices && strcmp(*devices, device) != 0)
        devices++;
    return *devices != NULL;
}

/* Without what came after discovery had settled. The caller frees ret->volumes. */
static int report_for(struct watch *watch, bool settled, const struct fleet_report *report,
                      struct fleet_report *ret)
{
    bool all = !watch->arguments.what || !watch->arguments.what[0];

    *ret = *report;
    ret->volumes = calloc(report->n_volumes + 1, sizeof(struct volume_report));
    if (!ret->volumes)
        return -ENOMEM;
    if (all && settled && !watch->all) {
        watch->all = devices_of(report);
        if (!watch->all)
            return -ENOMEM;
    }
    ret->n_volumes = 0;
    for (size_t i = 0; i < report->n_volumes; i++) {
        if (!watch->all || is_among(watch->all, report->volumes[i].device))
            ret->volumes[ret->n_volumes++] = report->volumes[i];
    }
    return 0;
}

static void look_at_wait(struct watch *watch, bool timed_out)
{
    const struct status_handlers *handlers = watch->watches->handlers;
    const struct wait_question question = {
        .what = watch->arguments.what,
        .percent = watch->arguments.percent,
        .any = watch->arguments.any,
        .settled = handlers->settled(handlers->userdata),
    };
    struct wait_verdict verdict = { .exit = WAIT_NOT_YET, .why = "memory is short" };
    struct fleet_report report = { 0 };

    if (report_for(watch, question.settled, handlers->report(handlers->userdata), &report) >= 0)
        wait_judge(&report, &question, &verdict);
    answer_wait(watch, &report, &verdict, timed_out);
    free(report.volumes);
}

/* May free the watch. */
static void look(struct watch *watch)
{
    watch->dirty = false;
    if (watch->is_wait)
        look_at_wait(watch, false);
    else
        tell(watch, stream_reply(watch));
}

/* ---- when ---- */

static int on_timeout(sd_event_source *source, uint64_t usec, void *userdata)
{
    (void)source;
    (void)usec;
    look_at_wait(userdata, true);
    return 0;
}

static void on_drained(struct varlink_call *call, void *userdata)
{
    struct watch *watch = userdata;

    (void)call;
    if (watch->dirty)
        look(watch);
}

static const struct varlink_call_events watch_events = {
    .drained = on_drained,
    .closed = watch_free,
};

static int on_tick(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct watches *watches = userdata;
    struct watch *watch, *next;

    (void)source;
    (void)usec;
    sd_event_now(watches->event, CLOCK_MONOTONIC, &watches->ticked_usec);
    for (watch = TAILQ_FIRST(&watches->list); watch; watch = next) {
        next = TAILQ_NEXT(watch, link);
        if (watch->dirty)
            look(watch);
    }
    return 0;
}

void watches_changed(struct watches *watches)
{
    struct watch *watch;

    if (TAILQ_EMPTY(&watches->list))
        return;
    TAILQ_FOREACH(watch, &watches->list, link)
    watch->dirty = true;
    sd_event_source_set_time(watches->tick, watches->ticked_usec + TICK_USEC);
    sd_event_source_set_enabled(watches->tick, SD_EVENT_ONESHOT);
}

/* ---- life ---- */

static struct watch *watch_new(struct watches *watches, struct varlink_call *call,
                               json_t *parameters, const struct interface_arguments *arguments)
{
    struct watch *watch = calloc(1, sizeof(*watch));

    if (!watch) {
        free(arguments->what);
        varlink_call_reply(call, NULL);
        return NULL;
    }
    *watch = (struct watch){
        .watches = watches,
        .call = call,
        .parameters = json_incref(parameters),
        .arguments = *arguments,
    };
    TAILQ_INSERT_TAIL(&watches->list, watch, link);
    varlink_call_keep(call, &watch_events, watch);
    return watch;
}

void watches_add_stream(struct watches *watches, struct varlink_call *call, json_t *parameters,
                        const struct interface_arguments *arguments)
{
    struct watch *watch = watch_new(watches, call, parameters, arguments);

    if (watch)
        look(watch);
}

void watches_add_wait(struct watches *watches, struct varlink_call *call, json_t *parameters,
                      const struct interface_arguments *arguments)
{
    struct watch *watch = watch_new(watches, call, parameters, arguments);
    double timeout_sec = arguments->timeout_sec;

    if (!watch)
        return;
    watch->is_wait = true;
    if (timeout_sec >= 0 && timeout_sec < TIMEOUT_MAX_SEC &&
        sd_event_add_time_relative(watches->event, &watch->timer, CLOCK_MONOTONIC,
                                   (uint64_t)(timeout_sec * (double)USEC_PER_SEC), 1, on_timeout,
                                   watch) < 0) {
        varlink_call_reply(call, NULL);
        watch_free(watch);
        return;
    }
    look(watch);
}

int watches_new(sd_event *event, const struct status_handlers *handlers, struct watches **ret)
{
    struct watches *watches = calloc(1, sizeof(*watches));
    int r;

    if (!watches)
        return -ENOMEM;
    TAILQ_INIT(&watches->list);
    watches->event = sd_event_ref(event);
    watches->handlers = handlers;
    r = sd_event_add_time(event, &watches->tick, CLOCK_MONOTONIC, 0, 1000, on_tick, watches);
    if (r >= 0)
        r = sd_event_source_set_enabled(watches->tick, SD_EVENT_OFF);
    if (r < 0) {
        watches_free(watches);
        return r;
    }
    *ret = watches;
    return 0;
}

void watches_free(struct watches *watches)
{
    sd_event_source_disable_unref(watches->tick);
    sd_event_unref(watches->event);
    free(watches);
}
