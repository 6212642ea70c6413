/* SPDX-License-Identifier: MIT */
#include "daemon/progress.h"

#include "base/cleanup.h"
#include "base/size.h"
#include "status/render.h"
#include "status/terminal.h"
#include "warm/clock.h"

/* Elsewhere than on a terminal: a line for each state, and one so often while it lasts. */
#define PLAIN_USEC (10 * USEC_PER_SEC)

struct shown {
    enum volume_state state;
    bool known;
    uint64_t shown_usec;
    bool before_said;
};

struct progress_view {
    bool terminal;
    size_t lines; /* of bars that stand on the terminal now */
    struct shown *shown;
    size_t n_shown;
};

struct progress_view *progress_view_new(void)
{
    struct progress_view *view = calloc(1, sizeof(*view));

    if (view)
        view->terminal = terminal_is_stdout();
    return view;
}

void progress_view_free(struct progress_view *view)
{
    if (!view)
        return;
    free(view->shown);
    free(view);
}

static struct shown *shown_of(struct progress_view *view, const struct fleet_report *report,
                              size_t n)
{
    if (report->n_volumes > view->n_shown) {
        struct shown *shown = realloc(view->shown, report->n_volumes * sizeof(*shown));
        if (!shown)
            return NULL;
        for (size_t i = view->n_shown; i < report->n_volumes; i++)
            shown[i] = (struct shown){ .known = false };
        view->shown = shown;
        view->n_shown = report->n_volumes;
    }
    return &view->shown[n];
}

static void clear_bars(struct progress_view *view)
{
    if (view->lines > 0)
        printf("\033[%zuA\033[J", view->lines);
    view->lines = 0;
}

static void say_before(const struct volume_report *volume)
{
    char latency[FORMAT_MAX];

    printf("%s: before: %.0f MB/s at depth 1, first touch of %u places: median %s\n",
           volume->device, volume->check_before.bytes_per_sec / 1e6, volume->check_before.samples,
           format_duration(latency, volume->check_before.p50_usec));
}

/* Once for each volume, as soon as it is known. */
static void say_news(struct progress_view *view, const struct fleet_report *report)
{
    for (size_t i = 0; i < report->n_volumes; i++) {
        struct shown *shown = shown_of(view, report, i);
        if (!shown || shown->before_said || report->volumes[i].check_before.samples == 0)
            continue;
        shown->before_said = true;
        clear_bars(view);
        say_before(&report->volumes[i]);
    }
}

static void draw_bars(struct progress_view *view, const struct fleet_report *report)
{
    struct render_options options = terminal_render_options();

    clear_bars(view);
    for (size_t i = 0; i < report->n_volumes; i++) {
        _cleanup_free_ char *line = render_progress(&report->volumes[i], &options);
        if (!line)
            continue;
        printf("%s\n", line);
        view->lines++;
    }
}

static void print_plain(struct progress_view *view, const struct fleet_report *report)
{
    uint64_t now_usec = clock_now_usec();

    for (size_t i = 0; i < report->n_volumes; i++) {
        const struct volume_report *volume = &report->volumes[i];
        struct shown *shown = shown_of(view, report, i);
        bool moves = !volume_state_is_final(volume->state);
        _cleanup_free_ char *line = NULL;

        if (!shown || volume->state == VOLUME_FOUND ||
            (shown->known && shown->state == volume->state &&
             (!moves || now_usec - shown->shown_usec < PLAIN_USEC)))
            continue;
        *shown = (struct shown){
            .known = true,
            .state = volume->state,
            .shown_usec = now_usec,
            .before_said = shown->before_said,
        };
        line = render_progress_plain(volume);
        if (line)
            puts(line);
    }
}

void progress_view_show(struct progress_view *view, const struct fleet_report *report)
{
    say_news(view, report);
    if (view->terminal)
        draw_bars(view, report);
    else
        print_plain(view, report);
    fflush(stdout);
}

void progress_view_finish(struct progress_view *view, const struct fleet_report *report)
{
    struct render_options options = terminal_render_options();

    progress_view_show(view, report);
    for (size_t i = 0; i < report->n_volumes; i++) {
        const struct volume_report *volume = &report->volumes[i];
        _cleanup_free_ char *figures = render_before_after(volume, &options);
        if (figures && figures[0])
            printf("%s: %s\n", volume->device, figures);
        if (volume->checkpoint_path[0])
            printf("%s: checkpoint: %s%s%s\n", volume->device, volume->checkpoint_path,
                   volume->checkpoint_error[0] ? ": " : "", volume->checkpoint_error);
    }
    fflush(stdout);
}
