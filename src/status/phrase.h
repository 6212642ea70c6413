/* SPDX-License-Identifier: MIT */
/* The words for one volume's figures. Pure. */
#ifndef STATUS_PHRASE_H
#define STATUS_PHRASE_H

#include "base/size.h"
#include "warm/report.h"

/* "43.2 %", rounded down. Returns `buffer`. */
char *phrase_percent(char buffer[FORMAT_MAX], const struct volume_report *volume);
/* "12 min"; "-" when there is none. Returns `buffer`. */
char *phrase_eta(char buffer[FORMAT_MAX], const struct volume_report *volume);

#endif
