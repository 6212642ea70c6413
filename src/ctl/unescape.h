/* SPDX-License-Identifier: MIT */
/* The name of an instance, "var-lib-postgresql" of ebswarm-wait@var-lib-postgresql.service. Pure.
 */
#ifndef CTL_UNESCAPE_H
#define CTL_UNESCAPE_H

/*
 * A volume id, as it is or as systemd-escape(1) has it ("vol\\x2d0123…"), stays one; anything else
 * is a path as systemd-escape --path has it: "var-lib-postgresql" is /var/lib/postgresql, "-" is /.
 * The caller frees. NULL for a broken escape, or when out of memory.
 */
char *unescape_what(const char *instance);

#endif
