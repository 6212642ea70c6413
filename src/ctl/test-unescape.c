/* SPDX-License-Identifier: MIT */
/* The escaped forms are systemd-escape's own. */
#include "ctl/unescape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_unescape(void **state)
{
    static const struct {
        const char *instance, *what;
    } rows[] = {
        { "var-lib-postgresql", "/var/lib/postgresql" }, /* systemd-escape --path */
        { "-", "/" },
        { "srv-my\\x2ddata\\x20here", "/srv/my-data here" },
        { "dev-disk-by\\x2did-x", "/dev/disk/by-id/x" },
        { "vol-0123456789abcdef0", "vol-0123456789abcdef0" },
        { "vol\\x2d0123456789abcdef0", "vol-0123456789abcdef0" },
        { "vol-data", "/vol/data" },
        { "vol-", "/vol/" },
        { "caf\\xc3\\xa9", "/caf\xc3\xa9" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *what = unescape_what(rows[i].instance);
        assert_non_null(what);
        assert_string_equal(what, rows[i].what);
        free(what);
    }
}

static void test_broken(void **state)
{
    static const char *const broken[] = { "\\", "a\\x", "a\\x2", "a\\x2g", "a\\n", "a\\x00b" };

    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
        assert_null(unescape_what(broken[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unescape),
        cmocka_unit_test(test_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
