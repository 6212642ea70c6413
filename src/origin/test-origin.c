/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "origin/origin.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* As ebswarm-origin(5) has it. */
static const char full[] = "[Origin]\nFormat=1\nSource=ec2\nVolume=vol-0123456789abcdef0\n"
                           "Device=/dev/sdf\nSnapshot=snap-0fedcba9876543210\n"
                           "SnapshotBytes=5368709121\nSizeBytes=10240M\nType=gp3\nIops=3000\n"
                           "Throughput=125M\nFastRestored=yes\nInitializationRate=300M\n"
                           "InitializationState=completed\nInitializationType=provisioned-rate\n"
                           "InitializationProgress=42\nSourceVolume=vol-0123456789abcdef1\n"
                           "Checked=2026-12-01T12:00:00Z\n"
                           "BootId=01234567-89ab-cdef-0123-456789abcdef\n";

static void every_field(void **state)
{
    struct origin o;
    char why[ORIGIN_WHY_MAX];
    _cleanup_free_ char *text = NULL;

    (void)state;
    assert_int_equal(origin_parse(full, strlen(full), &o, why), 0);
    assert_string_equal(o.source, "ec2");
    assert_string_equal(o.volume, "vol-0123456789abcdef0");
    assert_string_equal(o.device, "/dev/sdf");
    assert_string_equal(o.snapshot, "snap-0fedcba9876543210");
    assert_int_equal(o.snapshot_bytes, 5368709121);
    assert_int_equal(o.size_bytes, 10737418240);
    assert_string_equal(o.type, "gp3");
    assert_int_equal(o.iops, 3000);
    assert_int_equal(o.throughput_bytes, 131072000);
    assert_int_equal(o.fast_restored, 1);
    assert_int_equal(o.initialization_rate_bytes, 314572800);
    assert_int_equal(o.initialization_state, ORIGIN_STATE_COMPLETED);
    assert_int_equal(o.initialization_type, ORIGIN_TYPE_PROVISIONED_RATE);
    assert_int_equal(o.initialization_progress, 42);
    assert_string_equal(o.source_volume, "vol-0123456789abcdef1");
    assert_string_equal(o.checked, "2026-12-01T12:00:00Z");
    assert_string_equal(o.boot_id, "01234567-89ab-cdef-0123-456789abcdef");
    text = origin_format(&o);
    assert_string_equal(text, full);
}

static void least(void **state)
{
    static const char text[] = "# by hand\r\n\n[Other]\nVolume=not this\n [Origin]\n"
                               " Format = 1 \r\nVolume=disk-7\nFuture=a b c";
    struct origin o;
    char why[ORIGIN_WHY_MAX];

    (void)state;
    assert_int_equal(origin_parse(text, strlen(text), &o, why), 0);
    assert_string_equal(o.volume, "disk-7");
    assert_string_equal(o.snapshot, "");
    assert_int_equal(o.fast_restored, ORIGIN_UNSAID);
    assert_int_equal(o.initialization_progress, ORIGIN_UNSAID);
    assert_int_equal(o.initialization_state, ORIGIN_STATE_UNSAID);
}

static void refused(const char *text, size_t length, const char *expected)
{
    struct origin o;
    char why[ORIGIN_WHY_MAX];

    assert_int_equal(origin_parse(text, length, &o, why), -EINVAL);
    if (!strstr(why, expected))
        fail_msg("\"%s\" does not say \"%s\"", why, expected);
}

static void bad_values(void **state)
{
    static const struct {
        const char *line, *expected;
    } bad[] = {
        { "Iops=many", "line 4: Iops=many: expected a number" },
        { "Iops=-1", "a number" },
        { "Throughput=fast", "125M" },
        { "FastRestored=maybe", "yes or no" },
        { "InitializationProgress=101", "0 to 100" },
        { "InitializationState=done", "initializing or completed" },
        { "InitializationType=magic", "volume-copy" },
        { "Snapshot=", "letters" },
        { "Snapshot=a b", "letters" },
        { "Snapshot=\033[31m", "a control character" },
        { "Format=2", "line 4: Format=2: expected 1" },
        { "no assignment", "line 4: neither" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[256];

        snprintf(text, sizeof(text), "[Origin]\nFormat=1\nVolume=v\n%s\n", bad[i].line);
        refused(text, strlen(text), bad[i].expected);
    }
}

static void bad_files(void **state)
{
    char text[400];

    (void)state;
    refused("", 0, "Format=1");
    refused("[Origin]\nFormat=1\n", 18, "Volume=");
    refused("[Origin]\nVolume=v\n", 18, "Format=1");
    refused("[Origin]\nVol\0me=v\n", 18, "line 2: the line holds a control character");
    memset(text, 'x', sizeof(text));
    memcpy(text, "[Origin]\nx=", 11);
    refused(text, 9 + 200, "line 2: the line is longer than 198");
}

static int put(int dir, const char *name, const char *text, mode_t mode)
{
    _cleanup_close_ int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    return 0;
}

static void load_takes_only_trusted_files(void **state)
{
    char folder[] = "/tmp/test-origin-XXXXXX";
    uid_t me = getuid(), other = getuid() + 1;
    const struct origin_owners mine = { &me, 1 }, others = { &other, 1 };
    _cleanup_close_ int dir = -1;
    _cleanup_free_ char *big = calloc(1, ORIGIN_FILE_MAX + 2);
    static const char *const names[] = { "good", "writable", "link", "fifo", "big" };
    struct origin o;
    char why[ORIGIN_WHY_MAX];

    (void)state;
    assert_non_null(mkdtemp(folder));
    dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir >= 0);
    memset(big, '\n', ORIGIN_FILE_MAX + 1);
    put(dir, "good", full, 0644);
    put(dir, "writable", full, 0664);
    put(dir, "big", big, 0644);
    assert_int_equal(symlinkat("good", dir, "link"), 0);
    assert_int_equal(mkfifoat(dir, "fifo", 0644), 0);
    assert_int_equal(origin_load(dir, "good", &mine, &o, why), 0);
    assert_string_equal(o.volume, "vol-0123456789abcdef0");
    assert_int_equal(origin_load(dir, "good", &others, &o, why), -EPERM);
    assert_int_equal(origin_load(dir, "writable", &mine, &o, why), -EPERM);
    assert_int_equal(origin_load(dir, "link", &mine, &o, why), -ELOOP);
    assert_int_equal(origin_load(dir, "fifo", &mine, &o, why), -EBADF);
    assert_int_equal(origin_load(dir, "big", &mine, &o, why), -EFBIG);
    assert_int_equal(origin_load(dir, "absent", &mine, &o, why), -ENOENT);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(unlinkat(dir, names[i], 0), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),
        cmocka_unit_test(least),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(load_takes_only_trusted_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
