/* SPDX-License-Identifier: MIT */
/* The set against the plainest model there is: a bit a byte. */
#include "base/rangeset.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define UNIVERSE 160U
#define STEPS    20000U

void *__real_realloc(void *pointer, size_t size); /* ld's --wrap=realloc names them so */
void *__wrap_realloc(void *pointer, size_t size);

static bool memory_is_out;

void *__wrap_realloc(void *pointer, size_t size)
{
    return memory_is_out ? NULL : __real_realloc(pointer, size);
}

static unsigned random_below(unsigned *state, unsigned limit)
{
    return (unsigned)rand_r(state) % limit;
}

static void check_totals(const struct rangeset *set, const bool *model)
{
    uint64_t total = 0;
    size_t ranges = 0;

    for (unsigned i = 0; i < UNIVERSE; i++) {
        total += model[i];
        ranges += model[i] && (i == 0 || !model[i - 1]);
    }
    assert_int_equal(rangeset_total_bytes(set), total);
    assert_int_equal(rangeset_length(set), ranges);
    assert_null(rangeset_get(set, ranges));
}

static void check_ranges(const struct rangeset *set, const bool *model)
{
    uint64_t last_end = 0;
    const struct range *range;

    for (size_t n = 0; (range = rangeset_get(set, n)); n++) {
        assert_true(range->start < range->end);
        assert_true(n == 0 || range->start > last_end);
        for (uint64_t i = last_end; i < range->start; i++)
            assert_false(model[i]);
        for (uint64_t i = range->start; i < range->end; i++)
            assert_true(model[i]);
        last_end = range->end;
    }
    for (uint64_t i = last_end; i < UNIVERSE; i++)
        assert_false(model[i]);
}

static void check_query(const struct rangeset *set, const bool *model, unsigned start, unsigned end)
{
    unsigned overlap = 0, i, j;
    struct range found;

    for (i = start; i < end; i++)
        overlap += model[i];
    assert_int_equal(rangeset_overlap_bytes(set, start, end), overlap);
    assert_int_equal(rangeset_contains(set, start, end), overlap == end - start);

    for (i = start; i < UNIVERSE && !model[i]; i++)
        ;
    for (j = i; j < UNIVERSE && model[j]; j++)
        ;
    assert_int_equal(rangeset_next(set, start, &found), i < UNIVERSE);
    if (i < UNIVERSE) {
        assert_int_equal(found.start, i);
        assert_int_equal(found.end, j);
    }

    for (i = start; i < end && model[i]; i++)
        ;
    for (j = i; j < end && !model[j]; j++)
        ;
    assert_int_equal(rangeset_next_gap(set, start, end, &found), i < end);
    if (i < end) {
        assert_int_equal(found.start, i);
        assert_int_equal(found.end, j);
    }
}

static void test_random_steps_match_a_bitmap(void **state)
{
    struct rangeset *set = rangeset_new();
    bool model[UNIVERSE] = { false };
    unsigned seed = 20261201;

    (void)state;
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned start = random_below(&seed, UNIVERSE), end;
        bool add = random_below(&seed, 2);
        end = start + random_below(&seed, step % 7 == 0 ? UNIVERSE - start + 1 : 12);
        if (end > UNIVERSE)
            end = UNIVERSE;
        assert_int_equal(add ? rangeset_add(set, start, end) : rangeset_subtract(set, start, end),
                         0);
        for (unsigned i = start; i < end; i++)
            model[i] = add;
        check_totals(set, model);
        check_ranges(set, model);
        start = random_below(&seed, UNIVERSE);
        check_query(set, model, start, start + random_below(&seed, UNIVERSE - start + 1));
    }
    rangeset_free(set);
}

static void test_whole_sets_match_a_bitmap(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct rangeset *a = rangeset_new(), *b = rangeset_new(), *copy;
        bool model[UNIVERSE] = { false };
        for (unsigned i = 0; i < 20; i++) {
            unsigned start = random_below(&seed, UNIVERSE - 9);
            rangeset_add(i % 2 ? a : b, start, start + 9);
        }
        copy = rangeset_copy(a);
        for (unsigned i = 0; i < UNIVERSE; i++)
            model[i] = rangeset_contains(a, i, i + 1) || rangeset_contains(b, i, i + 1);
        assert_int_equal(rangeset_add_set(a, b), 0);
        check_totals(a, model);
        check_ranges(a, model);
        for (unsigned i = 0; i < UNIVERSE; i++)
            model[i] = rangeset_contains(copy, i, i + 1) && !rangeset_contains(b, i, i + 1);
        assert_int_equal(rangeset_subtract_set(copy, b), 0);
        check_totals(copy, model);
        check_ranges(copy, model);
        rangeset_clear(copy);
        assert_int_equal(rangeset_length(copy), 0);
        rangeset_free(a);
        rangeset_free(b);
        rangeset_free(copy);
    }
}

static void test_offsets_at_the_end_of_the_number_line(void **state)
{
    struct rangeset *set = rangeset_new();
    struct range gap;

    (void)state;
    assert_int_equal(rangeset_add(set, UINT64_MAX - 4096, UINT64_MAX), 0);
    assert_int_equal(rangeset_add(set, 0, 1), 0);
    assert_int_equal(rangeset_total_bytes(set), 4097);
    assert_true(rangeset_next_gap(set, 0, UINT64_MAX, &gap));
    assert_int_equal(gap.start, 1);
    assert_int_equal(gap.end, UINT64_MAX - 4096);
    assert_false(rangeset_next_gap(set, UINT64_MAX - 10, UINT64_MAX, &gap));
    assert_int_equal(rangeset_subtract(set, 0, UINT64_MAX), 0);
    assert_int_equal(rangeset_total_bytes(set), 0);
    rangeset_free(set);
}

static void test_bad_and_empty_ranges_change_nothing(void **state)
{
    struct rangeset *set = rangeset_new();

    (void)state;
    assert_int_equal(rangeset_add(set, 10, 20), 0);
    assert_int_equal(rangeset_add(set, 5, 4), -EINVAL);
    assert_int_equal(rangeset_subtract(set, 15, 12), -EINVAL);
    assert_int_equal(rangeset_add(set, 30, 30), 0);
    assert_int_equal(rangeset_subtract(set, 15, 15), 0);
    assert_int_equal(rangeset_length(set), 1);
    assert_int_equal(rangeset_total_bytes(set), 10);
    rangeset_free(set);
}

/* Each step is tried without memory first: where that fails, the set must be as before. */
static void test_without_memory_the_set_is_unchanged(void **state)
{
    unsigned seed = 11, failed[2] = { 0, 0 };

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct rangeset *set = rangeset_new();
        bool model[UNIVERSE] = { false };
        if (round % 2)
            assert_int_equal(rangeset_add(set, 0, UNIVERSE), 0);
        for (unsigned i = 0; i < UNIVERSE; i++)
            model[i] = round % 2;
        for (unsigned step = 0; step < 60; step++) {
            unsigned start = random_below(&seed, UNIVERSE - 2), end = start + 2;
            bool add = !(round % 2);
            int r;
            memory_is_out = true;
            r = add ? rangeset_add(set, start, end) : rangeset_subtract(set, start, end);
            memory_is_out = false;
            if (r < 0) {
                assert_int_equal(r, -ENOMEM);
                failed[add]++;
                check_ranges(set, model);
                check_totals(set, model);
                r = add ? rangeset_add(set, start, end) : rangeset_subtract(set, start, end);
            }
            assert_int_equal(r, 0);
            model[start] = model[start + 1] = add;
            check_ranges(set, model);
        }
        rangeset_free(set);
    }
    assert_true(failed[false] > 0 && failed[true] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps_match_a_bitmap),
        cmocka_unit_test(test_whole_sets_match_a_bitmap),
        cmocka_unit_test(test_offsets_at_the_end_of_the_number_line),
        cmocka_unit_test(test_bad_and_empty_ranges_change_nothing),
        cmocka_unit_test(test_without_memory_the_set_is_unchanged),
    };
    return cmocka_run_group_tests_name("rangeset", tests, NULL, NULL);
}
