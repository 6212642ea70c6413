/* SPDX-License-Identifier: MIT */
/* The gates that there are, and what each waits for at this moment. */
#ifndef CTL_GATES_H
#define CTL_GATES_H

#include "ctl/options.h"

/* Where an administrator's drop-ins are (systemd.unit(5)). */
#define GATE_FOLDER "/etc/systemd/system"

/* Prints a table, or with options->json an array. Returns the exit status. */
int gates_show(const struct ctl_options *options);

#endif
