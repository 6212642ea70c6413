/* SPDX-License-Identifier: MIT */
#include "status/render.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "status/notify.h"
#include "status/phrase.h"
#include "status/summary.h"
#include "status/text.h"

#define WIDTH_MIN   40u
#define WIDTH_MAX   200u
#define GAP         2u
#define NOTE_INDENT 4u
#define BAR_MIN     8u
#define BAR_MAX     30u
#define NAME_MIN    8u
#define CELL_WIDTH  48u
#define CELL_MAX    (4 * CELL_WIDTH + 1) /* a character has up to 4 bytes */

enum column { VOLUME, DEVICE, SIZE, STATE, BAR, PERCENT, RATE, ETA, N_COLUMNS };

static const struct {
    const char *head;
    bool right;
} columns[N_COLUMNS] = {
    [VOLUME] = { "VOLUME", false }, [DEVICE] = { "DEVICE", false }, [SIZE] = { "SIZE", true },
    [STATE] = { "STATE", false },   [BAR] = { "", false },          [PERCENT] = { "PERCENT", true },
    [RATE] = { "RATE", true },      [ETA] = { "ETA", true },
};

/* What goes first when the terminal is narrow. */
static const enum column expendable[] = { SIZE, DEVICE, RATE, BAR, ETA };

struct row {
    char cells[N_COLUMNS][CELL_MAX]; /* that of BAR is empty */
};

struct table {
    const struct render_options *options;
    struct row *rows;
    unsigned widths[N_COLUMNS]; /* 0: not shown */
};

static unsigned clamp_width(unsigned width)
{
    return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
}

static void set_cell(struct table *table, char cell[CELL_MAX], const char *text)
{
    _cleanup_free_ char *clean = text_clean(text, table->options->utf8);

    if (clean)
        snprintf(cell, CELL_MAX, "%.*s", (int)text_bytes_of_columns(clean, CELL_WIDTH), clean);
}

static void fill_row(struct table *table, const struct volume_report *volume, struct row *row)
{
    char text[FORMAT_MAX];

    set_cell(table, row->cells[VOLUME], volume->id);
    set_cell(table, row->cells[DEVICE], volume->device);
    set_cell(table, row->cells[SIZE], format_bytes(text, volume->size_bytes));
    set_cell(table, row->cells[STATE], volume_state_to_string(volume->state));
    set_cell(table, row->cells[PERCENT],
             volume->state == VOLUME_SKIPPED ? "-" : phrase_percent(text, volume));
    set_cell(table, row->cells[RATE],
             volume->rate_bytes_per_sec >= 1 ? format_rate(text, volume->rate_bytes_per_sec) : "-");
    set_cell(table, row->cells[ETA], phrase_eta(text, volume));
}

/* ---- widths ---- */

static unsigned total_width(const struct table *table)
{
    unsigned total = 0;

    for (int c = 0; c < N_COLUMNS; c++)
        if (table->widths[c])
            total += table->widths[c] + (c ? GAP : 0);
    return total;
}

static void measure(struct table *table, size_t n_rows)
{
    for (int c = 0; c < N_COLUMNS; c++) {
        table->widths[c] = (unsigned)strlen(columns[c].head);
        for (size_t i = 0; i < n_rows; i++) {
            unsigned width = (unsigned)text_columns(table->rows[i].cells[c]);

            if (width > table->widths[c])
                table->widths[c] = width;
        }
    }
    table->widths[BAR] = BAR_MIN;
}

static void fit(struct table *table)
{
    unsigned width = clamp_width(table->options->width);
    unsigned total;

    for (size_t i = 0; i < sizeof(expendable) / sizeof(expendable[0]); i++)
        if (total_width(table) > width)
            table->widths[expendable[i]] = 0;
    total = total_width(table);
    if (total > width) {
        unsigned excess = total - width;

        table->widths[VOLUME] =
            table->widths[VOLUME] > excess + NAME_MIN ? table->widths[VOLUME] - excess : NAME_MIN;
    } else if (table->widths[BAR]) {
        unsigned bar = table->widths[BAR] + width - total;

        table->widths[BAR] = bar > BAR_MAX ? BAR_MAX : bar;
    }
}

/* ---- rows ---- */

static const char *state_colour(enum volume_state state)
{
    switch (state) {
    case VOLUME_WARM:
        return "\033[32m";
    case VOLUME_PAUSED:
    case VOLUME_GONE:
        return "\033[33m";
    case VOLUME_INCOMPLETE:
    case VOLUME_FAILED:
        return "\033[31m";
    default:
        return "";
    }
}

static void write_cell(FILE *out, const char *text, unsigned width, bool right, const char *colour)
{
    size_t wide = text_columns(text);
    int blanks = wide < width ? (int)(width - wide) : 0;

    if (right)
        fprintf(out, "%*s", blanks, "");
    fprintf(out, "%s%.*s%s", colour, (int)text_bytes_of_columns(text, width), text,
            *colour ? "\033[0m" : "");
    if (!right)
        fprintf(out, "%*s", blanks, "");
}

static void write_bar(FILE *out, const struct volume_report *volume, unsigned width, bool utf8)
{
    if (volume->state == VOLUME_SKIPPED)
        fprintf(out, "%*s", (int)width, "");
    else
        text_bar(out, volume_report_percent(volume), width, utf8);
}

/* The head when `volume` is NULL. */
static void write_row(FILE *out, const struct table *table, const struct row *row,
                      const struct volume_report *volume)
{
    bool colour = table->options->colour;

    for (int c = 0; c < N_COLUMNS; c++) {
        if (!table->widths[c])
            continue;
        if (c)
            fprintf(out, "%*s", (int)GAP, "");
        if (volume && c == BAR)
            write_bar(out, volume, table->widths[c], table->options->utf8);
        else if (volume)
            write_cell(out, row->cells[c], table->widths[c], columns[c].right,
                       colour && c == STATE ? state_colour(volume->state) : "");
        else
            write_cell(out, columns[c].head, table->widths[c], columns[c].right,
                       colour ? "\033[1m" : "");
    }
    fputc('\n', out);
}

static void __attribute__((format(printf, 3, 4)))
write_note(FILE *out, const struct render_options *options, const char *format, ...)
{
    _cleanup_free_ char *text = NULL, *clean = NULL;
    va_list ap;
    int n;

    va_start(ap, format);
    n = vasprintf(&text, format, ap);
    va_end(ap);
    if (n < 0) {
        text = NULL;
        return;
    }
    clean = text_clean(text, options->utf8);
    if (clean)
        text_wrap(out, clean, NOTE_INDENT, clamp_width(options->width));
}

static void write_notes(FILE *out, const struct render_options *options,
                        const struct volume_report *volume)
{
    _cleanup_free_ char *gain = render_before_after(volume, options);
    char text[FORMAT_MAX];

    if (*volume->reason)
        write_note(out, options, "%s", volume->reason);
    if (volume->stalled_sec > 0)
        write_note(out, options, "the device has not answered a read for %s",
                   format_duration(text, volume->stalled_sec * USEC_PER_SEC));
    if (volume->unreadable_bytes > 0)
        write_note(out, options, "%s cannot be read", format_bytes(text, volume->unreadable_bytes));
    if (*volume->checkpoint_error)
        write_note(out, options, "progress cannot be saved: %s", volume->checkpoint_error);
    if (gain && *gain)
        write_note(out, options, "%s", gain);
}

static void write_totals(FILE *out, const struct fleet_report *report,
                         const struct render_options *options)
{
    _cleanup_free_ char *text = notify_status_text(report);
    char warm[FORMAT_MAX], planned[FORMAT_MAX];
    struct summary sum;

    if (!text)
        return;
    summarize(report, &sum);
    if (sum.planned_bytes > 0)
        fprintf(out, "%s (%s of %s)\n", text, format_bytes(warm, sum.warm_bytes),
                format_bytes(planned, sum.planned_bytes));
    else
        fprintf(out, "%s\n", text);
    if (*report->engine_reason) {
        _cleanup_free_ char *reason = text_clean(report->engine_reason, options->utf8);

        fprintf(out, "Reading with threads: %s\n", reason ? reason : "");
    }
}

static int write_table(FILE *out, const struct fleet_report *report,
                       const struct render_options *options)
{
    _cleanup_free_ struct row *rows = calloc(report->n_volumes + 1, sizeof(*rows));
    struct table table = { .options = options, .rows = rows };

    if (!rows)
        return -1;
    for (size_t i = 0; i < report->n_volumes; i++)
        fill_row(&table, &report->volumes[i], &rows[i]);
    measure(&table, report->n_volumes);
    fit(&table);
    write_row(out, &table, NULL, NULL);
    for (size_t i = 0; i < report->n_volumes; i++) {
        write_row(out, &table, &rows[i], &report->volumes[i]);
        write_notes(out, options, &report->volumes[i]);
    }
    return 0;
}

char *render_status(const struct fleet_report *report, const struct render_options *options)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    int r = 0;

    if (!out)
        return NULL;
    if (report->n_volumes > 0)
        r = write_table(out, report, options);
    write_totals(out, report, options);
    if (fclose(out) == 0 && r == 0)
        return text;
    free(text);
    return NULL;
}
