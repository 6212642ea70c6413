/* SPDX-License-Identifier: MIT */
/* A report as text for people. Pure: the terminal's traits are arguments. */
#ifndef STATUS_RENDER_H
#define STATUS_RENDER_H

#include <stdbool.h>

#include "warm/report.h"

struct render_options {
    unsigned width; /* columns; kept within 40 to 200 */
    bool colour;
    bool utf8;
};

/*
 * The status table: a row a volume, its notes under it, totals. Lines end with a newline.
 * The caller frees; NULL when out of memory.
 */
char *render_status(const struct fleet_report *report, const struct render_options *options);

/* One line without a newline, never wider than the terminal, to be redrawn in place. */
char *render_progress(const struct volume_report *volume, const struct render_options *options);

/* The same as a plain sentence for a log or a pipe. */
char *render_progress_plain(const struct volume_report *volume);

/*
 * "before 13 MB/s, 31 ms · after 1,004 MB/s, 0.6 ms · 77 × faster"; "" unless both samples are
 * there. Decimal MB, latencies are medians.
 */
char *render_before_after(const struct volume_report *volume, const struct render_options *options);

#endif
