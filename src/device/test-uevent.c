/* SPDX-License-Identifier: MIT */
/* Messages as lib/kobject_uevent.c of the kernel composes them. */
#include "device/uevent.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#define PATH "/devices/pci0000:00/0000:00:05.0/nvme/nvme1/nvme1n1"

static void test_block_device(void **state)
{
    static const char add[] = "add@" PATH "\0ACTION=add\0DEVPATH=" PATH
                              "\0SUBSYSTEM=block\0MAJOR=259\0MINOR=4\0DEVNAME=nvme1n1"
                              "\0DEVTYPE=disk\0DISKSEQ=12\0SEQNUM=2000";
    static const char gone[] = "remove@" PATH "\0ACTION=remove\0DEVPATH=" PATH
                               "\0SUBSYSTEM=block\0MAJOR=259\0MINOR=4\0SEQNUM=2001";
    struct uevent uevent;

    (void)state;
    assert_int_equal(uevent_parse(add, sizeof(add), &uevent), 0);
    assert_string_equal(uevent.name, "nvme1n1");
    assert_true(uevent.devnum == makedev(259, 4));
    assert_false(uevent.is_remove);
    assert_int_equal(uevent_parse(gone, sizeof(gone), &uevent), 0);
    assert_true(uevent.is_remove);
}

static void test_refused(void **state)
{
    static const char net[] = "add@/devices/x/eth0\0ACTION=add\0DEVPATH=/devices/x/eth0"
                              "\0SUBSYSTEM=net\0SEQNUM=1";
    static const char unended[] = { 'A', 'C', 'T', 'I', 'O', 'N', '=', 'a' };
    static const char no_path[] = "ACTION=add\0SUBSYSTEM=block";
    struct uevent uevent;

    (void)state;
    assert_int_equal(uevent_parse(net, sizeof(net), &uevent), -EINVAL);
    assert_int_equal(uevent_parse(unended, sizeof(unended), &uevent), -EINVAL);
    assert_int_equal(uevent_parse(no_path, sizeof(no_path), &uevent), -EINVAL);
    assert_int_equal(uevent_parse("", 0, &uevent), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_device),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
