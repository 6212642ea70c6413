/* SPDX-License-Identifier: MIT */
/* Sending a volume's reads, and what it means when one comes back. */
#include "warm/clock.h"
#include "warm/volume.h"

#include <errno.h>
#include <string.h>
#include <syslog.h>

static void send_sample(struct volume *volume, uint64_t now_usec)
{
    struct range region;
    struct piece piece;
    int r;

    while (disk_in_flight(volume->disk) == 0) {
        if (!sampling_next(&volume->sampling, now_usec, &region)) {
            reading_end_sample(volume);
            return;
        }
        if (volume->state == VOLUME_CHECKING_AFTER) {
            piece = (struct piece){ .start = region.start, .end = region.end };
            r = disk_read(volume->disk, &piece, DISK_SAMPLE_AFTER);
        } else {
            r = progress_take(volume->progress, region.start, region.end, &piece);
            if (r < 0)
                continue;
            r = disk_read(volume->disk, &piece, DISK_SAMPLE_BEFORE);
            if (r < 0)
                progress_returned(volume->progress, &piece);
        }
        if (r < 0)
            return;
    }
}

static void send_warm(struct volume *volume, uint64_t now_usec)
{
    unsigned depth = outage_allowed_depth(&volume->outage, now_usec, volume_depth(volume));
    struct piece piece;

    while (disk_in_flight(volume->disk) < depth &&
           progress_next(volume->progress, control_block_bytes(&volume->control), &piece) >= 0) {
        if (disk_read(volume->disk, &piece, DISK_WARM) < 0) {
            progress_returned(volume->progress, &piece);
            return;
        }
    }
}

void volume_pump(struct volume *volume, uint64_t now_usec)
{
    if (volume->stopping || !volume->disk)
        return;
    if (volume->state == VOLUME_CHECKING_BEFORE || volume->state == VOLUME_CHECKING_AFTER)
        send_sample(volume, now_usec);
    else if (volume->state == VOLUME_WARMING)
        send_warm(volume, now_usec);
}

static void end_sample_before(struct volume *volume, const struct check_report *report)
{
    if (!volume->sampling_the_rest)
        volume->before = *report;
    if (!volume->settings.probe)
        return;
    volume->last = sample_looks_warm(report);
    if (volume->last)
        volume_log(volume, LOG_INFO,
                   "nobody says where it came from, and each of %u samples was as fast as a warm "
                   "read: it is warmed after the others, one read at a time",
                   report->samples);
}

void reading_end_sample(struct volume *volume)
{
    struct check_report report;

    sampling_end(&volume->sampling, &report);
    if (volume->state == VOLUME_CHECKING_AFTER)
        volume->after = report;
    else
        end_sample_before(volume, &report);
    volume->save_wanted = true;
    volume_go_on(volume);
}

static void succeeded(struct volume *volume, const struct disk_read *read, uint64_t bytes,
                      uint64_t now_usec)
{
    if (read->purpose == DISK_SAMPLE_AFTER)
        return;
    if (progress_succeeded(volume->progress, &read->piece, bytes) < 0)
        volume_log(volume, LOG_WARNING, "memory is short: a read is done again");
    outage_succeeded(&volume->outage);
    rate_add(&volume->rate, bytes);
    if (read->purpose == DISK_WARM)
        control_completed(&volume->control, now_usec, bytes, disk_in_flight(volume->disk));
}

/* The read never reached the disk, or came to nothing for want of memory: no fault of the place. */
static bool is_shortage(int result)
{
    return result == -ECANCELED || result == -ENOMEM || result == -EAGAIN || result == -EINTR;
}

static void failed(struct volume *volume, const struct disk_read *read, int result,
                   uint64_t now_usec)
{
    if (read->purpose == DISK_SAMPLE_AFTER)
        return;
    volume->failure = result;
    if (is_shortage(result))
        progress_returned(volume->progress, &read->piece);
    else if (progress_failed(volume->progress, &read->piece) < 0)
        volume_log(volume, LOG_WARNING, "memory is short: a failed read is looked for again later");
    if (read->piece.tries == 0 && !read->piece.again)
        outage_failed(&volume->outage, now_usec);
    if (!volume->failure_said) {
        volume->failure_said = true;
        volume_log(volume, LOG_WARNING,
                   "reading at offset %llu failed: %s; it is tried again, then by halves down to "
                   "the sector; further failures are only counted",
                   (unsigned long long)read->piece.start, strerror(-result));
    }
    volume->verified_usec = 0; /* is it still there? */
}

static void measured(struct volume *volume, const struct disk_read *read, int result,
                     uint64_t latency_usec)
{
    bool before = read->purpose == DISK_SAMPLE_BEFORE && volume->state == VOLUME_CHECKING_BEFORE;
    bool after = read->purpose == DISK_SAMPLE_AFTER && volume->state == VOLUME_CHECKING_AFTER;

    if ((before || after) && result == (int)(read->piece.end - read->piece.start))
        sampling_measured(&volume->sampling, latency_usec);
}

void reading_done(const struct disk_read *read, int result, void *userdata)
{
    struct volume *volume = userdata;
    uint64_t now_usec = clock_now_usec();

    measured(volume, read, result, now_usec - read->submitted_usec);
    if (result > 0)
        succeeded(volume, read, (uint64_t)result, now_usec);
    else
        failed(volume, read, result, now_usec);
    if (volume->state == VOLUME_WARMING && progress_is_over(volume->progress))
        volume_go_on(volume);
}
