/* SPDX-License-Identifier: MIT */
#include "check/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#define REGION SAMPLE_REGION_BYTES

static void test_how_much_a_sample_may_read(void **state)
{
    const uint64_t gib = UINT64_C(1) << 30, limit = UINT64_C(64) << 20;

    (void)state;
    assert_int_equal(sample_regions_allowed(1024 * gib, limit), 128); /* the limit: 64 MiB */
    assert_int_equal(sample_regions_allowed(2 * gib, limit), 40);     /* 1 % of 2 GiB: 20.48 MiB */
    assert_int_equal(sample_regions_allowed(gib / 4, limit), 0);      /* 5 regions say nothing */
    assert_int_equal(sample_regions_allowed(0, limit), 0);
}

static void test_regions_are_different_aligned_and_inside(void **state)
{
    struct rangeset *ranges = rangeset_new();

    (void)state;
    rangeset_add(ranges, 3, 10 * REGION + 5);           /* 1 to 9 fit */
    rangeset_add(ranges, 20 * REGION, 21 * REGION - 1); /* none fits */
    rangeset_add(ranges, 30 * REGION - 1, 40 * REGION); /* 30 to 39 fit */
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct range *regions;
        size_t n;
        assert_int_equal(sample_draw(ranges, 12, seed, &regions, &n), 0);
        assert_int_equal(n, 12);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(regions[i].start % REGION, 0);
            assert_int_equal(regions[i].end - regions[i].start, REGION);
            assert_true(rangeset_contains(ranges, regions[i].start, regions[i].end));
            for (size_t j = 0; j < i; j++)
                assert_int_not_equal(regions[i].start, regions[j].start);
        }
        free(regions);
    }
    rangeset_free(ranges);
}

static void test_no_more_than_there_are(void **state)
{
    struct rangeset *ranges = rangeset_new();
    struct range *regions;
    size_t n;

    (void)state;
    rangeset_add(ranges, 0, 5 * REGION);
    assert_int_equal(sample_draw(ranges, 100, 1, &regions, &n), 0);
    assert_int_equal(n, 5);
    free(regions);
    rangeset_clear(ranges);
    assert_int_equal(sample_draw(ranges, 100, 1, &regions, &n), 0);
    assert_int_equal(n, 0);
    free(regions);
    rangeset_free(ranges);
}

static void test_a_seed_draws_the_same_again_and_another_does_not(void **state)
{
    struct rangeset *ranges = rangeset_new();
    struct range *a, *b, *c;
    size_t n;
    bool differs = false;

    (void)state;
    rangeset_add(ranges, 0, 1000 * REGION);
    sample_draw(ranges, 20, 42, &a, &n);
    sample_draw(ranges, 20, 42, &b, &n);
    sample_draw(ranges, 20, 43, &c, &n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a[i].start, b[i].start);
        differs |= a[i].start != c[i].start;
    }
    assert_true(differs);
    free(a);
    free(b);
    free(c);
    rangeset_free(ranges);
}

/* 2000 draws of one of 10 places in two ranges: each is hit 200 times, give or take 5 sigma (67).
 */
static void test_every_place_is_equally_likely(void **state)
{
    struct rangeset *ranges = rangeset_new();
    unsigned hits[40] = { 0 };

    (void)state;
    rangeset_add(ranges, 0, 2 * REGION);
    rangeset_add(ranges, 10 * REGION, 18 * REGION);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct range *regions;
        size_t n;
        sample_draw(ranges, 1, seed, &regions, &n);
        hits[regions[0].start / REGION]++;
        free(regions);
    }
    for (unsigned i = 0; i < 40; i++) {
        if (i < 2 || (i >= 10 && i < 18))
            assert_in_range(hits[i], 133, 267);
        else
            assert_int_equal(hits[i], 0);
    }
    rangeset_free(ranges);
}

/* Nearest rank of 1 to 10 ms by hand: p50 = 5th, p90 = 9th, p99 = 10th. 5 MiB in 55 ms. */
static void test_figures(void **state)
{
    uint64_t latencies[] = { 10000, 1000, 9000, 2000, 8000, 3000, 7000, 4000, 6000, 5000 };
    struct check_report report;

    (void)state;
    sample_summarize(latencies, 10, 77, &report);
    assert_int_equal(report.samples, 10);
    assert_int_equal(report.sample_bytes, 524288);
    assert_int_equal(report.p50_usec, 5000);
    assert_int_equal(report.p90_usec, 9000);
    assert_int_equal(report.p99_usec, 10000);
    assert_int_equal(report.max_usec, 10000);
    assert_int_equal(report.seed, 77);
    assert_int_equal((uint64_t)report.bytes_per_sec, 95325090); /* 5242880 / 0.055 */
}

static void test_too_few_give_no_figure(void **state)
{
    uint64_t latencies[] = { 1, 2, 3, 4, 5, 6, 7 };
    struct check_report report;

    (void)state;
    sample_summarize(latencies, 7, 1, &report);
    assert_int_equal(report.samples, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_much_a_sample_may_read),
        cmocka_unit_test(test_regions_are_different_aligned_and_inside),
        cmocka_unit_test(test_no_more_than_there_are),
        cmocka_unit_test(test_a_seed_draws_the_same_again_and_another_does_not),
        cmocka_unit_test(test_every_place_is_equally_likely),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_too_few_give_no_figure),
    };
    return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
