/* SPDX-License-Identifier: MIT */
/* No cap lets more through in any stretch of time than its rate and its burst allow. */
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define READS      128
#define READ_BYTES (512 * KIB)

struct volume {
    struct settings settings;
    struct faults *faults;
    struct model *model;
    uint8_t granules[READS];
};

static int volume_begin(void **state)
{
    struct volume *volume = calloc(1, sizeof(*volume));

    assert_non_null(volume);
    settings_defaults(&volume->settings);
    volume->settings.size_bytes = READS * READ_BYTES;
    volume->settings.first_touch_sigma = 0;
    volume->settings.warm_latency_usec = 0;
    volume->settings.burst_usec = 0;
    volume->faults = faults_new(volume->settings.granule_bytes, 1);
    assert_non_null(volume->faults);
    volume->model = model_new(&volume->settings, volume->faults, volume->granules);
    assert_non_null(volume->model);
    *state = volume;
    return 0;
}

static int volume_end(void **state)
{
    struct volume *volume = *state;

    model_free(volume->model);
    faults_free(volume->faults);
    free(volume);
    return 0;
}

/* One read a granule, all at the time 0. */
static void read_all(struct volume *volume)
{
    for (uint64_t i = 0; i < READS; i++)
        assert_int_equal(model_read(volume->model, 0, i * READ_BYTES, READ_BYTES, volume), 0);
}

static unsigned completed_until(struct volume *volume, uint64_t now_usec)
{
    struct completion completion;
    unsigned completed = 0;

    while (model_complete(volume->model, now_usec, &completion) > 0) {
        assert_int_equal(completion.error, 0);
        completed++;
    }
    return completed;
}

/* 10 MiB/s are 20 granules a second. */
static void test_fetch_rate_alone(void **state)
{
    struct volume *volume = *state;

    volume->settings.fetch_rate_mib = 10;
    volume->settings.first_touch_median_usec = 1;
    read_all(volume);
    for (uint64_t second = 1; second <= 6; second++)
        assert_in_range(completed_until(volume, second * USEC_PER_SEC), 19, 20);
}

/* With one slot and fetches of a second, 10 MiB/s are far from reached; then it is the cap. */
static void test_fetch_rate_after_slots(void **state)
{
    struct volume *volume = *state;

    volume->settings.fetch_rate_mib = 10;
    volume->settings.fetch_slots = 1;
    volume->settings.first_touch_median_usec = USEC_PER_SEC;
    read_all(volume);
    assert_in_range(completed_until(volume, 10 * USEC_PER_SEC), 9, 10);
    volume->settings.fetch_slots = 64;
    volume->settings.first_touch_median_usec = 1;
    completed_until(volume, 11 * USEC_PER_SEC);
    for (uint64_t second = 12; second <= 14; second++)
        assert_in_range(completed_until(volume, second * USEC_PER_SEC), 19, 20);
}

/* A cap that is set while reads wait holds from then on. */
static void test_throughput_set_late(void **state)
{
    struct volume *volume = *state;

    memset(volume->granules, GRANULE_WARM, sizeof(volume->granules));
    volume->settings.iops = 4; /* 512 KiB count as two: two reads a second */
    read_all(volume);
    assert_in_range(completed_until(volume, 10 * USEC_PER_SEC), 19, 20);
    volume->settings.iops = 0;
    volume->settings.throughput_mib = 5; /* ten reads a second */
    completed_until(volume, 11 * USEC_PER_SEC);
    for (uint64_t second = 12; second <= 15; second++)
        assert_in_range(completed_until(volume, second * USEC_PER_SEC), 9, 10);
}

static void test_burst_saved_while_idle(void **state)
{
    struct volume *volume = *state;

    memset(volume->granules, GRANULE_WARM, sizeof(volume->granules));
    volume->settings.throughput_mib = 5;
    volume->settings.burst_usec = 2 * USEC_PER_SEC; /* 10 MiB: 20 reads */
    for (uint64_t i = 0; i < READS; i++)
        assert_int_equal(
            model_read(volume->model, 100 * USEC_PER_SEC, i * READ_BYTES, READ_BYTES, volume), 0);
    assert_in_range(completed_until(volume, 100 * USEC_PER_SEC), 20, 21);
    for (uint64_t second = 101; second <= 105; second++)
        assert_in_range(completed_until(volume, second * USEC_PER_SEC), 9, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fetch_rate_alone, volume_begin, volume_end),
        cmocka_unit_test_setup_teardown(test_fetch_rate_after_slots, volume_begin, volume_end),
        cmocka_unit_test_setup_teardown(test_throughput_set_late, volume_begin, volume_end),
        cmocka_unit_test_setup_teardown(test_burst_saved_while_idle, volume_begin, volume_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
