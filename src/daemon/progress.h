/* SPDX-License-Identifier: MIT */
/* What --once prints: bars that move on a terminal, a plain line now and then elsewhere. */
#ifndef DAEMON_PROGRESS_H
#define DAEMON_PROGRESS_H

#include "warm/report.h"

struct progress_view;

/* NULL when out of memory. Looks whether standard output is a terminal. */
struct progress_view *progress_view_new(void);
void progress_view_free(struct progress_view *view);

void progress_view_show(struct progress_view *view, const struct fleet_report *report);
/* The last word: each volume's end, its figures before and after, and where its checkpoint is. */
void progress_view_finish(struct progress_view *view, const struct fleet_report *report);

#endif
