/* SPDX-License-Identifier: MIT */
/* Pages made by hand after AWS's description: offsets and magics are written out, not shared. */
#include "device/nvme.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <linux/types.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

static void put(uint8_t *page, size_t offset, uint64_t value, size_t length)
{
    for (size_t i = 0; i < length; i++)
        page[offset + i] = (uint8_t)(value >> (8 * i));
}

static void make_identify(uint8_t page[4096], const char *name)
{
    memset(page, 0, 4096);
    put(page, 0, 0x1d0f, 2);
    memset(page + 4, ' ', 60);
    memcpy(page + 4, "vol0123456789abcdef0", 20);
    memcpy(page + 24, "Amazon Elastic Block Store", 26);
    memset(page + 3072, ' ', 32);
    memcpy(page + 3072, name, strlen(name));
}

static void make_stats(uint8_t page[4096])
{
    memset(page, 0, 4096);
    put(page, 0, 0x3c23b510, 4);
    for (unsigned i = 0; i < 11; i++)
        put(page, 8 + 8 * (size_t)i, UINT64_C(0x0100000000) * (i + 1) + i, 8);
    put(page, 512, 2, 8);
    put(page, 520, 1, 8);
    put(page, 528, 2, 8);
    put(page, 536, 77, 4);
    put(page, 544, 2, 8);
    put(page, 552, 4, 8);
    put(page, 560, 0xfffffffe, 4);
    put(page, 2056, 64, 8);
    put(page, 2064 + 63 * 24 + 16, 5, 4);
}

static void test_identify_name(void **state)
{
    uint8_t page[4096];
    char name[NVME_NAME_MAX];

    (void)state;
    make_identify(page, "sdf");
    assert_int_equal(nvme_parse_identify(page, sizeof(page), name), 0);
    assert_string_equal(name, "sdf");
    make_identify(page, "/dev/xvdba");
    assert_int_equal(nvme_parse_identify(page, sizeof(page), name), 0);
    assert_string_equal(name, "xvdba");
    /* All 32 bytes used: no NUL ends it. */
    make_identify(page, "abcdefghijklmnopqrstuvwxyz012345");
    assert_int_equal(nvme_parse_identify(page, sizeof(page), name), 0);
    assert_string_equal(name, "abcdefghijklmnopqrstuvwxyz012345");
}

static void test_identify_refused(void **state)
{
    uint8_t page[4096];
    char name[NVME_NAME_MAX];

    (void)state;
    make_identify(page, "");
    assert_int_equal(nvme_parse_identify(page, sizeof(page), name), -ENODATA);
    make_identify(page, "../x");
    assert_int_equal(nvme_parse_identify(page, sizeof(page), name), -ENODATA);
    make_identify(page, "sdf");
    assert_int_equal(nvme_parse_identify(page, 4095, name), -EBADMSG);
    put(page, 0, 0x1af4, 2);
    assert_int_equal(nvme_parse_identify(page, sizeof(page), name), -EBADMSG);
    make_identify(page, "sdf");
    memcpy(page + 24, "Amazon EC2 NVMe Instance Storage", 32);
    assert_int_equal(nvme_parse_identify(page, sizeof(page), name), -EBADMSG);
}

static void test_stats(void **state)
{
    uint8_t page[4096];
    struct nvme_stats stats;

    (void)state;
    make_stats(page);
    assert_int_equal(nvme_parse_stats(page, sizeof(page), &stats), 0);
    assert_int_equal(stats.read_ops, 0x100000000);
    assert_int_equal(stats.write_ops, 0x200000001);
    assert_int_equal(stats.read_bytes, 0x300000002);
    assert_int_equal(stats.write_bytes, 0x400000003);
    assert_int_equal(stats.read_usec, 0x500000004);
    assert_int_equal(stats.write_usec, 0x600000005);
    assert_int_equal(stats.over_volume_iops_usec, 0x700000006);
    assert_int_equal(stats.over_volume_throughput_usec, 0x800000007);
    assert_int_equal(stats.over_instance_iops_usec, 0x900000008);
    assert_int_equal(stats.over_instance_throughput_usec, 0xa00000009);
    assert_int_equal(stats.queue_length, 0xb0000000a);
    assert_int_equal(stats.read_latency.n_bins, 2);
    assert_int_equal(stats.read_latency.bins[0].lower_usec, 1);
    assert_int_equal(stats.read_latency.bins[0].upper_usec, 2);
    assert_int_equal(stats.read_latency.bins[0].count, 77);
    assert_int_equal(stats.read_latency.bins[1].count, 0xfffffffe);
    assert_int_equal(stats.write_latency.n_bins, 64);
    assert_int_equal(stats.write_latency.bins[63].count, 5);
}

static void test_stats_refused(void **state)
{
    uint8_t page[4096];
    struct nvme_stats stats;

    (void)state;
    make_stats(page);
    assert_int_equal(nvme_parse_stats(page, 4095, &stats), -EBADMSG);
    put(page, 512, 65, 8);
    assert_int_equal(nvme_parse_stats(page, sizeof(page), &stats), -EBADMSG);
    make_stats(page);
    put(page, 2056, UINT64_MAX, 8);
    assert_int_equal(nvme_parse_stats(page, sizeof(page), &stats), -EBADMSG);
    make_stats(page);
    put(page, 0, 0xec2c0d7e, 4);
    assert_int_equal(nvme_parse_stats(page, sizeof(page), &stats), -EMEDIUMTYPE);
    put(page, 0, 0, 4);
    assert_int_equal(nvme_parse_stats(page, sizeof(page), &stats), -EBADMSG);
}

/* ---- a controller that answers: ioctl() is the linker's to wrap ---- */

static struct {
    uint8_t page[4096];
    int status, error; /* what the ioctl gives */
    unsigned long request;
    struct nvme_admin_cmd command; /* what it was asked */
} controller;

int __wrap_ioctl(int fd, unsigned long request, void *argument);

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
    (void)fd;
    controller.request = request;
    memcpy(&controller.command, argument, sizeof(controller.command));
    if (controller.status == 0)
        memcpy((void *)(uintptr_t)controller.command.addr, controller.page, 4096);
    errno = controller.error;
    return controller.status;
}

/* NVM Express base specification 1.4: Get Log Page and Identify; AWS: page D0h, 4096 bytes. */
static void test_what_is_asked(void **state)
{
    struct nvme_stats stats;
    char name[NVME_NAME_MAX];

    (void)state;
    controller.status = 0;
    make_stats(controller.page);
    assert_int_equal(nvme_read_stats(-1, &stats), 0);
    assert_int_equal(stats.queue_length, 0xb0000000a);
    assert_int_equal(controller.request, NVME_IOCTL_ADMIN_CMD);
    assert_int_equal(controller.command.opcode, 0x02);
    assert_int_equal(controller.command.cdw10, 0x03ff00d0);
    assert_int_equal(controller.command.data_len, 4096);
    make_identify(controller.page, "sdf");
    assert_int_equal(nvme_read_device_name(-1, name), 0);
    assert_string_equal(name, "sdf");
    assert_int_equal(controller.command.opcode, 0x06);
    assert_int_equal(controller.command.cdw10, 1);
    assert_int_equal(controller.command.data_len, 4096);
}

/* Neither a missing right nor a controller without the page is an error of the volume. */
static void test_refusals_are_quiet(void **state)
{
    static const int quiet[] = { EACCES, EPERM, ENOTTY, EINVAL };
    struct nvme_stats stats;
    char name[NVME_NAME_MAX];

    (void)state;
    make_stats(controller.page);
    controller.status = -1;
    for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++) {
        controller.error = quiet[i];
        assert_int_equal(nvme_read_stats(-1, &stats), -EOPNOTSUPP);
        assert_int_equal(nvme_read_device_name(-1, name), -EOPNOTSUPP);
    }
    controller.error = ENODEV;
    assert_int_equal(nvme_read_stats(-1, &stats), -ENODEV);
    controller.status = 0x2002; /* do not retry, invalid field */
    assert_int_equal(nvme_read_stats(-1, &stats), -EOPNOTSUPP);
    controller.status = 0;
    memset(controller.page, 0, sizeof(controller.page));
    assert_int_equal(nvme_read_stats(-1, &stats), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identify_name), cmocka_unit_test(test_identify_refused),
        cmocka_unit_test(test_stats),         cmocka_unit_test(test_stats_refused),
        cmocka_unit_test(test_what_is_asked), cmocka_unit_test(test_refusals_are_quiet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
