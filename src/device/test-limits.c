/* SPDX-License-Identifier: MIT */
#include "device/limits.h"
#include "device/test-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

static void test_limits(void **state)
{
    struct fixture fixture;
    struct device_limits limits;

    (void)state;
    fixture_load("t4g", &fixture);
    device_limits_read(makedev(259, 0), &limits);
    assert_int_equal(limits.physical_block_bytes, 4096);
    assert_int_equal(limits.optimal_io_bytes, 0);
    assert_int_equal(limits.max_read_bytes, 262144);
    assert_int_equal(limits.queue_requests, 63);
    assert_int_equal(limits.io_timeout_msec, 4294967295);
    assert_false(limits.rotational);
    assert_string_equal(limits.scheduler, "none");
    fixture_free(&fixture);
}

static void test_gone(void **state)
{
    struct device_identity identity = { .kind = DEVICE_EBS_NVME, .devnum = makedev(259, 0) };
    struct fixture fixture;

    (void)state;
    fixture_load("t4g", &fixture);
    identity.diskseq = 1;
    assert_false(device_is_gone(&identity));
    identity.diskseq = 2;
    assert_true(device_is_gone(&identity));
    identity.diskseq = 0;
    assert_false(device_is_gone(&identity));
    identity.devnum = makedev(259, 77);
    assert_true(device_is_gone(&identity));
    fixture_free(&fixture);
    fixture_load("xen", &fixture);
    /* xvdg: capacity 0 */
    identity.devnum = makedev(202, 96);
    assert_true(device_is_gone(&identity));
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
