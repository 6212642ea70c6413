/* SPDX-License-Identifier: MIT */
#include "warm/volume.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "warm/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct volume *volume_new(struct warm_context *context, const char *path,
                          const struct volume_settings *settings)
{
    struct volume *volume = calloc(1, sizeof(*volume));

    if (!volume)
        return NULL;
    volume->context = context;
    volume->settings = *settings;
    volume->path = strdup(path);
    if (!volume->path) {
        free(volume);
        return NULL;
    }
    memcpy(volume->id, settings->id, sizeof(volume->id));
    volume->added_usec = clock_now_usec();
    volume->state = VOLUME_FOUND;
    volume->paused = context->all_paused;
    if (settings->skip)
        volume_skip(volume, settings->skip_reason);
    else
        volume_open(volume);
    return volume;
}

void volume_control_anew(struct volume *volume)
{
    const struct control_limits limits = {
        .queue_depth = volume->settings.reads.queue_depth,
        .block_bytes = volume->settings.reads.block_bytes,
        .depth_max = ENGINE_DEPTH_MAX,
    };

    control_init(&volume->control, &limits, clock_now_usec());
}

unsigned volume_depth(const struct volume *volume)
{
    if (volume->last)
        return volume->context->others_first ? 0 : 1;
    return control_depth(&volume->control);
}

bool volume_goes_first(const struct volume *volume, uint64_t now_usec)
{
    bool stuck = volume->stall_said ||
                 (volume->opening && now_usec - volume->opening_since_usec >= OPEN_SLOW_USEC);

    return !volume->last && !stuck && !volume_state_is_final(volume->state) &&
           volume->state != VOLUME_PAUSED;
}

void volume_configure(struct volume *volume, const struct volume_settings *settings)
{
    const struct volume_settings before = volume->settings;

    volume->settings = *settings;
    if (!settings->probe)
        volume->last = false;
    if (before.reads.block_bytes != settings->reads.block_bytes ||
        before.reads.queue_depth != settings->reads.queue_depth)
        volume_control_anew(volume);
    if (settings->skip && !before.skip && volume->state != VOLUME_WARM)
        volume_skip(volume, settings->skip_reason);
    else if (!settings->skip && volume->state == VOLUME_SKIPPED && !volume->opening)
        volume_open(volume);
    else if (!settings->wait_for_origin && volume->state == VOLUME_WAITING_ORIGIN)
        volume_origin_known(volume);
}

void volume_free(struct volume *volume)
{
    if (!volume)
        return;
    if (volume->opening)
        disk_opening_cancel(volume->opening);
    disk_let_go(volume->disk);
    keeping_forget(volume);
    sampling_free(&volume->sampling);
    progress_free(volume->progress);
    free(volume->checkpoint_path);
    free(volume->path);
    free(volume);
}

void volume_log(const struct volume *volume, int level, const char *format, ...)
{
    const struct log_subject subject = { .volume = volume->id, .device = volume->path };
    char text[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    log_message(level, &subject, "%s: %s", volume->id[0] ? volume->id : volume->path, text);
}

void volume_set_state(struct volume *volume, enum volume_state state, const char *format, ...)
{
    char reason[sizeof(volume->reason)];
    va_list ap;

    va_start(ap, format);
    vsnprintf(reason, sizeof(reason), format, ap);
    va_end(ap);
    if (volume->state == state && strcmp(volume->reason, reason) == 0)
        return;
    volume->state = state;
    memcpy(volume->reason, reason, sizeof(reason));
    volume->context->changed = true;
}

void volume_pause(struct volume *volume)
{
    if (volume_state_is_final(volume->state))
        return;
    volume->paused = true;
    volume->save_wanted = true;
    sampling_free(&volume->sampling);
    if (volume->state != VOLUME_FOUND) {
        volume_set_state(volume, VOLUME_PAUSED, "%s", "");
        volume_log(volume, LOG_INFO, "paused");
    }
}

void volume_resume(struct volume *volume)
{
    volume->save_wanted = volume->save_wanted || volume->paused;
    volume->paused = false;
    if (volume->state == VOLUME_PAUSED) {
        volume_log(volume, LOG_INFO, "resumed");
        control_interrupted(&volume->control, clock_now_usec());
        volume_go_on(volume);
    } else if (volume->state == VOLUME_INCOMPLETE && !volume->opening) {
        volume_log(volume, LOG_INFO, "trying again what could not be read");
        volume_open(volume);
    }
}

void volume_stop(struct volume *volume)
{
    volume->stopping = true;
    sampling_free(&volume->sampling);
}

void volume_skip(struct volume *volume, const char *reason)
{
    if (volume->opening)
        disk_opening_cancel(volume->opening);
    volume->opening = NULL;
    volume->open_again_usec = 0;
    keeping_save(volume);
    disk_let_go(volume->disk);
    volume->disk = NULL;
    volume_set_state(volume, VOLUME_SKIPPED, "%s", reason);
    volume_log(volume, LOG_INFO, "not warmed: %s", reason);
}

static bool is_reading(const struct volume *volume)
{
    return volume->state == VOLUME_WARMING || volume->state == VOLUME_CHECKING_BEFORE ||
           volume->state == VOLUME_CHECKING_AFTER;
}

static void fill_reads(const struct volume *volume, struct volume_report *ret)
{
    uint64_t now_usec = clock_now_usec(), offset, oldest_usec;

    if (volume->progress) {
        ret->size_bytes = ret->planned_bytes = progress_size_bytes(volume->progress);
        ret->warm_bytes = progress_warm_bytes(volume->progress);
        ret->unreadable_bytes = progress_unreadable_bytes(volume->progress);
    }
    if (!volume->disk)
        return;
    ret->in_flight = disk_in_flight(volume->disk);
    ret->block_bytes = control_block_bytes(&volume->control);
    ret->queue_depth = volume->state == VOLUME_WARMING ? volume_depth(volume) : 0;
    oldest_usec = disk_oldest_usec(volume->disk, now_usec, &offset);
    if (oldest_usec >= STALLED_USEC)
        ret->stalled_sec = oldest_usec / 1000000;
}

static struct origin_report origin_report(const struct volume *volume)
{
    if (!volume->settings.origin.known)
        return (struct origin_report){
            .source = volume->settings.source,
            .snapshot = "",
            .fast_restored = -1,
            .aws_progress_percent = -1,
        };
    return (struct origin_report){
        .source = volume->settings.origin.source,
        .snapshot = volume->settings.origin.snapshot,
        .fast_restored = volume->settings.origin.fast_restored,
        .initialization_rate_bytes_per_sec =
            volume->settings.origin.initialization_rate_bytes_per_sec,
        .aws_progress_percent = volume->settings.origin.aws_progress_percent,
    };
}

/* One without an id of its own may have been told one. */
static const char *shown_id(const struct volume *volume)
{
    if (!volume->identity.lasting && volume->settings.id[0])
        return volume->settings.id;
    return volume->id[0] ? volume->id : volume->path;
}

void volume_fill_report(struct volume *volume, struct volume_report *ret)
{
    *ret = (struct volume_report){
        .id = shown_id(volume),
        .device = volume->path,
        .state = volume->state,
        .reason = volume->reason,
        .error = volume->state == VOLUME_FAILED ? volume->open_error : 0,
        .eta_sec = ETA_UNKNOWN,
        .checkpoint_path = volume->checkpoint_path ? volume->checkpoint_path : "",
        .checkpoint_error = volume->save_error,
        .origin = origin_report(volume),
        .check_before = volume->before,
        .check_after = volume->after,
    };
    fill_reads(volume, ret);
    if (is_reading(volume)) {
        ret->rate_bytes_per_sec = rate_bytes_per_sec(&volume->rate);
        ret->eta_sec = rate_eta_sec(&volume->rate,
                                    ret->planned_bytes - ret->warm_bytes - ret->unreadable_bytes);
    }
}
