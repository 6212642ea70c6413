/* SPDX-License-Identifier: MIT */
/* A volume's way from being named to being warm, and every way it can end otherwise. */
#include "base/cleanup.h"
#include "base/size.h"
#include "warm/clock.h"
#include "warm/volume.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <syslog.h>

#define OPEN_AGAIN_USEC (2 * USEC_PER_SEC)
#define VERIFY_USEC     USEC_PER_SEC
/* A state directory that does not answer holds up the warming no longer than this. */
#define LOAD_PATIENCE_USEC (3 * USEC_PER_SEC)
/* With nobody to wait for a later try, a disk that fails all this time has failed. */
#define OUTAGE_PATIENCE_USEC (60 * USEC_PER_SEC)

static const char *open_error(int error)
{
    switch (error) {
    case -ENOENT:
        return "there is no such device or file";
    case -EISDIR:
        return "it is a directory; name a block device or a file";
    case -ENOTBLK:
        return "it is neither a block device nor a regular file";
    case -EACCES:
    case -EPERM:
        return "reading it is not permitted; be root or in group 'disk'";
    case -EINVAL:
        return "its filesystem has no unbuffered reads (O_DIRECT), so reading it would prove "
               "nothing";
    default:
        return strerror(-error);
    }
}

/* What a disk that was pulled answers for as long as it is away. */
static bool is_absence(int error)
{
    return error == -ENOENT || error == -ENXIO || error == -ENODEV || error == -ENODATA ||
           error == -ENOMEDIUM;
}

static void fail(struct volume *volume, int error, const char *why)
{
    bool news = volume->state != VOLUME_FAILED || strcmp(volume->reason, why) != 0;

    if (volume->state == VOLUME_GONE && is_absence(error)) {
        volume->open_again_usec = clock_now_usec() + OPEN_AGAIN_USEC;
        return;
    }
    disk_let_go(volume->disk);
    volume->disk = NULL;
    volume->open_error = error;
    volume_set_state(volume, VOLUME_FAILED, "%s", why);
    if (news)
        volume_log(volume, LOG_ERR, "%s", why);
    if (!volume->context->once)
        volume->open_again_usec = clock_now_usec() + OPEN_AGAIN_USEC;
}

static int adopt(struct volume *volume, struct disk *disk)
{
    const struct device_geometry *geometry = disk_geometry(disk);

    keeping_forget(volume);
    progress_free(volume->progress);
    volume->progress = progress_new(geometry->size_bytes, geometry->logical_block_bytes);
    if (!volume->progress)
        return -ENOMEM;
    volume->disk = disk;
    volume->identity = *disk_identity(disk);
    volume->before = volume->after = (struct check_report){ 0 };
    volume->started_unix_sec = clock_unix_sec();
    volume->stall_said = volume->failure_said = false;
    strcpy(volume->id, volume->identity.id);
    volume_set_state(volume, VOLUME_FOUND, "%s", "");
    volume_control_anew(volume);
    rate_reset(&volume->rate, clock_now_usec());
    outage_succeeded(&volume->outage);
    return 0;
}

/* Something that opens and yet is not to be read. */
static bool refuse(struct volume *volume, const struct disk *disk)
{
    enum device_kind kind = disk_identity(disk)->kind;

    if (kind == DEVICE_PARTITION)
        fail(volume, -ENOTBLK, "it is a partition; name the whole disk, which is what is cold");
    else if (disk_geometry(disk)->size_bytes == 0)
        fail(volume, -ENODATA, "it has 0 bytes: there is nothing to read");
    else if (kind == DEVICE_INSTANCE_STORE && !volume->settings.force)
        volume_skip(volume, "instance store, never warmed (unless its section says Force=yes)");
    else
        return false;
    return true;
}

static void opened(struct disk *disk, int error, void *userdata)
{
    struct volume *volume = userdata;
    const struct volume *twin;

    volume->opening = NULL;
    if (error < 0) {
        fail(volume, error, open_error(error));
        return;
    }
    if (refuse(volume, disk)) {
        disk_let_go(disk);
        return;
    }
    if (adopt(volume, disk) < 0) {
        disk_let_go(disk);
        fail(volume, -ENOMEM, "memory is short");
        return;
    }
    twin = volume->context->find_twin(volume->context, volume);
    if (twin) {
        char reason[160];
        snprintf(reason, sizeof(reason), "it is the same device as %s, which is warmed already",
                 twin->path);
        volume_skip(volume, reason);
        return;
    }
    keeping_load(volume);
}

void volume_open(struct volume *volume)
{
    volume->open_again_usec = 0;
    volume->opening_since_usec = clock_now_usec();
    if (volume->state != VOLUME_GONE && volume->state != VOLUME_FAILED)
        volume_set_state(volume, VOLUME_FOUND, "%s", "");
    if (disk_open(volume->context->jobs, volume->context->engine, volume->path, opened,
                  reading_done, volume, &volume->opening) < 0)
        volume->open_again_usec = volume->opening_since_usec + OPEN_AGAIN_USEC;
}

static void restore(struct volume *volume, const struct checkpoint *checkpoint)
{
    char size[FORMAT_MAX];

    if (progress_restore(volume->progress, checkpoint->warm) < 0) {
        volume_log(volume, LOG_WARNING, "memory is short: its checkpoint is used in part only");
        return;
    }
    volume->before = checkpoint->before;
    volume->after = checkpoint->after;
    volume->started_unix_sec = checkpoint->started_unix_sec;
    if (checkpoint->paused && strcmp(checkpoint->paused_boot_id, volume->identity.boot_id) == 0)
        volume->paused = true;
    if (progress_warm_bytes(volume->progress) > 0)
        volume_log(volume, LOG_INFO, "going on from its checkpoint: %s were read before",
                   format_bytes(size, progress_warm_bytes(volume->progress)));
}

/* Called once, with NULL when nothing is known; late where the state directory did not answer. */
void volume_loaded(struct volume *volume, struct checkpoint *checkpoint)
{
    if (checkpoint)
        restore(volume, checkpoint);
    volume->saved_warm_bytes = checkpoint ? rangeset_total_bytes(checkpoint->warm) : 0;
    volume->loaded = true;
    volume_go_on(volume);
}

static bool begin_sample(struct volume *volume, const struct rangeset *ranges)
{
    uint64_t seed = 0;
    size_t n = sample_regions_allowed(progress_size_bytes(volume->progress),
                                      volume->settings.sample_bytes);

    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
        seed = clock_now_usec();
    return sampling_begin(&volume->sampling, ranges, n, seed,
                          clock_now_usec() + volume->settings.sample_usec);
}

DEFINE_CLEANUP(struct rangeset *, rangeset_free, rangeset_free_p)

/*
 * Of a volume that was read in part, the unread rest is not the whole and gives no figure before;
 * but where nobody knows whether it is cold, it is what the sample asks of.
 */
static bool begin_check_before(struct volume *volume)
{
    _cleanup_(rangeset_free_p) struct rangeset *unread = rangeset_new();
    const struct rangeset *warm = progress_warm(volume->progress);
    int r;

    volume->sampling_the_rest = progress_warm_bytes(volume->progress) > 0;
    if (!volume->settings.probe && (!volume->settings.check_before || volume->sampling_the_rest))
        return false;
    if (!unread || rangeset_add(unread, 0, progress_size_bytes(volume->progress)) < 0)
        return false;
    for (size_t i = 0; i < rangeset_length(warm); i++) {
        r = rangeset_subtract(unread, rangeset_get(warm, i)->start, rangeset_get(warm, i)->end);
        if (r < 0)
            return false;
    }
    return begin_sample(volume, unread);
}

/* The regions of the sample before are left out: drawn again from its seed, they are the same. */
static int subtract_sample_before(const struct volume *volume, struct rangeset *ranges)
{
    _cleanup_(rangeset_free_p) struct rangeset *all = rangeset_new();
    _cleanup_free_ struct range *regions = NULL;
    size_t n = 0;
    int r;

    if (!all)
        return -ENOMEM;
    r = rangeset_add(all, 0, progress_size_bytes(volume->progress));
    if (r >= 0)
        r = sample_draw(all, volume->before.samples, volume->before.seed, &regions, &n);
    for (size_t i = 0; r >= 0 && i < n; i++)
        r = rangeset_subtract(ranges, regions[i].start, regions[i].end);
    return r;
}

static bool begin_check_after(struct volume *volume)
{
    _cleanup_(rangeset_free_p) struct rangeset *ranges = NULL;

    if (!volume->settings.check_after || volume->after.samples > 0)
        return false;
    ranges = rangeset_copy(progress_warm(volume->progress));
    if (!ranges || subtract_sample_before(volume, ranges) < 0)
        return false;
    return begin_sample(volume, ranges);
}

static void finish(struct volume *volume)
{
    char size[FORMAT_MAX];
    uint64_t unreadable_bytes = progress_unreadable_bytes(volume->progress);

    volume->save_wanted = true;
    keeping_save(volume);
    disk_let_go(volume->disk);
    volume->disk = NULL;
    if (unreadable_bytes > 0) {
        format_bytes(size, unreadable_bytes);
        volume_set_state(volume, VOLUME_INCOMPLETE, "%s in %zu places cannot be read: %s", size,
                         rangeset_length(progress_unreadable(volume->progress)),
                         strerror(-volume->failure));
        volume_log(
            volume, LOG_WARNING,
            "everything was tried, but %s in %zu places cannot be read (first at offset "
            "%llu): %s; it is tried again at the next start or by 'ebswarmctl resume'",
            size, rangeset_length(progress_unreadable(volume->progress)),
            (unsigned long long)rangeset_get(progress_unreadable(volume->progress), 0)->start,
            strerror(-volume->failure));
        return;
    }
    volume_set_state(volume, VOLUME_WARM, "%s", "");
    volume_log(volume, LOG_INFO, "warm: all %s were read",
               format_bytes(size, progress_warm_bytes(volume->progress)));
}

void volume_origin_known(struct volume *volume)
{
    volume_set_state(volume, VOLUME_FOUND, "%s", "");
    volume_go_on(volume);
}

void volume_lost(struct volume *volume, const char *why)
{
    disk_let_go(volume->disk);
    volume->disk = NULL;
    sampling_free(&volume->sampling);
    volume_set_state(volume, VOLUME_GONE, "%s", why);
    volume_log(volume, LOG_WARNING, "%s; its checkpoint is kept", why);
    if (!volume->context->once)
        volume->open_again_usec = clock_now_usec() + OPEN_AGAIN_USEC;
}

/* True if there was nothing to change. */
static bool resize(struct volume *volume, uint64_t size_bytes)
{
    char before[FORMAT_MAX], after[FORMAT_MAX];

    if (size_bytes == progress_size_bytes(volume->progress))
        return true;
    volume_log(volume, LOG_NOTICE, "its size changed from %s to %s",
               format_bytes(before, progress_size_bytes(volume->progress)),
               format_bytes(after, size_bytes));
    if (progress_resize(volume->progress, size_bytes) < 0)
        volume_log(volume, LOG_WARNING, "memory is short: the change of size is seen to later");
    return false;
}

/*
 * False when the volume's disk is not there any more, or its size has changed so that it is not
 * over. An open disk is asked itself; one that was warmed and let go, by its name.
 */
static bool verify_now(struct volume *volume)
{
    uint64_t size_bytes = 0;
    int r = volume->disk ? disk_verify(volume->disk, &size_bytes)
                         : disk_verify_path(volume->path, &volume->identity, &size_bytes);

    if (r == -ENODEV) {
        keeping_save(volume);
        volume_lost(volume, "the device is gone");
    } else if (r == -ESTALE) {
        keeping_forget(volume);
        volume_lost(volume, "another disk is under this name now");
    } else if (volume->disk) {
        return resize(volume, size_bytes);
    } else if (size_bytes != progress_size_bytes(volume->progress)) {
        volume_log(volume, LOG_NOTICE, "its size has changed: it is opened again");
        volume_open(volume);
    }
    return r >= 0;
}

static void tick_verify(struct volume *volume, uint64_t now_usec)
{
    bool watched =
        volume->disk || volume->state == VOLUME_WARM || volume->state == VOLUME_INCOMPLETE;

    if (!watched || now_usec - volume->verified_usec < VERIFY_USEC)
        return;
    volume->verified_usec = now_usec;
    verify_now(volume);
}

static const char *why_slowly(const struct volume *volume)
{
    if (!volume->last)
        return "";
    return volume->context->others_first
               ? "every sample was as fast as a warm read: it waits for the other volumes"
               : "every sample was as fast as a warm read: one read at a time";
}

/* Chooses what comes next; called whenever something has ended. */
void volume_go_on(struct volume *volume)
{
    bool after_check = volume->state == VOLUME_CHECKING_AFTER;

    if (!volume->disk || volume->stopping || volume_state_is_final(volume->state))
        return;
    if (volume->paused) {
        volume_set_state(volume, VOLUME_PAUSED, "%s", "");
    } else if (volume->settings.wait_for_origin && volume->state == VOLUME_FOUND) {
        volume_set_state(volume, VOLUME_WAITING_ORIGIN, "it is not known yet where it came from");
    } else if (progress_is_over(volume->progress)) {
        if (!after_check && progress_unreadable_bytes(volume->progress) == 0 &&
            begin_check_after(volume))
            volume_set_state(volume, VOLUME_CHECKING_AFTER, "%s", "");
        else if (verify_now(volume))
            finish(volume);
    } else if (volume->state == VOLUME_FOUND && begin_check_before(volume)) {
        volume_set_state(volume, VOLUME_CHECKING_BEFORE, "%s", "");
    } else if (volume->state != VOLUME_WARMING) {
        rate_reset(&volume->rate, clock_now_usec());
        volume_set_state(volume, VOLUME_WARMING, "%s", why_slowly(volume));
    }
}

static void tick_sampling(struct volume *volume, uint64_t now_usec)
{
    if ((volume->state == VOLUME_CHECKING_BEFORE || volume->state == VOLUME_CHECKING_AFTER) &&
        sampling_is_late(&volume->sampling, now_usec))
        reading_end_sample(volume);
}

static void tick_stall(struct volume *volume, uint64_t now_usec)
{
    uint64_t offset = 0, age_usec;

    if (!volume->disk)
        return;
    age_usec = disk_oldest_usec(volume->disk, now_usec, &offset);
    if (age_usec >= STALLED_USEC && !volume->stall_said) {
        volume->stall_said = true;
        volume->context->changed = true;
        volume_log(volume, LOG_WARNING,
                   "a read at offset %llu has not come back for %llu s; the other reads go on",
                   (unsigned long long)offset, (unsigned long long)(age_usec / USEC_PER_SEC));
    } else if (age_usec < STALLED_USEC && volume->stall_said) {
        volume->stall_said = false;
        volume->context->changed = true;
        volume_log(volume, LOG_NOTICE, "its reads come back again");
    }
}

static void tick_outage(struct volume *volume, uint64_t now_usec)
{
    if (volume->state != VOLUME_WARMING)
        return;
    if (!outage_is_on(&volume->outage)) {
        volume_set_state(volume, VOLUME_WARMING, "%s", why_slowly(volume));
        return;
    }
    volume_set_state(volume, VOLUME_WARMING,
                     "every read fails: %s; single reads are tried until it is back",
                     strerror(-volume->failure));
    if (volume->context->once &&
        outage_age_usec(&volume->outage, now_usec) >= OUTAGE_PATIENCE_USEC) {
        keeping_save(volume);
        fail(volume, volume->failure, "every read fails");
    }
}

static void tick_patience(struct volume *volume, uint64_t now_usec)
{
    if (volume->open_again_usec > 0 && now_usec >= volume->open_again_usec)
        volume_open(volume);
    if (volume->opening && now_usec - volume->opening_since_usec >= OPEN_SLOW_USEC &&
        volume->state == VOLUME_FOUND)
        volume_set_state(
            volume, VOLUME_FOUND, "opening it has not come back for %llu s",
            (unsigned long long)((now_usec - volume->opening_since_usec) / USEC_PER_SEC));
    if (volume->loading && volume->state == VOLUME_FOUND &&
        now_usec - volume->loading_since_usec >= LOAD_PATIENCE_USEC) {
        volume_log(volume, LOG_WARNING,
                   "the state directory %s does not answer: warming without its checkpoint",
                   volume->context->state_directory);
        volume_go_on(volume);
    }
}

void volume_tick(struct volume *volume, uint64_t now_usec)
{
    if (!volume->stopping) {
        tick_patience(volume, now_usec);
        tick_sampling(volume, now_usec);
        tick_outage(volume, now_usec);
    }
    tick_verify(volume, now_usec);
    tick_stall(volume, now_usec);
    if (volume->state == VOLUME_WARMING)
        rate_update(&volume->rate, now_usec);
    keeping_tick(volume, now_usec);
}
