/* SPDX-License-Identifier: MIT */
/* A Xen guest's disks are called by the ids that an origin file has for them, and by no older one.
 */
#include "device/told.h"

#include "device/test-fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define BOOT "11111111-2222-3333-4444-555555555555"

static const char *id_of(const struct fixture *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->entries.n_entries; i++) {
        if (strcmp(fixture->entries.entries[i]->facts.name, name) == 0)
            return fixture->entries.entries[i]->id;
    }
    fail_msg("the fixture has no %s", name);
    return "";
}

static void set_initialized(struct fixture *fixture, uint64_t usec)
{
    for (size_t i = 0; i < fixture->entries.n_entries; i++)
        fixture->entries.entries[i]->initialized_usec = usec;
}

static struct origin_file file_of(const char *volume, const char *device, uint64_t size_bytes)
{
    struct origin_file file = { .written_unix_usec = time(NULL) * INT64_C(1000000) };

    origin_init(&file.origin);
    snprintf(file.origin.volume, sizeof(file.origin.volume), "%s", volume);
    snprintf(file.origin.device, sizeof(file.origin.device), "%s", device);
    snprintf(file.origin.boot_id, sizeof(file.origin.boot_id), "%s", BOOT);
    file.origin.size_bytes = size_bytes;
    return file;
}

static void test_xen(void **state)
{
    struct origin_file files[] = {
        file_of("vol-0aaaaaaaaaaaaaaa0", "/dev/sda1", UINT64_C(8589934592)),
        file_of("vol-0bbbbbbbbbbbbbbb0", "/dev/sdf", UINT64_C(107374182400)),
    };
    struct origin_folder folder = { .files = files, .n_files = 2 };
    struct fixture fixture;

    (void)state;
    fixture_load("xen", &fixture);
    set_initialized(&fixture, 1);
    device_entries_take_ids(&fixture.entries, &folder, BOOT);
    assert_string_equal(id_of(&fixture, "xvda"), "vol-0aaaaaaaaaaaaaaa0");
    assert_string_equal(id_of(&fixture, "xvdf"), "vol-0bbbbbbbbbbbbbbb0");
    assert_string_equal(id_of(&fixture, "xvda1"), "xvda1");

    /* The file of the second is gone: its disk is not called so any more. */
    folder.n_files = 1;
    device_entries_take_ids(&fixture.entries, &folder, BOOT);
    assert_string_equal(id_of(&fixture, "xvdf"), "xvdf");

    /* Its disk is another since the file was written. */
    folder.n_files = 2;
    files[1].written_unix_usec -= INT64_C(3600) * 1000000;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    set_initialized(&fixture, (uint64_t)now.tv_sec * 1000000);
    device_entries_take_ids(&fixture.entries, &folder, BOOT);
    assert_string_equal(id_of(&fixture, "xvdf"), "xvdf");
    fixture_free(&fixture);
}

/* An id that the device has itself is never changed. */
static void test_nvme_keeps_its_id(void **state)
{
    struct origin_file file = file_of("vol-0bbbbbbbbbbbbbbb0", "nvme1n1", 0);
    const struct origin_folder folder = { .files = &file, .n_files = 1 };
    struct fixture fixture;
    char before[DEVICE_ID_MAX];

    (void)state;
    fixture_load("nitro", &fixture);
    set_initialized(&fixture, 1);
    strcpy(before, id_of(&fixture, "nvme1n1"));
    device_entries_take_ids(&fixture.entries, &folder, BOOT);
    assert_string_equal(id_of(&fixture, "nvme1n1"), before);
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xen),
        cmocka_unit_test(test_nvme_keeps_its_id),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
