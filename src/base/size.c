/* SPDX-License-Identifier: MIT */
#include "base/size.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Digits only: strtoull alone would take "-1", "+1" and leading blanks. *ret_end is behind them. */
static int parse_digits(const char *text, uint64_t *ret, const char **ret_end)
{
    uint64_t value = 0;

    if (*text < '0' || *text > '9')
        return -EINVAL;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return -ERANGE;
        value = value * 10 + digit;
    }
    *ret = value;
    *ret_end = text;
    return 0;
}

static bool is_byte_suffix(const char *text)
{
    return *text == '\0' || strcmp(text, "B") == 0 || strcmp(text, "iB") == 0;
}

int parse_size(const char *text, uint64_t *ret_bytes)
{
    static const char letters[] = "KMGTP";
    const char *end, *letter;
    uint64_t value;
    unsigned shift = 0;
    int r = parse_digits(text, &value, &end);

    if (r < 0)
        return r;
    if (*end == ' ' && end[1] != '\0')
        end++;
    letter = *end ? strchr(letters, *end) : NULL;
    if (letter) {
        shift = 10 * (unsigned)(letter - letters + 1);
        end++;
    } else if (strcmp(end, "iB") == 0) {
        return -EINVAL;
    }
    if (!is_byte_suffix(end))
        return -EINVAL;
    if (value > UINT64_MAX >> shift)
        return -ERANGE;
    *ret_bytes = value << shift;
    return 0;
}

/* The unit's length in µs, 0 if there is no such unit; `length` characters of `text`. */
static uint64_t unit_usec(const char *text, size_t length)
{
    static const struct {
        const char *name;
        uint64_t usec;
    } units[] = {
        { "us", 1 },
        { "ms", USEC_PER_MSEC },
        { "", USEC_PER_SEC },
        { "s", USEC_PER_SEC },
        { "sec", USEC_PER_SEC },
        { "m", 60 * USEC_PER_SEC },
        { "min", 60 * USEC_PER_SEC },
        { "h", 3600 * USEC_PER_SEC },
        { "d", 86400 * USEC_PER_SEC },
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strlen(units[i].name) == length && strncmp(units[i].name, text, length) == 0)
            return units[i].usec;
    }
    return 0;
}

int parse_duration(const char *text, uint64_t *ret_usec)
{
    uint64_t total_usec = 0;

    if (strcmp(text, "infinity") == 0) {
        *ret_usec = USEC_INFINITY;
        return 0;
    }
    do {
        uint64_t value, unit;
        const char *end;
        size_t length;
        int r = parse_digits(text, &value, &end);
        if (r < 0)
            return r;
        length = strcspn(end, " 0123456789");
        unit = unit_usec(end, length);
        if (unit == 0)
            return -EINVAL;
        /* USEC_INFINITY itself is not a duration. */
        if (value > (USEC_INFINITY - 1 - total_usec) / unit)
            return -ERANGE;
        total_usec += value * unit;
        text = end + length;
        text += strspn(text, " ");
    } while (*text);
    *ret_usec = total_usec;
    return 0;
}

int parse_unsigned(const char *text, unsigned *ret)
{
    const char *end;
    uint64_t value;
    int r = parse_digits(text, &value, &end);

    if (r < 0)
        return r;
    if (*end)
        return -EINVAL;
    if (value > UINT_MAX)
        return -ERANGE;
    *ret = (unsigned)value;
    return 0;
}

int parse_percent(const char *text, unsigned *ret_percent)
{
    const char *end;
    uint64_t value;
    int r = parse_digits(text, &value, &end);

    if (r < 0)
        return r;
    if (strcmp(end, "") != 0 && strcmp(end, "%") != 0)
        return -EINVAL;
    if (value > 100)
        return -ERANGE;
    *ret_percent = (unsigned)value;
    return 0;
}

int parse_boolean(const char *text, int *ret)
{
    static const char *const words[][2] = {
        { "no", "yes" }, { "false", "true" }, { "off", "on" }, { "0", "1" }
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        for (int value = 0; value < 2; value++) {
            if (strcasecmp(text, words[i][value]) == 0) {
                *ret = value;
                return 0;
            }
        }
    }
    return -EINVAL;
}

/*
 * The unit is chosen by what will be printed: from 1023.5 on that would be "1024", so it reads
 * "1.0" of the next unit.
 */
static const char *scale(double *value)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    size_t i = 0;

    while (*value >= 1023.5 && i + 1 < sizeof(units) / sizeof(units[0])) {
        *value /= 1024;
        i++;
    }
    return units[i];
}

static char *format_scaled(char buffer[FORMAT_MAX], double value, const char *suffix)
{
    const char *unit = scale(&value);
    unsigned tenths;

    /* Whole bytes have no fraction, and three digits before the point say enough. */
    if (unit[0] == 'B' || value >= 99.95) {
        snprintf(buffer, FORMAT_MAX, "%.0f %s%s", value, unit, suffix);
        return buffer;
    }
    /* By hand, since printf() writes the point as the locale has it. */
    tenths = (unsigned)(value * 10 + 0.5);
    snprintf(buffer, FORMAT_MAX, "%u.%u %s%s", tenths / 10, tenths % 10, unit, suffix);
    return buffer;
}

char *format_bytes(char buffer[FORMAT_MAX], uint64_t bytes)
{
    return format_scaled(buffer, (double)bytes, "");
}

char *format_rate(char buffer[FORMAT_MAX], double bytes_per_sec)
{
    return format_scaled(buffer, bytes_per_sec < 0 ? 0 : bytes_per_sec, "/s");
}

static char *format_two(char buffer[FORMAT_MAX], uint64_t first, const char *first_unit,
                        uint64_t second, const char *second_unit)
{
    if (second > 0)
        snprintf(buffer, FORMAT_MAX, "%" PRIu64 " %s %" PRIu64 " %s", first, first_unit, second,
                 second_unit);
    else
        snprintf(buffer, FORMAT_MAX, "%" PRIu64 " %s", first, first_unit);
    return buffer;
}

char *format_duration(char buffer[FORMAT_MAX], uint64_t usec)
{
    uint64_t sec = usec / USEC_PER_SEC;

    if (usec == USEC_INFINITY)
        snprintf(buffer, FORMAT_MAX, "for ever");
    else if (usec > 0 && usec < USEC_PER_MSEC)
        snprintf(buffer, FORMAT_MAX, "%" PRIu64 " us", usec);
    else if (usec > 0 && usec < USEC_PER_SEC)
        snprintf(buffer, FORMAT_MAX, "%" PRIu64 " ms", usec / USEC_PER_MSEC);
    else if (sec < 60)
        snprintf(buffer, FORMAT_MAX, "%" PRIu64 " s", sec);
    else if (sec < 600)
        return format_two(buffer, sec / 60, "min", sec % 60, "s");
    else if (sec < 3600)
        snprintf(buffer, FORMAT_MAX, "%" PRIu64 " min", sec / 60);
    else if (sec < 86400)
        return format_two(buffer, sec / 3600, "h", sec / 60 % 60, "min");
    else
        return format_two(buffer, sec / 86400, "d", sec / 3600 % 24, "h");
    return buffer;
}
