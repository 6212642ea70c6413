/* SPDX-License-Identifier: MIT */
/*
 * When a volume's checkpoint is read and written. Both are jobs: the state directory may hang, be
 * full or read-only, and the volume is warmed all the same.
 */
#include "base/cleanup.h"
#include "warm/clock.h"
#include "warm/store.h"
#include "warm/volume.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#define SAVE_SLOW_USEC (UINT64_C(5) * 1000 * 1000)

struct loading_job {
    struct volume *volume; /* NULL when nobody waits for it any more */
    char *directory;
    struct device_identity identity;
    uint64_t size_bytes;
    struct checkpoint *checkpoint;
    char *why;
    int error;
};

struct saving_job {
    struct volume *volume; /* as above */
    char *directory;
    char id[sizeof(((struct device_identity *)0)->id)];
    char *text;
    size_t length;
    uint64_t warm_bytes;
    int error;
};

static void loading_work(void *userdata)
{
    struct loading_job *job = userdata;

    job->error =
        store_load(job->directory, &job->identity, job->size_bytes, &job->checkpoint, &job->why);
}

static void loading_free(struct loading_job *job)
{
    checkpoint_free(job->checkpoint);
    free(job->directory);
    free(job->why);
    free(job);
}

DEFINE_CLEANUP(struct loading_job *, loading_free, loading_free_p)

static void loading_done(void *userdata)
{
    _cleanup_(loading_free_p) struct loading_job *job = userdata;
    struct volume *volume = job->volume;

    if (!volume)
        return;
    volume->loading = NULL;
    if (job->why)
        volume_log(volume, LOG_WARNING, "%s; the volume starts from nothing", job->why);
    if (job->error < 0)
        volume_log(volume, LOG_WARNING,
                   "its checkpoint in %s cannot be read: %s; the volume starts from nothing",
                   job->directory, strerror(-job->error));
    volume_loaded(volume, job->checkpoint);
}

void keeping_load(struct volume *volume)
{
    _cleanup_(loading_free_p) struct loading_job *job = NULL;

    volume->loaded = false;
    if (!volume->context->state_directory) {
        volume_loaded(volume, NULL);
        return;
    }
    free(volume->checkpoint_path);
    volume->checkpoint_path = store_path(volume->context->state_directory, volume->id);
    job = calloc(1, sizeof(*job));
    if (job)
        job->directory = strdup(volume->context->state_directory);
    if (!job || !job->directory) {
        volume_loaded(volume, NULL);
        return;
    }
    job->volume = volume;
    job->identity = volume->identity;
    job->size_bytes = progress_size_bytes(volume->progress);
    if (jobs_run(volume->context->jobs, loading_work, loading_done, job) < 0) {
        volume_log(volume, LOG_WARNING, "no thread can be had to read its checkpoint");
        volume_loaded(volume, NULL);
        return;
    }
    volume->loading_since_usec = clock_now_usec();
    volume->loading = steal_pointer(&job);
}

static void saving_work(void *userdata)
{
    struct saving_job *job = userdata;

    job->error = store_save(job->directory, job->id, job->text, job->length);
}

static void saving_free(struct saving_job *job)
{
    free(job->directory);
    free(job->text);
    free(job);
}

DEFINE_CLEANUP(struct saving_job *, saving_free, saving_free_p)

/* `why` is NULL after a success. Said once when it begins to fail and once when it works again. */
static void note_result(struct volume *volume, const char *why)
{
    char text[sizeof(volume->save_error)] = "";

    if (why)
        snprintf(text, sizeof(text), "the checkpoint cannot be written to %s: %s",
                 volume->context->state_directory, why);
    if (strcmp(text, volume->save_error) == 0)
        return;
    if (why)
        volume_log(volume, LOG_ERR,
                   "%s; warming goes on, but a restart would begin from the last one written",
                   text);
    else
        volume_log(volume, LOG_NOTICE, "its checkpoint is written again");
    memcpy(volume->save_error, text, sizeof(text));
    volume->context->changed = true;
}

static void saving_done(void *userdata)
{
    _cleanup_(saving_free_p) struct saving_job *job = userdata;
    struct volume *volume = job->volume;

    if (!volume)
        return;
    volume->saving = NULL;
    if (job->error >= 0)
        volume->saved_warm_bytes = job->warm_bytes;
    else
        volume->save_wanted = true;
    note_result(volume, job->error < 0 ? strerror(-job->error) : NULL);
}

static int write_text(const struct volume *volume, char **ret_text, size_t *ret_length)
{
    /* The sets are lent, not given: the struct is never freed as a checkpoint. */
    struct checkpoint checkpoint = {
        .identity = volume->identity,
        .size_bytes = progress_size_bytes(volume->progress),
        .started_unix_sec = volume->started_unix_sec,
        .updated_unix_sec = clock_unix_sec(),
        .paused = volume->paused,
        .warm = (struct rangeset *)progress_warm(volume->progress),
        .unreadable = (struct rangeset *)progress_unreadable(volume->progress),
        .before = volume->before,
        .after = volume->after,
    };

    strcpy(checkpoint.paused_boot_id, volume->identity.boot_id);
    return checkpoint_format(&checkpoint, ret_text, ret_length);
}

static int saving_start(struct volume *volume)
{
    _cleanup_(saving_free_p) struct saving_job *job = calloc(1, sizeof(*job));
    int r;

    if (!job)
        return -ENOMEM;
    job->directory = strdup(volume->context->state_directory);
    if (!job->directory)
        return -ENOMEM;
    r = write_text(volume, &job->text, &job->length);
    if (r < 0)
        return r;
    job->volume = volume;
    job->warm_bytes = progress_warm_bytes(volume->progress);
    strcpy(job->id, volume->id);
    r = jobs_run(volume->context->jobs, saving_work, saving_done, job);
    if (r < 0)
        return r;
    volume->saving = steal_pointer(&job);
    volume->save_wanted = false;
    return 0;
}

static bool has_news(const struct volume *volume)
{
    return volume->save_wanted || volume->save_error[0] ||
           progress_warm_bytes(volume->progress) != volume->saved_warm_bytes;
}

/* Until it is known what an earlier run read, its checkpoint is not written over. */
static bool can_save(const struct volume *volume)
{
    return volume->context->state_directory && volume->progress && volume->loaded;
}

void keeping_save(struct volume *volume)
{
    uint64_t now_usec = clock_now_usec(), size_bytes;
    int r;

    if (!can_save(volume) || volume->saving || !has_news(volume))
        return;
    /* Reads of another disk that got under this name are never written down as this one's. */
    if (volume->disk && disk_verify(volume->disk, &size_bytes) == -ESTALE)
        return;
    volume->saving_since_usec = volume->saved_usec = now_usec;
    r = saving_start(volume);
    if (r < 0)
        note_result(volume, strerror(-r));
}

static bool is_due(const struct volume *volume, uint64_t now_usec)
{
    uint64_t new_bytes = progress_warm_bytes(volume->progress) - volume->saved_warm_bytes;
    /* After a failure no more often than each interval, whatever was read meanwhile. */
    bool failing = volume->save_error[0] != '\0';

    return now_usec - volume->saved_usec >= volume->context->checkpoint_interval_usec ||
           (!failing && new_bytes >= volume->context->checkpoint_bytes) ||
           (!failing && volume->save_wanted);
}

void keeping_tick(struct volume *volume, uint64_t now_usec)
{
    if (volume->saving && now_usec - volume->saving_since_usec >= SAVE_SLOW_USEC)
        note_result(volume, "writing does not come back");
    if (volume->loading && now_usec - volume->loading_since_usec >= SAVE_SLOW_USEC)
        note_result(volume, "reading the last one does not come back");
    if (can_save(volume) && has_news(volume) && is_due(volume, now_usec))
        keeping_save(volume);
}

void keeping_save_finally(struct volume *volume)
{
    if (volume->saving || volume->saved_finally)
        return;
    volume->saved_finally = true;
    keeping_save(volume);
}

void keeping_forget(struct volume *volume)
{
    if (volume->loading)
        volume->loading->volume = NULL;
    if (volume->saving)
        volume->saving->volume = NULL;
    volume->loading = NULL;
    volume->saving = NULL;
    volume->loaded = false;
    volume->save_wanted = false;
}
