/* SPDX-License-Identifier: MIT */
#include "warm/outage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SEC UINT64_C(1000000)

static void fail_times(struct outage *outage, unsigned times, uint64_t now_usec)
{
    while (times-- > 0)
        outage_failed(outage, now_usec);
}

static void test_some_failures_are_bad_places_not_an_outage(void **state)
{
    struct outage outage = { 0 };

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        fail_times(&outage, OUTAGE_FAILURES - 1, i * SEC);
        assert_false(outage_is_on(&outage));
        assert_int_equal(outage_allowed_depth(&outage, i * SEC, 64), 64);
        outage_succeeded(&outage);
    }
}

/* Tries at 1, 1+2, 3+4, … s; never more than a minute apart, one read at a time. */
static void test_pauses_double_up_to_a_minute(void **state)
{
    struct outage outage = { 0 };
    uint64_t now_usec = 100 * SEC, rest_sec = 1;

    (void)state;
    fail_times(&outage, OUTAGE_FAILURES, now_usec);
    for (unsigned i = 0; i < 12; i++) {
        assert_true(outage_is_on(&outage));
        assert_int_equal(outage_allowed_depth(&outage, now_usec + rest_sec * SEC - 1, 64), 0);
        now_usec += rest_sec * SEC;
        assert_int_equal(outage_allowed_depth(&outage, now_usec, 64), 1);
        outage_failed(&outage, now_usec);
        rest_sec = rest_sec * 2 > 60 ? 60 : rest_sec * 2;
    }
    assert_int_equal(outage_age_usec(&outage, now_usec), now_usec - 100 * SEC);
}

static void test_all_that_were_in_flight_fail_as_one(void **state)
{
    struct outage outage = { 0 };

    (void)state;
    fail_times(&outage, 1000, 5 * SEC);
    assert_int_equal(outage_allowed_depth(&outage, 6 * SEC, 64), 1);
}

static void test_one_success_ends_it(void **state)
{
    struct outage outage = { 0 };

    (void)state;
    fail_times(&outage, OUTAGE_FAILURES, SEC);
    outage_succeeded(&outage);
    assert_false(outage_is_on(&outage));
    assert_int_equal(outage_allowed_depth(&outage, SEC, 64), 64);
    assert_int_equal(outage_age_usec(&outage, 9 * SEC), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_some_failures_are_bad_places_not_an_outage),
        cmocka_unit_test(test_pauses_double_up_to_a_minute),
        cmocka_unit_test(test_all_that_were_in_flight_fail_as_one),
        cmocka_unit_test(test_one_success_ends_it),
    };
    return cmocka_run_group_tests_name("outage", tests, NULL, NULL);
}
