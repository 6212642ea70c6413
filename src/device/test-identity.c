/* SPDX-License-Identifier: MIT */
/* The traps: what looks like the same volume and is not, and the other way round. */
#include "device/identity.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

static const struct device_identity volume = {
    .kind = DEVICE_EBS_NVME,
    .id = "vol-0123456789abcdef0",
    .lasting = true,
    .boot_id = "11111111-1111-1111-1111-111111111111",
    .devnum = 0x10300,
    .diskseq = 5,
};
static const struct device_identity xen = {
    .kind = DEVICE_OTHER,
    .id = "xvdf",
    .boot_id = "11111111-1111-1111-1111-111111111111",
    .devnum = 0xca50,
    .diskseq = 5,
};
#define OTHER_BOOT "22222222-2222-2222-2222-222222222222"

static void test_serials(void **state)
{
    static const char *const bad[] = {
        "",
        "vol",
        "vol0123456789abcdef",
        "vol0123456789abcdef00",
        "vol0123456789ABCDEF0",
        "vol0123456789abcdeg0",
        "AWS0123456789ABCDEF0",
        "vol0123456789abcdef0 x",
    };
    char id[DEVICE_ID_MAX];

    (void)state;
    assert_int_equal(device_id_from_serial("vol0123456789abcdef0", id), 0);
    assert_string_equal(id, "vol-0123456789abcdef0");
    assert_int_equal(device_id_from_serial("vol0123456789abcdef0   ", id), 0);
    assert_string_equal(id, "vol-0123456789abcdef0");
    assert_int_equal(device_id_from_serial("vol1234abcd", id), 0);
    assert_string_equal(id, "vol-1234abcd");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(device_id_from_serial(bad[i], id), -EINVAL);
}

static bool is_same(const struct device_identity *stored, const struct device_identity *now)
{
    const char *why = NULL;
    bool same = device_identity_same(stored, now, &why);

    assert_true(same == (why == NULL));
    return same;
}

static void test_volume_id_lasts(void **state)
{
    struct device_identity now = volume;

    (void)state;
    /* After a reboot it came back as another nvme number. */
    strcpy(now.boot_id, OTHER_BOOT);
    now.devnum = makedev(259, 7);
    now.diskseq = 2;
    assert_true(is_same(&volume, &now));
    /* An image baked with a state directory, or a second restore of one snapshot. */
    strcpy(now.id, "vol-0123456789abcdef1");
    assert_false(is_same(&volume, &now));
    /* Its id was lost on the way: nothing to go by. */
    now = volume;
    now.lasting = false;
    assert_false(is_same(&volume, &now));
}

static void test_without_an_id(void **state)
{
    struct device_identity now = xen;

    (void)state;
    assert_true(is_same(&xen, &now));
    now.diskseq = 6; /* swapped under the same name within one boot */
    assert_false(is_same(&xen, &now));
    now = xen;
    strcpy(now.boot_id, OTHER_BOOT);
    assert_false(is_same(&xen, &now));
    now = xen;
    now.devnum = makedev(202, 96);
    assert_false(is_same(&xen, &now));
    now = xen;
    assert_true(device_identity_is_provable(&now));
    now.diskseq = 0;
    assert_false(device_identity_is_provable(&now));
}

static void test_file(void **state)
{
    char first_path[] = "/tmp/ebswarm-identity-XXXXXX",
         second_path[] = "/tmp/ebswarm-identity-XXXXXX";
    int first = mkstemp(first_path), second = mkstemp(second_path);
    struct device_identity a, again, b;
    struct device_geometry geometry;

    (void)state;
    assert_true(first >= 0 && second >= 0);
    assert_int_equal(ftruncate(first, 12345), 0);
    assert_int_equal(device_identify(first, &a), 0);
    assert_int_equal(device_identify(first, &again), 0);
    assert_int_equal(device_identify(second, &b), 0);
    assert_int_equal(a.kind, DEVICE_FILE);
    assert_null(strchr(a.id, '/'));
    assert_true(is_same(&a, &again));
    assert_false(is_same(&a, &b));
    assert_int_equal(device_geometry(first, &geometry), 0);
    assert_int_equal(geometry.size_bytes, 12345);
    close(first);
    close(second);
    unlink(first_path);
    unlink(second_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serials),
        cmocka_unit_test(test_volume_id_lasts),
        cmocka_unit_test(test_without_an_id),
        cmocka_unit_test(test_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
