/* SPDX-License-Identifier: MIT */
#include "faults.h"
#include "model.h"
#include "settings.h"

#include "base/size.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GRANULES      4096
#define GRANULE_BYTES (512 * KIB)
#define FETCH_USEC    UINT64_C(10000)
#define WARM_USEC     UINT64_C(500)

struct rig {
    struct settings settings;
    struct faults *faults;
    struct model *model;
    uint8_t granules[GRANULES];
};

/* Every fetch takes exactly FETCH_USEC, no cap. */
static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));

    settings_defaults(&rig->settings);
    rig->settings.size_bytes = GRANULES * GRANULE_BYTES;
    rig->settings.first_touch_median_usec = FETCH_USEC;
    rig->settings.first_touch_sigma = 0;
    rig->settings.warm_latency_usec = WARM_USEC;
    rig->settings.burst_usec = 0;
    rig->faults = faults_new(GRANULE_BYTES, rig->settings.seed);
    rig->model = model_new(&rig->settings, rig->faults, rig->granules);
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;

    model_free(rig->model);
    faults_free(rig->faults);
    free(rig);
    return 0;
}

/* A read whose cookie is its number. */
static void begin(struct rig *rig, uint64_t now_usec, uint64_t offset, uint64_t length_bytes,
                  uintptr_t number)
{
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    assert_int_equal(model_read(rig->model, now_usec, offset, length_bytes, (void *)number), 0);
}

/* Goes from event to event up to the next completion: when it was; USEC_INFINITY if none comes. */
static uint64_t next(struct rig *rig, struct completion *ret)
{
    for (;;) {
        uint64_t now_usec = model_next_usec(rig->model);

        if (now_usec == USEC_INFINITY)
            return now_usec;
        if (model_complete(rig->model, now_usec, ret) == 1)
            return now_usec;
    }
}

static void expect(struct rig *rig, uint64_t at_usec, uintptr_t number, int error)
{
    struct completion completion = { 0 };

    assert_int_equal(next(rig, &completion), at_usec);
    assert_int_equal((uintptr_t)completion.cookie, number);
    assert_int_equal(completion.error, error);
}

static void test_first_touch_then_warm(void **state)
{
    struct rig *rig = *state;

    begin(rig, 100, 0, 4096, 1);
    expect(rig, 100 + FETCH_USEC + WARM_USEC, 1, 0);
    assert_int_equal(rig->granules[0], GRANULE_WARM);
    assert_int_equal(rig->granules[1], GRANULE_COLD);
    begin(rig, 50000, GRANULE_BYTES - 4096, 4096, 2);
    expect(rig, 50000 + WARM_USEC, 2, 0);
}

static void test_one_fetch_serves_all_who_wait(void **state)
{
    struct rig *rig = *state;
    struct model_counts counts;

    begin(rig, 0, 0, 4096, 1);
    begin(rig, 4000, 4096, 4096, 2);
    expect(rig, FETCH_USEC + WARM_USEC, 1, 0);
    expect(rig, FETCH_USEC + WARM_USEC, 2, 0);
    model_get_counts(rig->model, &counts);
    assert_int_equal(counts.fetches, 1);
    assert_int_equal(counts.reads_in_flight, 0);
    assert_int_equal(counts.reads_in_flight_max, 2);
}

static void test_a_wide_read_waits_for_its_last_granule(void **state)
{
    struct rig *rig = *state;

    begin(rig, 0, GRANULE_BYTES, 4096, 1);
    begin(rig, 4000, GRANULE_BYTES - 4096, 8192, 2);
    expect(rig, FETCH_USEC + WARM_USEC, 1, 0);
    expect(rig, 4000 + FETCH_USEC + WARM_USEC, 2, 0);
}

static void test_slots_bound_the_fetches(void **state)
{
    struct rig *rig = *state;

    rig->settings.fetch_slots = 2;
    for (uintptr_t i = 0; i < 6; i++)
        begin(rig, 0, i * GRANULE_BYTES, 4096, i);
    for (uintptr_t i = 0; i < 6; i++)
        expect(rig, (1 + i / 2) * FETCH_USEC + WARM_USEC, i, 0);
}

static void test_a_touch_loads_its_whole_unit(void **state)
{
    struct rig *rig = *state;

    rig->settings.touch_bytes = 4 * GRANULE_BYTES;
    begin(rig, 0, 5 * GRANULE_BYTES, 4096, 1);
    expect(rig, FETCH_USEC + WARM_USEC, 1, 0);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(rig->granules[i], i / 4 == 1 ? GRANULE_WARM : GRANULE_COLD);
}

static void test_fetch_rate_caps_cold_reads_only(void **state)
{
    struct rig *rig = *state;

    rig->settings.fetch_rate_mib = 50; /* a granule every 10 ms */
    for (uintptr_t i = 0; i < 8; i++)
        begin(rig, 0, i * GRANULE_BYTES, GRANULE_BYTES, i);
    for (uintptr_t i = 0; i < 8; i++)
        expect(rig, (i + 1) * 10000 + FETCH_USEC + WARM_USEC, i, 0);
    begin(rig, 1000000, 0, GRANULE_BYTES, 9);
    expect(rig, 1000000 + WARM_USEC, 9, 0);
}

static void warm_all(struct rig *rig)
{
    memset(rig->granules, GRANULE_WARM, GRANULES);
}

static void test_throughput_cap(void **state)
{
    struct rig *rig = *state;

    warm_all(rig);
    rig->settings.throughput_mib = 100; /* 1 MiB every 10 ms */
    for (uintptr_t i = 0; i < 50; i++)
        begin(rig, 0, i * MIB, MIB, i);
    for (uintptr_t i = 0; i < 50; i++)
        expect(rig, (i + 1) * 10000 + WARM_USEC, i, 0);
}

/* 256 KiB is one I/O, anything smaller too, 1 MiB is four. */
static void test_iops_cap(void **state)
{
    struct rig *rig = *state;

    warm_all(rig);
    rig->settings.iops = 1000;
    begin(rig, 0, 0, 4096, 1);
    begin(rig, 0, 0, 256 * KIB, 2);
    begin(rig, 0, 0, MIB, 3);
    begin(rig, 0, 0, 512, 4);
    expect(rig, 1000 + WARM_USEC, 1, 0);
    expect(rig, 2000 + WARM_USEC, 2, 0);
    expect(rig, 6000 + WARM_USEC, 3, 0);
    expect(rig, 7000 + WARM_USEC, 4, 0);
}

static void test_a_burst_is_what_was_saved_and_no_more(void **state)
{
    struct rig *rig = *state;

    warm_all(rig);
    rig->settings.iops = 1000;
    rig->settings.burst_usec = 3000;
    for (uintptr_t i = 0; i < 5; i++)
        begin(rig, 1000000, 0, 4096, i);
    for (uintptr_t i = 0; i < 3; i++)
        expect(rig, 1000000 + WARM_USEC, i, 0);
    expect(rig, 1001000 + WARM_USEC, 3, 0);
    expect(rig, 1002000 + WARM_USEC, 4, 0);
}

static void test_a_lifted_cap_frees_those_who_wait(void **state)
{
    struct rig *rig = *state;

    warm_all(rig);
    rig->settings.throughput_mib = 0.001;
    begin(rig, 0, 0, MIB, 1);
    assert_int_equal(model_next_usec(rig->model), 1000 * USEC_PER_SEC);
    rig->settings.throughput_mib = 0;
    expect(rig, WARM_USEC, 1, 0);
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* A lognormal's quantiles: median times exp(sigma z), with z from the normal distribution's table.
 */
static void test_latencies_are_lognormal(void **state)
{
    static const struct {
        double share, z;
    } quantiles[] = { { 0.1, -1.2816 }, { 0.5, 0 }, { 0.8413, 1 }, { 0.9772, 2 } };
    enum { DRAWS = 100000 };
    struct rig *rig = *state;
    uint64_t *draws = calloc(DRAWS, sizeof(*draws));

    assert_non_null(draws);
    rig->settings.first_touch_median_usec = 35000;
    rig->settings.first_touch_sigma = 0.6;
    for (uint64_t i = 0; i < DRAWS; i++)
        draws[i] = model_first_touch_usec(&rig->settings, i);
    qsort(draws, DRAWS, sizeof(*draws), compare);
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        double expected = 35000 * exp(0.6 * quantiles[i].z);
        double got = (double)draws[(size_t)(quantiles[i].share * DRAWS)];

        assert_true(got > 0.97 * expected && got < 1.03 * expected);
    }
    free(draws);
}

static void test_tail(void **state)
{
    struct rig *rig = *state;
    size_t slow = 0;

    rig->settings.tail_probability = 0.1;
    rig->settings.tail_latency_usec = USEC_PER_SEC;
    for (uint64_t i = 0; i < 10000; i++)
        slow += model_first_touch_usec(&rig->settings, i) == USEC_PER_SEC;
    assert_in_range(slow, 900, 1100);
}

static void test_share_of_data(void **state)
{
    struct rig *rig = *state;
    size_t empty = 0;

    rig->settings.data_share = 0.75;
    model_place_data(&rig->settings, rig->granules, 0, GRANULES);
    for (size_t i = 0; i < GRANULES; i++)
        empty += rig->granules[i] == GRANULE_EMPTY;
    assert_in_range(empty, GRANULES / 4 - 150, GRANULES / 4 + 150);
}

static void add(struct rig *rig, enum fault_kind kind, uint64_t start, uint64_t end, uint64_t count)
{
    const struct fault fault = { .kind = kind,
                                 .start = start,
                                 .end = end,
                                 .count = count,
                                 .until_usec = count,
                                 .delay_usec = count };

    assert_int_equal(faults_add(rig->faults, &fault), 0);
}

static void test_failing_reads_fetch_nothing(void **state)
{
    struct rig *rig = *state;

    add(rig, FAULT_FAIL, 4096, 8192, 0);
    begin(rig, 0, 0, MIB, 1);
    expect(rig, WARM_USEC, 1, -EIO);
    assert_int_equal(rig->granules[0], GRANULE_COLD);
    begin(rig, 1000, 8192, 4096, 2);
    expect(rig, 1000 + FETCH_USEC + WARM_USEC, 2, 0);
}

static void test_first_tries_fail(void **state)
{
    struct rig *rig = *state;

    warm_all(rig);
    add(rig, FAULT_FAIL_FIRST, 0, UINT64_MAX, 2);
    for (uintptr_t i = 0; i < 4; i++) {
        begin(rig, i * 1000, 0, 4096, i);
        expect(rig, i * 1000 + WARM_USEC, i, i < 2 ? -EIO : 0);
    }
}

static void test_slow_range(void **state)
{
    struct rig *rig = *state;

    warm_all(rig);
    add(rig, FAULT_SLOW, 0, 4096, 7000);
    begin(rig, 0, 0, 4096, 1);
    begin(rig, 0, 4096, 4096, 2);
    expect(rig, WARM_USEC, 2, 0);
    expect(rig, WARM_USEC + 7000, 1, 0);
}

static void test_hang_until_its_time(void **state)
{
    struct rig *rig = *state;

    warm_all(rig);
    add(rig, FAULT_HANG, 0, 4096, 60 * USEC_PER_SEC);
    begin(rig, 0, 0, 8192, 1);
    begin(rig, 0, 4096, 4096, 2);
    expect(rig, WARM_USEC, 2, 0);
    expect(rig, 60 * USEC_PER_SEC + WARM_USEC, 1, 0);
}

static void test_hang_until_cleared(void **state)
{
    struct rig *rig = *state;
    struct completion completion;

    warm_all(rig);
    add(rig, FAULT_HANG, 0, 4096, USEC_INFINITY);
    begin(rig, 0, 0, 4096, 1);
    assert_int_equal(next(rig, &completion), USEC_INFINITY);
    faults_clear(rig->faults);
    assert_int_equal(model_faults_changed(rig->model, 90 * USEC_PER_SEC), 0);
    expect(rig, 90 * USEC_PER_SEC + WARM_USEC, 1, 0);
}

static void test_share_of_granules_fails(void **state)
{
    struct rig *rig = *state;
    size_t failed = 0;

    faults_set_share(rig->faults, 0.01);
    for (uint64_t i = 0; i < 100000; i++) {
        struct verdict verdict =
            faults_judge(rig->faults, 0, i * GRANULE_BYTES, (i + 1) * GRANULE_BYTES);

        failed += verdict.kind == VERDICT_FAIL;
    }
    assert_in_range(failed, 850, 1150);
}

/* Freed with reads in every place where one can wait; the sanitizer says whether all are gone. */
static void test_free_amid_everything(void **state)
{
    struct rig *rig = *state;
    struct completion completion;

    rig->settings.fetch_slots = 1;
    rig->settings.iops = 1;
    rig->granules[9] = GRANULE_WARM;
    add(rig, FAULT_HANG, 20 * GRANULE_BYTES, UINT64_MAX, USEC_INFINITY);
    begin(rig, 0, 20 * GRANULE_BYTES, 4096, 1);
    begin(rig, 0, 0, 4 * GRANULE_BYTES, 2);
    begin(rig, 0, 9 * GRANULE_BYTES, 4096, 3);
    begin(rig, 0, 9 * GRANULE_BYTES, 4096, 4);
    assert_int_equal(model_complete(rig->model, FETCH_USEC, &completion), 0);
}

#define RIGGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIGGED(test_first_touch_then_warm),
        RIGGED(test_one_fetch_serves_all_who_wait),
        RIGGED(test_a_wide_read_waits_for_its_last_granule),
        RIGGED(test_slots_bound_the_fetches),
        RIGGED(test_a_touch_loads_its_whole_unit),
        RIGGED(test_fetch_rate_caps_cold_reads_only),
        RIGGED(test_throughput_cap),
        RIGGED(test_iops_cap),
        RIGGED(test_a_burst_is_what_was_saved_and_no_more),
        RIGGED(test_a_lifted_cap_frees_those_who_wait),
        RIGGED(test_latencies_are_lognormal),
        RIGGED(test_tail),
        RIGGED(test_share_of_data),
        RIGGED(test_failing_reads_fetch_nothing),
        RIGGED(test_first_tries_fail),
        RIGGED(test_slow_range),
        RIGGED(test_hang_until_its_time),
        RIGGED(test_hang_until_cleared),
        RIGGED(test_share_of_granules_fails),
        RIGGED(test_free_amid_everything),
    };

    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
