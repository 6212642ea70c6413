/* SPDX-License-Identifier: MIT */
/* All volumes of the instance: what is warmed, on one event loop, with one engine. */
#ifndef WARM_FLEET_H
#define WARM_FLEET_H

#include "conf/conf.h"
#include "engine/engine.h"
#include "warm/report.h"

#include <systemd/sd-event.h>

struct fleet;

struct fleet_settings {
    enum engine_kind engine;
    const char *state_directory; /* NULL: no progress is kept */
    uint64_t checkpoint_interval_usec;
    uint64_t checkpoint_bytes;
    bool once; /* nobody waits for a device that may come later */
};

struct volume_settings {
    char id[64]; /* of the volume, where it is known before the device is opened; "" */
    struct conf_reads reads;
    bool check_before, check_after;
    uint64_t sample_bytes;
    uint64_t sample_usec;
    bool skip;             /* shown, but not warmed */
    char skip_reason[256]; /* why, in words */
    bool wait_for_origin;  /* not read before its origin is known, or waiting for it is over */
    bool probe;            /* nobody knows whether it is cold: a sample decides how it is warmed */
    bool force;            /* warmed even if it is instance store */
    /* Where it came from, as far as somebody told; all 0 where nobody did. */
    struct {
        bool known;
        char source[64];
        char snapshot[64];
        int fast_restored; /* -1 = not known */
        uint64_t initialization_rate_bytes_per_sec;
        int aws_progress_percent; /* -1 = not known */
    } origin;
    const char *source; /* static text: who named it ("command-line", "config") */
};

/* Something worth showing has changed; at most some times a second. */
typedef void (*fleet_changed_fn)(void *userdata);

/*
 * Negative errno; -ENOSYS, -EPERM, -EINVAL, … when io_uring was asked for and is refused:
 * *ret_reason (static text) says why.
 */
int fleet_new(sd_event *event, const struct fleet_settings *settings, fleet_changed_fn changed,
              void *userdata, struct fleet **ret, const char **ret_reason);
/* Does not wait for anything: what was not saved by fleet_stop() is lost. */
void fleet_free(struct fleet *fleet);

/* For what may change while running: checkpoint interval and bytes. */
void fleet_reconfigure(struct fleet *fleet, const struct fleet_settings *settings);

/* Adds a volume by its path; one that is there already gets the new settings. -ENOMEM. */
int fleet_set(struct fleet *fleet, const char *path, const struct volume_settings *settings);
/* Forgets a volume that is not to be warmed any more. -ENOENT. */
int fleet_remove(struct fleet *fleet, const char *path);
/* How long a volume has been in the fleet, in µs; 0 for one that is not. */
uint64_t fleet_age_usec(const struct fleet *fleet, const char *path);
/* The n-th volume's path, NULL past the last. */
const char *fleet_path(const struct fleet *fleet, size_t n);

/* `n` counts as in the last report. */
void fleet_pause(struct fleet *fleet, size_t n);
void fleet_resume(struct fleet *fleet, size_t n);
/* All volumes, also those that come later, until it is said otherwise. */
void fleet_set_all_paused(struct fleet *fleet, bool paused);

/* Valid until the next call or the next turn of the event loop. */
const struct fleet_report *fleet_report(struct fleet *fleet);
/* Every volume that was named has been looked for. */
bool fleet_is_settled(const struct fleet *fleet);
/* Every volume has come to an end. */
bool fleet_is_over(const struct fleet *fleet);

/*
 * Reads no more, waits for what is in flight and for the last checkpoints, 2 s at the most, and
 * then ends the event loop with `exit_status`.
 */
void fleet_stop(struct fleet *fleet, int exit_status);

#endif
