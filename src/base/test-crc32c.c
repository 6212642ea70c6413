/* SPDX-License-Identifier: MIT */
/* The vectors of RFC 3720, appendix B.4, and the check value that catalogues of CRCs give. */
#include "base/crc32c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_published_vectors(void **state)
{
    unsigned char data[32];

    (void)state;
    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(crc32c("", 0), 0);
    memset(data, 0, sizeof(data));
    assert_int_equal(crc32c(data, sizeof(data)), 0x8a9136aa);
    memset(data, 0xff, sizeof(data));
    assert_int_equal(crc32c(data, sizeof(data)), 0x62a8ab43);
    for (unsigned i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)i;
    assert_int_equal(crc32c(data, sizeof(data)), 0x46dd794e);
    for (unsigned i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)(31 - i);
    assert_int_equal(crc32c(data, sizeof(data)), 0x113fdb5c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_published_vectors) };

    return cmocka_run_group_tests_name("crc32c", tests, NULL, NULL);
}
