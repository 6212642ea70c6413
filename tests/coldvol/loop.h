/* SPDX-License-Identifier: MIT */
/* The loop device over the volume's file: what makes a block device of it. */
#ifndef COLDVOL_LOOP_H
#define COLDVOL_LOOP_H

#include "place.h"

#include <stdbool.h>
#include <stdint.h>

struct loop_options {
    const char *device; /* /dev/loopN, or NULL for any that is free */
    uint32_t block_bytes;
    bool read_write;
};

/* Attaches past the page cache and makes the place's `device` link. -EBUSY: it has one already. */
int loop_attach(const struct place *place, const struct loop_options *options);
/*
 * Detaches the place's loop device, if it is still this volume's, and removes the link. While
 * others hold it open the kernel keeps it until they close. -ENOENT when there is none.
 */
int loop_detach(const struct place *place);
/* Takes over the size that the file has now; 0 when there is no loop device. */
int loop_update_size(const struct place *place);

#endif
