/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "origin/blocklist.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "EBSWARM-BLOCKS 1 snap-1 524288 10485760\n"

static const char good[] = HEAD "0 524288\n1048576 1048576\nEND 2 1572864\n";

static void round_trip(void **state)
{
    struct blocklist list;
    char why[ORIGIN_WHY_MAX];
    _cleanup_free_ char *text = NULL;

    (void)state;
    assert_int_equal(blocklist_parse(good, strlen(good), "snap-1", &list, why), 0);
    assert_int_equal(list.block_bytes, 524288);
    assert_int_equal(list.volume_bytes, 10485760);
    assert_true(rangeset_contains(list.ranges, 0, 524288));
    assert_true(rangeset_contains(list.ranges, 1048576, 2097152));
    assert_int_equal(rangeset_total_bytes(list.ranges), 1572864);
    text = blocklist_format(&list);
    assert_string_equal(text, good);
    blocklist_done(&list);
}

static void every_cut_is_refused(void **state)
{
    struct blocklist list;
    char why[ORIGIN_WHY_MAX];

    (void)state;
    for (size_t length = 0; length < strlen(good); length++)
        assert_int_equal(blocklist_parse(good, length, "snap-1", &list, why), -EINVAL);
    assert_int_equal(blocklist_parse(good, strlen(good), "snap-2", &list, why), -EINVAL);
    assert_non_null(strstr(why, "another snapshot"));
}

static void wrong_content_is_refused(void **state)
{
    static const char *const bad[] = {
        "EBSWARM-BLOCKS 1 snap-1 524288 10485761\nEND 0 0\n",
        HEAD "1 524288\nEND 1 524288\n",
        HEAD "0 524289\nEND 1 524289\n",
        "EBSWARM-BLOCKS 2 snap-1 524288 10485760\nEND 0 0\n",
        HEAD "0 524288\nEND 2 524288\n",
        HEAD "0 524288\nEND 1 524289\n",
        HEAD "524288 524288\n0 524288\nEND 2 1048576\n",
        HEAD "0 524288\n524288 524288\nEND 1 1048576\n",
        HEAD "10485760 524288\nEND 1 524288\n",
        HEAD "0 0\nEND 0 0\n",
        HEAD "0 -1\nEND 1 1\n",
        HEAD "0 18446744073709027328\nEND 1 18446744073709027328\n",
        HEAD "END 0 0\nEND 0 0\n",
    };
    struct blocklist list;
    char why[ORIGIN_WHY_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(blocklist_parse(bad[i], strlen(bad[i]), "snap-1", &list, why), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(wrong_content_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
