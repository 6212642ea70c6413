/* SPDX-License-Identifier: MIT */
#include "status/render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "status/phrase.h"
#include "status/text.h"

#define PROGRESS_BAR_MIN 8u
#define PROGRESS_BAR_MAX 40u

/* What comes behind the percents: ", 211 MiB/s, 12 min left". */
static void write_pace(FILE *out, const struct volume_report *volume)
{
    char text[FORMAT_MAX];

    if (volume->rate_bytes_per_sec >= 1)
        fprintf(out, ", %s", format_rate(text, volume->rate_bytes_per_sec));
    if (volume->stalled_sec > 0)
        fprintf(out, ", no answer for %s",
                format_duration(text, volume->stalled_sec * USEC_PER_SEC));
    else if (strcmp(phrase_eta(text, volume), "-") != 0)
        fprintf(out, ", %s left", text);
}

/* Closes `out`, which wrote to *text. */
static char *finish(FILE *out, char **text)
{
    if (fclose(out) == 0)
        return *text;
    free(*text);
    return NULL;
}

static char *progress_tail(const struct volume_report *volume)
{
    char *text = NULL;
    char percent[FORMAT_MAX];
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    fprintf(out, "%6s", phrase_percent(percent, volume));
    if (volume->state != VOLUME_WARMING)
        fprintf(out, ", %s", volume_state_to_string(volume->state));
    write_pace(out, volume);
    return finish(out, &text);
}

char *render_progress(const struct volume_report *volume, const struct render_options *options)
{
    _cleanup_free_ char *name = text_clean(volume->id, options->utf8);
    _cleanup_free_ char *tail = progress_tail(volume);
    unsigned used, room;
    char *text = NULL;
    size_t length;
    FILE *out;

    if (!name || !tail)
        return NULL;
    /* The last column stays free: some terminals wrap when it is written to. */
    room = options->width > 1 ? options->width - 1 : 1;
    used = (unsigned)(text_columns(name) + text_columns(tail)) + 4;
    out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    fprintf(out, "%s  ", name);
    if (used + PROGRESS_BAR_MIN <= room) {
        unsigned bar = room - used;

        text_bar(out, volume_report_percent(volume),
                 bar > PROGRESS_BAR_MAX ? PROGRESS_BAR_MAX : bar, options->utf8);
        fprintf(out, "  ");
    }
    fprintf(out, "%s", tail);
    text = finish(out, &text);
    if (text)
        text[text_bytes_of_columns(text, room)] = '\0';
    return text;
}

static void write_plain(FILE *out, const struct volume_report *volume)
{
    char text[FORMAT_MAX], planned[FORMAT_MAX];

    fprintf(out, "%s (%s): %s", volume->id, volume->device, volume_state_to_string(volume->state));
    if (volume->state != VOLUME_SKIPPED) {
        fprintf(out, ", %s", phrase_percent(text, volume));
        fprintf(out, ", %s of %s", format_bytes(text, volume->warm_bytes),
                format_bytes(planned, volume->planned_bytes));
    }
    write_pace(out, volume);
    if (volume->unreadable_bytes > 0)
        fprintf(out, ", %s cannot be read", format_bytes(text, volume->unreadable_bytes));
    if (*volume->checkpoint_error)
        fprintf(out, ", progress cannot be saved (%s)", volume->checkpoint_error);
    if (*volume->reason)
        fprintf(out, ": %s", volume->reason);
}

char *render_progress_plain(const struct volume_report *volume)
{
    _cleanup_free_ char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    write_plain(out, volume);
    if (fclose(out) != 0 || !text)
        return NULL;
    return text_clean(text, true);
}

/* ---- before and after ---- */

/* 1004.2 as "1,004" and 0.62 as "0.6": three digits say enough. */
static void write_short(FILE *out, double value)
{
    char digits[32];
    size_t n;

    if (value < 9.95) {
        fprintf(out, "%.1f", value);
        return;
    }
    snprintf(digits, sizeof(digits), "%.0f", fmin(value, 1e15));
    n = strlen(digits);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            fputc(',', out);
        fputc(digits[i], out);
    }
}

static void write_check(FILE *out, const char *when, const struct check_report *check)
{
    fprintf(out, "%s ", when);
    write_short(out, check->bytes_per_sec / 1e6);
    fprintf(out, " MB/s, ");
    write_short(out, (double)check->p50_usec / 1e3);
    fprintf(out, " ms");
}

static void write_before_after(FILE *out, const struct volume_report *volume, bool utf8)
{
    const char *between = utf8 ? " · " : "; ";
    double gain = volume->check_after.bytes_per_sec / volume->check_before.bytes_per_sec;

    write_check(out, "before", &volume->check_before);
    fputs(between, out);
    write_check(out, "after", &volume->check_after);
    fputs(between, out);
    if (gain < 1.05) {
        fputs("no faster", out);
        return;
    }
    write_short(out, gain);
    fputs(utf8 ? " × faster" : " x faster", out);
}

char *render_before_after(const struct volume_report *volume, const struct render_options *options)
{
    char *text = NULL;
    size_t length;
    FILE *out;

    if (!volume->check_before.samples || !volume->check_after.samples ||
        !(volume->check_before.bytes_per_sec > 0))
        return strdup("");
    out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    write_before_after(out, volume, options->utf8);
    return finish(out, &text);
}
