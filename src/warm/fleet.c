/* SPDX-License-Identifier: MIT */
#include "warm/fleet.h"

#include "base/cleanup.h"
#include "base/job.h"
#include "base/log.h"
#include "base/size.h"
#include "warm/clock.h"
#include "warm/volume.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#define TICK_USEC      (200 * USEC_PER_MSEC)
#define TICK_REST_USEC (1000 * USEC_PER_MSEC)
/* Of the 2 s that a stop may take: for reads in flight, and until the last checkpoint is written.
 */
#define STOP_READS_USEC (900 * USEC_PER_MSEC)
#define STOP_TOTAL_USEC (1700 * USEC_PER_MSEC)

struct fleet {
    struct warm_context context;
    sd_event *event;
    sd_event_source *tick_source, *engine_source, *jobs_source;
    struct volume **volumes;
    size_t n_volumes;
    fleet_changed_fn changed;
    void *userdata;
    struct fleet_report report;
    uint64_t stop_usec; /* when fleet_stop() was called; 0 before */
    int exit_status;
};

DEFINE_CLEANUP(struct fleet *, fleet_free, fleet_free_p)

static bool any_goes_first(const struct fleet *fleet, uint64_t now_usec)
{
    for (size_t i = 0; i < fleet->n_volumes; i++) {
        if (volume_goes_first(fleet->volumes[i], now_usec))
            return true;
    }
    return false;
}

static void pump(struct fleet *fleet)
{
    uint64_t now_usec = clock_now_usec();

    fleet->context.others_first = any_goes_first(fleet, now_usec);
    for (size_t i = 0; i < fleet->n_volumes; i++)
        volume_pump(fleet->volumes[i], now_usec);
    engine_submit(fleet->context.engine);
}

static void tell_if_changed(struct fleet *fleet)
{
    if (!fleet->context.changed)
        return;
    fleet->context.changed = false;
    fleet->changed(fleet->userdata);
}

static bool reads_are_back(const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->n_volumes; i++) {
        const struct volume *volume = fleet->volumes[i];
        if (volume->disk && disk_in_flight(volume->disk) > 0)
            return false;
    }
    return true;
}

static bool all_is_saved(const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->n_volumes; i++) {
        if (!fleet->volumes[i]->saved_finally || fleet->volumes[i]->saving)
            return false;
    }
    return true;
}

/* Called whenever something has come back or time has passed. */
static void stop_step(struct fleet *fleet)
{
    uint64_t age_usec = clock_now_usec() - fleet->stop_usec;

    if (fleet->stop_usec == 0)
        return;
    if (!reads_are_back(fleet) && age_usec < STOP_READS_USEC)
        return;
    for (size_t i = 0; i < fleet->n_volumes; i++)
        keeping_save_finally(fleet->volumes[i]);
    if (!all_is_saved(fleet) && age_usec < STOP_TOTAL_USEC)
        return;
    sd_event_exit(fleet->event, fleet->exit_status);
}

static int on_engine(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct fleet *fleet = userdata;

    (void)source, (void)fd, (void)events;
    engine_dispatch(fleet->context.engine);
    pump(fleet);
    stop_step(fleet);
    tell_if_changed(fleet);
    return 0;
}

static int on_jobs(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
    struct fleet *fleet = userdata;

    (void)source, (void)fd, (void)events;
    jobs_dispatch(fleet->context.jobs);
    pump(fleet);
    stop_step(fleet);
    tell_if_changed(fleet);
    return 0;
}

static bool is_resting(const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->n_volumes; i++) {
        if (!volume_state_is_final(fleet->volumes[i]->state) &&
            fleet->volumes[i]->state != VOLUME_PAUSED)
            return false;
    }
    return fleet->stop_usec == 0;
}

static int on_tick(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct fleet *fleet = userdata;
    uint64_t now_usec = clock_now_usec();

    (void)usec;
    for (size_t i = 0; i < fleet->n_volumes; i++)
        volume_tick(fleet->volumes[i], now_usec);
    pump(fleet);
    stop_step(fleet);
    fleet->context.changed = false;
    fleet->changed(fleet->userdata);
    sd_event_source_set_time_relative(source, is_resting(fleet) ? TICK_REST_USEC : TICK_USEC);
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static const struct volume *find_twin(const struct warm_context *context,
                                      const struct volume *volume)
{
    const struct fleet *fleet = context->fleet;

    for (size_t i = 0; i < fleet->n_volumes; i++) {
        const struct volume *other = fleet->volumes[i];
        if (other != volume && other->disk && strcmp(other->id, volume->id) == 0)
            return other;
    }
    return NULL;
}

static int attach_sources(struct fleet *fleet)
{
    int r = sd_event_add_io(fleet->event, &fleet->engine_source, engine_fd(fleet->context.engine),
                            EPOLLIN, on_engine, fleet);
    if (r < 0)
        return r;
    r = sd_event_add_io(fleet->event, &fleet->jobs_source, jobs_fd(fleet->context.jobs), EPOLLIN,
                        on_jobs, fleet);
    if (r < 0)
        return r;
    return sd_event_add_time_relative(fleet->event, &fleet->tick_source, CLOCK_MONOTONIC, TICK_USEC,
                                      20 * USEC_PER_MSEC, on_tick, fleet);
}

static int fill_context(struct fleet *fleet, const struct fleet_settings *settings,
                        const char **ret_reason)
{
    struct warm_context *context = &fleet->context;
    int r;

    if (settings->state_directory) {
        context->state_directory = strdup(settings->state_directory);
        if (!context->state_directory)
            return -ENOMEM;
    }
    context->once = settings->once;
    context->find_twin = find_twin;
    context->fleet = fleet;
    fleet_reconfigure(fleet, settings);
    r = jobs_new(&context->jobs);
    return r < 0 ? r : engine_new(settings->engine, &context->engine, ret_reason);
}

int fleet_new(sd_event *event, const struct fleet_settings *settings, fleet_changed_fn changed,
              void *userdata, struct fleet **ret, const char **ret_reason)
{
    _cleanup_(fleet_free_p) struct fleet *fleet = calloc(1, sizeof(*fleet));
    int r;

    *ret_reason = "";
    if (!fleet)
        return -ENOMEM;
    fleet->event = sd_event_ref(event);
    fleet->changed = changed;
    fleet->userdata = userdata;
    r = fill_context(fleet, settings, ret_reason);
    if (r < 0)
        return r;
    r = attach_sources(fleet);
    if (r < 0)
        return r;
    *ret = steal_pointer(&fleet);
    return 0;
}

void fleet_free(struct fleet *fleet)
{
    if (!fleet)
        return;
    for (size_t i = 0; i < fleet->n_volumes; i++)
        volume_free(fleet->volumes[i]);
    free(fleet->volumes);
    sd_event_source_disable_unref(fleet->tick_source);
    sd_event_source_disable_unref(fleet->engine_source);
    sd_event_source_disable_unref(fleet->jobs_source);
    engine_free(fleet->context.engine);
    jobs_free(fleet->context.jobs);
    free(fleet->context.state_directory);
    free(fleet->report.volumes);
    sd_event_unref(fleet->event);
    free(fleet);
}

void fleet_reconfigure(struct fleet *fleet, const struct fleet_settings *settings)
{
    fleet->context.checkpoint_interval_usec = settings->checkpoint_interval_usec;
    fleet->context.checkpoint_bytes = settings->checkpoint_bytes;
}

static size_t find_path(const struct fleet *fleet, const char *path)
{
    size_t i = 0;

    while (i < fleet->n_volumes && strcmp(fleet->volumes[i]->path, path) != 0)
        i++;
    return i;
}

static int add(struct fleet *fleet, const char *path, const struct volume_settings *settings)
{
    struct volume **volumes =
        realloc(fleet->volumes, (fleet->n_volumes + 1) * sizeof(struct volume *));
    struct volume *volume;

    if (!volumes)
        return -ENOMEM;
    fleet->volumes = volumes;
    volume = volume_new(&fleet->context, path, settings);
    if (!volume)
        return -ENOMEM;
    fleet->volumes[fleet->n_volumes++] = volume;
    return 0;
}

int fleet_set(struct fleet *fleet, const char *path, const struct volume_settings *settings)
{
    size_t n = find_path(fleet, path);

    if (n == fleet->n_volumes)
        return add(fleet, path, settings);
    volume_configure(fleet->volumes[n], settings);
    return 0;
}

int fleet_remove(struct fleet *fleet, const char *path)
{
    size_t n = find_path(fleet, path);

    if (n == fleet->n_volumes)
        return -ENOENT;
    keeping_save(fleet->volumes[n]);
    volume_free(fleet->volumes[n]);
    fleet->n_volumes--;
    memmove(fleet->volumes + n, fleet->volumes + n + 1,
            (fleet->n_volumes - n) * sizeof(struct volume *));
    return 0;
}

uint64_t fleet_age_usec(const struct fleet *fleet, const char *path)
{
    size_t n = find_path(fleet, path);

    return n < fleet->n_volumes ? clock_now_usec() - fleet->volumes[n]->added_usec : 0;
}

const char *fleet_path(const struct fleet *fleet, size_t n)
{
    return n < fleet->n_volumes ? fleet->volumes[n]->path : NULL;
}

void fleet_pause(struct fleet *fleet, size_t n)
{
    volume_pause(fleet->volumes[n]);
}

void fleet_resume(struct fleet *fleet, size_t n)
{
    volume_resume(fleet->volumes[n]);
    pump(fleet);
}

void fleet_set_all_paused(struct fleet *fleet, bool paused)
{
    fleet->context.all_paused = paused;
    for (size_t i = 0; i < fleet->n_volumes; i++) {
        if (paused)
            volume_pause(fleet->volumes[i]);
        else
            volume_resume(fleet->volumes[i]);
    }
    pump(fleet);
}

static size_t count(const struct fleet *fleet, enum volume_state state)
{
    size_t n = 0;

    for (size_t i = 0; i < fleet->n_volumes; i++)
        n += fleet->volumes[i]->state == state;
    return n;
}

static const char *state_in_a_word(const struct fleet *fleet)
{
    if (fleet->n_volumes == 0)
        return "idle";
    if (count(fleet, VOLUME_WARMING) + count(fleet, VOLUME_CHECKING_BEFORE) +
            count(fleet, VOLUME_CHECKING_AFTER) >
        0)
        return "warming";
    if (count(fleet, VOLUME_FOUND) + count(fleet, VOLUME_WAITING_ORIGIN) > 0)
        return "starting";
    if (count(fleet, VOLUME_PAUSED) > 0)
        return "paused";
    if (count(fleet, VOLUME_FAILED) + count(fleet, VOLUME_GONE) + count(fleet, VOLUME_INCOMPLETE) >
        0)
        return "incomplete";
    return "warm";
}

const struct fleet_report *fleet_report(struct fleet *fleet)
{
    struct fleet_report *report = &fleet->report;
    struct volume_report *volumes =
        realloc(report->volumes, (fleet->n_volumes + 1) * sizeof(*volumes));

    if (volumes) {
        report->volumes = volumes;
        report->n_volumes = fleet->n_volumes;
    } else if (report->n_volumes > fleet->n_volumes) {
        report->n_volumes = fleet->n_volumes;
    }
    for (size_t i = 0; i < report->n_volumes; i++)
        volume_fill_report(fleet->volumes[i], &report->volumes[i]);
    report->version = EBSWARM_VERSION;
    report->state = state_in_a_word(fleet);
    report->engine = engine_name(fleet->context.engine);
    report->engine_reason = engine_fallback_reason(fleet->context.engine);
    return report;
}

bool fleet_is_settled(const struct fleet *fleet)
{
    return count(fleet, VOLUME_FOUND) == 0;
}

bool fleet_is_over(const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->n_volumes; i++) {
        if (!volume_state_is_final(fleet->volumes[i]->state))
            return false;
    }
    return true;
}

void fleet_stop(struct fleet *fleet, int exit_status)
{
    if (fleet->stop_usec > 0)
        return;
    fleet->stop_usec = clock_now_usec();
    fleet->exit_status = exit_status;
    for (size_t i = 0; i < fleet->n_volumes; i++)
        volume_stop(fleet->volumes[i]);
    stop_step(fleet);
}
