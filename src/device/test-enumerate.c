/* SPDX-License-Identifier: MIT */
/* Runs under umockdev-run with tests/fixtures/umockdev/disks.umockdev: what sd-device finds. */
#include "device/enumerate.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_enumerate(void **state)
{
    struct device_entries entries;

    (void)state;
    assert_int_equal(device_enumerate(&entries), 0);
    assert_int_equal(entries.n_entries, 3);
    /* 2 before 10 */
    assert_string_equal(entries.entries[0]->node, "/dev/nvme2n1");
    assert_string_equal(entries.entries[0]->id, "vol-0123456789abcdef0");
    assert_int_equal(entries.entries[0]->class, DEVICE_CLASS_EBS);
    assert_int_equal(entries.entries[0]->facts.size_bytes, 8589934592);
    assert_int_equal(entries.entries[1]->class, DEVICE_CLASS_PARTITION);
    assert_string_equal(entries.entries[1]->facts.disk, "nvme2n1");
    assert_int_equal(entries.entries[2]->class, DEVICE_CLASS_INSTANCE_STORE);
    device_entries_free(&entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_enumerate) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
