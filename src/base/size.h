/* SPDX-License-Identifier: MIT */
/* Sizes, durations and percents as people write them, and as they like to read them. */
#ifndef BASE_SIZE_H
#define BASE_SIZE_H

#include <stddef.h>
#include <stdint.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

#define USEC_PER_MSEC UINT64_C(1000)
#define USEC_PER_SEC  UINT64_C(1000000)

#define USEC_INFINITY UINT64_MAX

/*
 * "512", "64K", "1M", "2G", "1T", "64KiB", "64 KB": powers of 1024 only, as in systemd's own
 * files; one space before the unit and a trailing "B" or "iB" are accepted. -EINVAL, -ERANGE.
 */
int parse_size(const char *text, uint64_t *ret_bytes);

/* "90" (seconds), "500ms", "5s", "2min", "1h 30min", "1d", "infinity". -EINVAL, -ERANGE. */
int parse_duration(const char *text, uint64_t *ret_usec);

/* "90" or "90%", 0-100. -EINVAL, -ERANGE. */
int parse_percent(const char *text, unsigned *ret_percent);

/* An unsigned decimal number and nothing else. -EINVAL, -ERANGE. */
int parse_unsigned(const char *text, unsigned *ret);

/* "yes/no", "true/false", "on/off", "1/0". -EINVAL. */
int parse_boolean(const char *text, int *ret);

#define FORMAT_MAX 32
/* "1.5 GiB"; "211 MiB/s"; "12 min", "3 h 20 min", "2 d 4 h". Return `buffer`. */
char *format_bytes(char buffer[FORMAT_MAX], uint64_t bytes);
char *format_rate(char buffer[FORMAT_MAX], double bytes_per_sec);
char *format_duration(char buffer[FORMAT_MAX], uint64_t usec);

#endif
