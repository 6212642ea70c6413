/* SPDX-License-Identifier: MIT */
/* Which checkpoint is believed for which volume: every trap of identity, on real files. */
#include "warm/store.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#define SIZE (UINT64_C(1) << 30)

static char folder[64];

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ebswarm-store.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;

    (void)state;
    while (directory && (entry = readdir(directory))) {
        char path[400];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (unlink(path) < 0 && entry->d_name[0] != '.')
            rmdir(path);
    }
    if (directory)
        closedir(directory);
    rmdir(folder);
    return 0;
}

static struct device_identity nvme_volume(const char *id)
{
    struct device_identity identity = {
        .kind = DEVICE_EBS_NVME, .lasting = true, .devnum = makedev(259, 1), .diskseq = 5
    };

    snprintf(identity.id, sizeof(identity.id), "%s", id);
    strcpy(identity.boot_id, "00000000-0000-0000-0000-000000000001");
    return identity;
}

static struct device_identity loop_device(void)
{
    struct device_identity identity = nvme_volume("loop3");

    identity.kind = DEVICE_OTHER;
    identity.lasting = false;
    return identity;
}

static void save(const struct device_identity *identity)
{
    struct checkpoint *checkpoint = checkpoint_new();
    char *text;
    size_t length;

    checkpoint->identity = *identity;
    checkpoint->size_bytes = SIZE;
    rangeset_add(checkpoint->warm, 0, 4096);
    assert_int_equal(checkpoint_format(checkpoint, &text, &length), 0);
    assert_int_equal(store_save(folder, identity->id, text, length), 0);
    checkpoint_free(checkpoint);
    free(text);
}

/* True if it was believed; false if it was refused (and then kept), or is not there. */
static bool load(const struct device_identity *identity, uint64_t size_bytes, char **ret_why)
{
    struct checkpoint *checkpoint = NULL;
    char *why = NULL;
    bool believed;

    assert_int_equal(store_load(folder, identity, size_bytes, &checkpoint, &why), 0);
    believed = checkpoint != NULL;
    assert_false(believed && why);
    checkpoint_free(checkpoint);
    if (ret_why)
        *ret_why = why;
    else
        free(why);
    return believed;
}

static bool exists(const char *name)
{
    char path[400];
    struct stat st;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return lstat(path, &st) == 0;
}

static void assert_refused(const struct device_identity *identity, uint64_t size_bytes,
                           const char *word)
{
    char name[200], *why = NULL;

    assert_false(load(identity, size_bytes, &why));
    assert_non_null(why);
    assert_non_null(strstr(why, word));
    snprintf(name, sizeof(name), "%s.checkpoint", identity->id);
    assert_false(exists(name));
    snprintf(name, sizeof(name), "%s.checkpoint.set-aside-1", identity->id);
    assert_true(exists(name));
    free(why);
}

static void test_nothing_there_is_no_error(void **state)
{
    const struct device_identity volume = nvme_volume("vol-0123456789abcdef0");
    struct checkpoint *checkpoint;
    char *why;

    (void)state;
    assert_false(load(&volume, SIZE, &why));
    assert_null(why);
    assert_int_equal(store_load("/nonexistent/folder", &volume, SIZE, &checkpoint, &why), 0);
    assert_null(checkpoint);
}

static void test_an_nvme_volume_survives_reboot_renaming_and_growth(void **state)
{
    struct device_identity volume = nvme_volume("vol-0123456789abcdef0");

    (void)state;
    save(&volume);
    strcpy(volume.boot_id, "00000000-0000-0000-0000-000000000002");
    volume.devnum = makedev(259, 9);
    volume.diskseq = 77;
    assert_true(load(&volume, SIZE, NULL));
    assert_true(load(&volume, 2 * SIZE, NULL));
}

static void test_another_volume_gets_nothing(void **state)
{
    const struct device_identity volume = nvme_volume("vol-0123456789abcdef0");
    const struct device_identity other = nvme_volume("vol-0aaaaaaaaaaaaaaa0");
    char from[200], to[200];

    (void)state;
    save(&volume);
    assert_false(load(&other, SIZE, NULL));
    /* Even if somebody gives its file the other's name. */
    snprintf(from, sizeof(from), "%s/%s.checkpoint", folder, volume.id);
    snprintf(to, sizeof(to), "%s/%s.checkpoint", folder, other.id);
    assert_int_equal(rename(from, to), 0);
    assert_refused(&other, SIZE, "another volume");
}

static void test_a_device_without_an_id_is_known_in_this_boot_only(void **state)
{
    struct device_identity device = loop_device();

    (void)state;
    save(&device);
    assert_true(load(&device, SIZE, NULL));
    strcpy(device.boot_id, "00000000-0000-0000-0000-000000000002");
    assert_refused(&device, SIZE, "earlier boot");
}

static void test_another_medium_under_the_same_name_gets_nothing(void **state)
{
    struct device_identity device = loop_device();

    (void)state;
    save(&device);
    device.diskseq++;
    assert_refused(&device, SIZE, "another disk");
}

static void test_without_a_count_of_media_nothing_is_believed(void **state)
{
    struct device_identity device = loop_device();

    (void)state;
    device.diskseq = 0;
    save(&device);
    assert_refused(&device, SIZE, "does not count");
}

static void test_a_shrunk_volume_is_another(void **state)
{
    const struct device_identity volume = nvme_volume("vol-0123456789abcdef0");

    (void)state;
    save(&volume);
    assert_refused(&volume, SIZE / 2, "larger");
}

static void test_a_damaged_file_is_kept_and_not_believed(void **state)
{
    const struct device_identity volume = nvme_volume("vol-0123456789abcdef0");

    (void)state;
    assert_int_equal(store_save(folder, volume.id, "rubbish\n", 8), 0);
    assert_refused(&volume, SIZE, "no ebswarm checkpoint");
}

static void test_a_folder_in_its_place_is_moved_away(void **state)
{
    const struct device_identity volume = nvme_volume("vol-0123456789abcdef0");
    char path[200];

    (void)state;
    snprintf(path, sizeof(path), "%s/%s.checkpoint", folder, volume.id);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_refused(&volume, SIZE, "regular file");
    save(&volume);
    assert_true(load(&volume, SIZE, NULL));
}

static void test_the_number_of_kept_files_is_bounded(void **state)
{
    const struct device_identity volume = nvme_volume("vol-0123456789abcdef0");

    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        char text[32];
        int n = snprintf(text, sizeof(text), "rubbish %u\n", i);
        assert_int_equal(store_save(folder, volume.id, text, (size_t)n), 0);
        assert_false(load(&volume, SIZE, NULL));
    }
    assert_true(exists("vol-0123456789abcdef0.checkpoint.set-aside-9"));
    assert_false(exists("vol-0123456789abcdef0.checkpoint.set-aside-10"));
}

static void test_a_name_cannot_leave_the_folder(void **state)
{
    char *path = store_path("/var/lib/ebswarm", "../../etc/x");

    (void)state;
    assert_string_equal(path, "/var/lib/ebswarm/..!..!etc!x.checkpoint");
    free(path);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(test_nothing_there_is_no_error),
        WITH_FOLDER(test_an_nvme_volume_survives_reboot_renaming_and_growth),
        WITH_FOLDER(test_another_volume_gets_nothing),
        WITH_FOLDER(test_a_device_without_an_id_is_known_in_this_boot_only),
        WITH_FOLDER(test_another_medium_under_the_same_name_gets_nothing),
        WITH_FOLDER(test_without_a_count_of_media_nothing_is_believed),
        WITH_FOLDER(test_a_shrunk_volume_is_another),
        WITH_FOLDER(test_a_damaged_file_is_kept_and_not_believed),
        WITH_FOLDER(test_a_folder_in_its_place_is_moved_away),
        WITH_FOLDER(test_the_number_of_kept_files_is_bounded),
        cmocka_unit_test(test_a_name_cannot_leave_the_folder),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
