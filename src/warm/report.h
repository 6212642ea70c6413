/* SPDX-License-Identifier: MIT */
/* What is known of the volumes at one moment: plain values, for status, metrics and the bar. */
#ifndef WARM_REPORT_H
#define WARM_REPORT_H

#include "check/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum volume_state {
    VOLUME_FOUND,
    VOLUME_WAITING_ORIGIN,
    VOLUME_CHECKING_BEFORE,
    VOLUME_WARMING,
    VOLUME_PAUSED,
    VOLUME_CHECKING_AFTER,
    VOLUME_WARM,       /* every planned block was read */
    VOLUME_INCOMPLETE, /* every planned block was tried, some cannot be read */
    VOLUME_SKIPPED,
    VOLUME_GONE,
    VOLUME_FAILED,
    VOLUME_STATE_MAX
};

/* "found", "waiting-origin", "checking-before", …: the words of status and JSON. */
const char *volume_state_to_string(enum volume_state state);
/* -EINVAL */
int volume_state_from_string(const char *text, enum volume_state *ret);
/* True for a state that no further reading leaves by itself. */
bool volume_state_is_final(enum volume_state state);

struct origin_report {
    const char *source;   /* "ec2", "config", "command-line", "none"; never NULL */
    const char *snapshot; /* "" if not known; never NULL */
    int fast_restored;    /* -1 = not known */
    uint64_t initialization_rate_bytes_per_sec; /* 0 = none or not known */
    int aws_progress_percent;                   /* -1 = not known */
};

#define ETA_UNKNOWN UINT64_MAX

/* Strings live as long as the report. */
struct volume_report {
    const char *id;     /* "vol-0123456789abcdef0", else the device's kernel name, else the path */
    const char *device; /* "/dev/nvme1n1" */
    enum volume_state state;
    const char *reason; /* why it is in this state, in words; "" when the state says all */
    int error;          /* of VOLUME_FAILED, negative errno; 0 otherwise */
    uint64_t size_bytes;
    uint64_t planned_bytes; /* what is to be read in all; ≤ size_bytes */
    uint64_t warm_bytes;    /* of those, read successfully */
    uint64_t unreadable_bytes;
    double rate_bytes_per_sec; /* now; 0 when not reading */
    uint64_t eta_sec;          /* ETA_UNKNOWN */
    unsigned queue_depth;      /* aimed at */
    unsigned in_flight;        /* now */
    uint64_t block_bytes;
    uint64_t stalled_sec; /* age of the oldest read in flight once it is over 10 s; else 0 */
    const char *checkpoint_path;
    const char *checkpoint_error; /* "" when the last one was written */
    struct origin_report origin;
    struct check_report check_before, check_after;
};

/* warm_bytes of planned_bytes, rounded down: 100 only when all is read (and something was planned).
 */
double volume_report_percent(const struct volume_report *volume);

struct fleet_report {
    const char *version;
    const char *state;         /* "starting", "warming", "paused", "warm", "incomplete", "idle" */
    const char *engine;        /* "io_uring", "threads" */
    const char *engine_reason; /* why not io_uring; "" */
    struct volume_report *volumes;
    size_t n_volumes;
};

#endif
