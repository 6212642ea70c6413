/* SPDX-License-Identifier: MIT */
/* Asking systemd, by its own program. */
#ifndef CTL_SYSTEMCTL_H
#define CTL_SYSTEMCTL_H

#include <stdbool.h>

/* systemd is what runs this machine (sd_booted(3)). */
bool systemctl_is_there(void);

/*
 * Runs "systemctl ARGUMENT…" (NULL-terminated, without the program's name); *ret_output (may be
 * NULL) is what it printed, the caller's. Its exit status, or -errno when it could not be run.
 */
int systemctl_run(const char *const *arguments, char **ret_output);

/* One property of a unit, "" where it has none; the caller's. NULL when it could not be asked. */
char *systemctl_property(const char *unit, const char *property);

#endif
