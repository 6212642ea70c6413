/* SPDX-License-Identifier: MIT */
#include "warm/rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SEC UINT64_C(1000000)

static uint64_t run(struct rate *rate, uint64_t now_usec, unsigned steps, uint64_t bytes_per_sec)
{
    for (unsigned i = 0; i < steps; i++) {
        rate_add(rate, bytes_per_sec / 5);
        now_usec += SEC / 5;
        rate_update(rate, now_usec);
    }
    return now_usec;
}

static void test_a_steady_rate_is_that_rate_from_the_first_figure_on(void **state)
{
    struct rate rate;
    uint64_t now_usec = 7 * SEC;

    (void)state;
    rate_reset(&rate, now_usec);
    for (unsigned i = 0; i < 20; i++) {
        now_usec = run(&rate, now_usec, 1, 1000000);
        assert_in_range((uint64_t)(rate_bytes_per_sec(&rate) + 0.5), 999999, 1000001);
        assert_int_equal(rate_eta_sec(&rate, 10000000), 10);
    }
}

static void test_nothing_read_gives_no_time(void **state)
{
    struct rate rate;

    (void)state;
    rate_reset(&rate, 0);
    assert_int_equal(rate_eta_sec(&rate, 5), UINT64_MAX);
    rate_update(&rate, SEC);
    assert_int_equal(rate_eta_sec(&rate, 5), UINT64_MAX);
    assert_int_equal(rate_eta_sec(&rate, 0), 0);
    run(&rate, SEC, 1, 10);
    assert_int_equal(rate_eta_sec(&rate, UINT64_MAX), UINT64_MAX);
}

/* A gap of a second barely moves the time left; a new rate is shown within some seconds. */
static void test_the_eta_does_not_jump_and_the_rate_follows(void **state)
{
    struct rate rate;
    uint64_t now_usec;

    (void)state;
    rate_reset(&rate, 0);
    now_usec = run(&rate, 0, 300, 1000000);
    now_usec = run(&rate, now_usec, 5, 0);
    assert_in_range(rate_eta_sec(&rate, 100000000), 100, 108);
    run(&rate, now_usec, 40, 4000000);
    assert_in_range((uint64_t)rate_bytes_per_sec(&rate), 3700000, 4000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_steady_rate_is_that_rate_from_the_first_figure_on),
        cmocka_unit_test(test_nothing_read_gives_no_time),
        cmocka_unit_test(test_the_eta_does_not_jump_and_the_rate_follows),
    };
    return cmocka_run_group_tests_name("rate", tests, NULL, NULL);
}
