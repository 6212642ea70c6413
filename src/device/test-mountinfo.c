/* SPDX-License-Identifier: MIT */
/* Lines as proc(5) describes them. */
#include "device/mountinfo.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

static const char text[] =
    "25 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw\n"
    "36 25 98:0 /mnt1 /mnt rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue\n"
    "37 25 0:40 / /mnt/a\\040b rw - tmpfs tmp\\134fs rw\n"
    "38 36 259:5 / /mnt rw - xfs /dev/nvme1n1 rw\n"
    "39 25 0:41 / /srv rw - tmpfs  rw\n";

static void test_fields(void **state)
{
    struct mounts mounts;
    const struct mount *mount;

    (void)state;
    assert_int_equal(mounts_parse(text, &mounts), 0);
    assert_int_equal(mounts.n_mounts, 5);
    mount = mounts_find_id(&mounts, 37);
    assert_non_null(mount);
    assert_true(mount->devnum == makedev(0, 40));
    assert_string_equal(mount->point, "/mnt/a b");
    assert_string_equal(mount->type, "tmpfs");
    assert_string_equal(mount->source, "tmp\\fs");
    assert_null(mounts_find_id(&mounts, 1));
    mounts_free(&mounts);
}

static void test_paths(void **state)
{
    struct mounts mounts;

    (void)state;
    assert_int_equal(mounts_parse(text, &mounts), 0);
    assert_int_equal(mounts_find_path(&mounts, "/etc/fstab")->id, 25);
    assert_int_equal(mounts_find_path(&mounts, "/mntx")->id, 25);
    /* Two mounts on /mnt: the later one hides the earlier. */
    assert_int_equal(mounts_find_path(&mounts, "/mnt")->id, 38);
    assert_int_equal(mounts_find_path(&mounts, "/mnt/x")->id, 38);
    assert_int_equal(mounts_find_path(&mounts, "/mnt/a b/c")->id, 37);
    assert_null(mounts_find_path(&mounts, "relative"));
    mounts_free(&mounts);
}

static void test_refused(void **state)
{
    static const char *const bad[] = {
        "x",
        "25 1 259:1 / / rw",
        "25 1 259 / / rw - ext4 /dev/x rw",
        "25 1 259:1 / - ext4 /dev/x rw",
        "25 1 259:1 / / rw - ",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mounts mounts;

        assert_int_equal(mounts_parse(bad[i], &mounts), -EBADMSG);
        mounts_free(&mounts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
