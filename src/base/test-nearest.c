/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Published examples of optimal string alignment, and the edges. */
static void test_distances(void **state)
{
    (void)state;
    assert_int_equal(word_distance("kitten", "sitting"), 3);
    assert_int_equal(word_distance("saturday", "sunday"), 3);
    assert_int_equal(word_distance("ca", "abc"), 3);
    assert_int_equal(word_distance("teh", "the"), 1);
    assert_int_equal(word_distance("", "abc"), 3);
    assert_int_equal(word_distance("ABC", "abc"), 0);
    assert_true(word_is_near("Interva", "Interval"));
    assert_false(word_is_near("Skop", "Bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_distances) };

    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
