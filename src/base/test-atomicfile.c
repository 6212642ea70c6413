/* SPDX-License-Identifier: MIT */
#include "base/atomicfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    char path[64];
    int fd;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    strcpy(fixture->path, "/tmp/ebswarm-atomicfile.XXXXXX");
    assert_non_null(mkdtemp(fixture->path));
    fixture->fd = open(fixture->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = fixture;
    return fixture->fd < 0;
}

static unsigned count_entries(const struct fixture *fixture, bool remove)
{
    DIR *directory = opendir(fixture->path);
    const struct dirent *entry;
    unsigned n = 0;

    while ((entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        n++;
        if (remove && unlinkat(fixture->fd, entry->d_name, 0) < 0)
            unlinkat(fixture->fd, entry->d_name, AT_REMOVEDIR);
    }
    closedir(directory);
    return n;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    count_entries(fixture, true);
    close(fixture->fd);
    rmdir(fixture->path);
    free(fixture);
    return 0;
}

static void assert_content(const struct fixture *fixture, const char *name, const char *expected)
{
    char *data;
    size_t length;

    assert_int_equal(read_small_file(fixture->fd, name, 1000, &data, &length), 0);
    assert_int_equal(length, strlen(expected));
    assert_string_equal(data, expected);
    free(data);
}

static void test_replaces_whole_and_leaves_nothing_beside(void **state)
{
    const struct fixture *fixture = *state;
    struct stat st;

    assert_int_equal(atomic_write_file(fixture->fd, "a", "first", 5, 0640), 0);
    assert_content(fixture, "a", "first");
    assert_int_equal(atomic_write_file(fixture->fd, "a", "2", 1, 0640), 0);
    assert_content(fixture, "a", "2");
    assert_int_equal(atomic_write_file(fixture->fd, "a", "", 0, 0640), 0);
    assert_content(fixture, "a", "");
    assert_int_equal(count_entries(fixture, false), 1);
    assert_int_equal(fstatat(fixture->fd, "a", &st, 0), 0);
    assert_int_equal(st.st_mode & 0777 & ~0640U, 0);
}

/* The name is taken by a folder: the rename fails after the data was written. */
static void test_failure_keeps_the_old_and_removes_the_temporary(void **state)
{
    const struct fixture *fixture = *state;
    struct stat st;

    assert_int_equal(mkdirat(fixture->fd, "a", 0755), 0);
    assert_int_equal(atomic_write_file(fixture->fd, "a", "x", 1, 0644), -EISDIR);
    assert_int_equal(fstatat(fixture->fd, "a", &st, 0), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(count_entries(fixture, false), 1);
}

/* The write itself stops half-way: the limit on a file's length lets 4096 bytes through. */
static void test_a_write_cut_short_keeps_the_old(void **state)
{
    static const char large[8192] = { 0 };
    const struct fixture *fixture = *state;
    struct rlimit before, limit;

    assert_int_equal(atomic_write_file(fixture->fd, "a", "old", 3, 0644), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){ .rlim_cur = 4096, .rlim_max = before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(atomic_write_file(fixture->fd, "a", large, sizeof(large), 0644), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_content(fixture, "a", "old");
    assert_int_equal(count_entries(fixture, false), 1);
}

static void test_a_full_disk_keeps_the_old(void **state)
{
    static const char large[1 << 17] = { 0 };
    const struct fixture *fixture = *state;
    struct fixture full;

    if (mount("tmpfs", fixture->path, "tmpfs", 0, "size=64k") < 0)
        skip(); /* wants root */
    full.fd = open(fixture->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* It lives on behind the descriptor, and goes away whatever happens here. */
    assert_int_equal(umount2(fixture->path, MNT_DETACH), 0);
    assert_true(full.fd >= 0);
    snprintf(full.path, sizeof(full.path), "/proc/self/fd/%d", full.fd);
    assert_int_equal(atomic_write_file(full.fd, "a", "old", 3, 0644), 0);
    assert_int_equal(atomic_write_file(full.fd, "a", large, sizeof(large), 0644), -ENOSPC);
    assert_content(&full, "a", "old");
    assert_int_equal(count_entries(&full, false), 1);
    close(full.fd);
}

static void test_a_link_is_replaced_not_followed(void **state)
{
    const struct fixture *fixture = *state;
    struct stat st;

    assert_int_equal(atomic_write_file(fixture->fd, "target", "keep", 4, 0644), 0);
    assert_int_equal(symlinkat("target", fixture->fd, "a"), 0);
    assert_int_equal(atomic_write_file(fixture->fd, "a", "new", 3, 0644), 0);
    assert_content(fixture, "target", "keep");
    assert_content(fixture, "a", "new");
    assert_int_equal(fstatat(fixture->fd, "a", &st, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISREG(st.st_mode));
}

static void test_reading_refuses_what_is_no_small_file(void **state)
{
    const struct fixture *fixture = *state;
    char *data = NULL;
    size_t length;

    assert_int_equal(read_small_file(fixture->fd, "none", 10, &data, &length), -ENOENT);
    assert_int_equal(mkfifoat(fixture->fd, "fifo", 0644), 0);
    assert_int_equal(read_small_file(fixture->fd, "fifo", 10, &data, &length), -EBADF);
    assert_int_equal(mkdirat(fixture->fd, "folder", 0755), 0);
    assert_int_equal(read_small_file(fixture->fd, "folder", 10, &data, &length), -EBADF);
    assert_int_equal(atomic_write_file(fixture->fd, "long", "0123456789a", 11, 0644), 0);
    assert_int_equal(read_small_file(fixture->fd, "long", 10, &data, &length), -EFBIG);
    assert_null(data);
}

/* Files in /proc tell a size of 0 and have content all the same. */
static void test_reads_files_without_a_size(void **state)
{
    char *data;
    size_t length;

    (void)state;
    assert_int_equal(
        read_small_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", 100, &data, &length), 0);
    assert_int_equal(length, 37); /* a UUID and a newline */
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_replaces_whole_and_leaves_nothing_beside, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_failure_keeps_the_old_and_removes_the_temporary, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_write_cut_short_keeps_the_old, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_full_disk_keeps_the_old, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_link_is_replaced_not_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reading_refuses_what_is_no_small_file, setup,
                                        teardown),
        cmocka_unit_test(test_reads_files_without_a_size),
    };
    return cmocka_run_group_tests_name("atomicfile", tests, NULL, NULL);
}
