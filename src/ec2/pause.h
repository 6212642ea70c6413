/* SPDX-License-Identifier: MIT */
/* How long a retry waits. */
#ifndef EC2_PAUSE_H
#define EC2_PAUSE_H

#include <stdint.h>

/* On a clock that nobody sets. */
uint64_t now_usec(void);
/* Sleeps before the retry `retry` (from 0): longer each time, 8 s at most. */
void pause_before_retry(unsigned retry);

#endif
