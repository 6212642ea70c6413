/* SPDX-License-Identifier: MIT */
#include "daemon/run.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "daemon/configuration.h"
#include "daemon/paths.h"

#include <errno.h>
#include <string.h>

int run_new_fleet(sd_event *event, const struct conf *conf, bool once, fleet_changed_fn changed,
                  void *userdata, struct fleet **ret)
{
    _cleanup_free_ char *state_directory = paths_state_directory();
    struct fleet_settings settings = configuration_fleet(conf, state_directory, once);
    const struct fleet_report *report;
    const char *reason;
    int r;

    if (!state_directory)
        return -ENOMEM;
    r = fleet_new(event, &settings, changed, userdata, ret, &reason);
    if (r < 0) {
        log_error("cannot start reading: %s%s%s%s", strerror(-r), reason[0] ? ": " : "", reason,
                  conf->engine == CONF_ENGINE_IO_URING ? "; Engine=auto would fall back to threads"
                                                       : "");
        return r;
    }
    report = fleet_report(*ret);
    if (report->engine_reason[0])
        log_notice("reading with threads, since io_uring is refused: %s", report->engine_reason);
    else
        log_debug("reading with %s", report->engine);
    return 0;
}
