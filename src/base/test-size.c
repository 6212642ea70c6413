/* SPDX-License-Identifier: MIT */
#include "base/size.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_sizes(void **state)
{
    static const struct {
        const char *text;
        int result;
        uint64_t bytes;
    } cases[] = {
        { "0", 0, 0 },
        { "512", 0, 512 },
        { "512B", 0, 512 },
        { "16K", 0, 16384 },
        { "16KiB", 0, 16384 },
        { "64 KB", 0, 65536 },
        { "1M", 0, 1048576 },
        { "1G", 0, 1073741824 },
        { "3T", 0, 3298534883328 },
        { "18446744073709551615", 0, UINT64_MAX },
        { "18446744073709551616", -ERANGE, 0 },
        { "99999999999T", -ERANGE, 0 },
        { "", -EINVAL, 0 },
        { "K", -EINVAL, 0 },
        { "-1", -EINVAL, 0 },
        { "+1", -EINVAL, 0 },
        { " 1", -EINVAL, 0 },
        { "1 ", -EINVAL, 0 },
        { "1k", -EINVAL, 0 },
        { "1iB", -EINVAL, 0 },
        { "1MM", -EINVAL, 0 },
        { "1.5G", -EINVAL, 0 },
        { "0x10", -EINVAL, 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t bytes = 0;
        assert_int_equal(parse_size(cases[i].text, &bytes), cases[i].result);
        assert_true(bytes == cases[i].bytes);
    }
}

static void test_durations(void **state)
{
    static const struct {
        const char *text;
        int result;
        uint64_t usec;
    } cases[] = {
        { "90", 0, 90000000 },
        { "0", 0, 0 },
        { "500ms", 0, 500000 },
        { "250us", 0, 250 },
        { "5s", 0, 5000000 },
        { "2min", 0, 120000000 },
        { "2m", 0, 120000000 },
        { "1h 30min", 0, 5400000000 },
        { "1h30min", 0, 5400000000 },
        { "1d", 0, 86400000000 },
        { "infinity", 0, USEC_INFINITY },
        { "", -EINVAL, 0 },
        { "s", -EINVAL, 0 },
        { "-5s", -EINVAL, 0 },
        { "5 weeks", -EINVAL, 0 },
        { "5x", -EINVAL, 0 },
        { "5s x", -EINVAL, 0 },
        { "1.5s", -EINVAL, 0 },
        { "99999999999999999999s", -ERANGE, 0 },
        { "18446744073709551615us", -ERANGE, 0 },
        { "18446744073709d", -ERANGE, 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t usec = 0;
        assert_int_equal(parse_duration(cases[i].text, &usec), cases[i].result);
        assert_true(usec == cases[i].usec);
    }
}

static void test_numbers_and_booleans(void **state)
{
    unsigned value = 7;
    int flag = 7;

    (void)state;
    assert_int_equal(parse_unsigned("1024", &value), 0);
    assert_int_equal(value, 1024);
    assert_int_equal(parse_unsigned("4294967296", &value), -ERANGE);
    assert_int_equal(parse_unsigned("10 ", &value), -EINVAL);
    assert_int_equal(parse_unsigned("", &value), -EINVAL);
    assert_int_equal(value, 1024);

    assert_int_equal(parse_percent("90", &value), 0);
    assert_int_equal(value, 90);
    assert_int_equal(parse_percent("100%", &value), 0);
    assert_int_equal(value, 100);
    assert_int_equal(parse_percent("101", &value), -ERANGE);
    assert_int_equal(parse_percent("50%%", &value), -EINVAL);

    assert_int_equal(parse_boolean("yes", &flag), 0);
    assert_int_equal(flag, 1);
    assert_int_equal(parse_boolean("Off", &flag), 0);
    assert_int_equal(flag, 0);
    assert_int_equal(parse_boolean("2", &flag), -EINVAL);
}

static void test_formats(void **state)
{
    char text[FORMAT_MAX];

    (void)state;
    assert_string_equal(format_bytes(text, 0), "0 B");
    assert_string_equal(format_bytes(text, 1023), "1023 B");
    assert_string_equal(format_bytes(text, 1024), "1.0 KiB");
    assert_string_equal(format_bytes(text, 1536), "1.5 KiB");
    assert_string_equal(format_bytes(text, MIB - 1), "1.0 MiB");
    assert_string_equal(format_bytes(text, 1023 * KIB + 511), "1023 KiB");
    assert_string_equal(format_bytes(text, 1023 * KIB + 512), "1.0 MiB");
    assert_string_equal(format_bytes(text, 1023 * GIB + 600 * MIB), "1.0 TiB");
    assert_string_equal(format_rate(text, 1023.7), "1.0 KiB/s");
    assert_string_equal(format_bytes(text, 100 * GIB), "100 GiB");
    assert_string_equal(format_bytes(text, TIB * 2), "2.0 TiB");
    assert_string_equal(format_bytes(text, UINT64_MAX), "16.0 EiB");
    assert_string_equal(format_rate(text, 211.0 * 1024 * 1024), "211 MiB/s");
    assert_string_equal(format_rate(text, -1), "0 B/s");
    assert_string_equal(format_duration(text, 0), "0 s");
    assert_string_equal(format_duration(text, 600), "600 us");
    assert_string_equal(format_duration(text, 31000), "31 ms");
    assert_string_equal(format_duration(text, 59 * USEC_PER_SEC), "59 s");
    assert_string_equal(format_duration(text, 90 * USEC_PER_SEC), "1 min 30 s");
    assert_string_equal(format_duration(text, 12 * 60 * USEC_PER_SEC), "12 min");
    assert_string_equal(format_duration(text, (3 * 3600 + 20 * 60) * USEC_PER_SEC), "3 h 20 min");
    assert_string_equal(format_duration(text, (2 * 86400 + 4 * 3600) * USEC_PER_SEC), "2 d 4 h");
    assert_string_equal(format_duration(text, USEC_INFINITY), "for ever");
}

/* What is printed whole can be typed again: every power of two survives both ways. */
static void test_powers_survive_both_ways(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 60; shift++) {
        char text[FORMAT_MAX], *point;
        uint64_t bytes = UINT64_C(1) << shift, again = 0;
        format_bytes(text, bytes);
        point = strstr(text, ".0");
        if (point)
            memmove(point, point + 2, strlen(point + 2) + 1);
        assert_int_equal(parse_size(text, &again), 0);
        assert_true(again == bytes);
    }
}

__extension__ typedef unsigned __int128 wide;

static uint64_t random_bits(unsigned *state, unsigned bits)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 64; i += 16)
        value = value << 16 | ((unsigned)rand_r(state) & 0xffff);
    return bits == 0 ? 0 : value >> (64 - bits);
}

#define STEPS 20000U

/* What is read is within half of the last digit of what was given, and never 1024 of a unit. */
static void test_what_is_printed_is_near_and_below_1024(void **state)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    unsigned seed = 20261201;

    (void)state;
    for (unsigned step = 0; step < STEPS; step++) {
        uint64_t bytes = random_bits(&seed, step % 65);
        char text[FORMAT_MAX], unit[4];
        long double value, off, scale = 1;
        unsigned i = 0;
        format_bytes(text, bytes);
        assert_int_equal(sscanf(text, "%Lf %3s", &value, unit), 2);
        for (; strcmp(unit, units[i]) != 0; i++) {
            assert_true(i + 1 < COUNT(units));
            scale *= 1024;
        }
        off = value * scale - (long double)bytes;
        off = off < 0 ? -off : off;
        assert_true(value < 1024 && (i == 0 || value >= 1));
        assert_true(i == 0 ? off == 0 : off <= scale * (strchr(text, '.') ? 0.0501L : 0.501L));
    }
}

/* Against 128 bits, in which nothing overflows. */
static void test_random_sizes_are_right_or_out_of_range(void **state)
{
    unsigned seed = 3, refused = 0;

    (void)state;
    for (unsigned step = 0; step < STEPS; step++) {
        uint64_t value = random_bits(&seed, step % 65), bytes = 7;
        unsigned power = (unsigned)rand_r(&seed) % 5;
        wide exact = value;
        char text[FORMAT_MAX];
        int r;
        for (unsigned i = 0; i < power; i++)
            exact *= 1024;
        snprintf(text, sizeof(text), "%llu%.*s", (unsigned long long)value, power > 0,
                 &"KMGT"[power > 0 ? power - 1 : 0]);
        r = parse_size(text, &bytes);
        assert_int_equal(r, exact > UINT64_MAX ? -ERANGE : 0);
        assert_true(bytes == (r < 0 ? 7 : (uint64_t)exact));
        refused += r < 0;
    }
    assert_true(refused > 0 && refused < STEPS);
}

static void test_random_durations_are_right_or_out_of_range(void **state)
{
    static const struct {
        const char *name;
        uint64_t usec;
    } units[] = { { "d", 86400000000 }, { "h", 3600000000 }, { "min", 60000000 },
                  { "s", 1000000 },     { "ms", 1000 },      { "us", 1 } };
    unsigned seed = 5, refused = 0;

    (void)state;
    for (unsigned step = 0; step < STEPS; step++) {
        wide exact = 0;
        uint64_t usec = 7;
        char text[200] = "";
        int r;
        for (unsigned i = (unsigned)rand_r(&seed) % COUNT(units); i < COUNT(units); i++) {
            uint64_t value = random_bits(&seed, (unsigned)rand_r(&seed) % 60);
            size_t length = strlen(text);
            snprintf(text + length, sizeof(text) - length, "%s%llu%s",
                     length > 0 && step % 2 ? " " : "", (unsigned long long)value, units[i].name);
            exact += (wide)value * units[i].usec;
        }
        r = parse_duration(text, &usec);
        assert_int_equal(r, exact >= USEC_INFINITY ? -ERANGE : 0);
        assert_true(usec == (r < 0 ? 7 : (uint64_t)exact));
        refused += r < 0;
    }
    assert_true(refused > 0 && refused < STEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_numbers_and_booleans),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_powers_survive_both_ways),
        cmocka_unit_test(test_what_is_printed_is_near_and_below_1024),
        cmocka_unit_test(test_random_sizes_are_right_or_out_of_range),
        cmocka_unit_test(test_random_durations_are_right_or_out_of_range),
    };
    return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
