/* SPDX-License-Identifier: MIT */
/*
 * The control socket: a client sends one line of words; the server answers with lines of text and,
 * last, "ok" or "error TEXT", and closes.
 *
 *   ping | get [KEY] | set KEY=VALUE… | resize BYTES | chill START LENGTH | record-reset
 *   fault list | fault clear | fault fail-share SHARE | fault add START LENGTH KIND [ARG]
 */
#ifndef COLDVOL_CONTROL_H
#define COLDVOL_CONTROL_H

#include "place.h"
#include "volume.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>

#define CONTROL_CLIENTS_MAX 16
#define CONTROL_POLLFDS_MAX (CONTROL_CLIENTS_MAX + 1)

struct control;

int control_new(struct volume *volume, struct control **ret);
void control_free(struct control *control);

/* Fills in what to wait for; answers how many. */
size_t control_get_pollfds(const struct control *control, struct pollfd fds[CONTROL_POLLFDS_MAX]);
/* Serves those of the same descriptors that are ready; never blocks. */
void control_dispatch(struct control *control, const struct pollfd *fds, size_t length);

/* Does what one line says, its answer's text to `out`. -errno with `error`. */
int control_execute(struct volume *volume, char *line, FILE *out, char error[SETTINGS_ERROR_MAX]);

/*
 * The client's side: sends the words, copies the text to `out` (may be NULL). Waits a few seconds
 * at most. -ENOENT or -ECONNREFUSED when no server is there, -ETIMEDOUT, -EREMOTEIO with the
 * server's `error`.
 */
int control_ask(const struct place *place, char *const *words, FILE *out,
                char error[SETTINGS_ERROR_MAX]);

#endif
