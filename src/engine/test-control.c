/* SPDX-License-Identifier: MIT */
/*
 * The control on a simulated volume: each read takes a latency drawn around a median, and a cap in
 * bytes a second sends completions out one after the other. Virtual time only.
 */
#include "engine/control.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DEPTH_MAX 1024U

struct volume {
    double cap_bytes_per_sec;
    double latency_usec;
    double cap_free_usec; /* until when what was sent so far keeps the cap busy */
    double ends[DEPTH_MAX];
    unsigned in_flight;
    unsigned seed;
    double now_usec;
    uint64_t bytes; /* completed */
};

static double jitter(struct volume *volume)
{
    /* Between a half and twice, the mean near 1: a first touch's spread without its far tail. */
    return exp2(2.0 * (double)rand_r(&volume->seed) / RAND_MAX - 1.0);
}

static void send(struct volume *volume, uint64_t block_bytes)
{
    double fetched = volume->now_usec + volume->latency_usec * jitter(volume);

    if (volume->cap_free_usec < volume->now_usec)
        volume->cap_free_usec = volume->now_usec;
    volume->cap_free_usec += (double)block_bytes * 1e6 / volume->cap_bytes_per_sec;
    volume->ends[volume->in_flight++] =
        fetched > volume->cap_free_usec ? fetched : volume->cap_free_usec;
}

static void complete_next(struct volume *volume, struct control *control)
{
    uint64_t block_bytes = control_block_bytes(control);
    unsigned first = 0;

    for (unsigned i = 1; i < volume->in_flight; i++) {
        if (volume->ends[i] < volume->ends[first])
            first = i;
    }
    if (volume->ends[first] > volume->now_usec)
        volume->now_usec = volume->ends[first];
    volume->ends[first] = volume->ends[--volume->in_flight];
    volume->bytes += block_bytes;
    control_completed(control, (uint64_t)volume->now_usec, block_bytes, volume->in_flight);
}

/* Bytes a second over the time from `now` to `until_usec`. */
static double run_until(struct volume *volume, struct control *control, double until_usec)
{
    double start_usec = volume->now_usec;
    uint64_t start_bytes = volume->bytes;

    while (volume->now_usec < until_usec) {
        while (volume->in_flight < control_depth(control))
            send(volume, control_block_bytes(control));
        complete_next(volume, control);
    }
    return (double)(volume->bytes - start_bytes) * 1e6 / (volume->now_usec - start_usec);
}

static const double MIBS = 1024.0 * 1024.0;

static void test_reaches_the_cap_soon_and_no_deeper_than_needed(void **state)
{
    static const struct {
        double cap_mib, latency_ms;
    } cases[] = { { 1000, 35 }, { 1000, 1 }, { 125, 35 }, { 250, 80 }, { 2000, 35 }, { 500, 200 } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct control_limits limits = { .depth_max = DEPTH_MAX };
        struct volume volume = { .cap_bytes_per_sec = cases[i].cap_mib * MIBS,
                                 .latency_usec = cases[i].latency_ms * 1000,
                                 .seed = (unsigned)i };
        struct control control;
        double knee, rate;

        control_init(&control, &limits, 0);
        run_until(&volume, &control, 2e6);
        rate = run_until(&volume, &control, 6e6);
        assert_true(rate >= 0.93 * volume.cap_bytes_per_sec);
        knee = cases[i].cap_mib * cases[i].latency_ms / 1000; /* Little's law, blocks of 1 MiB */
        if (knee < CONTROL_DEPTH_START)
            knee = CONTROL_DEPTH_START;
        assert_true(control_depth(&control) <= 4 * knee);
    }
}

static void test_a_fixed_depth_and_block_stay(void **state)
{
    const struct control_limits limits = { .queue_depth = 7,
                                           .block_bytes = 65536,
                                           .depth_max = DEPTH_MAX };
    struct volume volume = { .cap_bytes_per_sec = 1000 * MIBS, .latency_usec = 35000 };
    struct control control;

    (void)state;
    control_init(&control, &limits, 0);
    run_until(&volume, &control, 5e6);
    assert_int_equal(control_depth(&control), 7);
    assert_int_equal(control_block_bytes(&control), 65536);
}

static void test_never_deeper_than_the_engine_allows(void **state)
{
    const struct control_limits limits = { .depth_max = 48 };
    struct volume volume = { .cap_bytes_per_sec = 1e12, .latency_usec = 35000 };
    struct control control;

    (void)state;
    control_init(&control, &limits, 0);
    for (unsigned second = 1; second < 30; second++) {
        run_until(&volume, &control, second * 1e6);
        assert_in_range(control_depth(&control), 1, 48);
    }
    assert_int_equal(control_depth(&control), 48);
}

/* AWS changes the rate in the middle: up or down, it is found again within the time of a hold. */
static void test_follows_a_cap_that_changes(void **state)
{
    const struct control_limits limits = { .depth_max = DEPTH_MAX };
    struct volume volume = { .cap_bytes_per_sec = 125 * MIBS, .latency_usec = 35000 };
    struct control control;

    (void)state;
    control_init(&control, &limits, 0);
    run_until(&volume, &control, 20e6);
    volume.cap_bytes_per_sec = 2000 * MIBS;
    run_until(&volume, &control, 45e6);
    assert_true(run_until(&volume, &control, 50e6) >= 0.9 * 2000 * MIBS);
    volume.cap_bytes_per_sec = 125 * MIBS;
    run_until(&volume, &control, 75e6);
    assert_true(run_until(&volume, &control, 80e6) >= 0.9 * 125 * MIBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reaches_the_cap_soon_and_no_deeper_than_needed),
        cmocka_unit_test(test_a_fixed_depth_and_block_stay),
        cmocka_unit_test(test_never_deeper_than_the_engine_allows),
        cmocka_unit_test(test_follows_a_cap_that_changes),
    };
    return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
