/* SPDX-License-Identifier: MIT */
/* The process that serves a cold volume: one thread, replies when the model says so. */
#ifndef COLDVOL_SERVER_H
#define COLDVOL_SERVER_H

#include "place.h"
#include "settings.h"

/*
 * Serves until SIGTERM, SIGINT or the end of the mount. Writes to `ready_fd` and closes it: nothing
 * once the file is there, a line that says what is wrong on failure. Answers an exit status.
 */
int server_run(const struct place *place, const struct settings *settings, int ready_fd);

#endif
