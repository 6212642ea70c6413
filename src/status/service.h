/* SPDX-License-Identifier: MIT */
/* The socket: interface io.ebswarm (io.ebswarm.varlink) over the fleet's report. */
#ifndef STATUS_SERVICE_H
#define STATUS_SERVICE_H

#include <stdbool.h>

#include <systemd/sd-event.h>

#include "warm/report.h"

struct status_server;

/* Where the server gets its facts and sends its orders; all run on the event loop. */
struct status_handlers {
    /* Never NULL; valid until the next call. */
    const struct fleet_report *(*report)(void *userdata);
    /* Discovery has settled: what is not in the report now is not there. Wait answers nothing
     * before. */
    bool (*settled)(void *userdata);
    /*
     * `id` is a volume's id as the report has it; NULL stands for the whole fleet. Pausing what is
     * paused, or is finished, is no error. -errno goes to the client as io.ebswarm.Failed.
     */
    int (*set_paused)(const char *id, bool paused, void *userdata);
    void *userdata;
};

/*
 * Serves `listen_fd` (from sd_listen_fds(); the server takes it), or with -1 binds `socket_path`
 * itself, mode 0666, and unlinks it at the end; with neither (NULL) nobody is served. A socket
 * there that nobody answers on is replaced; -EADDRINUSE when somebody does, -EEXIST when it is no
 * socket. The reason is logged. `handlers` is copied.
 */
int status_server_new(sd_event *event, const char *socket_path, int listen_fd,
                      const struct status_handlers *handlers, struct status_server **ret);
void status_server_free(struct status_server *server);

/*
 * Something in the report moved: streams and waits look again, at most twice a second however often
 * this is called. Cheap when nobody listens.
 */
void status_server_changed(struct status_server *server);

#endif
