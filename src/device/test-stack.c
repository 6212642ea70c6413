/* SPDX-License-Identifier: MIT */
#include "device/stack.h"
#include "device/test-fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The names of the disks found, sorted, with a blank after each. */
static void assert_disks(const struct device_stack *stack, const char *expected)
{
    char names[STACK_DISKS_MAX][DEVICE_NAME_MAX], joined[1024] = "";

    for (size_t i = 0; i < stack->n_disks; i++)
        snprintf(names[i], DEVICE_NAME_MAX, "%s", stack->disks[i]->facts.name);
    qsort(names, stack->n_disks, DEVICE_NAME_MAX, by_text);
    for (size_t i = 0; i < stack->n_disks; i++)
        strcat(strcat(joined, names[i]), " ");
    assert_string_equal(joined, expected);
}

static int resolve(const char *what, struct device_stack *stack, struct fixture *fixture)
{
    fixture_load("nitro", fixture);
    return device_stack_resolve(&fixture->entries, what, stack);
}

static void test_names(void **state)
{
    static const struct {
        const char *what, *disks;
    } cases[] = {
        { "vol-0aaaaaaaaaaaaaaa2", "nvme1n1 " },
        { "vol0aaaaaaaaaaaaaaa2", "nvme1n1 " },
        { "/dev/nvme1n1", "nvme1n1 " },
        { "/dev/disk/by-id/test-nvme2n1", "nvme2n1 " },
        { "nvme0n1p14", "nvme0n1 " },
        { "/dev/dm-0", "nvme1n1 nvme2n1 " }, /* LVM over two volumes */
        { "/dev/dm-1", "nvme1n1 nvme2n1 " }, /* LUKS over that */
        { "loop0", "loop0 " },
        { "nvme3n1", "nvme3n1 " }, /* itself: its section may say Force=yes */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct device_stack stack;
        struct fixture fixture;

        assert_int_equal(resolve(cases[i].what, &stack, &fixture), 0);
        assert_disks(&stack, cases[i].disks);
        fixture_free(&fixture);
    }
}

static void test_nothing_to_warm(void **state)
{
    static const struct {
        const char *what;
        int error;
        const char *reason;
    } cases[] = {
        { "md0", -EMEDIUMTYPE, "/dev/md0 is on instance store, which is never warmed" },
        { "vol-0aaaaaaaaaaaaaaa9", -ENOENT, "no volume vol-0aaaaaaaaaaaaaaa9 is attached" },
        { "/no/such", -ENOENT, "/no/such: No such file or directory" },
        { "/proc/version", -ENODATA, "/proc/version is on proc: nothing to warm" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct device_stack stack;
        struct fixture fixture;

        assert_int_equal(resolve(cases[i].what, &stack, &fixture), cases[i].error);
        assert_string_equal(stack.reason, cases[i].reason);
        fixture_free(&fixture);
    }
}

static void test_mounts(void **state)
{
    static const struct {
        const char *line;
        int error;
        const char *result; /* the disks, or the reason */
    } cases[] = {
        { "30 1 259:1 / /d rw - ext4 /dev/root rw", 0, "nvme0n1 " },
        { "30 1 253:1 / /d rw - xfs /dev/mapper/secret rw", 0, "nvme1n1 nvme2n1 " },
        { "30 1 0:50 /sub /d rw - btrfs /dev/nvme1n1 rw", 0, "nvme1n1 nvme2n1 " },
        { "30 1 0:50 / /d rw - btrfs /dev/nvme0n1p1 rw", 0, "nvme0n1 " },
        { "30 1 9:0 / /d rw - xfs /dev/md0 rw", -EMEDIUMTYPE,
          "/d is on instance store, which is never warmed" },
        { "30 1 0:51 / /d rw - tmpfs tmpfs rw", -ENODATA, "/d is on tmpfs: nothing to warm" },
        { "30 1 0:52 / /d rw - nfs4 host:/x rw", -ENODATA, "/d is on nfs4: nothing to warm" },
        { "30 1 0:53 / /d rw - overlay overlay rw", -ENODATA,
          "/d is on overlay, which joins other filesystems: name a path on one of those" },
        { "30 1 259:99 / /d rw - ext4 /dev/x rw", -ENODEV,
          "block device 259:99 is not there any more" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct device_stack stack;
        struct fixture fixture;
        struct mounts mounts;

        fixture_load("nitro", &fixture);
        assert_int_equal(mounts_parse(cases[i].line, &mounts), 0);
        assert_int_equal(device_stack_from_mount(&fixture.entries, "/d", &mounts.mounts[0], &stack),
                         cases[i].error);
        if (cases[i].error == 0)
            assert_disks(&stack, cases[i].result);
        else
            assert_string_equal(stack.reason, cases[i].result);
        mounts_free(&mounts);
        fixture_free(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_nothing_to_warm),
        cmocka_unit_test(test_mounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
