/* SPDX-License-Identifier: MIT */
/* What a record says, read from its file: works with and without a server. */
#ifndef COLDVOL_REPORT_H
#define COLDVOL_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct report;

/* -EBADMSG when it is no record. */
int report_open(const char *path, struct report **ret);
void report_free(struct report *report);

/* key=value lines. */
int report_print(struct report *report, FILE *out);
/* "START LENGTH" lines of the pages that were (not) read, clipped to the volume's size. */
int report_print_ranges(struct report *report, bool read, FILE *out);
/* 1 when every sector of [start, end) was read, 0 when not; -ERANGE beyond the volume. */
int report_check_read(struct report *report, uint64_t start, uint64_t end);

#endif
