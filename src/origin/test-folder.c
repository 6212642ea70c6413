/* SPDX-License-Identifier: MIT */
/* Which file of a folder speaks of a volume, or of a device without an id of its own. */
#include "origin/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define BOOT  "11111111-2222-3333-4444-555555555555"
#define BOOT2 "99999999-2222-3333-4444-555555555555"

static struct origin_file file_of(const char *volume, const char *device)
{
    struct origin_file file = { .written_unix_usec = 2000 };

    origin_init(&file.origin);
    snprintf(file.origin.volume, sizeof(file.origin.volume), "%s", volume);
    snprintf(file.origin.device, sizeof(file.origin.device), "%s", device);
    snprintf(file.origin.boot_id, sizeof(file.origin.boot_id), "%s", BOOT);
    file.origin.size_bytes = 4096;
    return file;
}

static const char *found(struct origin_file *files, size_t n, const struct origin_device *device)
{
    const struct origin_folder folder = { .files = files, .n_files = n };
    const struct origin *origin = origin_folder_find_device(&folder, device);

    return origin ? origin->volume : "";
}

static struct origin_device device_of(const char *name)
{
    return (struct origin_device){
        .name = name, .size_bytes = 4096, .appeared_unix_usec = 1000, .boot_id = BOOT
    };
}

/* AWS, "Device names for volumes on Amazon EC2 instances": sdf may be xvdf; the root disk is
 * attached as /dev/sda1 or /dev/xvda. */
static void test_names(void **state)
{
    static const struct {
        const char *attached_as, *name;
        bool same;
    } rows[] = {
        { "/dev/sdf", "xvdf", true },
        { "/dev/xvdf", "xvdf", true },
        { "sdf", "xvdf", true },
        { "/dev/sda1", "xvda", true },
        { "/dev/sdh", "sdh", true },
        { "/dev/xvdba", "xvdba", true },
        { "/dev/sda1", "xvda1", true },
        { "/dev/sdf", "xvdg", false },
        { "/dev/sdb", "xvdba", false },
        { "/dev/sdba", "xvdb", false },
        { "", "xvdf", false },
        { "/dev/sd", "xvd", false },
        { "/dev/nvme1n1", "xvdf", false },
        { "/dev/sdf2", "xvdf", false },
        { "/dev/sdf11", "xvdf", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct origin_file file = file_of("vol-1", rows[i].attached_as);
        struct origin_device device = device_of(rows[i].name);
        if ((*found(&file, 1, &device) != '\0') != rows[i].same)
            fail_msg("%s and %s", rows[i].attached_as, rows[i].name);
    }
}

/* A kernel that shifts the letters, another boot's names, a volume that had the name before. */
static void test_not_believed(void **state)
{
    struct origin_file files[2] = { file_of("vol-1", "/dev/sdf"), file_of("vol-2", "/dev/sdg") };
    struct origin_device device = device_of("xvdf");

    (void)state;
    assert_string_equal(found(files, 2, &device), "vol-1");
    device.size_bytes = 8192;
    assert_string_equal(found(files, 2, &device), "");
    device = device_of("xvdf");
    device.boot_id = BOOT2;
    assert_string_equal(found(files, 2, &device), "");
    device = device_of("xvdf");
    device.appeared_unix_usec = 2001;
    assert_string_equal(found(files, 2, &device), "");
    device.appeared_unix_usec = 2000;
    assert_string_equal(found(files, 2, &device), "vol-1");
    device.appeared_unix_usec = 0;
    assert_string_equal(found(files, 2, &device), "");
    device = device_of("xvdf");
    strcpy(files[1].origin.device, "xvdf");
    assert_string_equal(found(files, 2, &device), "");
}

static void write_file(const char *folder, const char *name, const char *text, mode_t mode)
{
    char path[256];
    FILE *out;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void remove_all(const char *folder, const char *const *names)
{
    char path[256];

    for (; *names; names++) {
        snprintf(path, sizeof(path), "%s/%s", folder, *names);
        unlink(path);
    }
    rmdir(folder);
}

static void test_folder(void **state)
{
    static const char *const names[] = { "vol-1.origin", ".vol-2.origin", "vol-3.blocks",
                                         "vol-4.origin", "vol-5.origin",  NULL };
    char path[] = "/tmp/test-folder.XXXXXX";
    struct origin_folder folder;

    (void)state;
    assert_non_null(mkdtemp(path));
    write_file(path, names[0], "[Origin]\nFormat=1\nVolume=vol-1\nSnapshot=none\n", 0644);
    write_file(path, names[1], "[Origin]\nFormat=1\nVolume=vol-2\n", 0644);
    write_file(path, names[2], "EBSWARM-BLOCKS 1 snap-1 524288 0\nEND 0 0\n", 0644);
    write_file(path, names[3], "[Origin]\nFormat=1\nVolume=vol-4\n", 0666);
    write_file(path, names[4], "[Origin]\nFormat=7\nVolume=vol-5\n", 0644);
    origin_folder_read(path, &folder);
    assert_int_equal(folder.n_files, 1);
    assert_non_null(origin_folder_find(&folder, "vol-1"));
    assert_null(origin_folder_find(&folder, "vol-2"));
    assert_true(folder.files[0].written_unix_usec > 0);
    origin_folder_done(&folder);
    remove_all(path, names);
    origin_folder_read(path, &folder);
    assert_int_equal(folder.n_files, 0);
}

static void test_path(void **state)
{
    char *path;

    (void)state;
    setenv("RUNTIME_DIRECTORY", "/run/a:/run/b", 1);
    path = origin_folder_path();
    assert_string_equal(path, "/run/a/origin");
    free(path);
    unsetenv("RUNTIME_DIRECTORY");
    path = origin_folder_path();
    assert_string_equal(path, "/run/ebswarm/origin");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_not_believed),
        cmocka_unit_test(test_folder),
        cmocka_unit_test(test_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
