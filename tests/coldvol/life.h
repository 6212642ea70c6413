/* SPDX-License-Identifier: MIT */
/* How a volume comes up and goes away. Everything here says on stderr what is wrong. */
#ifndef COLDVOL_LIFE_H
#define COLDVOL_LIFE_H

#include "loop.h"
#include "place.h"
#include "settings.h"

#include <stdbool.h>

/* Starts the server and, unless `loop` is NULL, attaches a loop device. Leaves nothing on failure.
 */
int life_up(const struct place *place, const struct settings *settings,
            const struct loop_options *loop);

/*
 * Detaches, ends the server (by force if need be), unmounts and removes the folder, whatever state
 * the volume is in. -ENOENT when there is no such volume.
 */
int life_down(const struct place *place, bool keep_state);

#endif
