/* SPDX-License-Identifier: MIT */
#include "status/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "status/text.h"

static const struct volume_report warming = {
    .id = "vol-0123456789abcdef0",
    .device = "/dev/nvme1n1",
    .state = VOLUME_WARMING,
    .reason = "",
    .size_bytes = GIB + GIB / 2,
    .planned_bytes = GIB + GIB / 2,
    .warm_bytes = (GIB + GIB / 2) / 4,
    .rate_bytes_per_sec = 211.0 * MIB,
    .eta_sec = 720,
    .checkpoint_path = "",
    .checkpoint_error = "",
};

static struct volume_report volumes[3];
static struct fleet_report fleet = {
    .version = "1",
    .state = "warming",
    .engine = "io_uring",
    .engine_reason = "",
    .volumes = volumes,
};

static void assert_status(size_t n_volumes, struct render_options options, const char *expected)
{
    _cleanup_free_ char *text = NULL;

    fleet.n_volumes = n_volumes;
    text = render_status(&fleet, &options);
    assert_string_equal(text, expected);
}

static const struct render_options plain = { .width = 100 };

/* 69 columns of text and 14 of gaps leave 17 for the bar, of which a quarter is full. */
static void test_wide(void **state)
{
    (void)state;
    volumes[0] = warming;
    assert_status(1, plain,
                  "VOLUME                 DEVICE           SIZE  STATE                       "
                  "PERCENT       RATE"
                  "     ETA\n"
                  "vol-0123456789abcdef0  /dev/nvme1n1  1.5 GiB  warming  ####-------------   25.0 "
                  "%  211 MiB/s"
                  "  12 min\n"
                  "Warming 1 volume: 25 %, 211 MiB/s, 12 min left (384 MiB of 1.5 GiB)\n");
}

static void test_80_columns_give_up_size_and_device(void **state)
{
    (void)state;
    volumes[0] = warming;
    assert_status(1, (struct render_options){ .width = 80, .utf8 = true },
                  "VOLUME                 STATE                          PERCENT       RATE"
                  "     ETA\n"
                  "vol-0123456789abcdef0  warming  █████░░░░░░░░░░░░░░░   25.0 %  211 MiB/s"
                  "  12 min\n"
                  "Warming 1 volume: 25 %, 211 MiB/s, 12 min left (384 MiB of 1.5 GiB)\n");
}

static void test_notes_under_the_row(void **state)
{
    (void)state;
    volumes[0] = warming;
    volumes[0].stalled_sec = 45;
    volumes[0].unreadable_bytes = 512;
    volumes[0].reason = "asked for by name";
    volumes[0].checkpoint_error = "No space left on device";
    fleet.engine_reason = "io_uring is refused";
    assert_status(1, (struct render_options){ .width = 40 },
                  "VOLUME                 STATE    PERCENT\n"
                  "vol-0123456789abcdef0  warming   25.0 %\n"
                  "    asked for by name\n"
                  "    the device has not answered a read\n"
                  "    for 45 s\n"
                  "    512 B cannot be read\n"
                  "    progress cannot be saved: No space\n"
                  "    left on device\n"
                  "Warming 1 volume: 25 %, 211 MiB/s, 1 stalled for 45 s, progress of 1 cannot be"
                  " saved (384 MiB of 1.5 GiB)\n"
                  "Reading with threads: io_uring is refused\n");
    fleet.engine_reason = "";
}

static void test_states_without_figures(void **state)
{
    (void)state;
    volumes[0] = (struct volume_report){ .id = "loop0",
                                         .device = "/dev/loop0",
                                         .state = VOLUME_SKIPPED,
                                         .reason = "no snapshot",
                                         .size_bytes = GIB + GIB / 2,
                                         .eta_sec = ETA_UNKNOWN,
                                         .checkpoint_error = "" };
    assert_status(1, (struct render_options){ .width = 60 },
                  "VOLUME  DEVICE      STATE                 PERCENT  RATE  ETA\n"
                  "loop0   /dev/loop0  skipped                     -     -    -\n"
                  "    no snapshot\n"
                  "Nothing to warm: 1 volume skipped\n");
}

static void test_no_volumes(void **state)
{
    (void)state;
    assert_status(0, plain, "No volumes to warm\n");
}

static void test_colour(void **state)
{
    struct render_options options = { .width = 40, .colour = true };
    _cleanup_free_ char *text = NULL;

    (void)state;
    volumes[0] = warming;
    volumes[0].state = VOLUME_FAILED;
    fleet.n_volumes = 1;
    text = render_status(&fleet, &options);
    assert_non_null(strstr(text, "\033[1mVOLUME\033[0m"));
    assert_non_null(strstr(text, "\033[31mfailed\033[0m"));
}

static void assert_no_wider(const char *text, size_t width)
{
    while (*text) {
        char line[512];
        size_t n = strcspn(text, "\n");

        /* The sum is a sentence, and terminals wrap sentences well. */
        if (strncmp(text, "Warming", 7) == 0)
            return;
        memcpy(line, text, n);
        line[n] = '\0';
        assert_true(text_columns(line) <= width);
        text += n + 1;
    }
}

static void test_no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    for (unsigned width = 40; width <= 200; width++) {
        struct render_options options = { .width = width, .utf8 = true };
        _cleanup_free_ char *text = NULL;

        for (int i = 0; i < 3; i++)
            volumes[i] = warming;
        volumes[1].state = VOLUME_WAITING_ORIGIN;
        volumes[1].reason =
            "the origin of this volume is being asked for, which takes a while, "
            "averylongwordwithoutanyblankinitthatiswiderthanfortycolumnsofaterminal";
        volumes[2].id = "/a/very/long/path/of/a/file/that/somebody/has/named/on/the/command/line";
        fleet.n_volumes = 3;
        text = render_status(&fleet, &options);
        assert_no_wider(text, width);
    }
}

static void test_terminals_get_no_control_characters(void **state)
{
    struct render_options options = { .width = 100, .utf8 = true };
    _cleanup_free_ char *text = NULL, *line = NULL;

    (void)state;
    volumes[0] = warming;
    volumes[0].id = "x\033[2Jy\xc2\x9bz\xff";
    volumes[0].reason = "a\033]0;b\ac\nd";
    fleet.n_volumes = 1;
    text = render_status(&fleet, &options);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "x?[2Jy??z?"));
    assert_non_null(strstr(text, "a?]0;b?c?d"));
    line = render_progress_plain(&volumes[0]);
    assert_null(strpbrk(line, "\033\n\a"));
}

static void assert_progress(struct render_options options, const char *expected)
{
    _cleanup_free_ char *text = render_progress(&volumes[0], &options);

    assert_string_equal(text, expected);
}

static void test_progress(void **state)
{
    (void)state;
    volumes[0] = warming;
    volumes[0].id = "loop0";
    assert_progress((struct render_options){ .width = 60 },
                    "loop0  #####---------------  25.0 %, 211 MiB/s, 12 min left");
    assert_progress((struct render_options){ .width = 44 },
                    "loop0  25.0 %, 211 MiB/s, 12 min left");
    assert_progress((struct render_options){ .width = 20 }, "loop0  25.0 %, 211 ");
    volumes[0].state = VOLUME_CHECKING_AFTER;
    volumes[0].warm_bytes = volumes[0].planned_bytes;
    volumes[0].rate_bytes_per_sec = 0;
    volumes[0].eta_sec = ETA_UNKNOWN;
    assert_progress((struct render_options){ .width = 50 },
                    "loop0  #################  100.0 %, checking-after");
}

static void test_progress_plain(void **state)
{
    _cleanup_free_ char *text = NULL;

    (void)state;
    volumes[0] = warming;
    volumes[0].unreadable_bytes = 512;
    text = render_progress_plain(&volumes[0]);
    assert_string_equal(text, "vol-0123456789abcdef0 (/dev/nvme1n1): warming, 25.0 %, 384 MiB of "
                              "1.5 GiB, 211 MiB/s, 12 min left, 512 B cannot be read");
}

static void assert_gain(double before, double after, bool utf8, const char *expected)
{
    const struct render_options options = { .width = 80, .utf8 = utf8 };
    _cleanup_free_ char *text = NULL;

    volumes[0].check_before =
        (struct check_report){ .samples = 8, .bytes_per_sec = before, .p50_usec = 31200 };
    volumes[0].check_after =
        (struct check_report){ .samples = 8, .bytes_per_sec = after, .p50_usec = 600 };
    text = render_before_after(&volumes[0], &options);
    assert_string_equal(text, expected);
}

static void test_before_and_after(void **state)
{
    _cleanup_free_ char *text = NULL;

    (void)state;
    volumes[0] = warming;
    text = render_before_after(&volumes[0], &plain);
    assert_string_equal(text, "");
    assert_gain(13e6, 1004e6, true,
                "before 13 MB/s, 31 ms · after 1,004 MB/s, 0.6 ms · 77 × faster");
    assert_gain(13e6, 1004e6, false,
                "before 13 MB/s, 31 ms; after 1,004 MB/s, 0.6 ms; 77 x faster");
    assert_gain(100e6, 150e6, false,
                "before 100 MB/s, 31 ms; after 150 MB/s, 0.6 ms; 1.5 x faster");
    assert_gain(100e6, 90e6, false, "before 100 MB/s, 31 ms; after 90 MB/s, 0.6 ms; no faster");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_80_columns_give_up_size_and_device),
        cmocka_unit_test(test_notes_under_the_row),
        cmocka_unit_test(test_states_without_figures),
        cmocka_unit_test(test_no_volumes),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_no_line_is_wider_than_the_terminal),
        cmocka_unit_test(test_terminals_get_no_control_characters),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_progress_plain),
        cmocka_unit_test(test_before_and_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
