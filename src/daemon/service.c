/* SPDX-License-Identifier: MIT */
/* ebswarmd as a service: sd_notify, the socket, signals. */
#include "status/service.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "daemon/configuration.h"
#include "daemon/discovery.h"
#include "daemon/origins.h"
#include "daemon/paths.h"
#include "daemon/run.h"
#include "daemon/volumes.h"
#include "status/notify.h"
#include "warm/clock.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>

#define NOTIFY_USEC (UINT64_C(1) * 1000 * 1000)

struct service {
    const struct options *options;
    struct conf *conf;
    sd_event *event;
    struct fleet *fleet;
    struct discovery *discovery; /* these two NULL where the command line names devices */
    struct origins *origins;
    struct status_server *server;
    uint64_t notified_usec;
    bool stopping;
};

static const struct fleet_report *on_report(void *userdata)
{
    struct service *service = userdata;

    return fleet_report(service->fleet);
}

static bool on_settled(void *userdata)
{
    struct service *service = userdata;

    return fleet_is_settled(service->fleet) &&
           (!service->discovery || discovery_is_settled(service->discovery));
}

static int on_set_paused(const char *id, bool paused, void *userdata)
{
    struct service *service = userdata;
    const struct fleet_report *report = fleet_report(service->fleet);

    if (!id) {
        fleet_set_all_paused(service->fleet, paused);
        return 0;
    }
    for (size_t i = 0; i < report->n_volumes; i++) {
        if (strcmp(id, report->volumes[i].id) != 0)
            continue;
        if (paused)
            fleet_pause(service->fleet, i);
        else
            fleet_resume(service->fleet, i);
    }
    return 0;
}

static int apply(struct service *service)
{
    struct volumes_wanted wanted = {
        .options = service->options,
        .conf = service->conf,
        .found = service->discovery ? discovery_entries(service->discovery) : NULL,
        .told = service->origins ? origins_told(service->origins) : NULL,
        .may_wait = true,
    };
    int r = device_boot_id(wanted.boot_id);

    return r < 0 ? r : volumes_apply(service->fleet, &wanted);
}

/* A device has come or gone, an origin was told, or waiting for one is over. */
static void on_world_changed(void *userdata)
{
    struct service *service = userdata;

    if (!service->stopping && service->discovery && apply(service) < 0)
        log_error("memory is short: not every device that came or went is seen to");
}

static bool is_any_waiting(const struct fleet_report *report)
{
    for (size_t i = 0; i < report->n_volumes; i++) {
        if (report->volumes[i].state == VOLUME_WAITING_ORIGIN)
            return true;
    }
    return false;
}

static void on_changed(void *userdata)
{
    struct service *service = userdata;
    uint64_t now_usec = clock_now_usec();

    if (service->server)
        status_server_changed(service->server);
    if (service->stopping || now_usec - service->notified_usec < NOTIFY_USEC)
        return;
    service->notified_usec = now_usec;
    if (is_any_waiting(fleet_report(service->fleet)))
        on_world_changed(service);
    notify_status(fleet_report(service->fleet));
}

static int on_stop_signal(sd_event_source *source, const struct signalfd_siginfo *info,
                          void *userdata)
{
    struct service *service = userdata;

    (void)source;
    if (service->stopping)
        return 0;
    service->stopping = true;
    log_info("stopping on signal %s: progress is kept", sigabbrev_np((int)info->ssi_signo));
    notify_stopping("Stopping: writing the last checkpoints");
    fleet_stop(service->fleet, EXIT_SUCCESS);
    return 0;
}

/* A wrong new configuration keeps the old one; its findings were logged with file and line. */
static int on_reload_signal(sd_event_source *source, const struct signalfd_siginfo *info,
                            void *userdata)
{
    struct service *service = userdata;
    struct conf *conf = NULL;

    (void)source, (void)info;
    notify_reloading();
    if (configuration_load(service->options, &conf) < 0) {
        log_error("the new configuration is wrong, see above: the old one stays in force");
    } else {
        struct fleet_settings settings = configuration_fleet(conf, NULL, false);
        if (conf->engine != service->conf->engine)
            log_warning("Engine= takes effect at the next start");
        conf_free(service->conf);
        service->conf = conf;
        fleet_reconfigure(service->fleet, &settings);
        if (apply(service) < 0)
            log_error("memory is short: the new configuration is in force in part");
        log_info("the configuration was read again");
    }
    notify_ready(fleet_report(service->fleet));
    return 0;
}

static int watch_signals(struct service *service)
{
    static const int stop_signals[] = { SIGTERM, SIGINT };
    int r = 0;

    for (size_t i = 0; r >= 0 && i < 2; i++)
        r = sd_event_add_signal(service->event, NULL, stop_signals[i], on_stop_signal, service);
    return r < 0 ? r : sd_event_add_signal(service->event, NULL, SIGHUP, on_reload_signal, service);
}

/* The folder of /run/ebswarm/io.ebswarm, where systemd did not make it. */
static void make_folder_of(const char *path)
{
    _cleanup_free_ char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;

    if (!slash || slash == folder)
        return;
    *slash = '\0';
    if (mkdir(folder, 0755) < 0 && errno != EEXIST)
        log_warning("cannot make %s: %s", folder, strerror(errno));
}

static int serve(struct service *service)
{
    const struct status_handlers handlers = {
        .report = on_report,
        .settled = on_settled,
        .set_paused = on_set_paused,
        .userdata = service,
    };
    _cleanup_free_ char *path =
        service->options->socket ? strdup(service->options->socket) : paths_socket();
    int n = sd_listen_fds(1);

    if (!path)
        return -ENOMEM;
    if (n > 1)
        log_warning("%d sockets were passed; only the first is served", n);
    if (n < 1)
        make_folder_of(path);
    return status_server_new(service->event, path, n >= 1 ? SD_LISTEN_FDS_START : -1, &handlers,
                             &service->server);
}

static int start(struct service *service)
{
    int r = sd_event_default(&service->event);

    if (r < 0)
        return r;
    r = watch_signals(service);
    if (r < 0)
        return r;
    r = run_new_fleet(service->event, service->conf, false, on_changed, service, &service->fleet);
    if (r < 0)
        return r;
    r = serve(service);
    if (r < 0)
        return r;
    if (service->options->n_devices == 0) {
        r = origins_new(service->event, on_world_changed, service, &service->origins);
        if (r < 0)
            return r;
        r = discovery_new(service->event, on_world_changed, service, &service->discovery);
        if (r < 0)
            return r;
    }
    r = apply(service);
    if (r < 0)
        return r;
    r = sd_event_set_watchdog(service->event, true);
    if (r < 0)
        return r;
    if (!fleet_path(service->fleet, 0))
        log_info("there is no EBS volume now, and none is named; 'ebswarmctl list' tells why not");
    return notify_ready(fleet_report(service->fleet));
}

int run_service(const struct options *options, struct conf *conf)
{
    struct service service = { .options = options, .conf = conf };
    int r = start(&service);

    if (r < 0)
        log_error("cannot start: %s", strerror(-r));
    else
        r = sd_event_loop(service.event);
    status_server_free(service.server);
    discovery_free(service.discovery);
    origins_free(service.origins);
    fleet_free(service.fleet);
    conf_free(service.conf);
    sd_event_unref(service.event);
    return r < 0 ? EXIT_FAILURE : r;
}
