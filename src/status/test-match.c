/* SPDX-License-Identifier: MIT */
#include "status/match.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct volume_report volumes[] = {
    { .id = "vol-0123456789abcdef0", .device = "/dev/nvme1n1" },
    { .id = "loop0", .device = "/dev/loop0" },
    { .id = "/srv/disk.img", .device = "/srv/disk.img" },
};
static const struct fleet_report fleet = { .volumes = volumes, .n_volumes = 3 };

static void test_names_of_a_volume(void **state)
{
    static const char *const yes[] = { "vol-0123456789abcdef0", "vol0123456789abcdef0",
                                       "/dev/nvme1n1", "nvme1n1" };
    static const char *const no[] = { "",
                                      "vol-0123456789abcdef",
                                      "0123456789abcdef0",
                                      "VOL-0123456789ABCDEF0",
                                      "nvme1n1p1",
                                      "/dev/",
                                      "nvme1",
                                      "/nvme1n1" };

    (void)state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        assert_true(match_volume(&volumes[0], yes[i]));
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        assert_false(match_volume(&volumes[0], no[i]));
    assert_true(match_volume(&volumes[2], "/srv/disk.img"));
}

static void test_what_can_never_match(void **state)
{
    static const char *const yes[] = { "vol-0123456789abcdef0", "vol-1234abcd", "nvme7n1",
                                       "/dev/xvdf", "volatile" };
    static const char *const no[] = { "", "/", "vol-", "vol-xyz", "vol-123", "a/b", "./disk" };

    (void)state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        assert_true(match_is_possible(yes[i]));
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        assert_false(match_is_possible(no[i]));
}

static void test_select_each_once(void **state)
{
    const char *const what[] = { "loop0", "nvme1n1", "/dev/nvme1n1", NULL };
    const struct volume_report **selected;
    const char *unknown;
    size_t n;

    (void)state;
    assert_int_equal(match_select(&fleet, what, &selected, &n, &unknown), 0);
    assert_int_equal(n, 2);
    assert_ptr_equal(selected[0], &volumes[0]);
    assert_ptr_equal(selected[1], &volumes[1]);
    free(selected);
    assert_int_equal(match_select(&fleet, NULL, &selected, &n, &unknown), 0);
    assert_int_equal(n, 3);
    free(selected);
}

static void test_select_unknown(void **state)
{
    const char *const what[] = { "loop0", "loop1", NULL };
    const struct volume_report **selected;
    const char *unknown;
    size_t n;

    (void)state;
    assert_int_equal(match_select(&fleet, what, &selected, &n, &unknown), -ENOENT);
    assert_ptr_equal(unknown, what[1]);
    assert_int_equal(match_select(&fleet, what, &selected, &n, NULL), 0);
    assert_int_equal(n, 1);
    free(selected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_a_volume),
        cmocka_unit_test(test_what_can_never_match),
        cmocka_unit_test(test_select_each_once),
        cmocka_unit_test(test_select_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
