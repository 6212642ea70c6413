/* SPDX-License-Identifier: MIT */
#include "status/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "status/summary.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* ", 1 gone" and the like, for what the first words do not tell. */
static void write_others(FILE *out, const struct summary *sum, bool with_paused)
{
    static const struct {
        enum volume_state state;
        const char *words;
    } others[] = {
        { VOLUME_PAUSED, "paused" },   { VOLUME_INCOMPLETE, "with unreadable blocks" },
        { VOLUME_SKIPPED, "skipped" }, { VOLUME_GONE, "gone" },
        { VOLUME_FAILED, "failed" },
    };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        size_t n = sum->in_state[others[i].state];

        if (n > 0 && (with_paused || others[i].state != VOLUME_PAUSED))
            fprintf(out, ", %zu %s", n, others[i].words);
    }
    if (sum->n_unsaved > 0)
        fprintf(out, ", progress of %zu cannot be saved", sum->n_unsaved);
}

static void write_active(FILE *out, const struct summary *sum)
{
    char text[FORMAT_MAX];

    fprintf(out, "Warming %zu volume%s: %u %%", sum->n_active, plural(sum->n_active),
            (unsigned)sum->percent);
    if (sum->rate_bytes_per_sec >= 1)
        fprintf(out, ", %s", format_rate(text, sum->rate_bytes_per_sec));
    if (sum->n_stalled > 0)
        fprintf(out, ", %zu stalled for %s", sum->n_stalled,
                format_duration(text, sum->stalled_sec * USEC_PER_SEC));
    else if (sum->eta_sec != ETA_UNKNOWN)
        fprintf(out, ", %s left", format_duration(text, sum->eta_sec * USEC_PER_SEC));
    write_others(out, sum, true);
}

static void write_finished(FILE *out, const struct summary *sum)
{
    size_t n_warm = sum->in_state[VOLUME_WARM];

    if (n_warm == 0)
        fprintf(out, "No volume is warm");
    else if (n_warm + sum->in_state[VOLUME_SKIPPED] < sum->n_volumes)
        fprintf(out, "%zu of %zu volumes %s warm", n_warm, sum->n_volumes,
                n_warm == 1 ? "is" : "are");
    else if (n_warm == 1)
        fprintf(out, "1 volume is warm");
    else
        fprintf(out, "All %zu volumes are warm", n_warm);
    write_others(out, sum, true);
}

static void write_status(FILE *out, const struct fleet_report *report)
{
    struct summary sum;

    summarize(report, &sum);
    if (sum.n_volumes == 0)
        fputs(strcmp(report->state, "starting") == 0 ? "Looking for volumes" : "No volumes to warm",
              out);
    else if (sum.n_active > 0)
        write_active(out, &sum);
    else if (sum.in_state[VOLUME_PAUSED] > 0) {
        fprintf(out, "Paused: %zu volume%s, %u %% warm", sum.in_state[VOLUME_PAUSED],
                plural(sum.in_state[VOLUME_PAUSED]), (unsigned)sum.percent);
        write_others(out, &sum, false);
    } else if (sum.in_state[VOLUME_SKIPPED] == sum.n_volumes)
        fprintf(out, "Nothing to warm: %zu volume%s skipped", sum.n_volumes, plural(sum.n_volumes));
    else
        write_finished(out, &sum);
}

char *notify_status_text(const struct fleet_report *report)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    write_status(out, report);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int send_status(const char *before, const struct fleet_report *report)
{
    _cleanup_free_ char *text = notify_status_text(report);
    int r;

    if (!text)
        return -ENOMEM;
    r = sd_notifyf(0, "%sSTATUS=%s", before, text);
    return r < 0 ? r : 0;
}

int notify_ready(const struct fleet_report *report)
{
    return send_status("READY=1\n", report);
}

int notify_status(const struct fleet_report *report)
{
    return send_status("", report);
}

int notify_reloading(void)
{
    struct timespec now;
    int r;

    if (clock_gettime(CLOCK_MONOTONIC, &now) < 0)
        return -errno;
    r = sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\nSTATUS=Reading the configuration",
                   (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / 1000);
    return r < 0 ? r : 0;
}

int notify_stopping(const char *why)
{
    int r = sd_notifyf(0, "STOPPING=1\nSTATUS=%s", why);

    return r < 0 ? r : 0;
}
