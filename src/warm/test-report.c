/* SPDX-License-Identifier: MIT */
#include "warm/report.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_percent_is_rounded_down(void **state)
{
    struct volume_report volume = { .planned_bytes = 3, .warm_bytes = 2 };

    (void)state;
    assert_float_equal(volume_report_percent(&volume), 66.66, 1e-4);
    volume.warm_bytes = 3;
    assert_float_equal(volume_report_percent(&volume), 100, 0);
}

static void test_percent_never_hides_a_missing_byte(void **state)
{
    struct volume_report volume = { .planned_bytes = UINT64_C(1) << 62 };

    (void)state;
    volume.warm_bytes = volume.planned_bytes - 1;
    assert_float_equal(volume_report_percent(&volume), 99.99, 1e-4);
}

static void test_nothing_planned_is_not_warm(void **state)
{
    struct volume_report volume = { .planned_bytes = 0, .warm_bytes = 0 };

    (void)state;
    assert_float_equal(volume_report_percent(&volume), 0, 0);
}

static void test_state_words_go_both_ways(void **state)
{
    enum volume_state parsed;

    (void)state;
    for (int i = 0; i < VOLUME_STATE_MAX; i++) {
        assert_int_equal(
            volume_state_from_string(volume_state_to_string((enum volume_state)i), &parsed), 0);
        assert_int_equal(parsed, i);
    }
    assert_string_equal(volume_state_to_string(VOLUME_WAITING_ORIGIN), "waiting-origin");
    assert_int_equal(volume_state_from_string("Warm", &parsed), -EINVAL);
    assert_int_equal(volume_state_from_string("", &parsed), -EINVAL);
}

static void test_final_states(void **state)
{
    (void)state;
    assert_true(volume_state_is_final(VOLUME_WARM));
    assert_true(volume_state_is_final(VOLUME_INCOMPLETE));
    assert_true(volume_state_is_final(VOLUME_SKIPPED));
    assert_true(volume_state_is_final(VOLUME_GONE));
    assert_true(volume_state_is_final(VOLUME_FAILED));
    assert_false(volume_state_is_final(VOLUME_CHECKING_AFTER));
    assert_false(volume_state_is_final(VOLUME_PAUSED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percent_is_rounded_down),
        cmocka_unit_test(test_percent_never_hides_a_missing_byte),
        cmocka_unit_test(test_nothing_planned_is_not_warm),
        cmocka_unit_test(test_state_words_go_both_ways),
        cmocka_unit_test(test_final_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
