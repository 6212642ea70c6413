/* SPDX-License-Identifier: MIT */
/* Where things are: systemd's variables first, so that a second copy can run beside the installed.
 */
#ifndef DAEMON_PATHS_H
#define DAEMON_PATHS_H

/* $STATE_DIRECTORY, else /var/lib/ebswarm or, for a user, ~/.local/state/ebswarm. The caller's. */
char *paths_state_directory(void);
/* $RUNTIME_DIRECTORY/io.ebswarm, else /run/ebswarm/io.ebswarm. The caller's. */
char *paths_socket(void);

#endif
