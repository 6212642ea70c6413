/* SPDX-License-Identifier: MIT */
/* Each described machine gives the list that was written down beside it. */
#include "device/list.h"
#include "device/test-fixture.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void test_list(void **state)
{
    const char *name = *state;
    const struct conf conf = { 0 };
    struct fixture fixture;
    char path[PATH_MAX];
    json_t *expected, *list;

    snprintf(path, sizeof(path), "%s/%s.json", FIXTURES, name);
    expected = json_load_file(path, 0, NULL);
    assert_non_null(expected);
    fixture_load(name, &fixture);
    list = device_list(&fixture.entries, &conf, NULL);
    assert_non_null(list);
    assert_int_equal(json_array_size(list), json_array_size(expected));
    for (size_t i = 0; i < json_array_size(expected); i++) {
        char *want = json_dumps(json_array_get(expected, i), JSON_SORT_KEYS);
        char *got = json_dumps(json_array_get(list, i), JSON_SORT_KEYS);

        assert_string_equal(got, want);
        free(want);
        free(got);
    }
    json_decref(list);
    json_decref(expected);
    fixture_free(&fixture);
}

#define LIST_TEST(name)                                                                            \
    {                                                                                              \
#name, test_list, NULL, NULL, (char[])                                                     \
        {                                                                                          \
#name                                                                                  \
        }                                                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIST_TEST(nitro), LIST_TEST(xen),  LIST_TEST(t4g),
        LIST_TEST(metal), LIST_TEST(none), LIST_TEST(multipath),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
