/* SPDX-License-Identifier: MIT */
#include "device/queue.h"
#include "device/test-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

static void test_queue(void **state)
{
    struct fixture fixture;
    struct device_queue queue;

    (void)state;
    fixture_load("t4g", &fixture);
    device_queue_read(makedev(259, 0), &queue);
    assert_int_equal(queue.physical_block_bytes, 4096);
    assert_int_equal(queue.optimal_io_bytes, 0);
    assert_int_equal(queue.max_read_bytes, 262144);
    assert_int_equal(queue.queue_requests, 63);
    assert_int_equal(queue.io_timeout_msec, 4294967295);
    assert_false(queue.rotational);
    assert_string_equal(queue.scheduler, "none");
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
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
