/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define BLOCK 64U

static void add_class(struct plan *plan, uint64_t start, uint64_t end)
{
    struct rangeset *set = rangeset_new();

    assert_int_equal(rangeset_add(set, start, end), 0);
    assert_int_equal(plan_add_class(plan, set), 0);
    rangeset_free(set);
}

static void assert_next(struct plan *plan, uint64_t start, uint64_t end)
{
    struct range range;

    assert_int_equal(plan_next(plan, BLOCK, &range), 0);
    assert_int_equal(range.start, start);
    assert_int_equal(range.end, end);
}

static void test_pieces_end_at_block_boundaries(void **state)
{
    struct plan *plan = plan_new();
    struct range range;

    (void)state;
    add_class(plan, 10, 200);
    assert_next(plan, 10, 64);
    assert_next(plan, 64, 128);
    assert_next(plan, 128, 192);
    assert_next(plan, 192, 200);
    assert_int_equal(plan_next(plan, BLOCK, &range), -ENODATA);
    plan_free(plan);
}

static void test_an_earlier_class_comes_first_and_is_not_read_twice(void **state)
{
    struct plan *plan = plan_new();
    struct range range;

    (void)state;
    add_class(plan, 128, 160);
    add_class(plan, 0, 256);
    assert_int_equal(plan_left_bytes(plan), 256);
    assert_next(plan, 128, 160);
    assert_next(plan, 0, 64);
    assert_next(plan, 64, 128);
    assert_next(plan, 160, 192);
    assert_next(plan, 192, 256);
    assert_int_equal(plan_next(plan, BLOCK, &range), -ENODATA);
    plan_free(plan);
}

static void test_what_was_removed_is_not_handed_out(void **state)
{
    struct plan *plan = plan_new();
    struct range range;

    (void)state;
    add_class(plan, 0, 64);
    add_class(plan, 64, 192);
    assert_true(plan_holds(plan, 70, 192));
    assert_int_equal(plan_remove(plan, 32, 100), 0);
    assert_false(plan_holds(plan, 70, 192));
    assert_int_equal(plan_left_bytes(plan), 32 + 92);
    assert_next(plan, 0, 32);
    assert_next(plan, 100, 128);
    assert_next(plan, 128, 192);
    assert_int_equal(plan_next(plan, BLOCK, &range), -ENODATA);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_end_at_block_boundaries),
        cmocka_unit_test(test_an_earlier_class_comes_first_and_is_not_read_twice),
        cmocka_unit_test(test_what_was_removed_is_not_handed_out),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
