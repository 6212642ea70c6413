/* SPDX-License-Identifier: MIT */
/*
 * One volume on its way: found → checking-before → warming ⇄ paused → checking-after → warm, and
 * the ends that are not "warm". Within the room only; the world sees the fleet.
 */
#ifndef WARM_VOLUME_H
#define WARM_VOLUME_H

#include "base/job.h"
#include "conf/conf.h"
#include "engine/control.h"
#include "engine/engine.h"
#include "plan/progress.h"
#include "warm/checkpoint.h"
#include "warm/disk.h"
#include "warm/fleet.h"
#include "warm/outage.h"
#include "warm/rate.h"
#include "warm/report.h"
#include "warm/sampling.h"

/* A read older than this is said to be stalled: even the tails of a first touch are shorter. */
#define STALLED_USEC (UINT64_C(10) * 1000 * 1000)
/* An open that takes longer is said to be slow. */
#define OPEN_SLOW_USEC (UINT64_C(5) * 1000 * 1000)

struct volume;

/* What all volumes share; lives as long as the fleet. */
struct warm_context {
    struct jobs *jobs;
    struct engine *engine;
    char *state_directory; /* NULL: no progress is kept */
    uint64_t checkpoint_interval_usec;
    uint64_t checkpoint_bytes;
    bool once; /* nothing is tried again later: what is not there or does not answer has failed */
    bool all_paused;   /* so volumes that come start paused */
    bool others_first; /* volumes that are `last` wait */
    bool changed;      /* set by whatever is worth showing at once */
    /* Another volume that reads the same device, or NULL. */
    const struct volume *(*find_twin)(const struct warm_context *context,
                                      const struct volume *volume);
    void *fleet;
};

struct saving_job;
struct loading_job;

struct volume {
    struct warm_context *context;
    struct volume_settings settings;
    char *path; /* as it was named */
    uint64_t added_usec;
    char id[sizeof(((struct device_identity *)0)->id)]; /* "" until it was opened once */
    enum volume_state state;
    char reason[256];

    struct disk_opening *opening;
    uint64_t opening_since_usec;
    uint64_t open_again_usec; /* 0: not planned */
    struct disk *disk;
    struct device_identity identity; /* of the disk that the progress tells of */
    uint64_t verified_usec;

    struct progress *progress; /* NULL until opened */
    struct control control;
    struct rate rate;
    struct outage outage;
    bool paused; /* by the user */
    bool stopping;
    bool last; /* its sample looked warm: read when no other volume is, one read at a time */
    bool sampling_the_rest; /* the sample is of a volume that was read in part: no figure before */
    bool stall_said, failure_said;
    int failure;    /* of the last failed read, negative errno */
    int open_error; /* why it is VOLUME_FAILED, negative errno */

    struct sampling sampling;
    struct check_report before, after;
    uint64_t started_unix_sec;

    struct loading_job *loading;
    uint64_t loading_since_usec;
    bool loaded; /* what an earlier run read is known, or known to be unknown */
    struct saving_job *saving;
    uint64_t saving_since_usec, saved_usec;
    uint64_t saved_warm_bytes;
    bool save_wanted; /* something other than progress is to be kept */
    bool saved_finally;
    char save_error[160];
    char *checkpoint_path;
};

/* NULL when out of memory. Opening begins at once, unless it is to be skipped. */
struct volume *volume_new(struct warm_context *context, const char *path,
                          const struct volume_settings *settings);
/* Lets go of the disk; progress that was not saved is lost. */
void volume_free(struct volume *volume);

/* Some times a second: what is due by time. */
void volume_tick(struct volume *volume, uint64_t now_usec);
/* Sends reads as far as the volume's depth allows. */
void volume_pump(struct volume *volume, uint64_t now_usec);

/* New settings for a volume that is there; what was read stays read. */
void volume_configure(struct volume *volume, const struct volume_settings *settings);
void volume_pause(struct volume *volume);
void volume_resume(struct volume *volume);
/* No more reads. */
void volume_stop(struct volume *volume);
void volume_skip(struct volume *volume, const char *reason);

/* Reads that may be in flight for warming. */
unsigned volume_depth(const struct volume *volume);
/* It is on its way, or soon will be: volumes that are `last` wait for it. */
bool volume_goes_first(const struct volume *volume, uint64_t now_usec);
/* Depth and block size are found anew from the settings. */
void volume_control_anew(struct volume *volume);

void volume_fill_report(struct volume *volume, struct volume_report *ret);

/* Changes the state and says why; `format` may be "" and must outlive nothing. */
void volume_set_state(struct volume *volume, enum volume_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A log line about this volume. */
void volume_log(const struct volume *volume, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* life.c */
void volume_open(struct volume *volume);
void volume_loaded(struct volume *volume, struct checkpoint *checkpoint);
void volume_go_on(struct volume *volume);
/* From waiting for its origin back to where it was. */
void volume_origin_known(struct volume *volume);
void volume_lost(struct volume *volume, const char *why);

/* keeping.c: the checkpoint's coming and going. */
void keeping_load(struct volume *volume);
void keeping_tick(struct volume *volume, uint64_t now_usec);
/* Begins a save if there is anything to keep and none is under way. */
void keeping_save(struct volume *volume);
/* The last one, once nothing is read any more: tried once, after one that is under way. */
void keeping_save_finally(struct volume *volume);
void keeping_forget(struct volume *volume);

/* reading.c: what a read that came back means. */
void reading_done(const struct disk_read *read, int result, void *userdata);
/* The sample is summed up and the volume goes on. */
void reading_end_sample(struct volume *volume);

#endif
