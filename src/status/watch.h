/* SPDX-License-Identifier: MIT */
/* Calls that stay open: streams of the status, and waits. */
#ifndef STATUS_WATCH_H
#define STATUS_WATCH_H

#include "status/interface.h"
#include "status/service.h"
#include "status/varlink.h"

struct watches;

/* `handlers` is borrowed. */
int watches_new(sd_event *event, const struct status_handlers *handlers, struct watches **ret);
/* After the Varlink server, whose calls hold the watches. */
void watches_free(struct watches *watches);

/* Both take over the call, which asked with `parameters`, and `arguments->what`. */
void watches_add_stream(struct watches *watches, struct varlink_call *call, json_t *parameters,
                        const struct interface_arguments *arguments);
void watches_add_wait(struct watches *watches, struct varlink_call *call, json_t *parameters,
                      const struct interface_arguments *arguments);

/* Coalesced to two looks a second. */
void watches_changed(struct watches *watches);

#endif
