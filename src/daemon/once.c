/* SPDX-License-Identifier: MIT */
/* ebswarmd --once: warms what is named, shows how far it is, and tells by its exit status. */
#include "base/cleanup.h"
#include "base/log.h"
#include "daemon/discovery.h"
#include "daemon/origins.h"
#include "daemon/progress.h"
#include "daemon/run.h"
#include "daemon/volumes.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

struct once {
    sd_event *event;
    struct fleet *fleet;
    struct progress_view *view;
    bool stopping;
};

/* The worst that happened to any volume. */
static int exit_status(const struct fleet_report *report)
{
    static const int order[] = { EXIT_WARM, EXIT_UNREADABLE, EXIT_UNKNOWN, EXIT_NO_SUCH };
    size_t worst = 0;

    for (size_t i = 0; i < report->n_volumes; i++) {
        const struct volume_report *volume = &report->volumes[i];
        size_t rank = 2;
        if (volume->state == VOLUME_WARM || volume->state == VOLUME_SKIPPED)
            rank = 0;
        else if (volume->state == VOLUME_INCOMPLETE)
            rank = 1;
        else if (volume->state == VOLUME_FAILED && volume->error == -ENOENT)
            rank = 3;
        if (rank > worst)
            worst = rank;
    }
    return order[worst];
}

static void on_changed(void *userdata)
{
    struct once *once = userdata;
    const struct fleet_report *report = fleet_report(once->fleet);

    progress_view_show(once->view, report);
    if (once->stopping || !fleet_is_over(once->fleet))
        return;
    once->stopping = true;
    fleet_stop(once->fleet, exit_status(report));
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
    struct once *once = userdata;

    (void)source;
    if (once->stopping)
        return 0;
    once->stopping = true;
    log_info("stopping on signal %s: what was read is kept for the next start",
             sigabbrev_np((int)info->ssi_signo));
    fleet_stop(once->fleet, EXIT_UNKNOWN);
    return 0;
}

/*
 * Without a device on the command line: all that are found or configured. Origins that were told
 * are heeded, but not waited for.
 */
static int choose_volumes(struct once *once, const struct options *options, const struct conf *conf)
{
    struct volumes_wanted wanted = { .options = options, .conf = conf };
    struct discovery *discovery = NULL;
    struct origins *origins = NULL;
    int r = device_boot_id(wanted.boot_id);

    if (r >= 0 && options->n_devices == 0) {
        r = discovery_new(once->event, NULL, NULL, &discovery);
        if (r >= 0)
            r = origins_new(once->event, NULL, NULL, &origins);
        if (r >= 0) {
            wanted.found = discovery_entries(discovery);
            wanted.told = origins_told(origins);
        }
    }
    if (r >= 0)
        r = volumes_apply(once->fleet, &wanted);
    discovery_free(discovery);
    origins_free(origins);
    if (r >= 0 && !fleet_path(once->fleet, 0)) {
        puts("There is no EBS volume here, and none is named: nothing needs warming.");
        once->stopping = true;
        fleet_stop(once->fleet, EXIT_WARM);
    }
    return r;
}

static int start(struct once *once, const struct options *options, const struct conf *conf)
{
    int r = sd_event_default(&once->event);

    if (r < 0)
        return r;
    r = sd_event_add_signal(once->event, NULL, SIGTERM, on_signal, once);
    if (r < 0)
        return r;
    r = sd_event_add_signal(once->event, NULL, SIGINT, on_signal, once);
    if (r < 0)
        return r;
    r = run_new_fleet(once->event, conf, true, on_changed, once, &once->fleet);
    return r < 0 ? r : choose_volumes(once, options, conf);
}

int run_once(const struct options *options, struct conf *conf)
{
    struct once once = { .view = progress_view_new() };
    int r;

    r = once.view ? start(&once, options, conf) : -ENOMEM;
    if (r >= 0)
        r = sd_event_loop(once.event);
    if (r >= 0)
        progress_view_finish(once.view, fleet_report(once.fleet));
    else
        log_error("cannot warm: %s", strerror(-r));
    progress_view_free(once.view);
    fleet_free(once.fleet);
    conf_free(conf);
    sd_event_unref(once.event);
    return r < 0 ? EXIT_UNKNOWN : r;
}
