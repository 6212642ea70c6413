/* SPDX-License-Identifier: MIT */
/* What `systemctl status` shows: sd_notify's words, and the STATUS= line from a report. */
#ifndef STATUS_NOTIFY_H
#define STATUS_NOTIFY_H

#include "warm/report.h"

/*
 * One line without "STATUS=": "Warming 2 volumes: 43 %, 211 MiB/s, 12 min left". The caller frees;
 * NULL when out of memory.
 */
char *notify_status_text(const struct fleet_report *report);

/* Each does nothing (0) when not started by systemd. */
int notify_ready(const struct fleet_report *report);
/* The caller keeps the pace: a line a second is plenty. */
int notify_status(const struct fleet_report *report);
/* RELOADING=1 with the monotonic time that Type=notify-reload wants; notify_ready() ends it. */
int notify_reloading(void);
int notify_stopping(const char *why);

#endif
