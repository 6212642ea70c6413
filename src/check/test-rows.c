/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/rows.h"

static const struct check_row *find(const char *table, const char *name)
{
    const struct check_row *row;

    for (size_t i = 0; (row = check_row_get(i)); i++)
        if (strcmp(row->table, table) == 0 && strcmp(row->name, name) == 0)
            return row;
    fail_msg("no row %s %s", table, name);
    return NULL;
}

/* fio's --bs, --iodepth and --rw for the same row. */
static void test_definitions(void **state)
{
    static const struct {
        const char *table, *name;
        uint32_t block_bytes, depth;
        bool random;
    } want[] = {
        { "cdm3", "Seq", 1048576, 1, false },        { "cdm3", "512K", 524288, 1, true },
        { "cdm3", "4K QD1", 4096, 1, true },         { "cdm3", "4K QD32", 4096, 32, true },
        { "cdm8", "SEQ1M Q8T1", 1048576, 8, false }, { "cdm8", "SEQ1M Q1T1", 1048576, 1, false },
        { "cdm8", "RND4K Q32T1", 4096, 32, true },   { "cdm8", "RND4K Q1T1", 4096, 1, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        const struct check_row *row = find(want[i].table, want[i].name);
        assert_int_equal(row->block_bytes, want[i].block_bytes);
        assert_int_equal(row->depth, want[i].depth);
        assert_int_equal(row->random, want[i].random);
        assert_true(row->direct);
        assert_int_equal(row->score, CHECK_BEST);
    }
    assert_int_equal(find("hdparm", "-t")->block_bytes, 2097152);
    assert_false(find("hdparm", "-t")->direct);
    assert_int_equal(find("dd", "first")->block_bytes, 16384);
}

/* hdparm: 384 MB in 3 s are 128 MB/sec, of 2^20; dd says 402653184 bytes in 3 s are 134 MB/s. */
static void test_units(void **state)
{
    (void)state;
    assert_float_equal(check_row_rate(find("hdparm", "-t"), 402653184, 3), 128, 1e-9);
    assert_float_equal(check_row_rate(find("dd", "first"), 402653184, 3), 134.217728, 1e-9);
    assert_float_equal(check_row_rate(find("dd", "first"), 1, 0), 0, 0);
}

static void test_seeks(void **state)
{
    (void)state;
    assert_float_equal(check_without_seeks(2.0, 0.25), 1.75, 1e-9);
    assert_float_equal(check_without_seeks(0.1, 0.25), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_seeks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
