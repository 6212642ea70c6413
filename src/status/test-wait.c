/* SPDX-License-Identifier: MIT */
#include "status/wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct volume_report volumes[2];
static struct fleet_report fleet = { .volumes = volumes };

static void set(size_t i, enum volume_state volume_state, uint64_t planned, uint64_t warm)
{
    static const char *const ids[] = { "vol-0123456789abcdef0", "vol-0123456789abcdef1" };
    static const char *const devices[] = { "/dev/nvme1n1", "/dev/nvme2n1" };

    volumes[i] = (struct volume_report){
        .id = ids[i],
        .device = devices[i],
        .state = volume_state,
        .reason = "",
        .planned_bytes = planned,
        .warm_bytes = warm,
    };
}

static int judge(bool settled, const char *what, unsigned percent, size_t n_volumes)
{
    const char *const names[] = { what, NULL };
    const struct wait_question question = { .what = what ? names : NULL,
                                            .percent = percent,
                                            .settled = settled };
    struct wait_verdict verdict;

    fleet.n_volumes = n_volumes;
    wait_judge(&fleet, &question, &verdict);
    return verdict.exit;
}

static int judge_any(size_t n_volumes)
{
    const struct wait_question question = { .percent = 100, .any = true, .settled = true };
    struct wait_verdict verdict;

    fleet.n_volumes = n_volumes;
    wait_judge(&fleet, &question, &verdict);
    return verdict.exit;
}

/* Exit statuses are spelled out: scripts rely on the numbers. */
static void test_never_before_discovery_settled(void **state)
{
    (void)state;
    set(0, VOLUME_WARM, 100, 100);
    assert_int_equal(judge(false, NULL, 100, 1), -1);
    assert_int_equal(judge(false, "nvme1n1", 100, 1), -1);
    assert_int_equal(judge(false, NULL, 100, 0), -1);
    assert_int_equal(judge(true, NULL, 100, 1), 0);
    assert_int_equal(judge(true, NULL, 100, 0), 0);
}

static void test_named_volumes_are_awaited(void **state)
{
    (void)state;
    set(0, VOLUME_WARM, 100, 100);
    assert_int_equal(judge(true, "nvme7n1", 100, 1), -1);
    set(0, VOLUME_GONE, 100, 100);
    assert_int_equal(judge(true, "nvme1n1", 100, 1), -1);
    assert_int_equal(judge(true, NULL, 1, 1), -1);
}

static void test_only_the_named_count(void **state)
{
    (void)state;
    set(0, VOLUME_WARM, 100, 100);
    set(1, VOLUME_WARMING, 100, 50);
    assert_int_equal(judge(true, "nvme1n1", 100, 2), 0);
    assert_int_equal(judge(true, "vol0123456789abcdef1", 100, 2), -1);
    assert_int_equal(judge(true, NULL, 100, 2), -1);
    assert_int_equal(judge(true, NULL, 50, 2), 0);
    assert_int_equal(judge(true, NULL, 51, 2), -1);
}

static void test_skipped_is_warm(void **state)
{
    (void)state;
    set(0, VOLUME_SKIPPED, 0, 0);
    assert_int_equal(judge(true, NULL, 100, 1), 0);
    assert_int_equal(judge(true, "nvme1n1", 100, 1), 0);
}

static void test_nothing_planned_is_not_warm(void **state)
{
    (void)state;
    set(0, VOLUME_WARM, 0, 0);
    assert_int_equal(judge(true, NULL, 100, 1), -1);
    set(0, VOLUME_WARMING, 0, 0);
    assert_int_equal(judge(true, NULL, 0, 1), -1);
}

static void test_not_while_the_plan_is_unknown(void **state)
{
    (void)state;
    set(0, VOLUME_WAITING_ORIGIN, 100, 99);
    assert_int_equal(judge(true, NULL, 90, 1), -1);
    set(0, VOLUME_FOUND, 100, 99);
    assert_int_equal(judge(true, NULL, 90, 1), -1);
    set(0, VOLUME_CHECKING_BEFORE, 100, 99);
    assert_int_equal(judge(true, NULL, 90, 1), 0);
}

static void test_all_read_is_not_all_done(void **state)
{
    (void)state;
    set(0, VOLUME_CHECKING_AFTER, 100, 100);
    assert_int_equal(judge(true, NULL, 100, 1), -1);
    assert_int_equal(judge(true, NULL, 99, 1), 0);
}

static void test_unreadable_blocks(void **state)
{
    (void)state;
    set(0, VOLUME_INCOMPLETE, 100, 98);
    set(1, VOLUME_WARMING, 100, 50);
    assert_int_equal(judge(true, NULL, 100, 1), 4);
    assert_int_equal(judge(true, NULL, 98, 1), 0);
    assert_int_equal(judge(true, NULL, 100, 2), -1);
    assert_int_equal(judge(true, "nvme1n1", 100, 2), 4);
}

static void test_a_failed_volume_ends_the_wait(void **state)
{
    (void)state;
    set(0, VOLUME_FAILED, 100, 98);
    set(1, VOLUME_WARMING, 100, 50);
    assert_int_equal(judge(true, NULL, 100, 2), 1);
    assert_int_equal(judge(true, "nvme2n1", 100, 2), -1);
    assert_int_equal(judge(true, "nvme1n1", 10, 2), 1);
}

static void test_any_is_enough(void **state)
{
    (void)state;
    set(0, VOLUME_WARMING, 100, 50);
    set(1, VOLUME_WARM, 100, 100);
    assert_int_equal(judge_any(2), 0);
    set(1, VOLUME_FAILED, 100, 50);
    assert_int_equal(judge_any(2), -1);
    set(0, VOLUME_INCOMPLETE, 100, 99);
    assert_int_equal(judge_any(2), 1);
    assert_int_equal(judge_any(1), 4);
    assert_int_equal(judge_any(0), 0);
}

static void test_it_says_why(void **state)
{
    const struct wait_question all = { .percent = 100, .settled = true };
    struct wait_verdict verdict;

    (void)state;
    set(0, VOLUME_WARMING, 10000, 9999);
    fleet.n_volumes = 1;
    wait_judge(&fleet, &all, &verdict);
    assert_string_equal(verdict.why, "vol-0123456789abcdef0 is warming, 99 % warm");
    volumes[0].state = VOLUME_FAILED;
    volumes[0].reason = "permission denied";
    wait_judge(&fleet, &all, &verdict);
    assert_string_equal(verdict.why, "vol-0123456789abcdef0 has failed: permission denied");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_before_discovery_settled),
        cmocka_unit_test(test_named_volumes_are_awaited),
        cmocka_unit_test(test_only_the_named_count),
        cmocka_unit_test(test_skipped_is_warm),
        cmocka_unit_test(test_nothing_planned_is_not_warm),
        cmocka_unit_test(test_not_while_the_plan_is_unknown),
        cmocka_unit_test(test_all_read_is_not_all_done),
        cmocka_unit_test(test_unreadable_blocks),
        cmocka_unit_test(test_a_failed_volume_ends_the_wait),
        cmocka_unit_test(test_any_is_enough),
        cmocka_unit_test(test_it_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
