/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "check/run-plain.h"

static void test_what_is_read(void **state)
{
    FILE *file = tmpfile();
    volatile sig_atomic_t stop = 1;
    struct check_plain got;
    int fd;

    (void)state;
    assert_non_null(file);
    fd = fileno(file);
    assert_int_equal(check_run_plain(fd, 16384, UINT64_MAX, 60, NULL, &got), -ENODATA);
    assert_int_equal(ftruncate(fd, 100001), 0);
    assert_int_equal(check_run_plain(fd, 16384, UINT64_MAX, 60, NULL, &got), 0);
    assert_int_equal(got.bytes, 100001); /* the odd end too */
    assert_true(got.seconds > 0);
    assert_int_equal(check_run_plain(fd, 16384, 20000, 60, NULL, &got), 0);
    assert_int_equal(got.bytes, 20000);
    assert_int_equal(check_run_plain(fd, 16384, UINT64_MAX, 60, &stop, &got), 0);
    assert_int_equal(got.bytes, 0);
    fclose(file);
}

static void test_errors(void **state)
{
    struct check_plain got;
    int fd = open("/", O_RDONLY | O_CLOEXEC);

    (void)state;
    assert_int_equal(check_run_plain(fd, 16384, UINT64_MAX, 60, NULL, &got), -EISDIR);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_read),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
