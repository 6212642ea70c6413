/* SPDX-License-Identifier: MIT */
#include "status/notify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/size.h"

static struct volume_report volumes[3];

static void set(size_t i, enum volume_state volume_state, uint64_t warm_percent)
{
    volumes[i] = (struct volume_report){
        .id = "vol-0123456789abcdef0",
        .device = "/dev/nvme1n1",
        .state = volume_state,
        .reason = "",
        .size_bytes = 100 * MIB,
        .planned_bytes = 100 * MIB,
        .warm_bytes = warm_percent * MIB,
        .eta_sec = ETA_UNKNOWN,
        .checkpoint_path = "",
        .checkpoint_error = "",
    };
}

static void assert_text(size_t n_volumes, const char *expected)
{
    const struct fleet_report fleet = {
        .version = "1",
        .state = "starting",
        .engine = "io_uring",
        .engine_reason = "",
        .volumes = volumes,
        .n_volumes = n_volumes,
    };
    _cleanup_free_ char *text = notify_status_text(&fleet);

    assert_string_equal(text, expected);
}

/* The first sentence is the one that was asked for. */
static void test_warming(void **state)
{
    (void)state;
    set(0, VOLUME_WARMING, 40);
    set(1, VOLUME_WARMING, 46);
    volumes[0].rate_bytes_per_sec = 111.0 * MIB;
    volumes[1].rate_bytes_per_sec = 100.0 * MIB;
    volumes[0].eta_sec = 720;
    volumes[1].eta_sec = 60;
    assert_text(2, "Warming 2 volumes: 43 %, 211 MiB/s, 12 min left");
    volumes[1].eta_sec = ETA_UNKNOWN;
    assert_text(2, "Warming 2 volumes: 43 %, 211 MiB/s");
    assert_text(1, "Warming 1 volume: 40 %, 111 MiB/s, 12 min left");
}

static void test_stalled(void **state)
{
    (void)state;
    set(0, VOLUME_WARMING, 40);
    set(1, VOLUME_WARMING, 46);
    volumes[0].stalled_sec = 45;
    volumes[0].eta_sec = volumes[1].eta_sec = 5;
    assert_text(2, "Warming 2 volumes: 43 %, 1 stalled for 45 s");
}

static void test_others_are_told(void **state)
{
    (void)state;
    set(0, VOLUME_WARMING, 40);
    set(1, VOLUME_PAUSED, 20);
    set(2, VOLUME_GONE, 20);
    volumes[0].checkpoint_error = "No space left on device";
    assert_text(3, "Warming 1 volume: 30 %, 1 paused, 1 gone, progress of 1 cannot be saved");
}

static void test_finished(void **state)
{
    (void)state;
    set(0, VOLUME_WARM, 100);
    set(1, VOLUME_WARM, 100);
    assert_text(2, "All 2 volumes are warm");
    assert_text(1, "1 volume is warm");
    set(2, VOLUME_SKIPPED, 0);
    assert_text(3, "All 2 volumes are warm, 1 skipped");
    set(2, VOLUME_INCOMPLETE, 99);
    assert_text(3, "2 of 3 volumes are warm, 1 with unreadable blocks");
    set(1, VOLUME_FAILED, 0);
    assert_text(2, "1 of 2 volumes is warm, 1 failed");
    set(0, VOLUME_FAILED, 0);
    assert_text(2, "No volume is warm, 2 failed");
}

static void test_paused(void **state)
{
    (void)state;
    set(0, VOLUME_PAUSED, 40);
    set(1, VOLUME_WARM, 100);
    assert_text(2, "Paused: 1 volume, 70 % warm");
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    assert_text(0, "Looking for volumes");
    set(0, VOLUME_SKIPPED, 0);
    assert_text(1, "Nothing to warm: 1 volume skipped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warming),         cmocka_unit_test(test_stalled),
        cmocka_unit_test(test_others_are_told), cmocka_unit_test(test_finished),
        cmocka_unit_test(test_paused),          cmocka_unit_test(test_nothing_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
